"""The part of `permillion import` that reads rental prices: our CSV, the skypilot catalog layout, gpuhunt."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import click

from api.cli.opening import open_catalog
from api.services.machines.importing import RentalImportPlan, plan_rental_import, publish_rental_import
from api.settings import settings_from_environment
from economics.errors import PermillionError
from hardware.prices.feeds import skypilot
from hardware.prices.feeds.gpuhunt import read_offers
from hardware.prices.feeds.own_csv import read_own_csv
from hardware.prices.feeds.reading import MAX_FEED_BYTES, FeedSource, Finding, RentalReading

RENTAL_FEEDS: Final = ("rental-csv", "skypilot", "gpuhunt")
_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class RentalImport:
    """What the command was asked.

    Attributes:
        path: a file, of gpuhunt the folder of its `{provider}.csv`.
        provider: whose file it is; of gpuhunt which to read, all in the folder where left out.
        version: of the file, for the records' source.
    """

    source: str
    path: Path
    provider: str | None
    currency: str | None
    version: str | None
    seen_on: date | None
    dry_run: bool
    accept_quarantined: bool
    report: Path | None


def run(asked: RentalImport) -> None:
    """Show what an import does, then record all of it or nothing.

    Raises:
        PermillionError: `invalid-feed`, `invalid-fields`; nothing is written then.
    """
    reading = _read(asked)
    catalog = open_catalog(settings_from_environment())
    try:
        plan = plan_rental_import(catalog, reading, accept_quarantined=asked.accept_quarantined)
        _show(plan)
        if asked.report is not None:
            _write_report(asked.report, plan)
        if asked.dry_run:
            click.echo("dry run: nothing was written")
            return
        click.echo("publishing …")
        version = publish_rental_import(catalog, plan)
        click.echo(f"published {len(plan.records())} rental prices; catalog version {version}")
    finally:
        catalog.close()


def _read(asked: RentalImport) -> RentalReading:
    if asked.source == "gpuhunt":
        return _read_gpuhunt(asked)
    if asked.path.is_dir():
        raise PermillionError("invalid-fields", f"{asked.source} reads a file, this is a folder")
    with asked.path.open("rb") as file:
        content = file.read(MAX_FEED_BYTES + 1)
    if asked.source == "rental-csv":
        return read_own_csv(content)
    provider = asked.provider or asked.path.resolve().parent.name
    if asked.provider is None and asked.path.name != "vms.csv":
        raise PermillionError("invalid-fields", "say --provider: the file does not name whose prices it holds")
    seen_on = (asked.seen_on or _modified(asked.path)).isoformat()
    title = f"{skypilot.TITLE}:{provider}/{asked.path.name}"
    source = FeedSource(title, asked.version or "", seen_on, skypilot.LICENSE)
    return skypilot.read_skypilot(content, provider, source, asked.currency)


def _read_gpuhunt(asked: RentalImport) -> RentalReading:
    """Offers of a folder of catalogs, through an installed gpuhunt that may not fetch."""
    try:
        from gpuhunt import Catalog  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise PermillionError(
            "invalid-feed", "gpuhunt is not installed; install the extra: pip install 'permillion[gpuhunt]'"
        ) from None
    if not asked.path.is_dir():
        raise PermillionError("invalid-fields", "gpuhunt reads a folder of {provider}.csv")
    files = sorted(path for path in asked.path.glob("*.csv") if asked.provider in (None, path.stem))
    if not files:
        raise PermillionError("invalid-feed", "the folder has no {provider}.csv")
    os.environ["GPUHUNT_CATALOG_DIR"] = str(asked.path)
    catalog = Catalog(auto_reload=False)  # the default object fetches on its first query
    offers: list[Any] = []
    skipped: dict[str, int] = {}
    for path in files:
        try:
            found = catalog.query(provider=path.stem)
        except Exception as error:  # noqa: BLE001 - whatever another package makes of a broken file
            raise PermillionError("invalid-feed", f"gpuhunt cannot read {path.name}: {type(error).__name__}") from None
        offers += found
        with path.open(encoding="utf-8", newline="") as lines:
            skipped[path.name] = sum(1 for row in csv.reader(lines) if row) - 1 - len(found)
    seen_on = asked.seen_on or max(map(_modified, files))
    reading = read_offers(offers, asked.version or seen_on.isoformat(), seen_on.isoformat())
    for name, rows in skipped.items():
        if rows > 0:
            reading.refuse(name, "malformed", f"{rows} rows that gpuhunt passes over")
    return reading


def _modified(path: Path) -> date:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date()


def _show(plan: RentalImportPlan) -> None:
    for name, count in plan.counts().items():
        click.echo(f"{name:<15}{count:>8,}{_MEANINGS.get(name, '')}")
    _show_findings("corrected", plan.corrected)
    _show_findings("refused", plan.refused)
    for name, count in sorted(plan.unmapped.items())[:_SHOWN]:
        click.echo(f"  unmapped {count:>6,} {_plain(name)}")
    for finding in plan.quarantined[:_SHOWN]:
        click.echo(f"  quarantined {_plain(finding.upstream_id)}: {finding.reason}, {finding.detail}")
    if len(plan.quarantined) > _SHOWN:
        click.echo(f"  … and {len(plan.quarantined) - _SHOWN} more; --report FILE lists all")
    changed = [planned for planned in plan.planned if planned.fate == "changed"]
    for planned in changed[:_SHOWN]:
        assert planned.before is not None
        click.echo(
            f"  changed {_plain(planned.price.id)}: {planned.before.amount:f} → {planned.price.amount:f}"
            f" {planned.price.currency} an hour"
        )
    if len(changed) > _SHOWN:
        click.echo(f"  … and {len(changed) - _SHOWN} more; --report FILE lists all")


_MEANINGS: Final = {
    "entries": "  rows of the feed",
    "no accelerator": "  machines without one",
    "confirmed": "  same price, seen on another day",
    "unchanged": "  believed already",
    "corrected": "  put right, for the reasons below",
    "refused": "  no record of ours, for the reasons below",
    "quarantined": "  need a person; not recorded",
    "unmapped": "  of accelerators that are not known here; kept under the feed's name",
}


def _show_findings(word: str, findings: Sequence[Finding]) -> None:
    for reason, count in Counter(finding.reason for finding in findings).most_common():
        example = next(finding for finding in findings if finding.reason == reason)
        click.echo(f"  {word} {count:>6,} {reason}, such as {_plain(example.upstream_id)}: {example.detail}")


def _write_report(path: Path, plan: RentalImportPlan) -> None:
    try:
        out = path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise PermillionError("invalid-fields", f"the report cannot be written: {error.strerror}") from None
    with out:
        writer = csv.writer(out)
        writer.writerow(["fate", "upstream_id", "rental_price", "before", "amount", "currency", "reason", "detail"])
        for planned in plan.planned:
            price, before = planned.price, planned.before
            was = "" if before is None else f"{before.amount:f}"
            row = [planned.fate, _cell(planned.upstream_id), _cell(price.id), was, f"{price.amount:f}", price.currency]
            writer.writerow([*row, "" if price.accelerator else "unmapped", _cell(price.accelerator_as_named)])
        for fate, findings in (
            ("corrected", plan.corrected),
            ("refused", plan.refused),
            ("quarantined", plan.quarantined),
        ):
            writer.writerows(
                [fate, _cell(finding.upstream_id), "", "", "", "", finding.reason, _cell(finding.detail)]
                for finding in findings
            )


def _plain(text: str) -> str:
    """Somebody else's text on a terminal: printable ASCII only."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text[:200])


def _cell(text: str) -> str:
    """A cell that no spreadsheet runs as a formula: the text is somebody else's."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text

"""`permillion import SOURCE FILE|--package|--url`: a feed's prices into a price book of their own, or rental prices."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import UTC, date, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from api.cli.fetching import fetch
from api.cli.importing_rental import RENTAL_FEEDS, RentalImport
from api.cli.importing_rental import run as import_rental
from api.cli.opening import open_catalog
from api.services.importing import ImportPlan, plan_import, publish_import
from api.settings import settings_from_environment
from catalog.publishing import NewBook
from economics.errors import PermillionError
from providers.feeds import FEED_MODULES, Feed, FeedReading, PackagedFeed, Refused, feed_named
from providers.feeds.reading import MAX_FEED_BYTES

_SHOWN = 12
_OWN = "csv"
"""The feed whose rows are the tenant's own words."""


@click.command(name="import")
@click.argument("source", type=click.Choice([*FEED_MODULES, *RENTAL_FEEDS]))
@click.argument("file", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--package", is_flag=True, help="Read the installed package of that feed instead of a file.")
@click.option("--url", help="Fetch the file now; https, from a host of the feed or of PERMILLION_FEED_HOSTS.")
@click.option("--book", help="Price book to import into; default: the feed's name.")
@click.option("--base", help="List book that answers where this one has no rate; only for your own CSV.")
@click.option(
    "--retrieved-on", help="Day the file was taken, YYYY-MM-DD; default: the file's own date, or the package's."
)
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option("--accept-quarantined", is_flag=True, help="Believe jumps too; look at them first.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write every row's fate to a CSV file.")
@click.option("--provider", help="Whose rental prices: skypilot's file does not say; of gpuhunt only this one.")
@click.option("--currency", help="Of a skypilot file of a provider that does not bill in US dollars.")
@click.option("--feed-version", help="Version of the file (a commit), kept with every rental price.")
def command(
    source: str,
    file: Path | None,
    package: bool,
    url: str | None,
    book: str | None,
    base: str | None,
    retrieved_on: str | None,
    dry_run: bool,
    accept_quarantined: bool,
    report: Path | None,
    provider: str | None,
    currency: str | None,
    feed_version: str | None,
) -> None:
    """Import a feed: show what is added, changed and refused, then publish all of it or nothing.

    Rows that are already believed stay as they are; a row that is gone from the feed stays believed. Exit 0 also where some
    rows are refused; 2 where the file cannot be read.
    """
    if source in RENTAL_FEEDS:
        if file is None or package or url is not None or book is not None or base is not None:
            raise PermillionError(
                "invalid-fields", f"{source} takes a file or folder, and no package, url, book or base"
            )
        asked = RentalImport(
            source, file, provider, currency, feed_version, _day(retrieved_on), dry_run, accept_quarantined, report
        )
        import_rental(asked)
        return
    if file is not None and file.is_dir():
        raise PermillionError("invalid-fields", "FILE is a folder")
    feed = feed_named(source)
    if source == _OWN and book is None:
        raise PermillionError("invalid-fields", "say --book: the price book your rows belong to")
    if base is not None and source != _OWN:
        raise PermillionError(
            "invalid-fields", "--base is for your own CSV; a feed never answers with the list's prices"
        )
    seen_on, reading = _read(feed, file, package, url, _day(retrieved_on))
    catalog = open_catalog(settings_from_environment())
    try:
        target = NewBook(book or source, base, "USD", None if source == _OWN else feed.title)
        if source == _OWN and len(currencies := {row.row.currency for row in reading.rows}) > 1:
            raise PermillionError(
                "invalid-fields",
                f"a book has one currency, the file has {', '.join(sorted(currencies))}; import one a file",
            )
        plan = plan_import(catalog, reading, target, seen_on, accept_quarantined=accept_quarantined)
        _show(plan, seen_on)
        if report is not None:
            _write_report(report, plan)
        if dry_run:
            click.echo("dry run: nothing was written")
        else:
            click.echo("publishing …")
            catalog_version = publish_import(catalog, plan, own=source == _OWN)
            named = ", ".join(part.book.id for part in plan.books if part.rows()) or "none, nothing changed"
            click.echo(f"published into: {named}; catalog version {catalog_version}")
    finally:
        catalog.close()


def _read(feed: Feed, file: Path | None, package: bool, url: str | None, said: date | None) -> tuple[date, FeedReading]:
    if [file is not None, package, url is not None].count(True) != 1:
        raise PermillionError("invalid-fields", "say one of FILE, --package and --url")
    if package:
        if not isinstance(feed, PackagedFeed):
            raise PermillionError("invalid-fields", f"{feed.name} has no package; give its file")
        seen_on = said or feed.packaged_on.get(_installed(feed))
        if seen_on is None:
            raise PermillionError(
                "invalid-fields", f"the date of {feed.package} {_installed(feed)} is unknown; say --retrieved-on"
            )
        return seen_on, feed.read_package(seen_on)
    if file is not None:
        seen_on = said or datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
        with file.open("rb") as source:  # a device or a pipe has no size to look at first
            return seen_on, feed.read(source.read(MAX_FEED_BYTES + 1), seen_on)
    assert url is not None
    content = fetch(url, (*feed.hosts, *settings_from_environment().feed_hosts))
    seen_on = said or datetime.now(UTC).date()
    return seen_on, feed.read(content, seen_on)


def _installed(feed: PackagedFeed) -> str:
    try:
        return version(feed.package)
    except PackageNotFoundError:
        raise PermillionError(
            "invalid-feed", f"{feed.package} is not installed; install the extra: pip install 'permillion[feeds]'"
        ) from None


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise PermillionError("invalid-fields", "--retrieved-on is a day, YYYY-MM-DD") from None
    if day > datetime.now(UTC).date():
        raise PermillionError("invalid-fields", "--retrieved-on lies in the future")
    return day


def _show(plan: ImportPlan, seen_on: date) -> None:
    for name, count in plan.counts().items():
        click.echo(f"{name:<12}{count:>8,}{_MEANINGS.get(name, '')}")
    click.echo(f"taken on    {seen_on.isoformat()}")
    reasons = Counter(refused.reason for refused in plan.refused)
    for reason, count in reasons.most_common():
        example = next(refused for refused in plan.refused if refused.reason == reason)
        click.echo(f"  refused {count:>6,} {reason}, such as {example.upstream_id}: {example.detail}")
    for refused in plan.quarantined[:_SHOWN]:
        click.echo(f"  quarantined {refused.upstream_id} {refused.where}: {refused.detail}")
    if len(plan.quarantined) > _SHOWN:
        click.echo(f"  … and {len(plan.quarantined) - _SHOWN} more; --report FILE lists all")
    changed = [p for part in plan.books for p in part.planned if p.outcome.kind == "changed"]
    for planned in changed[:_SHOWN]:
        before, row = planned.outcome.before, planned.outcome.row
        assert before is not None and row is not None
        click.echo(f"  changed {planned.upstream_id} {row.slot}: {before.rate:f} → {row.rate:f} per {row.per}")
    if len(changed) > _SHOWN:
        click.echo(f"  … and {len(changed) - _SHOWN} more; --report FILE lists all")


_MEANINGS = {
    "entries": "  of the feed",
    "confirmed": "  same price, checked later than before",
    "unchanged": "  believed already",
    "refused": "  no row of ours, for the reasons below",
    "quarantined": "  jumps and outliers; not published",
    "disputed": "  more than 1 % from the vendor's list price",
    "suspect": "  more than a factor of 2 from it",
    "gone": "  no longer in the feed; still believed",
}


def _write_report(path: Path, plan: ImportPlan) -> None:
    try:
        out = path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise PermillionError("invalid-fields", f"the report cannot be written: {error.strerror}") from None
    with out:
        writer = csv.writer(out)
        writer.writerow(["fate", "upstream_id", "where", "before", "rate", "per", "currency", "status", "detail"])
        for part in plan.books:
            for planned in part.planned:
                row, before = planned.new.row, planned.outcome.before
                fate = [planned.outcome.kind, _text(planned.upstream_id), _text(row.slot)]
                price = ["" if before is None else f"{before.rate:f}", f"{row.rate:f}", row.per, row.currency]
                writer.writerow([*fate, *price, planned.status.value, ""])
        for fate_, some in (("refused", plan.refused), ("quarantined", plan.quarantined)):
            writer.writerows(_refusal(fate_, refused) for refused in some)


def _refusal(fate: str, refused: Refused) -> list[str]:
    where = [_text(refused.upstream_id), _text(refused.where)]
    return [fate, *where, "", "", "", "", refused.reason, _text(refused.detail)]


def _text(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula: the text is somebody else's."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell

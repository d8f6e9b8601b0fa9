"""Loading sheets: idempotent, superseding, whole or not at all, and the same digest everywhere."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from catalog.engine import open_engine
from catalog.history import list_prices
from catalog.loading import LoadReport, load_providers
from catalog.migrating import upgrade
from catalog.models import StoredVersion
from catalog.price_tables import StoredPrice
from catalog.snapshot import read_snapshot
from economics.errors import PermillionError
from economics.prices import PriceRow, Uplift

HOUR = timedelta(hours=1)
ROWS_OF_BOTH = 15


def count_of(engine: Engine, table: Any) -> int:
    with engine.connect() as connection:
        return connection.scalars(select(func.count()).select_from(table)).one()


def in_order(rows: Iterable[tuple[str, str, PriceRow | Uplift]]) -> list[tuple[str, str, PriceRow | Uplift]]:
    return sorted(rows, key=lambda row: (*row[:2], row[2].slot, str(row[2].period)))


def believed(engine: Engine, sheets: Any) -> list[tuple[str, str, PriceRow | Uplift]]:
    snapshot = read_snapshot(engine)
    found: list[tuple[str, str, PriceRow | Uplift]] = []
    for model in snapshot.models():
        for book in model.books:
            prices = snapshot.offer(model.provider, model.model, book, sheets.now).prices
            found += [(book, model.model, row) for row in prices.rows]
            found += [(book, model.model, row) for row in prices.uplifts]
    return in_order(found)


def written(sheets: Any) -> list[tuple[str, str, PriceRow | Uplift]]:
    return in_order((row.book, row.model, row.row) for content in sheets.both for row in content.rows)


def test_what_is_read_is_what_the_sheet_says(engine: Engine, sheets: Any) -> None:
    report = load_providers(engine, sheets.both, sheets.now)
    assert report == LoadReport(ROWS_OF_BOTH, 0, 0, report.version)
    assert report.version.startswith("1-")
    assert believed(engine, sheets) == written(sheets)


def test_loading_twice_changes_nothing(engine: Engine, sheets: Any) -> None:
    first = load_providers(engine, sheets.both, sheets.now)
    again = load_providers(engine, reversed(sheets.both), sheets.now + HOUR)
    assert again == LoadReport(0, 0, ROWS_OF_BOTH, first.version)
    assert count_of(engine, StoredVersion) == 1
    assert count_of(engine, StoredPrice) == ROWS_OF_BOTH


def test_a_changed_price_supersedes_and_nothing_is_overwritten(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.both, sheets.now)
    changed = sheets.read(sheets.acme.replace('"2.50"', '"2.25"'), sheets.globex)
    report = load_providers(engine, changed, sheets.now + HOUR)
    assert (report.added, report.superseded, report.unchanged) == (1, 1, ROWS_OF_BOTH - 1)
    assert report.version.startswith("2-")
    rows, _ = list_prices(
        engine, tenant="default", model="Rocket-2", book="default", as_of=sheets.now, superseded=True, limit=50
    )
    story = [
        (str(r.rate), r.recorded_at, r.superseded_at, r.supersession)
        for r in rows
        if r.meter == "input_tokens" and r.valid_from is not None and r.valid_from.month == 7
    ]
    later = sheets.now + HOUR
    assert story == [("2.5", sheets.now, later, "changed"), ("2.25", later, None, None)]


def test_a_row_gone_from_the_sheet_is_superseded(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.both, sheets.now)
    shorter = "\n".join(line for line in sheets.acme.splitlines() if "processing: batch" not in line)
    report = load_providers(engine, sheets.read(shorter, sheets.globex), sheets.now + HOUR)
    assert (report.added, report.superseded) == (0, 1)
    rows, _ = list_prices(engine, tenant="default", superseded=True, limit=50)
    assert [(r.meter, r.conditions, r.supersession) for r in rows if r.superseded_at] == [
        ("input_tokens", {"processing": ("batch",)}, "removed")
    ]


def test_a_source_that_was_read_again_is_another_source(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.both, sheets.now)
    renewed = sheets.read(sheets.acme, sheets.globex.replace("2026-11-02}", "2026-11-29}"))
    assert load_providers(engine, renewed, sheets.now + HOUR).superseded == 4
    sources = read_snapshot(engine).providers["globex"].sources
    assert [(key, source.retrieved_on.isoformat()) for key, source in sources.items()] == [("page", "2026-11-29")]
    rows, _ = list_prices(engine, tenant="default", provider="globex", superseded=True, limit=50)
    assert {(r.source_retrieved_on.isoformat(), r.superseded_at is None) for r in rows if r.source_retrieved_on} == {
        ("2026-11-02", False),
        ("2026-11-29", True),
    }


def test_a_provider_without_a_sheet_is_withdrawn_and_may_come_back(engine: Engine, sheets: Any) -> None:
    first = load_providers(engine, sheets.both, sheets.now)
    gone = load_providers(engine, sheets.read(sheets.acme), sheets.now + HOUR)
    assert gone.superseded == 4
    snapshot = read_snapshot(engine)
    assert list(snapshot.providers) == ["acme"]
    with pytest.raises(PermillionError) as unknown:
        snapshot.offer("globex", "flash", "cn", sheets.now)
    assert unknown.value.slug == "unknown-provider"
    back = load_providers(engine, sheets.both, sheets.now + 2 * HOUR)
    assert (back.added, back.superseded) == (4, 0)
    assert back.version.split("-")[1] == first.version.split("-")[1]
    assert read_snapshot(engine).offer("globex", "flash", "cn", sheets.now).book.currency == "CNY"


def test_models_books_and_aliases_follow_the_sheet(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.both, sheets.now)
    text = sheets.acme.replace("name: Rocket 2", "name: Rocket Two").replace('to: "2026-06-01"}', 'to: "2026-04-01"}')
    text = text.replace("title: International", "title: World")
    text = text[: text.index("  rocket-1:")] + text[text.index("uplifts:") :]
    load_providers(engine, sheets.read(text, sheets.globex), sheets.now + HOUR)
    snapshot = read_snapshot(engine)
    models = {model.model: model for model in snapshot.models() if model.provider == "acme"}
    assert list(models) == ["Rocket-2"]
    assert models["Rocket-2"].name == "Rocket Two"
    assert [alias.id for alias in models["Rocket-2"].aliases] == ["beta", "rocket-latest"]
    ends = [alias.period.valid_to for alias in models["Rocket-2"].aliases]
    assert ends[0] is not None
    assert ends[0].month == 4
    assert snapshot.providers["acme"].books["default"].title == "World"


def test_the_digest_depends_on_content_alone(engine: Engine, sheets: Any, tmp_path: Path) -> None:
    """By way of other content, in another order, on another engine: the same digest."""
    load_providers(engine, sheets.read(sheets.acme.replace('"2.50"', '"9"')), sheets.now)
    load_providers(engine, sheets.both, sheets.now)
    other = open_engine(f"sqlite:///{tmp_path / 'other.db'}")
    upgrade(other)
    load_providers(other, reversed(sheets.both), sheets.now + HOUR)
    digests = {read_snapshot(each).version.split("-")[1] for each in (engine, other)}
    assert len(digests) == 1
    assert {read_snapshot(each).number for each in (engine, other)} == {1, 2}
    other.dispose()


def test_recorded_time_never_runs_backwards(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.both, sheets.now)
    changed = sheets.read(sheets.acme.replace('"2.50"', '"2.25"'), sheets.globex)
    load_providers(engine, changed, sheets.now - HOUR)
    rows, _ = list_prices(engine, tenant="default", superseded=True, limit=50)
    assert {row.recorded_at for row in rows} == {sheets.now}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('from: "2026-07-01"', 'from: "2026-06-30"'), "overlap in time"),
        (("  rocket-1:", "  ROCKET-2:"), "but for case"),
        (('title: "Acme, blog"', 'title: "Acme, price page"'), "same title"),
        (('"2026-07-01", source: page', '"1969-07-01", source: page'), "1970"),
    ],
)
def test_a_sheet_that_contradicts_itself_is_refused_before_anything_is_written(
    engine: Engine, sheets: Any, change: tuple[str, str], message: str
) -> None:
    load_providers(engine, sheets.both, sheets.now)
    assert change[0] in sheets.acme
    with pytest.raises(PermillionError, match=message) as refused:
        load_providers(engine, sheets.read(sheets.acme.replace(*change), sheets.globex), sheets.now)
    assert refused.value.slug == "invalid-sheet"
    assert "acme" in refused.value.detail
    assert count_of(engine, StoredVersion) == 1


def test_two_sheets_of_one_provider_are_refused(engine: Engine, sheets: Any) -> None:
    with pytest.raises(PermillionError, match="one name"):
        load_providers(engine, sheets.read(sheets.acme, sheets.acme), sheets.now)


LOADER = """
import sys, time
from datetime import UTC, datetime
from sqlalchemy import event
from catalog.engine import open_engine
from catalog.loading import load_providers
from providers.content import content_of
from providers.registry import parse_sheet

engine = open_engine(sys.argv[1])

def pause(connection, cursor, statement, parameters, context, executemany):
    if statement.startswith("INSERT INTO price_rows"):
        print("in the middle", flush=True)
        time.sleep(60)

event.listen(engine, "after_cursor_execute", pause)
load_providers(engine, [content_of(parse_sheet(sys.stdin.read(), "sheet"))], datetime(2026, 12, 1, tzinfo=UTC))
"""


@pytest.fixture
def killed_loader(store_url: str, engine: Engine, sheets: Any) -> Iterator[Engine]:
    """The database after a process that was replacing all its content was killed in the middle."""
    load_providers(engine, sheets.both, sheets.now)
    loader = subprocess.Popen(
        [sys.executable, "-c", LOADER, store_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert loader.stdin is not None
    assert loader.stdout is not None
    loader.stdin.write(sheets.acme.replace("rates: {input_tokens", 'rates: {requests: "1", input_tokens'))
    loader.stdin.close()
    assert loader.stdout.readline() == "in the middle\n"
    loader.send_signal(signal.SIGKILL)
    assert loader.wait(30) == -signal.SIGKILL
    loader.stdout.close()
    yield engine


def test_a_kill_in_the_middle_leaves_the_old_catalog_whole(killed_loader: Engine, sheets: Any) -> None:
    assert believed(killed_loader, sheets) == written(sheets)
    assert count_of(killed_loader, StoredPrice) == ROWS_OF_BOTH
    # and the next process can load
    assert load_providers(killed_loader, sheets.read(sheets.acme), sheets.now + HOUR).superseded == 4

"""What a price watch reads on each database: sheets that are loaded anew, prices that come, end and age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from api.services.watching import STALE_AFTER, Change, catalog_changes, disputes, in_order
from catalog.catalog import Catalog
from catalog.loading import load_providers
from catalog.watching import read_watched, sheets_loaded_since
from economics.errors import PermillionError
from tests.store.test_discrepancies import AT, feed

LOADED = datetime(2026, 12, 2, tzinfo=UTC)
NOW = datetime(2026, 12, 5, tzinfo=UTC)
NOTHING = timedelta(0)


def changes(engine: Engine, since: datetime | str, now: datetime = NOW, days: int = 30) -> list[Change]:
    ahead = timedelta(days=days)
    return in_order(catalog_changes(read_watched(engine, "default", since, now, ahead, STALE_AFTER), now, ahead))


def told(found: list[Change], *kinds: str) -> list[tuple[Any, ...]]:
    rows = [(c.change, c.offer, c.meter, c.before, c.after, c.at and c.at.date().isoformat()) for c in found]
    return sorted((row for row in rows if not kinds or row[0] in kinds), key=str)


def upgraded(sheets: Any) -> tuple[str, str]:
    """Acme announces a price for 20 December, raises batch at once, drops a tier and a model, and adds one; Globex is gone."""
    acme: str = sheets.acme
    for old, new in (
        (
            '- {book: default, from: "2026-07-01", source: page, checked: 2026-11-01, rates: {input_tokens: "2.50", output_tokens: "12"}}',
            '- {book: default, from: "2026-07-01", to: "2026-12-20", source: page, checked: 2026-11-01, rates: {input_tokens: "2.50", output_tokens: "12"}}\n'
            '      - {book: default, from: "2026-12-20", source: page, checked: 2026-12-01, rates: {input_tokens: "3", output_tokens: "12"}}',
        ),
        ('when: {processing: batch}, rates: {input_tokens: "1.25"}', 'when: {processing: batch}, rates: {input_tokens: "1.5"}'),
        ('      - {book: default, source: page, at_least: "200000", rates: {input_tokens: {rate: "0.005", per: "1000"}}}\n', ""),
        ("    max_input_tokens: \"200000\"\n", "    max_input_tokens: \"200000\"\n    retired_on: \"2027-01-01\"\n"),
        (
            "  rocket-1:\n",
            '  rocket-3:\n    prices:\n      - {book: default, source: page, checked: 2026-12-01, rates: {input_tokens: "9"}}\n  rocket-1:\n',
        ),
    ):  # fmt: skip
        assert old in acme, old
        acme = acme.replace(old, new, 1)
    return (acme,)  # type: ignore[return-value]


def test_a_sheet_that_is_loaded_anew_is_told_price_by_price(loaded: Engine, sheets: Any) -> None:
    before = sheets.now + timedelta(hours=1)
    assert changes(loaded, before, before, 0) == [], "what the first version brought is no news"
    load_providers(loaded, sheets.read(*upgraded(sheets)), LOADED)
    assert set(sheets_loaded_since(loaded, 1)) == {"acme", "globex"}
    found = changes(loaded, before)
    assert told(found, "price_changed", "price_removed", "price_added") == [
        ("price_added", "acme/rocket-3", "input_tokens", None, "9", None),
        (
            "price_changed",
            "acme/Rocket-2",
            "input_tokens",
            "1.25",
            "1.5",
            "2026-02-01",
        ),  # since its release: the sheet names no day
        ("price_changed", "acme/Rocket-2", "input_tokens", "2.5", "3", "2026-12-20"),
        ("price_removed", "acme/Rocket-2", "input_tokens", "0.005", None, "2026-12-02"),
        ("price_removed", "globex/Flash", "input_tokens", "0.1", None, "2026-12-02"),
        ("price_removed", "globex/Flash", "input_tokens", "0.7", None, "2026-12-02"),
        ("price_removed", "globex/Flash", "output_tokens", "0.4", None, "2026-12-02"),
        ("price_removed", "globex/Flash", "output_tokens", "2.8", None, "2026-12-02"),
    ]
    assert told(found, "price_will_change", "price_will_end", "price_will_start") == [
        ("price_will_change", "acme/Rocket-2", "input_tokens", "2.5", "3", "2026-12-20"),
    ], "12 for output stays 12"
    assert told(found, "price_end_changed", "price_rechecked") == [
        ("price_end_changed", "acme/Rocket-2", "input_tokens", "2.5", "2.5", "2026-12-20"),
        ("price_end_changed", "acme/Rocket-2", "output_tokens", "12", "12", "2026-12-20"),
        ("price_rechecked", "acme/Rocket-2", "output_tokens", "12", "12", "2026-12-20"),
    ]
    assert [row[:2] for row in told(found) if row[0].startswith(("model", "provider"))] == [
        ("model_added", "acme/rocket-3"),
        ("model_will_retire", "acme/Rocket-2"),
        ("model_withdrawn", "globex/Flash"),
        ("provider_withdrawn", None),
    ]
    assert changes(loaded, LOADED, days=0) == [], "since the version that brought it nothing"
    later = changes(loaded, LOADED + timedelta(days=1), datetime(2026, 12, 21, tzinfo=UTC), 0)
    assert told(later) == [], "a price that was announced is news when it is announced, and told while it comes"


def test_news_keeps_its_id_and_its_time(loaded: Engine, sheets: Any) -> None:
    load_providers(loaded, sheets.read(*upgraded(sheets)), LOADED)
    first = {c.change_id: c for c in changes(loaded, sheets.now, NOW)}
    second = {c.change_id: c for c in changes(loaded, sheets.now + timedelta(hours=1), NOW + timedelta(days=1))}
    same = first.keys() & second.keys()
    assert same == first.keys()
    assert all(first[one] == second[one] for one in same)
    (coming,) = [c for c in first.values() if c.change == "price_will_change"]
    assert coming.noticed_at == LOADED, "announced 18 days ahead, within the 30"
    (near,) = [c for c in changes(loaded, sheets.now, NOW + timedelta(days=10), 10) if c.change == "price_will_change"]
    assert near.noticed_at == datetime(2026, 12, 10, tzinfo=UTC), "ten days ahead it comes into view"
    assert near.change_id == coming.change_id


def test_a_check_grows_old(loaded: Engine, sheets: Any) -> None:
    """Globex's Chinese book was checked on 20 October, its other on 2 November: more than 90 days later on 19 and 1 of a month."""
    start = sheets.now + timedelta(hours=1)

    def stale(since: datetime, now: datetime) -> list[tuple[str | None, Any]]:
        return sorted(
            (c.price_book, c.noticed_at.date().isoformat())
            for c in changes(loaded, since, now, 0)
            if c.change == "price_became_stale" and c.provider == "globex"
        )

    assert stale(start, datetime(2027, 1, 18, 23, tzinfo=UTC)) == []
    assert stale(start, datetime(2027, 1, 19, tzinfo=UTC)) == [("cn", "2027-01-19")] * 2
    whole = stale(start, datetime(2027, 3, 1, tzinfo=UTC))
    assert whole == [("cn", "2027-01-19")] * 2 + [("intl", "2027-02-01")] * 2
    assert stale(datetime(2027, 1, 20, tzinfo=UTC), datetime(2027, 3, 1, tzinfo=UTC)) == [("intl", "2027-02-01")] * 2


def test_a_feed_that_contradicts_the_list_is_told_once(loaded: Engine, sheets: Any) -> None:
    catalog = Catalog(loaded)
    catalog.refresh_if_changed()
    quiet = catalog.snapshot
    feed(catalog, "Package two", "package", {"acme/rocket-2": "2.5"})
    feed(catalog, "Aggregator one", "third_party", {"acme/Rocket-2": "3"})
    loud = catalog.snapshot
    (change,) = disputes(quiet, loud, AT, AT, LOADED)
    assert (change.change, change.offer, change.meter) == ("price_became_disputed", "acme/rocket-2", "input_tokens")
    assert (change.before, change.after, change.source) == ("2.5", "3", "Aggregator one")
    assert list(disputes(loud, loud, AT, AT, LOADED)) == []
    assert list(disputes(quiet, quiet, AT, AT, LOADED)) == []


def test_a_version_that_never_was(loaded: Engine) -> None:
    for wrong in ("2", "1-00000000", "x", "١"):
        with pytest.raises(PermillionError) as refused:
            read_watched(loaded, "default", wrong, NOW, NOTHING, STALE_AFTER)
        assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", "/since")

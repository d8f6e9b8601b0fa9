"""`known_at`: a correction or an imported price cut changes no earlier answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine

from api.services.offers import OfferName
from api.services.pricing import UsageToPrice, price_usage
from catalog.catalog import Catalog
from catalog.publishing import NewBook, NewRow
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import PriceRow, Provenance

BOOK = NewBook("team", None, "USD")
HOUR = timedelta(hours=1)
AS_OF = datetime(2026, 11, 30, tzinfo=UTC)


def rate(text: str, valid_from: datetime | None = None) -> NewRow:
    row = PriceRow(
        "input_tokens", Decimal(text), 1_000_000, "USD", Provenance("contract", None), period=Period(valid_from)
    )
    return NewRow("vendor", "m", "o200k_base", row)


def price(snapshot: Snapshot, as_of: datetime = AS_OF) -> str | None:
    asked = UsageToPrice(0, OfferName("vendor/m", "team", {}), as_of, {"input_tokens": 1_000_000})
    total = price_usage(asked, snapshot).total
    return None if total is None else total.to_text()


def test_what_was_believed_then_is_answered_again(loaded: Engine, sheets: Any) -> None:
    catalog = Catalog(loaded)
    start = sheets.now + HOUR
    first = catalog.publish(BOOK, [rate("2")], recorded_at=start)
    second = catalog.publish(BOOK, [rate("3")], recorded_at=start + 2 * HOUR)
    cut = datetime(2026, 10, 1, tzinfo=UTC)
    catalog.publish(BOOK, [rate("1", cut)], recorded_at=start + 4 * HOUR)
    assert price(catalog.snapshot) == "1"
    assert price(catalog.snapshot, cut - HOUR) == "3", "a cut from October changes no September"
    assert price(catalog.snapshot_at(start + HOUR)) == "2"
    assert price(catalog.snapshot_at(start + 3 * HOUR)) == "3"
    assert catalog.snapshot_at(start + HOUR).version == first.version
    assert catalog.snapshot_at(start + 3 * HOUR).version == second.version
    assert catalog.snapshot_at(start + 5 * HOUR) is catalog.snapshot


def test_before_the_book_there_was_no_price_and_before_the_catalog_nothing(loaded: Engine, sheets: Any) -> None:
    catalog = Catalog(loaded)
    catalog.publish(BOOK, [rate("2")], recorded_at=sheets.now + HOUR)
    assert price(catalog.snapshot_at(sheets.now)) is None
    with pytest.raises(PermillionError, match="nothing was recorded yet") as refused:
        catalog.snapshot_at(sheets.now - HOUR)
    assert (refused.value.slug, refused.value.pointer) == ("missing-price", "/known_at")


def test_list_prices_of_then_are_those_of_the_first_load(loaded: Engine, sheets: Any) -> None:
    catalog = Catalog(loaded)
    catalog.refresh_if_changed()
    before = {(m.provider, m.model, m.books) for m in catalog.snapshot.models()}
    catalog.publish(BOOK, [rate("2")], recorded_at=sheets.now + HOUR)
    then = catalog.snapshot_at(sheets.now)
    assert {(m.provider, m.model, m.books) for m in then.models() if m.private_book is None} == before

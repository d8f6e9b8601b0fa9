"""Values to columns and back, fingerprints, and what may be stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from catalog.columns import canonical_json
from catalog.records import (
    MAX_COUNT,
    check_storable,
    fingerprint,
    from_db_price,
    from_db_schedules,
    from_db_vocabulary,
    price_fingerprint,
    to_db_price,
    to_db_schedules,
    to_db_vocabulary,
)
from economics.context import ContextKey, Vocabulary
from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import PriceRow, PriceStatus, Provenance, SearchUnit, Tier, Uplift
from economics.schedules import Schedule

START = datetime(2026, 7, 1, tzinfo=UTC)
ROW = PriceRow(
    "web_searches",
    Decimal("0.10"),
    1_000,
    "EUR",
    Provenance("page", date(2026, 11, 1), PriceStatus.DISPUTED, "see the footnote"),
    {"search_context": ("high", "low")},
    Tier(200_000, True, 1_000_000, 200, False),
    "peak",
    Period(START, START + timedelta(days=1)),
    False,
    True,
    Decimal("0.06"),
    SearchUnit.PROMPT,
    Decimal("2.5"),
)
UPLIFT = Uplift(Decimal("1.1"), {"inference_geo": ("us",)}, Provenance("page", None), Period(START), False)


@pytest.mark.parametrize("row", [ROW, UPLIFT, PriceRow("input_tokens", Decimal(0), 1, "USD", Provenance("page", None))])
def test_a_row_comes_back_from_its_columns(row: PriceRow | Uplift) -> None:
    columns: Any = SimpleNamespace(**to_db_price(row, "USD"))
    assert from_db_price(columns, "page") == row


def test_equal_content_has_one_fingerprint_and_any_difference_another() -> None:
    same = replace(
        ROW,
        rate=Decimal("0.1000"),
        conditions={"search_context": ("low", "high")},
        period=Period(START.astimezone(timezone(timedelta(hours=8))), ROW.period.valid_to),
    )
    assert price_fingerprint("s", to_db_price(same, "EUR")) == price_fingerprint("s", to_db_price(ROW, "EUR"))
    changes: list[dict[str, Any]] = [
        {"rate": Decimal("0.11")}, {"per": 999}, {"currency": "USD"}, {"conditions": {}}, {"tier": Tier(200_000)},
        {"tier": Tier(200_000, True, 1_000_000, 200, True)}, {"tier": Tier(200_000, True, 1_000_000)},
        {"schedule": None}, {"period": Period(START)}, {"start_known": True}, {"tax_included": None},
        {"tax_rate": None}, {"search_unit": None}, {"min_quantity": None}, {"meter": "images"}, {"provenance": Provenance("page", None)},
    ]  # fmt: skip
    prints = {price_fingerprint("s", to_db_price(replace(ROW, **change), "EUR")) for change in changes}
    assert len(prints | {price_fingerprint("s", to_db_price(ROW, "EUR"))}) == len(changes) + 1


def test_rows_recorded_before_a_column_was_added_are_still_recognised() -> None:
    """The columns of the first catalog, without those that came later."""
    first = to_db_price(replace(ROW, min_quantity=None, tier=Tier(200_000)), "EUR")
    later = {"min_quantity", "min_output_tokens", "output_inclusive"}
    was = {name: value for name, value in first.items() if name not in later}
    assert price_fingerprint("source", first) == fingerprint(["source", was])


def test_a_fingerprint_takes_no_floats_for_decimals() -> None:
    with pytest.raises(TypeError):
        fingerprint([object()])


def test_a_vocabulary_comes_back_in_its_order() -> None:
    vocabulary = Vocabulary(
        {
            "service_tier": ContextKey(("standard", "priority"), "standard", {"fast": "priority"}),
            "processing": ContextKey(("standard", "batch"), None),
        },
        ({"processing": ("batch",), "service_tier": ("priority",)},),
    )
    import json

    back = from_db_vocabulary(json.loads(canonical_json(to_db_vocabulary(vocabulary))))
    assert back == vocabulary
    assert list(back.keys) == ["service_tier", "processing"]


def test_schedules_come_back() -> None:
    schedules = {
        "peak": Schedule(
            "peak",
            "Asia/Shanghai",
            ((time(9), time(12)), (time(22, 30), time(0, 0, 1))),
            ("mon", "sun"),
            frozenset({date(2026, 10, 1)}),
        ),
        "always": Schedule("always", "UTC", ((time(0), time(0)),)),
    }
    assert from_db_schedules(to_db_schedules(schedules)) == schedules


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"rate": Decimal(10) ** 18}, "/rate"),
        ({"rate": Decimal("1e-31")}, "/rate"),
        ({"per": MAX_COUNT + 1}, "/per"),
        ({"min_quantity": Decimal("1e-31")}, "/min_quantity"),
        ({"tier": Tier(None, False, MAX_COUNT + 1)}, "/max_input_tokens"),
        ({"tier": Tier(min_output_tokens=MAX_COUNT + 1)}, "/min_output_tokens"),
        ({"period": Period(datetime(1969, 12, 31, tzinfo=UTC))}, "/valid_from"),
        ({"period": Period(None, datetime(2200, 1, 1, tzinfo=UTC))}, "/valid_to"),
        ({"conditions": {"region": tuple(f"region-{i}" for i in range(200))}}, "/context"),
    ],
)
def test_what_no_column_holds_is_refused(change: dict[str, Any], pointer: str) -> None:
    check_storable(ROW)
    check_storable(UPLIFT)
    with pytest.raises(PermillionError) as refused:
        check_storable(replace(ROW, **change))
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", pointer)

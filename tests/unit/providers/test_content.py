"""From a sheet to values of the domain: what is filled in, and what a sheet may not point at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import PriceRow, PriceStatus, Provenance, SearchUnit, Tier, Uplift
from providers.content import OfferRow, ProviderContent, content_of
from providers.registry import parse_sheet

SHEET: dict[str, Any] = {
    "provider": "acme",
    "name": "Acme",
    "price_books": {"default": {"currency": "USD"}},
    "sources": {"page": {"title": "Acme prices", "kind": "vendor_page", "retrieved_on": "2026-11-01"}},
    "context": {
        "processing": {"values": ["standard", "batch"], "default": "standard", "synonyms": {"bulk": "batch"}},
        "inference_geo": {"values": ["global", "us"], "default": "global"},
    },
    "contradictions": [{"processing": "batch", "inference_geo": ["us"]}],
    "calendars": {"days": {"source": "page", "dates": ["2026-10-01", "2026-10-02"]}},
    "schedules": {"peak": {"timezone": "Asia/Shanghai", "windows": ["09:00-12:00"], "weekdays": ["Mon", "tue"]}},
    "models": {
        "rocket": {"prices": [{"source": "page", "rates": {"input_tokens": "1.20", "output_tokens": "6"}}]},
        "Glider": {"prices": [{"source": "page", "rates": {"input_tokens": "0.1"}}]},
    },
}


def content(*changes: Callable[[dict[str, Any]], object]) -> ProviderContent:
    sheet = deepcopy(SHEET)
    for change in changes:
        change(sheet)
    return content_of(parse_sheet(json.dumps(sheet), "acme.yaml"))


def block(sheet: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = sheet["models"]["rocket"]["prices"][0]
    return found


def refused(*changes: Callable[[dict[str, Any]], object]) -> str:
    with pytest.raises(PermillionError) as caught:
        content(*changes)
    assert caught.value.slug == "invalid-sheet"
    return caught.value.detail


def rocket(*changes: Callable[[dict[str, Any]], object]) -> PriceRow:
    """The rocket's first price row."""
    row = content(*changes).rows[0].row
    assert isinstance(row, PriceRow)
    return row


def test_a_block_becomes_a_row_a_rate() -> None:
    found = content().rows
    assert [(r.book, r.model, r.row.meter, r.row.rate) for r in found if isinstance(r.row, PriceRow)] == [
        ("default", "rocket", "input_tokens", Decimal("1.20")),
        ("default", "rocket", "output_tokens", Decimal(6)),
        ("default", "Glider", "input_tokens", Decimal("0.1")),
    ]


def test_a_full_row_has_all_of_its_block() -> None:
    row = rocket(
        lambda s: s["price_books"]["default"].update(tax_included="true", tax_rate="0.06"),
        lambda s: block(s).update(
            {
                "from": "2026-08-16T16:00:00Z", "to": "2026-12-01", "when": {"processing": "batch"}, "above": "200000",
                "up_to": "500000", "schedule": "peak", "checked": "2026-11-02", "status": "disputed", "note": "see page",
                "rates": {"web_searches": {"rate": "14", "per": "500", "unit": "unique_query"}},
            }
        ),
    )  # fmt: skip
    assert row == PriceRow(
        meter="web_searches",
        rate=Decimal(14),
        per=500,
        currency="USD",
        provenance=Provenance("Acme prices", date(2026, 11, 2), PriceStatus.DISPUTED, "see page"),
        conditions={"processing": ("batch",)},
        tier=Tier(200_000, False, 500_000),
        schedule="peak",
        period=Period(datetime(2026, 8, 16, 16, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)),
        start_known=True,
        tax_included=True,
        tax_rate=Decimal("0.06"),
        search_unit=SearchUnit.UNIQUE_QUERY,
    )


@pytest.mark.parametrize(
    ("meter", "per"),
    [("input_tokens", 1_000_000), ("audio_seconds", 3_600), ("pages", 1_000), ("images", 1)],
)
def test_the_usual_denominator_of_the_meter_is_filled_in(meter: str, per: int) -> None:
    assert rocket(lambda s: block(s).update(rates={meter: "2"})).per == per


def test_at_least_is_an_inclusive_bound_even_at_0() -> None:
    assert rocket(lambda s: block(s).update(at_least="200000")).tier == Tier(200_000, True)
    assert rocket(lambda s: block(s).update(at_least="0")).tier == Tier(0, True)
    assert rocket(lambda s: block(s).update(above="0")).tier == Tier(0, False)


@pytest.mark.parametrize(
    ("released", "changes", "start", "known"),
    [
        (None, {}, None, False),
        ("2026-07-09", {}, "2026-07-09", False),
        ("2026-07-09", {"from": "2026-08-21"}, "2026-08-21", True),
        ("2026-07-09", {"from": "2026-08-21", "unconfirmed_start": "true"}, "2026-08-21", False),
        (None, {"from": "2026-08-21", "unconfirmed_start": "false"}, "2026-08-21", True),
        (None, {"unconfirmed_start": "true"}, None, False),
    ],
)
def test_a_start_is_known_only_where_the_sheet_says_so(
    released: str | None, changes: dict[str, str], start: str | None, known: bool
) -> None:
    row = rocket(
        lambda s: s["models"]["rocket"].update({} if released is None else {"released_on": released}),
        lambda s: block(s).update(changes),
    )
    expected = None if start is None else datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert (row.period.valid_from, row.start_known) == (expected, known)


def test_released_on_is_a_lower_bound_of_that_model_only() -> None:
    found = content(lambda s: s["models"]["rocket"].update(released_on="2026-07-09")).rows
    assert {(r.model, r.row.period.valid_from) for r in found} == {
        ("rocket", datetime(2026, 7, 9, tzinfo=UTC)),
        ("Glider", None),
    }


def test_a_price_that_ends_before_its_model_is_released_is_refused() -> None:
    why = refused(
        lambda s: s["models"]["rocket"].update(released_on="2026-07-09"), lambda s: block(s).update(to="2026-07-09")
    )
    assert why == "acme/rocket: valid_to must be after valid_from"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda s: block(s).update(source="pgae"), "acme/rocket: no source is named pgae"),
        (lambda s: block(s).update(book="cn"), "acme/rocket: say one of the books default"),
        (lambda s: block(s).update(schedule="night"), "acme/rocket: no schedule is named night"),
        (
            lambda s: block(s).update(above="1", at_least="1"),
            "acme/rocket: a block is either above a bound or at least a bound, not both",
        ),
        (
            lambda s: block(s).update(above="0", at_least="0"),
            "acme/rocket: a block is either above a bound or at least a bound, not both",
        ),
        (
            lambda s: block(s).update({"from": "2026-11-02", "to": "2026-11-01"}),
            "acme/rocket: valid_to must be after valid_from",
        ),
        (
            lambda s: block(s).update({"from": "2026-11-02", "to": "2026-11-02"}),
            "acme/rocket: valid_to must be after valid_from",
        ),
        (lambda s: block(s)["rates"].update(input_tokens="-1"), "acme/rocket: a rate cannot be negative"),
        (lambda s: s["schedules"]["peak"].update(calendar="cn"), "no calendar is named cn"),
        (
            lambda s: s["schedules"]["peak"].update(weekdays=["monday"]),
            "weekdays are mon, tue, wed, thu, fri, sat, sun",
        ),
    ],
)
def test_what_the_sheet_does_not_define_is_refused(change: Callable[[dict[str, Any]], object], why: str) -> None:
    assert refused(change) == why


def test_the_book_must_be_said_where_there_are_two() -> None:
    def second(sheet: dict[str, Any]) -> None:
        sheet["price_books"]["cn"] = {"currency": "CNY"}

    assert refused(second) == "acme/rocket: say one of the books default, cn"

    def all_said(sheet: dict[str, Any]) -> None:
        block(sheet)["book"] = "cn"
        sheet["models"]["Glider"]["prices"][0]["book"] = "default"

    found = content(second, all_said).rows
    assert {(r.model, r.book, r.row.currency) for r in found if isinstance(r.row, PriceRow)} == {
        ("rocket", "cn", "CNY"),
        ("Glider", "default", "USD"),
    }


@pytest.mark.parametrize(
    "window",
    ["9-12", "09:00", "09:00-12:00-13:00", "09:00–12:00", "9:00-12:00", "09:00-25:00", "22:00-24:00", "peak", "-"],
)  # fmt: skip
def test_a_window_that_is_not_two_times_is_refused(window: str) -> None:
    assert refused(lambda s: s["schedules"]["peak"].update(windows=[window])) == "a window is written HH:MM-HH:MM"


def test_a_schedule_has_windows_weekdays_and_days_off() -> None:
    peak = content(lambda s: s["schedules"]["peak"].update(windows=["09:00 - 12:00", "22:00-02:00"], calendar="days"))
    schedule = peak.schedules["peak"]
    assert schedule.windows == ((time(9), time(12)), (time(22), time(2)))
    assert (schedule.timezone, schedule.weekdays) == ("Asia/Shanghai", ("mon", "tue"))
    assert schedule.days_off == {date(2026, 10, 1), date(2026, 10, 2)}
    assert content().schedules["peak"].days_off == frozenset()


def uplift(**changes: Any) -> Callable[[dict[str, Any]], object]:
    said = {"when": {"inference_geo": "us"}, "factor": "1.1", "source": "page", "checked": "2026-11-02", **changes}
    return lambda s: s.update(uplifts=[said])


def uplifts(*changes: Callable[[dict[str, Any]], object]) -> list[OfferRow]:
    return [r for r in content(*changes).rows if isinstance(r.row, Uplift)]


def test_an_uplift_without_models_holds_for_all() -> None:
    row = Uplift(
        Decimal("1.1"), {"inference_geo": ("us",)}, Provenance("Acme prices", date(2026, 11, 2)), start_known=False
    )
    assert uplifts(uplift()) == [OfferRow("default", "rocket", row), OfferRow("default", "Glider", row)]


def test_an_uplift_with_models_holds_for_those() -> None:
    (found,) = uplifts(uplift(models="Glider", **{"from": "2026-03-05", "to": "2027-01-01"}))
    assert (found.model, found.row.start_known) == ("Glider", True)
    assert found.row.period == Period(datetime(2026, 3, 5, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"models": ["rocket", "Rocket-9"]}, "acme: an uplift names the unknown model Rocket-9"),
        ({"models": ["glider"]}, "acme: an uplift names the unknown model glider"),
        ({"source": "pgae"}, "acme: an uplift: no source is named pgae"),
        ({"book": "cn"}, "say one of the books default"),
    ],
)
def test_an_uplift_names_only_what_there_is(changes: dict[str, Any], why: str) -> None:
    assert refused(uplift(**changes)) == why


@pytest.mark.parametrize("factor", ["0", "-1.1"])
def test_an_uplift_has_a_positive_factor(factor: str) -> None:
    with pytest.raises(PermillionError, match="a factor must be positive"):
        content(uplift(factor=factor))


def test_the_vocabulary_is_the_sheets() -> None:
    vocabulary = content().vocabulary
    assert vocabulary.resolve({"processing": "bulk"}) == {"processing": "batch", "inference_geo": "global"}
    with pytest.raises(PermillionError) as caught:
        vocabulary.resolve({"processing": "batch", "inference_geo": "us"})
    assert caught.value.slug == "contradictory-context"


def test_a_model_without_prices_is_content_all_the_same() -> None:
    found = content(lambda s: s["models"].update(kite={"note": "no price is known"}))
    assert "kite" in found.models
    assert {row.model for row in found.rows} == {"rocket", "Glider"}


def sheet_text(**extra: str) -> str:
    parts = {
        "context": "{processing: {values: [standard, batch], default: standard}}",
        "models": "{m: {prices: [{source: s, rates: {input_tokens: '1'}}]}}",
        **extra,
    }
    head = "provider: p\nname: P\nprice_books: {default: {currency: USD}}\n"
    head += "sources: {s: {title: t, kind: note, retrieved_on: 2026-11-30}}\n"
    return head + "".join(f"{name}: {value}\n" for name, value in parts.items())


def hours(window: str = "09:00-12:00", zone: str = "UTC") -> str:
    return f'{{peak: {{timezone: "{zone}", windows: ["{window}"]}}}}'


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ({"schedules": hours("09.30-12.30")}, "HH:MM-HH:MM"),
        ({"schedules": hours("01-0230")}, "HH:MM-HH:MM"),
        ({"schedules": hours("09:00Z-12:00Z")}, "HH:MM-HH:MM"),
        ({"schedules": hours("25:00-26:00")}, "HH:MM-HH:MM"),
        ({"schedules": hours("01:00-01:00")}, "another time than it starts"),
        ({"schedules": hours(zone="Mars/X")}, "no time zone is named Mars/X"),
        ({"calendars": "{c: {source: s, dates: [soon]}}"}, "YYYY-MM-DD"),
        ({"contradictions": "[{}]"}, "at least 2 items"),
        ({"context": "{processing: {values: [standard], default: batch}}"}, "default and synonyms must be of values"),
        ({"context": "{processing: {values: [standard], synonyms: {x: y}}}"}, "default and synonyms must be of values"),
        ({"uplifts": "[{models: [], when: {processing: batch}, factor: '1.1', source: s}]"}, "at least 1 item"),
        (
            {"uplifts": "[{when: {processing: batch}, factor: '0', source: s}]"},
            "p: an uplift: a factor must be positive",
        ),
        ({"price_books": "{default: {currency: USD, tax_rate: '-1'}}"}, "greater than or equal to 0"),
        ({"models": "{m: {prices: [{source: s, checked: 1793491200, rates: {input_tokens: '1'}}]}}"}, "YYYY-MM-DD"),
        ({"models": "{m: {prices: [{source: s, when: {processing: []}, rates: {input_tokens: '1'}}]}}"}, "at least 1"),
        ({"models": "{m: {prices: [{source: s, above: 1_000, rates: {input_tokens: '1'}}]}}"}, "a whole number"),
        ({"models": "{m: {prices: [{source: s, unconfirmed_start: on, rates: {input_tokens: '1'}}]}}"}, "true"),
    ],
)
def test_what_reads_like_a_value_and_is_none(extra: dict[str, str], says: str) -> None:
    text = sheet_text(**extra)
    if "price_books" in extra:
        text = text.replace("price_books: {default: {currency: USD}}\n", "", 1)
    with pytest.raises(PermillionError, match=re.escape(says)) as refused:
        content_of(parse_sheet(text, "sheet.yaml"))
    assert refused.value.slug == "invalid-sheet"


def test_the_sheet_they_are_made_of_is_sound() -> None:
    assert len(content_of(parse_sheet(sheet_text(schedules=hours()), "sheet.yaml")).rows) == 1


def limited(*limits: dict[str, Any]) -> Callable[[dict[str, Any]], object]:
    return lambda s: s["models"]["rocket"].update(limits=[{"source": "page", **limit} for limit in limits])


def test_limits_may_be_dated() -> None:
    beta, grown = (
        content(limited({"to": "2026-04-30", "max_input_tokens": 10}, {"from": "2026-05-01", "max_output_tokens": 7}))
        .models["rocket"]
        .limits
    )
    assert (beta.valid_to, beta.max_input_tokens) == (datetime(2026, 4, 30, tzinfo=UTC), 10)
    assert (grown.valid_from, grown.max_output_tokens) == (datetime(2026, 5, 1, tzinfo=UTC), 7)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ([{"to": "2026-04-30", "max_input_tokens": 10, "source": "hearsay"}], "hearsay"),
        ([{"from": "2026-05-01", "to": "2026-04-30", "max_input_tokens": 10}], "after"),
        ([{"to": "2026-05-02", "max_input_tokens": 10}, {"from": "2026-05-01", "max_input_tokens": 9}], "overlap"),
        ([{"to": "2026-05-02"}], "max_input_tokens"),
        ([{"max_input_tokens": 10}], "from and to"),
    ],
)
def test_limits_that_say_nothing_or_two_things_are_refused(limits: list[dict[str, Any]], says: str) -> None:
    assert says in refused(limited(*limits))


GAP: dict[str, Any] = {"when": {"processing": "batch"}, "source": "page"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: s["models"]["rocket"].update(successor="comet"), "comet"),
        (lambda s: s["models"]["rocket"].update(aliases=[{"id": "r", "source": "hearsay"}]), "hearsay"),
        (
            lambda s: s["models"]["rocket"].update(aliases=[{"id": "r", "from": "2026-02-01", "to": "2026-01-01"}]),
            "after",
        ),
        (lambda s: s["calendars"]["days"].update(source="hearsay"), "days"),
        (lambda s: block(s).update({"from": "2026-02-01", "to": "2026-01-01"}), "after"),
        (lambda s: block(s).update(rates={"input_tokens": {"rate": "1", "unit": "call"}}), "unit"),
        (lambda s: block(s).update(output_above="1", output_at_least="1"), "output"),
        (lambda s: s["models"]["rocket"].update(unpriced=[{**GAP, "source": "hearsay"}]), "hearsay"),
        (lambda s: s["models"]["rocket"].update(unpriced=[{**GAP, "book": "cn"}]), "default"),
        (lambda s: s["models"]["rocket"].update(unpriced=[{**GAP, "from": "2026-02-01", "to": "2026-01-01"}]), "after"),
    ],
)
def test_what_points_nowhere_or_runs_backwards_is_refused(
    change: Callable[[dict[str, Any]], object], says: str
) -> None:
    assert says in refused(change)


def test_a_block_may_say_a_least_quantity_and_an_output_bound() -> None:
    seconds = {"audio_seconds": {"rate": "0.111", "min_quantity": "10"}}
    row = rocket(lambda s: block(s).update(output_at_least="200", rates=seconds))
    assert (row.min_quantity, row.tier) == (Decimal(10), Tier(min_output_tokens=200, output_inclusive=True))
    assert rocket(lambda s: block(s).update(output_above="200")).tier == Tier(min_output_tokens=200)

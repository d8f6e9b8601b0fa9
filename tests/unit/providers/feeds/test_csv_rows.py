"""CSV with our columns: what spreadsheets of several countries write, and what is refused with which words."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from economics.errors import PermillionError
from economics.prices import Tier
from providers.feeds import feed_named
from providers.feeds.price_units import read_price_unit
from providers.feeds.reading import FeedReading, Refused
from tests.unit.providers.feeds.mutating import RETRIEVED_ON, read_or_refuse

FEED = feed_named("csv")
HEADER = "provider,model,meter,rate,per,currency,source"
GOOD = "acme,rocket,input_tokens,1.20,1000000,USD,contract 4711"


def read(text: str, encoding: str = "utf-8") -> FeedReading:
    return FEED.read(text.encode(encoding), RETRIEVED_ON)


def invalid(content: bytes) -> str:
    with pytest.raises(PermillionError) as caught:
        FEED.read(content, RETRIEVED_ON)
    assert caught.value.slug == "invalid-feed"
    return caught.value.detail


def refused(**cells: str) -> Refused:
    """The one refusal of a line that is good but for `cells`, in a file delimited by commas."""
    row = dict(zip(HEADER.split(","), GOOD.split(","), strict=True)) | cells
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in row.values())
    found = read(f"{','.join(row)}\n{quoted}\n")
    assert not found.rows
    (refusal,) = found.refused
    assert refusal.upstream_id == "line 2"
    return refusal


def test_every_column_arrives() -> None:
    columns = (
        "provider,model,tokenizer,meter,rate,per,currency,context,min_input_tokens,min_inclusive,max_input_tokens,"
        "min_output_tokens,output_inclusive,min_quantity,valid_from,valid_to,tax_included,tax_rate,source,checked_on"
    )
    cells = (
        "acme,rocket-2,o200k_base,cache_read_tokens,0.030,1000,CNY,processing=batch;region=eu-west-1,200000,TRUE,400000,"
        "200,true,10.5,2026-08-17T00:00:00+08:00,2026-12-01,true,0.06,contract 4711,2026-11-02"
    )
    found = read(f"{columns}\r\n{cells}\r\n")
    (row,) = found.rows
    assert (row.provider, row.model, row.tokenizer, row.free) == ("acme", "rocket-2", "o200k_base", False)
    price = row.row
    assert (price.meter, price.rate, price.per, price.currency) == ("cache_read_tokens", Decimal("0.030"), 1_000, "CNY")
    assert price.conditions == {"processing": ("batch",), "region": ("eu-west-1",)}
    assert price.tier == Tier(200_000, True, 400_000, 200, True)
    assert price.min_quantity == Decimal("10.5")
    assert price.period.valid_from == datetime(2026, 8, 16, 16, tzinfo=UTC)
    assert price.period.valid_to == datetime(2026, 12, 1, tzinfo=UTC)
    assert (price.start_known, price.tax_included, price.tax_rate) == (True, True, Decimal("0.06"))
    assert (price.provenance.source, price.provenance.checked_on) == ("contract 4711", date(2026, 11, 2))
    assert found.sources["contract 4711"].retrieved_on == RETRIEVED_ON
    assert (found.entries, found.refused) == (1, [])


def test_what_is_left_out() -> None:
    (row,) = read(f"{HEADER}\n{GOOD}\n").rows
    assert row.row.period.valid_from is None
    assert row.row.start_known is False
    assert row.row.provenance.checked_on == RETRIEVED_ON
    assert row.row.tax_included is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_spreadsheets(encoding: str) -> None:
    found = read(f"{HEADER}\n{GOOD.replace('contract 4711', '合同 4711')}\n", encoding)
    assert found.rows[0].row.provenance.source == "合同 4711"


@pytest.mark.parametrize("encoding", ["gb18030", "utf-32", "utf-16-le"])
def test_other_encodings_are_refused(encoding: str) -> None:
    assert invalid(f"{HEADER}\n{GOOD.replace('contract', '合同')}\n".encode(encoding))


def test_big_endian_utf_16() -> None:
    assert FEED.read(b"\xfe\xff" + f"{HEADER}\n{GOOD}\n".encode("utf-16-be"), RETRIEVED_ON).rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter: str, end: str) -> None:
    found = read(end.join([HEADER, GOOD, "", GOOD]).replace(",", delimiter))
    assert (len(found.rows), found.entries) == (1, 2)


def test_header_is_tolerant_of_case_and_blanks() -> None:
    assert read(f" Provider ,MODEL,Meter,Rate,Per, Currency,Source,Valid From\n{GOOD},2026-11-01\n").rows


def test_columns_nobody_reads_are_an_error() -> None:
    assert "curency" in invalid(f"{HEADER},curency\n{GOOD},EUR\n".encode())
    assert "rate" in invalid(f"{HEADER},Rate\n{GOOD},2\n".encode())
    assert "meter, source" in invalid(b"provider,model,rate\nacme,rocket,1\n")
    assert "header" in invalid(b"")


@pytest.mark.parametrize(("rate", "expected"), [("1,20", "1.20"), ("12,5", "12.5"), ("3", "3")])
def test_decimal_comma_where_the_delimiter_is_none(rate: str, expected: str) -> None:
    (row,) = read(f"{HEADER}\n{GOOD}\n".replace("1.20", "RATE").replace(",", ";").replace("RATE", rate)).rows
    assert row.row.rate == Decimal(expected)


def test_a_file_has_one_decimal_mark() -> None:
    lines = [HEADER, GOOD.replace("1.20", "RATE"), GOOD.replace("1.20", "1.234").replace("rocket", "ship")]
    found = read("\n".join(lines).replace(",", ";").replace("RATE", "1,5"))
    assert [row.model for row in found.rows] == ["rocket"]
    assert [(r.upstream_id, r.reason) for r in found.refused] == [("line 3", "not-a-number")]
    found = read("\n".join(lines).replace(",", ";").replace("RATE", "1.5").replace("1.234", "1,234"))
    assert [(row.model, r.upstream_id) for row, r in zip(found.rows, found.refused, strict=True)] == [
        ("rocket", "line 3")
    ]


@pytest.mark.parametrize(
    "rate",
    [
        "1,20",
        "1e5",
        "1.234,56",
        "1,234.56",
        "1 000",
        "$1",
        "NaN",
        "inf",
        "1_0",
        "１．２",
        "0x1",
        ".5",
        "1.",
        "12€",
        "--1",
    ],
)
def test_no_plain_decimal(rate: str) -> None:
    assert refused(rate=rate).reason in ("not-a-number", "sentinel")


def test_no_price_and_no_charge_are_told_apart() -> None:
    assert refused(rate="").reason == "missing-price"
    assert refused(rate="0").reason == "zero-price"
    assert refused(rate="0.000").reason == "zero-price"
    assert refused(rate="-1").reason == "sentinel"
    assert refused(rate="-0").reason == "sentinel"
    (row,) = read(f"{HEADER}\n{GOOD.replace('1.20', 'Free')}\n").rows
    assert (row.free, row.row.rate) == (True, 0)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"provider": "Acme Inc"}, "invalid-name"),
        ({"model": ""}, "invalid-name"),
        ({"model": "m" * 301}, "invalid-name"),
        ({"source": ""}, "invalid-name"),
        ({"meter": "input tokens"}, "unknown-key"),
        ({"currency": ""}, "missing-currency"),
        ({"currency": "RMB"}, "missing-currency"),
        ({"currency": "usd"}, "missing-currency"),
        ({"per": "0"}, "unknown-unit"),
        ({"per": "1M"}, "malformed"),
        ({"per": "", "meter": "web_searches"}, "unknown-unit"),
        ({"context": "batch"}, "unknown-context"),
        ({"context": "mode=batch"}, "unknown-context"),
        ({"context": "region=eu;region=us"}, "unknown-context"),
        ({"context": "region=eu,us"}, "unknown-context"),
        ({"min_inclusive": "true"}, "malformed"),
        ({"min_input_tokens": "200k"}, "malformed"),
        ({"output_inclusive": "true"}, "malformed"),
        ({"min_quantity": "0"}, "malformed"),
        ({"min_quantity": "ten"}, "not-a-number"),
        ({"min_input_tokens": "200", "max_input_tokens": "200"}, "malformed"),
        ({"valid_from": "01.11.2026"}, "malformed"),
        ({"valid_from": "2026-11-30T00:00:00"}, "malformed"),
        ({"valid_from": "2026-11-30", "valid_to": "2026-11-30"}, "malformed"),
        ({"tax_included": "yes"}, "malformed"),
        ({"tax_rate": "6"}, "malformed"),
        ({"checked_on": "2026-02-30"}, "malformed"),
        ({"checked_on": "2062-11-30"}, "malformed"),
    ],
)  # fmt: skip
def test_refused_cells(cells: dict[str, str], reason: str) -> None:
    assert refused(**cells).reason == reason


@pytest.mark.parametrize("cell", ["=1+1", "+1", "@SUM(1)", "\t1", " =1", "＝1", "ro\x00cket", "r" * 2_001, "a\nb"])
def test_cells_that_are_no_plain_text(cell: str) -> None:
    refusal = refused(model=cell)
    assert (refusal.reason, refusal.where) == ("malformed", "model")


def test_more_cells_than_columns() -> None:
    (refusal,) = read(f"{HEADER}\nacme,rocket,input_tokens,1,20,1000000,USD,contract\n").refused
    assert refusal.reason == "malformed"


def test_quotes_that_do_not_end() -> None:
    assert "line 3" in invalid(f'{HEADER}\n{GOOD}\nacme,"rocket,input_tokens\n{GOOD}\n'.encode())


@pytest.mark.parametrize(
    ("unit", "currency", "per"),
    [
        ("USD per 1M tokens", "USD", 1_000_000),
        ("USD per 1,000,000 tokens", "USD", 1_000_000),
        ("EUR/1K tokens", "EUR", 1_000),
        ("per 1K tokens", None, 1_000),
        ("/ million tokens", None, 1_000_000),
        ("元/百万tokens", "CNY", 1_000_000),
        ("元/千tokens", "CNY", 1_000),
        ("元/万tokens", "CNY", 10_000),
        ("元每百万字符", "CNY", 1_000_000),
        ("元/千次", "CNY", 1_000),
        ("元/小时", "CNY", 3_600),
        ("USD per token", "USD", 1),
    ],
)
def test_units_as_price_lists_write_them(unit: str, currency: str | None, per: int) -> None:
    found = read_price_unit(unit)
    assert found is not None
    assert (found.currency, found.per) == (currency, per)


@pytest.mark.parametrize(
    "unit",
    [
        "¥/1M tokens",
        "$/1M tokens",
        "RMB/1M tokens",
        "1M",
        "USD",
        "USD per 1B tokens",
        "USD per 5 tokens",
        "USD per 1,00 tokens",
        "积分",
    ],
)
def test_units_that_say_too_little(unit: str) -> None:
    assert read_price_unit(unit) is None


def test_units_in_a_file() -> None:
    header = "provider,model,meter,rate,unit,source"
    (row,) = read(f"{header}\nacme,rocket,output_tokens,0.002,元/千tokens,报价单\n").rows
    assert (row.row.rate, row.row.per, row.row.currency) == (Decimal("0.002"), 1_000, "CNY")


@pytest.mark.parametrize(
    "cells",
    [
        {"unit": "EUR per 1M tokens"},
        {"unit": "USD per 1K tokens"},
        {"unit": "USD per 1M characters"},
        {"unit": "points"},
    ],
)
def test_a_unit_that_contradicts(cells: dict[str, str]) -> None:
    assert refused(**cells).reason == "unknown-unit"


def test_two_prices_at_one_time() -> None:
    found = read("\n".join([HEADER, GOOD, GOOD.replace("1.20", "1.30"), GOOD.replace("USD", "EUR")]))
    assert [(row.row.rate, row.row.currency) for row in found.rows] == [
        (Decimal("1.20"), "USD"), (Decimal("1.20"), "EUR"),
    ]  # fmt: skip
    assert [(r.upstream_id, r.reason) for r in found.refused] == [("line 3", "overlap")]


SEED = f"{HEADER},context,valid_from\n{GOOD},processing=batch,2026-11-01\n{GOOD},,\n".encode()


@given(st.integers(0, len(SEED)), st.integers(0, 12), st.binary(max_size=8))
def test_broken_bytes_never_break_the_reader(start: int, length: int, new: bytes) -> None:
    read_or_refuse(FEED, SEED[:start] + new + SEED[start + length :])


@given(st.text(max_size=200))
def test_any_text_never_breaks_the_reader(text: str) -> None:
    read_or_refuse(FEED, f"{HEADER}\n{text}".encode(errors="replace"))

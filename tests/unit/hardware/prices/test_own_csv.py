from __future__ import annotations

from decimal import Decimal

import pytest

from economics.errors import PermillionError
from hardware.prices.feeds.own_csv import read_own_csv
from hardware.prices.rental import RentalPrice

HEADER = "provider,sku,accelerator,accelerator_count,unit,coverage,purchase_model,amount,currency,as_of,source"
ROW = "acme,box-8,H100-SXM,8,instance,whole_instance,on_demand,16.00,EUR,2026-11-29,quotation 12"


def file(*rows: str, header: str = HEADER) -> bytes:
    return "\n".join([header, *rows]).encode()


def test_a_row_is_a_record() -> None:
    (row,) = read_own_csv(file(ROW)).prices
    assert row.price == RentalPrice(
        "acme", "box-8", "h100-sxm", "H100-SXM", 8, "instance", "whole_instance", "on_demand", Decimal("16.00"), "EUR",
        "quotation 12", as_of="2026-11-29",
    )  # fmt: skip


def test_all_columns() -> None:
    more = ",term_months,upfront_share,region,zone,billing_increment_s,minimum_s,confidence,tax_included,note"
    row = ROW.replace("on_demand", "commit") + ",36,0.25,here,h1,60,120,high,false,negotiated"
    (read,) = read_own_csv(file(row, header=HEADER + more)).prices
    price = read.price
    assert (price.term_months, price.upfront_share, price.region, price.zone) == (36, Decimal("0.25"), "here", "h1")
    assert (price.billing_increment_s, price.minimum_s, price.tax_included) == (60, 120, False)
    assert price.id == "acme/box-8:here/h1:commit-36m:2026-11-29"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("16.00", "", "missing-price"),
        ("16.00", "0", "zero-price"),
        ("16.00", "-3", "not-a-number"),
        ("16.00", "NaN", "missing-price"),
        ("16.00", "Infinity", "not-a-number"),
        ("16.00", "=2+2", "not-a-number"),
        ("16.00", "1_000", "not-a-number"),
        ("EUR", "", "missing-currency"),
        ("EUR", "Euro", "malformed"),
        (",8,", ",0,", "malformed"),
        (",8,", ",-8,", "malformed"),
        (",8,", ",eight,", "malformed"),
        (",8,", ",0.5,", "fractional-accelerator"),
        (",8,", ",13,", "unlikely-count"),
        ("instance,", "box,", "malformed"),
        ("whole_instance", "all", "malformed"),
        ("on_demand", "cheap", "malformed"),
        ("2026-11-29", "29.11.2026", "malformed"),
        ("acme", "", "malformed"),
    ],
)
def test_a_bad_cell_refuses_its_row_with_a_reason(old: str, new: str, reason: str) -> None:
    good = ROW.replace("box-8", "box-9")
    reading = read_own_csv(file(ROW.replace(old, new, 1), good))
    assert [row.price.sku for row in reading.prices] == ["box-9"]
    assert [finding.reason for finding in reading.refused] == [reason]


def test_a_known_machine_is_not_listed_with_another_count() -> None:
    row = "azure,NV6ads_A10_v5,A10,1,instance,whole_instance,on_demand,0.454,USD,2026-09-06,list"
    assert [finding.reason for finding in read_own_csv(file(row)).refused] == ["fractional-accelerator"]


def test_an_accelerator_of_ours_may_be_named_by_its_id_and_any_other_is_kept() -> None:
    reading = read_own_csv(file(ROW.replace("H100-SXM", "h100-nvl"), ROW.replace("H100-SXM", "Q9").replace("box", "q")))
    assert [row.price.accelerator for row in reading.prices] == ["h100-nvl", None]
    assert reading.unmapped == {"Q9": 1}


def test_an_undated_price_has_a_reason() -> None:
    (row,) = read_own_csv(file(ROW.replace("2026-11-29", ""))).prices
    assert (row.price.as_of, row.price.as_of_gap) == (None, "not stated")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (file(ROW, header=HEADER.replace("amount", "price")), "unknown columns: price"),
        (file("", header=HEADER.replace(",amount", "")), "columns are missing: amount"),
        (b"\xff\xff", "unknown columns|not UTF-8"),
    ],
)
def test_a_misspelt_column_refuses_the_file(content: bytes, said: str) -> None:
    with pytest.raises(PermillionError, match=said):
        read_own_csv(content)

"""`POST /rental-cost`: figures of the examples and of the domain note, and everything that is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_MONEY, SECRET, refused, same

WHOLE = {
    "unit": "instance", "accelerators_per_unit": "8", "purchase_model": "on_demand", "price_per_unit_hour": "63.296",
    "accelerators_used": 8, "rented_hours_per_month": "730", "availability_ratio": "0.99", "utilization_ratio": "0.5",
    "tax_included": False, "source": "AWS catalog", "listed_on": "2025-11",
}  # fmt: skip
COMMIT = {**WHOLE, "purchase_model": "commit", "committed_units": 1}


def asked(client: httpx.Client, *rows: Any, **top: Any) -> list[dict[str, Any]]:
    answer = client.post("/rental-cost", json={"rows": rows, **top})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["rows"]
    return found


def one(client: httpx.Client, row: Any, **top: Any) -> dict[str, Any]:
    (answered,) = asked(client, row, **top)
    assert answered["error_code"] is None, answered["error_detail"]
    return answered


def test_five_of_eight_pay_eight(client: httpx.Client) -> None:
    """p5en: 63.296 an instance is 7.912 an accelerator, 12.66 where five work."""
    row = one(client, {**WHOLE, "accelerators_used": 5})
    assert (row["units_billed"], row["accelerators_billed"]) == (1, "8")
    assert row["cost_per_billed_accelerator_hour"] == "7.912"
    assert round(Decimal(row["cost_per_busy_accelerator_hour"]), 2) == Decimal("12.66")
    same(row["cost_per_used_accelerator_hour"], Fraction("63.296") / 5 / Fraction("0.99") / Fraction("0.5"))
    assert "unused_accelerators_paid" in row["warnings"]


def test_increments_minimums_and_idle(client: httpx.Client) -> None:
    """T27; three times 61 minutes by whole hours at 20 are 120 and not 61; 12,298 minutes of two at 4.59 are 1,881.59."""
    runs = {
        **WHOLE,
        "rented_hours_per_month": None,
        "unit": "accelerator",
        "accelerators_per_unit": None,
        "accelerators_used": 1,
    }
    quarter = one(
        client,
        {**runs, "runs_per_month": 1, "seconds_per_run": 480, "billing_increment_s": 900, "price_per_unit_hour": "5.5"},
    )
    assert (quarter["billed_hours_per_month"], quarter["total_cost_per_month"]) == ("0.25", "1.375")
    hours = one(
        client,
        {
            **runs,
            "runs_per_month": 3,
            "seconds_per_run": 3660,
            "billing_increment_s": 3600,
            "price_per_unit_hour": "20",
            "currency": "CNY",
        },
    )
    assert (hours["total_cost_per_month"], hours["currency"], hours["busy_hours_per_month"]) == ("120", "CNY", "3.05")
    minutes = one(
        client,
        {
            **runs,
            "runs_per_month": 1,
            "seconds_per_run": 12298 * 60,
            "billing_increment_s": 60,
            "price_per_unit_hour": "4.59",
            "accelerators_used": 2,
        },
    )
    assert minutes["total_cost_per_month"] == "1881.594"
    kept = one(
        client, {**runs, "runs_per_month": 10, "seconds_per_run": 5, "minimum_s": 60, "price_per_unit_hour": "3.6"}
    )
    assert kept["total_cost_per_month"] == "0.6"


def test_commitments(client: httpx.Client) -> None:
    """p4d: 0.38 of on-demand for three years, 0.62 for one: years two and three cost (3 · 0.38 − 0.62) / 2 = 0.26."""
    row = one(
        client,
        {
            **COMMIT, "price_per_unit_hour": "0.38", "on_demand_price_per_unit_hour": "1", "term_months": 36,
            "shorter_price_per_unit_hour": "0.62", "shorter_term_months": 12, "rented_hours_per_month": "0", "accelerators_used": 0,
        },
    )  # fmt: skip
    assert row["total_cost_per_month"] == "277.4", "0.38 · 730, though nothing runs"
    assert (row["break_even_utilization_ratio"], row["implied_extra_price_per_unit_hour"]) == ("0.38", "0.26")
    assert row["cost_per_used_accelerator_hour"] is None
    assert "nothing_used" in row["warnings"]


def test_paying_upfront_costs_15_percent_more_at_10_percent(client: httpx.Client) -> None:
    upfront = {
        **COMMIT,
        "price_per_unit_hour": None,
        "upfront_per_unit": "36000",
        "term_months": 36,
        "wacc_ratio": "0.10",
    }
    row = one(client, upfront)
    assert row["commitment_cost_per_month"] == "1000"
    assert Decimal(150) < Decimal(row["upfront_interest_cost_per_month"]) < Decimal(160)
    same(row["commitment_price_per_unit_hour"], Fraction(1000, 730))
    quarter = {**COMMIT, "price_per_unit_hour": "2", "upfront_ratio": "0.25", "term_months": 36, "wacc_ratio": "0.10"}
    whole = one(client, {**quarter, "upfront_ratio": "1"})["upfront_interest_cost_per_month"]
    same(one(client, quarter)["upfront_interest_cost_per_month"], Fraction(whole) / 4)


def test_what_exceeds_a_commitment_is_on_demand(client: httpx.Client) -> None:
    row = one(
        client, {**COMMIT, "price_per_unit_hour": "40", "on_demand_price_per_unit_hour": "60", "accelerators_used": 17}
    )
    assert (row["commitment_cost_per_month"], row["on_demand_cost_per_month"]) == ("29200", "87600")
    (refusal,) = asked(client, {**COMMIT, "price_per_unit_hour": "40", "accelerators_used": 17})
    assert "on_demand_price_per_unit_hour" in refusal["error_detail"]


def test_spot_with_rework_downtime_and_fall_back(client: httpx.Client) -> None:
    row = one(
        client,
        {
            **WHOLE, "purchase_model": "spot", "price_per_unit_hour": "20", "rework_ratio": "0.05", "downtime_ratio": "0.02",
            "fallback_ratio": "0.1", "on_demand_price_per_unit_hour": "60", "standby_price_per_unit_hour": "1",
        },
    )  # fmt: skip
    hour = Fraction("0.9") * 20 * Fraction("1.05") / Fraction("0.98") + 6 + 1
    same(row["total_cost_per_month"], hour * 730)
    assert row["on_demand_cost_per_month"] is None


def test_extras_discount_tax_and_currency(client: httpx.Client) -> None:
    """Egress of AWS: 100 GB free, then 0.09."""
    row = one(
        client,
        {
            **WHOLE, "currency": "EUR", "price_per_unit_hour": "10", "rented_hours_per_month": "100", "discount_ratio": "0.1",
            "egress_gb": "1100", "egress_tiers": [{"up_to_gb": "100", "price_per_gb": "0"}, {"price_per_gb": "0.09"}],
            "storage_gb": "1000", "storage_price_per_gb_month": "0.01", "public_ips": 2, "public_ip_price_per_hour": "0.005",
            "support_ratio": "0.1", "tax_ratio": "0.2", "accelerator_share_ratio": "0.7",
        },
        currency="USD",
        fx=[{"from": "EUR", "to": "USD", "rate": "1.1", "as_of": "2026-11-30"}],
    )  # fmt: skip
    # in EUR: 1000 − 100 + 90 + 10 + 7.30 = 1007.30; support 100.73; 1108.03; tax 221.606
    assert row["native_total_cost_per_month"] == "1108.03"
    assert row["total_cost_per_month"] == "1218.833"
    assert (row["tax_cost_per_month"], row["total_with_tax_cost_per_month"]) == ("243.7666", "1462.5996")
    assert (row["discount_cost_per_month"], row["machine_cost_per_month"], row["egress_cost_per_month"]) == (
        "-110",
        "990",
        "99",
    )
    assert (row["accelerator_part_cost_per_month"], row["host_part_cost_per_month"]) == ("693", "297")
    assert (row["fx_rate"], row["fx_as_of"], row["native_currency"]) == ("1.1", "2026-11-30", "EUR")


def test_slices(client: httpx.Client) -> None:
    """A v6e-256 is 256 chips sold as one; seven slices make one accelerator."""
    pod = one(
        client,
        {
            **WHOLE,
            "unit": "slice",
            "accelerators_per_unit": "256",
            "price_per_unit_hour": "691.2",
            "accelerators_used": 256,
        },
    )
    assert pod["cost_per_billed_accelerator_hour"] == "2.7"
    seventh = {
        **WHOLE,
        "unit": "slice",
        "accelerators_per_unit": None,
        "units_per_accelerator": "7",
        "accelerators_used": 1,
    }
    row = one(client, {**seventh, "price_per_unit_hour": "0.5"})
    assert (row["units_billed"], row["cost_per_billed_accelerator_hour"], row["accelerators_billed"]) == (7, "3.5", "1")


def test_a_fleet_has_totals_in_one_currency(client: httpx.Client) -> None:
    """16,000 accelerators: half at 12.29, 0.3 at 7.20, 0.2 at 5.40 are 9.385 on average (T25)."""
    alone = {**WHOLE, "unit": "accelerator", "accelerators_per_unit": None}
    rows = [
        {**alone, "accelerators_used": count, "price_per_unit_hour": price}
        for count, price in ((8000, "12.29"), (4800, "7.2"), (3200, "5.4"))
    ]
    totals = client.post("/rental-cost", json={"rows": rows}).json()["totals"]
    assert (totals["mean_cost_per_billed_accelerator_hour"], totals["currency"], totals["complete"]) == (
        "9.385",
        "USD",
        True,
    )
    assert totals["billed_accelerator_hours"] == "11680000"
    mixed = client.post("/rental-cost", json={"rows": [WHOLE, {**WHOLE, "currency": "EUR"}, 5]}).json()["totals"]
    assert (mixed["rows"], mixed["complete"], mixed["total_cost_per_month"]) == (2, False, None)


def test_old_prices_and_the_simple_figure_per_token(client: httpx.Client) -> None:
    """2.00 an hour at 85 tokens/s are 6.54 a million (T18), twice that at half use."""
    body = {"rows": [{**WHOLE, "listed_on": day} for day in ("2026-08", "2026-09", "2026")], "as_of": "2026-11-30"}
    stale = ["price_stale" in row["warnings"] for row in client.post("/rental-cost", json=body).json()["rows"]]
    assert stale == [True, False, False]
    alone = {
        **WHOLE,
        "unit": "accelerator",
        "accelerators_per_unit": None,
        "accelerators_used": 1,
        "price_per_unit_hour": "2",
    }
    row = one(client, {**alone, "tokens_per_s": "85", "availability_ratio": "1", "utilization_ratio": "0.5"})
    same(row["simple_cost_per_mtok"], Fraction(2 * 10**6, 85 * 3600) * 2)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"unit": None}, "unit"),
        ({"unit": "gpu"}, "unit"),
        ({"purchase_model": None}, "purchase_model"),
        ({"accelerators_used": None}, "accelerators_used"),
        ({"accelerators_used": "1.5"}, "accelerators_used"),
        ({"accelerators_used": 10**8}, "accelerators_used"),
        ({"price_per_unit_hour": "0"}, "price_per_unit_hour"),
        ({"price_per_unit_hour": None}, "price_per_unit_hour"),
        ({"price_per_unit_hour": "-1"}, "price_per_unit_hour"),
        ({"accelerators_per_unit": None}, "accelerators_per_unit"),
        ({"accelerators_per_unit": "0"}, "accelerators_per_unit"),
        ({"unit": "accelerator"}, "accelerators_per_unit"),
        ({"rented_hours_per_month": "731"}, "rented_hours_per_month"),
        ({"rented_hours_per_month": None}, "rented_hours_per_month"),
        ({"runs_per_month": 3}, "rented_hours_per_month"),
        ({"billing_increment_s": "0"}, "billing_increment_s"),
        ({"utilization_ratio": "0"}, "utilization_ratio"),
        ({"availability_ratio": "1.5"}, "availability_ratio"),
        ({"downtime_ratio": "0.1"}, "purchase_model"),
        ({"purchase_model": "spot", "downtime_ratio": "1"}, "downtime_ratio"),
        ({"purchase_model": "spot", "fallback_ratio": "0.1"}, "on_demand_price_per_unit_hour"),
        ({"purchase_model": "commit"}, "committed_units"),
        ({"committed_units": 1}, "committed_units"),
        ({"discount_ratio": "1"}, "discount_ratio"),
        ({"egress_gb": "10"}, "egress_tiers"),
        ({"egress_gb": "10", "egress_tiers": [{"up_to_gb": "5", "price_per_gb": "1"}]}, "egress_tiers"),
        ({"egress_tiers": [{"price_per_gb": "1"}]}, "egress_gb"),
        ({"storage_gb": "1"}, "storage_gb"),
        ({"public_ips": 1}, "public_ips"),
        ({"tax_ratio": "0.2", "tax_included": None}, "tax_included"),
        ({"shorter_term_months": 12}, "shorter_term_months"),
        ({"listed_on": "2026-02-30"}, "listed_on"),
        ({"listed_on": "2026-13"}, "listed_on"),
        ({"listed_on": "yesterday"}, "listed_on"),
        ({"tokens_per_s": "0"}, "tokens_per_s"),
        ({"misspelt": 1}, "misspelt"),
        ({"price_per_unit_hour": SECRET}, "price_per_unit_hour"),
    ],
)
def test_bad_input(client: httpx.Client, change: dict[str, Any], pointer: str) -> None:
    (row,) = asked(client, {**WHOLE, **change})
    assert row["error_code"] == "invalid-fields"
    assert pointer in row["error_detail"]
    assert row["total_cost_per_month"] is None
    assert SECRET not in str(row)


def test_commitments_that_contradict_themselves(client: httpx.Client) -> None:
    for change in (
        {"upfront_per_unit": "10"},
        {"price_per_unit_hour": None},
        {"upfront_ratio": "0.25"},
        {"upfront_ratio": "0.25", "term_months": 12},
        {"price_per_unit_hour": None, "monthly_price_per_unit": "5", "upfront_ratio": "0.25", "term_months": 12},
        {"price_per_unit_hour": None, "upfront_per_unit": "10"},
        {"price_per_unit_hour": None, "upfront_per_unit": "10", "term_months": 12},
        {"price_per_unit_hour": None, "monthly_price_per_unit": "0", "term_months": 12},
        {"term_months": 12, "shorter_term_months": 12, "shorter_price_per_unit_hour": "1"},
    ):
        (row,) = asked(client, {**COMMIT, **change})
        assert row["error_code"] == "invalid-fields", change


def test_numbers_currencies_and_requests_that_are_none(client: httpx.Client) -> None:
    for bad in NO_MONEY:
        (row,) = asked(client, {**WHOLE, "price_per_unit_hour": bad})
        assert row["error_code"] == "invalid-fields", bad
    (row,) = asked(client, WHOLE, currency="CNY")
    assert row["error_code"] == "missing-fx-rate"
    body = {"rows": [{**WHOLE, "unit": "pod"}]}
    refused(client.post("/rental-cost?on_error=fail", json=body), 422, "invalid-fields", "/rows/0/unit")
    assert client.post("/rental-cost?format=csv", json={"rows": [WHOLE]}).text.startswith("row_id,rental,unit,")

"""`POST /ownership-cost`: the reference case T38 of the examples, and everything that is refused."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_MONEY, SECRET, refused

REFERENCE = {
    "server_price": "280000", "accelerator_count": 8, "residual_ratio": "0.1", "useful_life_years": "4", "wacc_ratio": "0.09",
    "nameplate_kw": "10.2", "load_ratio": "0.8", "pue": "1.25", "electricity_price_per_kwh": "0.09",
    "colocation_price_per_kw_month": "110", "maintenance_ratio_per_year": "0.03", "staff_cost_per_month": "600",
    "license_price_per_accelerator_year": "0", "availability_ratio": "0.99", "utilization_ratio": "0.65",
}  # fmt: skip
T38 = {
    "capital_cost_per_month": "6430.89", "power_cost_per_month": "670.14", "colocation_cost_per_month": "1122.00",
    "maintenance_cost_per_month": "700.00", "staff_cost_per_month": "600.00", "license_cost_per_month": "0.00",
    "total_cost_per_month": "9523.03", "cost_per_installed_accelerator_hour": "1.6307",
    "cost_per_available_accelerator_hour": "1.6471", "cost_per_used_accelerator_hour": "2.5340",
}  # fmt: skip
"""As `tco_worked_examples.csv` has them."""


def asked(client: httpx.Client, *rows: Any, query: str = "") -> list[dict[str, Any]]:
    answer = client.post(f"/ownership-cost{query}", json={"rows": rows})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["rows"]
    assert len(found) == len(rows)
    return found


def error_of(client: httpx.Client, row: Any) -> tuple[str, str]:
    (answered,) = asked(client, row)
    assert answered["total_cost_per_month"] is None
    assert answered["cost_per_used_accelerator_hour"] is None
    assert SECRET not in json.dumps(answered)
    return answered["error_code"], answered["error_detail"]


def test_reference_case_and_its_profile(client: httpx.Client) -> None:
    for row in asked(client, REFERENCE, {"profile": "reference-8xh100-colocated"}):
        assert row["error_code"] is None
        for name, want in T38.items():
            assert Decimal(row[name]).quantize(Decimal(want)) == Decimal(want), name
        assert (row["capital_method"], row["monthly_compounding"], row["currency"]) == ("annuity", "effective", "USD")
        parts = [Decimal(row[f"{name}_cost_per_month"] or 0) for name in ("capital", "cash_opex")]
        assert sum(parts) == Decimal(row["total_cost_per_month"])


def test_defaults_and_what_is_left_out_are_said(client: httpx.Client) -> None:
    stated, profiled = asked(client, REFERENCE, {"profile": "reference-8xh100-colocated", "utilization_ratio": "0.4"})
    assert {
        "capital_method=annuity",
        "monthly_compounding=effective",
        "hours_per_month=730",
        "currency=USD",
        "contracted_kw=nameplate",
    } <= set(stated["assumptions"].split(";"))
    assert {"network", "insurance", "remote_hands"} <= set(stated["not_stated"].split(";"))
    assert stated["insurance_cost_per_month"] is None
    assert profiled["overrides"] == "utilization_ratio"
    assert profiled["source_as_of"] == "2026-11-30"
    assert profiled["published_neocloud_cost_per_accelerator_hour"] == "1.69"


def test_three_methods_three_figures(client: httpx.Client) -> None:
    methods = [
        {"capital_method": "annuity"},
        {"capital_method": "straight_line"},
        {"capital_method": "straight_line", "interest_on_average_capital": True},
        {"capital_method": "declining_value", "value_decline_oom_per_year": "0.14"},
    ]
    rows = asked(client, *({**REFERENCE, **method} for method in methods))
    figures = [Decimal(row["capital_cost_per_month"]) for row in rows]
    assert figures[1] == (280_000 - 28_000) / Decimal(48)
    assert (
        figures[2] - figures[1]
        == Decimal(rows[2]["interest_cost_per_month"])
        == (280_000 + 28_000) / Decimal(2) * Decimal("0.09") / 12
    )
    assert len(set(figures)) == 4
    assert "residual_not_used" in rows[3]["warnings"]


def test_owning_beside_renting_is_of_cash(client: httpx.Client) -> None:
    """T09: 392,000 / (14,400 − 3,376.32) = 35.56 months, not 137."""
    (row,) = asked(
        client,
        {
            "server_price": "392000", "accelerator_count": 8, "useful_life_years": "4", "capital_method": "straight_line", "tdp_w": "700",
            "pue": "1.4", "electricity_price_per_kwh": "0.12", "other_cost_per_month": "3000", "powered_hours_per_month": "400",
            "cloud_hours_per_month": "400", "cloud_price_per_accelerator_hour": "4.5",
        },
    )  # fmt: skip
    assert row["cheaper"] == "own"
    assert round(Decimal(row["payback_months"]), 2) == Decimal("35.56")
    assert "no amortization" in row["criterion"]
    assert row["npv"] is None
    assert "npv_needs_wacc" in row["warnings"]


def test_cash_and_deductions_stand_beside_the_cost(client: httpx.Client) -> None:
    """Five years of a node at 250,000 (as T05, without its first year of cheaper maintenance), MACRS as T07."""
    (row,) = asked(
        client,
        {
            "server_price": "250000", "accelerator_count": 8, "useful_life_years": "5", "capital_method": "straight_line",
            "power_cost_per_hour": "0.87", "maintenance_ratio_per_year": "0.02", "staff_fte": "0.25", "staff_cost_per_fte_year": "200000",
            "network_capex": "0", "other_cost_per_month": "0", "tax_schedule": "macrs_5",
        },
    )  # fmt: skip
    assert (row["cash_first_year_cost"], row["cash_later_year_cost"]) == ("312621.2", "62621.2")
    assert row["cash_total_cost"] == "563106"
    assert row["tax_deductions_by_year"] == "50000;80000;48000;28800;28800;14400"


def test_lives_that_differ_are_said(client: httpx.Client) -> None:
    row = asked(client, {"profile": "hamilton-data-center-2010", "cloud_price_per_accelerator_hour": "0.5"})[0]
    assert "lives_differ" in row["warnings"]
    assert row["npv"] is not None


def test_warnings_of_figures_that_are_probably_wrong(client: httpx.Client) -> None:
    odd = {
        **REFERENCE, "accelerator": "h100-sxm", "server_price": "28000", "electricity_price_per_kwh": "9", "useful_life_years": "7",
        "utilization_ratio": "0.95", "residual_ratio": "0",
    }  # fmt: skip
    (row,) = asked(client, odd)
    assert {
        "energy_share_over_40_percent",
        "life_over_6_years",
        "utilization_over_0.9",
        "price_far_from_reference",
    } <= set(row["warnings"].split(";"))
    answer = client.post("/ownership-cost", json={"rows": [odd]}).json()
    assert {"life_over_6_years"} <= {warning["code"] for warning in answer["meta"]["warnings"]}


def test_missing_use_is_null_with_a_reason(client: httpx.Client) -> None:
    (row,) = asked(client, {name: value for name, value in REFERENCE.items() if not name.startswith(("avail", "util"))})
    assert row["cost_per_available_accelerator_hour"] is row["cost_per_used_accelerator_hour"] is None
    assert {"availability_not_stated", "utilization_not_stated"} <= set(row["warnings"].split(";"))
    assert row["cost_per_installed_accelerator_hour"] is not None


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"server_price": "0"}, "server_price"),
        ({"server_price": None}, "server_price"),
        ({"accelerator_count": 0}, "accelerator_count"),
        ({"useful_life_years": None}, "useful_life_years"),
        ({"useful_life_years": "0"}, "useful_life_years"),
        ({"useful_life_years": "51"}, "useful_life_years"),
        ({"useful_life_years": "3.33"}, "useful_life_years"),
        ({"wacc_ratio": None}, "wacc_ratio"),
        ({"wacc_ratio": "9000"}, "wacc_ratio"),
        ({"utilization_ratio": "0"}, "utilization_ratio"),
        ({"utilization_ratio": "1.01"}, "utilization_ratio"),
        ({"availability_ratio": "0"}, "availability_ratio"),
        ({"load_ratio": "0"}, "load_ratio"),
        ({"pue": "0.9"}, "pue"),
        ({"pue": None}, "pue"),
        ({"nameplate_kw": None}, "nameplate_kw"),
        ({"tdp_w": "700"}, "tdp_w"),
        ({"electricity_price_per_kwh": None}, "electricity_price_per_kwh"),
        ({"electricity_price_per_kwh": "0"}, "electricity_price_per_kwh"),
        ({"power_cost_per_hour": "1"}, "electricity_price_per_kwh"),
        ({"colocation_includes_power": True}, "electricity_price_per_kwh"),
        ({"residual_ratio": "1.1"}, "residual_ratio"),
        ({"hours_per_month": "745"}, "hours_per_month"),
        ({"hours_per_month": "0"}, "hours_per_month"),
        ({"network_share_ratio": "1"}, "network_share_ratio"),
        ({"network_share_ratio": "0.1", "network_capex": "1"}, "network_share_ratio"),
        ({"staff_fte": "1"}, "staff_cost_per_month"),
        ({"staff_cost_per_month": None, "staff_fte": "1"}, "staff_cost_per_fte_year"),
        ({"capital_method": "macrs"}, "capital_method"),
        ({"capital_method": "declining_value"}, "value_decline_oom_per_year"),
        ({"interest_on_average_capital": True}, "interest_on_average_capital"),
        ({"monthly_compounding": "daily"}, "monthly_compounding"),
        ({"cloud_price_per_accelerator_hour": "0"}, "cloud_price_per_accelerator_hour"),
        ({"cloud_hours_per_month": "10"}, "cloud_price_per_accelerator_hour"),
        ({"facility_capex_per_kw": "9000", "facility_life_years": "0.01"}, "facility_life_years"),
        ({"currency": "dollars"}, "currency"),
        ({"tax_schedule": "macrs_7"}, "tax_schedule"),
        ({"misspelt": 1}, "misspelt"),
        ({"server_price": SECRET}, "server_price"),
    ],
)
def test_bad_input_is_a_row_that_says_what_is_wrong(client: httpx.Client, change: dict[str, Any], pointer: str) -> None:
    code, detail = error_of(client, {**REFERENCE, **change})
    assert code == "invalid-fields"
    assert pointer in detail


def test_what_is_no_number_is_refused(client: httpx.Client) -> None:
    for bad in NO_MONEY:
        code, _ = error_of(client, {**REFERENCE, "server_price": bad})
        assert code == "invalid-fields", bad
    answer = client.post(
        "/ownership-cost", content=b'{"rows": [{"server_price": NaN}]}', headers={"content-type": "application/json"}
    )
    refused(answer, 400, "malformed-json")


def test_rows_that_are_none_and_profiles_that_do_not_exist(client: httpx.Client) -> None:
    for row in (5, None, [], "x"):
        assert error_of(client, row)[0] == "invalid-fields"
    code, detail = error_of(client, {"profile": "reference-8xh100-colocate"})
    assert code == "unknown-ownership-profile"
    assert "reference-8xh100-colocated" in detail
    assert error_of(client, {"profile": SECRET})[0] == "unknown-ownership-profile"
    bad = {"rows": [REFERENCE, {**REFERENCE, "pue": "0.5"}]}
    refused(client.post("/ownership-cost?on_error=fail", json=bad), 422, "invalid-fields", "/rows/1/pue")
    refused(client.post("/ownership-cost", json={"rows": []}), 422, "invalid-fields", "/rows")
    refused(client.post("/ownership-cost", json={"rows": [{}] * 10_001}), 413, "too-many-rows", "/rows")


def test_csv_and_lines(client: httpx.Client) -> None:
    body = {"rows": [{**REFERENCE, "row_id": "=a"}, {**REFERENCE, "cloud_price_per_accelerator_hour": "0.10"}]}
    text = client.post("/ownership-cost?format=csv", json=body).text
    one, two = csv.DictReader(io.StringIO(text))
    assert one["row_id"] == "'=a"
    assert Decimal(one["total_cost_per_month"]).quantize(Decimal("0.01")) == Decimal("9523.03")
    assert Decimal(two["saving_per_month"]) < 0
    assert two["payback_months"] == ""
    assert "no_saving" in two["warnings"]
    lines = client.post("/ownership-cost?format=ndjson", json=body).text.splitlines()
    assert [json.loads(line)["row_id"] for line in lines] == ["=a", 1]

"""`POST /break-even`: every crossing, by hand; and everything that is refused."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_MONEY, SECRET, refused, same

HOSTING = {
    "api_cost_per_query": "0.01", "hosting_cost_per_replica_month": "9000", "queries_per_replica_month": "1000000",
    "capital_method": "annuity", "volume_to_per_month": "2000000",
}  # fmt: skip


def answered(client: httpx.Client, *rows: Any) -> dict[str, Any]:
    answer = client.post("/break-even", json={"rows": rows})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert len(found["rows"]) == len(rows)
    return found


def test_three_crossings(client: httpx.Client) -> None:
    """One replica pays above 900,000 and until a second is needed at a million; two pay above 1,800,000."""
    found = answered(client, HOSTING)
    (row,) = found["rows"]
    assert (row["crossing_count"], row["cheaper_at_from"], row["cheaper_at_to"]) == (3, "api", "hosting")
    assert (row["capital_method"], row["break_even_utilization_ratio"]) == ("annuity", "0.9")
    told = [(each["volume_per_month"], each["kind"], each["cheaper_above"]) for each in found["crossings"]]
    assert told == [
        ("900000", "within_step", "hosting"),
        ("1000000", "at_step", "api"),
        ("1800000", "within_step", "hosting"),
    ]
    assert [each["first_whole_volume_per_month"] for each in found["crossings"]] == [900_001, 1_000_001, 1_800_001]
    assert [each["cheaper"] for each in found["intervals"]] == ["api", "hosting", "api", "hosting"]
    assert [
        (each["steps"], each["step_cost_to_per_month"], each["use_cost_to_per_month"]) for each in found["curve"]
    ] == [
        (1, "9000", "10000"),
        (2, "18000", "20000"),
    ]


def test_fixed_and_variable_costs_from_accelerators_and_rates(client: httpx.Client) -> None:
    """Eight at 2.00 over 730 hours are 11,680; 0.5 queries/s at 0.6 are 788,400 a month."""
    (row,) = answered(
        client,
        {
            "api_cost_per_query": "0.03", "cost_per_accelerator_hour": "2", "accelerators_per_replica": 8, "queries_per_s_per_replica": "0.5",
            "usable_utilization_ratio": "0.6", "hosting_fixed_cost_per_month": "5000", "hosting_cost_per_query": "0.001",
            "minimum_replicas": 1, "volume_to_per_month": "788400",
        },
    )["rows"]  # fmt: skip
    assert (row["step_cost_per_month"], row["step_capacity_per_month"]) == ("11680", "788400")
    same(row["first_crossing_volume_per_month"], Fraction(16680) / Fraction("0.029"))
    assert "capital_method_not_stated" in row["warnings"]
    assert {"hours_per_month=730", "volume_from_per_month=0"} <= set(row["assumptions"].split(";"))


def test_what_the_replicas_cannot_hold(client: httpx.Client) -> None:
    found = answered(client, {**HOSTING, "maximum_replicas": 1, "volume_to_per_month": "5000000"})
    assert found["crossings"][-1]["kind"] == "capacity"
    assert found["crossings"][-1]["volume_per_month"] == "1000000"
    assert [each["within_capacity"] for each in found["intervals"]] == [True, True, False]
    assert "beyond_capacity" in found["rows"][0]["warnings"]


def test_renting_against_owning(client: httpx.Client) -> None:
    """A system of eight at 9,523.03 holds 8 · 730 · 0.99 hours; at 3.99 an hour it pays above 2,386.7 of them."""
    stated = {
        "compare": "rent_or_own", "rent_price_per_accelerator_hour": "3.99", "own_cost_per_system_month": "9523.03",
        "accelerators_per_system": 8, "availability_ratio": "0.99", "capital_method": "annuity", "volume_to_per_month": "5000",
    }  # fmt: skip
    profiled = {
        "compare": "rent_or_own", "rent_price_per_accelerator_hour": "3.99", "profile": "reference-8xh100-colocated",
        "volume_to_per_month": "5000",
    }  # fmt: skip
    one, two = answered(client, stated, profiled)["rows"]
    same(one["first_crossing_volume_per_month"], Fraction("9523.03") / Fraction("3.99"))
    assert one["step_capacity_per_month"] == two["step_capacity_per_month"] == "5781.6"
    assert (two["capital_method"], two["volume_unit"], two["cheaper_at_to"]) == ("annuity", "accelerator_hours", "own")
    assert abs(Decimal(one["first_crossing_volume_per_month"]) - Decimal(two["first_crossing_volume_per_month"])) < 1


def test_none_is_an_answer(client: httpx.Client) -> None:
    found = answered(client, {**HOSTING, "api_cost_per_query": "0.001"})
    assert found["crossings"] == []
    assert (found["rows"][0]["crossing_count"], found["rows"][0]["first_crossing_volume_per_month"]) == (0, None)
    assert "no_crossing" in found["rows"][0]["warnings"]


def test_many_steps_are_a_problem_and_not_a_wait(client: httpx.Client) -> None:
    huge = {**HOSTING, "volume_to_per_month": "9" * 18, "queries_per_replica_month": "0.000000000000000000000000000001"}
    wide = {**HOSTING, "volume_to_per_month": "2000000000"}
    most, over, far = answered(client, wide, {**wide, "volume_to_per_month": "2000000001"}, huge)["rows"]
    assert most["error_code"] is None
    assert most["crossing_count"] > 10
    for row in (over, far):
        assert row["error_code"] == "invalid-fields"
        assert "more steps of a replica than 2000" in row["error_detail"]
    refused(client.post("/break-even", json={"rows": [wide] * 6}), 413, "too-many-rows", "/rows")


def test_tables(client: httpx.Client) -> None:
    for table, lines in (("rows", 1), ("crossings", 3), ("intervals", 4), ("curve", 2)):
        text = client.post(f"/break-even?format=csv&table={table}", json={"rows": [{**HOSTING, "row_id": "a"}]}).text
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["row_id"] for row in rows] == ["a"] * lines
    lines_of_json = client.post("/break-even?format=ndjson&table=crossings", json={"rows": [HOSTING]}).text.splitlines()
    assert len(lines_of_json) == 3
    refused(client.post("/break-even?table=all", json={"rows": [HOSTING]}), 422, "invalid-fields", "/table")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"volume_to_per_month": None}, "volume_to_per_month"),
        ({"volume_to_per_month": "0"}, "volume_to_per_month"),
        ({"volume_from_per_month": "2000000"}, "volume_to"),
        ({"api_cost_per_query": "0"}, "api_cost_per_query"),
        ({"api_cost_per_query": None}, "api_cost_per_query"),
        ({"hosting_cost_per_replica_month": "0"}, "hosting_cost_per_replica_month"),
        ({"hosting_cost_per_replica_month": None}, "hosting_cost_per_replica_month"),
        ({"queries_per_replica_month": "0"}, "queries_per_replica_month"),
        ({"queries_per_replica_month": None}, "queries_per_replica_month"),
        ({"queries_per_s_per_replica": "1"}, "queries_per_s_per_replica"),
        ({"usable_utilization_ratio": "0"}, "usable_utilization_ratio"),
        ({"usable_utilization_ratio": "1.2"}, "usable_utilization_ratio"),
        ({"minimum_replicas": 3, "maximum_replicas": 2}, "maximum_replicas"),
        ({"maximum_replicas": 0}, "maximum_replicas"),
        ({"minimum_replicas": 10**17}, "minimum_replicas"),
        ({"hours_per_month": "0"}, "hours_per_month"),
        ({"hours_per_month": "745"}, "hours_per_month"),
        ({"profile": "reference-8xh100-colocated"}, "profile"),
        ({"compare": "rent_or_own"}, "rent_price_per_accelerator_hour"),
        ({"compare": "buy"}, "compare"),
        ({"capital_method": "guess"}, "capital_method"),
        ({"misspelt": 1}, "misspelt"),
        ({"api_cost_per_query": SECRET}, "api_cost_per_query"),
    ],
)
def test_bad_input(client: httpx.Client, change: dict[str, Any], pointer: str) -> None:
    found = answered(client, {**HOSTING, **change})
    (row,) = found["rows"]
    assert row["error_code"] == "invalid-fields"
    assert pointer in row["error_detail"]
    assert SECRET not in str(row)
    assert found["curve"] == found["crossings"] == []


def test_numbers_that_are_none_and_unknown_profiles(client: httpx.Client) -> None:
    for bad in NO_MONEY:
        (row,) = answered(client, {**HOSTING, "api_cost_per_query": bad})["rows"]
        assert row["error_code"] == "invalid-fields", bad
    row = answered(
        client,
        {
            "compare": "rent_or_own",
            "profile": SECRET,
            "rent_price_per_accelerator_hour": "1",
            "volume_to_per_month": "1",
        },
    )["rows"][0]
    assert row["error_code"] == "unknown-ownership-profile"
    body = {"rows": [{**HOSTING, "volume_to_per_month": "0"}]}
    refused(client.post("/break-even?on_error=fail", json=body), 422, "invalid-fields", "/rows/0/volume_to_per_month")

"""`POST /training-cost`: published runs, each way a speed can be known, and what is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_MONEY, refused, same

LLAMA: dict[str, Any] = {
    "architecture": "llama-3.1-405b",
    "training_tokens": "15600000000000",
    "accelerator": "h100-sxm",
    "accelerator_count": 16_384,
    "format": "bf16",
    "mfu_ratio": "0.40",
    "goodput_ratio": "0.90",
    "pue": "1.1",
    "price_per_accelerator_hour": "2.00",
}


def answered(client: httpx.Client, *rows: Any, **top: Any) -> list[dict[str, Any]]:
    answer = client.post("/training-cost", json={"rows": rows, "as_of": "2026-11-30T12:00:00Z", **top})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["rows"]
    return found


def only(client: httpx.Client, row: dict[str, Any]) -> dict[str, Any]:
    (found,) = answered(client, row)
    assert found["error_code"] is None, found["error_detail"]
    return found


def test_llama_by_utilization(client: httpx.Client) -> None:
    """6 · 405.85·10⁹ · 15.6·10¹²; hours at 40 % of 989 TFLOP/s, a tenth of them lost; 700 W · 1.1."""
    row = only(client, LLAMA)
    flops = 6 * 405_850_000_000 * 15_600_000_000_000
    assert row["training_flops"] == str(flops)
    assert (row["parameters"], row["parameter_basis"]) == ("405850000000", "published total")
    hours = Fraction(flops) / (989 * 10**12 * Fraction("0.4") * 3600) / Fraction("0.9")
    same(row["accelerator_hours"], hours)
    same(row["days"], hours / 16_384 / 24)
    same(row["cost"], hours * 2)
    same(row["energy_kwh"], hours * Fraction("0.7") * Fraction("1.1"))
    same(row["effective_mfu_ratio"], Fraction("0.36"))
    assert (row["power_basis"], row["peak_tflops"], row["accelerator_source"] != "") == ("tdp", "989", True)
    assert row["warnings"] == "power_is_tdp;attention_not_counted"


def test_gpt_3_with_recompute_takes_34_days(client: httpx.Client) -> None:
    """Narayanan et al., SC21: 8TP/(nX) with T 300·10⁹, P 175·10⁹, 1,024 A100 at 140 TFLOP/s; with 6 it would be 25 days."""
    asked = {
        "parameters": 175_000_000_000,
        "training_tokens": 300_000_000_000,
        "accelerator": "a100-sxm-80",
        "accelerator_count": 1024,
        "format": "bf16",
        "achieved_tflops_per_accelerator": 140,
        "recompute": "full",
    }
    row = only(client, asked)
    same(row["days"], Fraction(8 * 175 * 300 * 10**18, 1024 * 140 * 10**12 * 86_400))
    assert abs(Fraction(row["days"]) / 34 - 1) < Fraction(1, 100)
    same(row["effective_hfu_ratio"], Fraction(140, 312))
    same(row["effective_mfu_ratio"], Fraction(140 * 6, 312 * 8))
    assert Fraction(only(client, asked | {"recompute": "none"})["days"]) < 26


def test_a_trillion_parameters_take_84_days(client: httpx.Client) -> None:
    """The same paper (recalled): 450·10⁹ tokens on 3,072 A100 at 163 TFLOP/s."""
    asked = {
        "parameters": 10**12,
        "training_tokens": 450 * 10**9,
        "accelerator_count": 3072,
        "achieved_tflops_per_accelerator": 163,
        "recompute": "full",
    }
    assert abs(Fraction(only(client, asked)["days"]) / 84 - 1) < Fraction(1, 100)


def test_deepseek_v3_from_its_hours(client: httpx.Client) -> None:
    """Technical report: 2.788 million H800 hours at 2 USD; 2.664 million of them pre-training, 34.6 % of the BF16 peak."""
    row = only(client, {"accelerator_hours": 2_788_000, "price_per_accelerator_hour": 2})
    assert (row["cost"], row["training_flops"], row["energy_kwh"]) == ("5576000", None, None)
    assert row["reasons"] == "flops_not_known;no_peak_named;no_accelerator_count;power_not_known"
    asked = {
        "architecture": "deepseek-v3",
        "training_tokens": 14_800_000_000_000,
        "accelerator": "h800-sxm",
        "format": "bf16",
        "accelerator_hours": 2_664_000,
    }
    row = only(client, asked)
    assert (row["parameter_basis"], row["goodput_ratio"]) == ("published active", None)
    assert abs(Fraction(row["effective_mfu_ratio"]) - Fraction("0.346")) < Fraction(1, 1000)


def test_llama_over_all_hours_is_34_6_percent(client: httpx.Client) -> None:
    asked = {
        "training_flops": "38000000000000000000000000",
        "accelerator_hours": 30_840_000,
        "accelerator": "h100-sxm",
        "format": "bf16",
    }
    row = only(client, asked)
    same(row["effective_mfu_ratio"], Fraction(38 * 10**24, 30_840_000 * 3600 * 989 * 10**12))
    assert row["effective_mfu_ratio"].startswith("0.3460")


def test_a_measured_speed(client: httpx.Client) -> None:
    """10¹² tokens at 4,000,000 a second on 1,000 accelerators: 250,000 s."""
    base = {"training_tokens": 10**12, "accelerator_count": 1000, "price_per_accelerator_hour": "3.60"}
    whole, each = answered(client, base | {"tokens_per_s": 4_000_000}, base | {"tokens_per_s_per_accelerator": 4_000})
    assert whole["accelerator_hours"] == each["accelerator_hours"]
    same(whole["accelerator_hours"], Fraction(250_000 * 1000, 3600))
    assert (whole["cost"], whole["cost_per_mtok"]) == ("250000", "0.25")
    assert "goodput_of_1_assumed" in whole["warnings"]


def test_attention_counts_in_long_sequences(client: httpx.Client) -> None:
    """llama-3.1-8b: 32 layers, 32 heads of 128, hidden 4,096: 6 · 32 · 32 · 256 · S a token from S = 24,577 on."""
    asked = {"architecture": "llama-3.1-8b", "training_tokens": 10**9, "accelerator_hours": 1}
    short, long, forced, left_out = answered(
        client,
        asked | {"sequence_length": 24_576},
        asked | {"sequence_length": 32_768},
        asked | {"sequence_length": 8_192, "attention": "include", "recompute": "full"},
        asked | {"sequence_length": 32_768, "attention": "exclude"},
    )
    assert (short["attention_counted"], short["attention_flops"]) == (False, "0")
    assert long["attention_flops"] == str(6 * 32 * 32 * 256 * 32_768 * 10**9)
    assert long["training_flops"] == str(6 * 8_030_000_000 * 10**9 + int(long["attention_flops"]))
    assert forced["attention_flops"] == str(8 * 32 * 32 * 256 * 8_192 * 10**9)
    assert left_out["attention_flops"] == "0"


def test_stated_power_and_tariff(client: httpx.Client) -> None:
    row = only(
        client,
        {
            "accelerator_hours": 1_000,
            "power_w_per_accelerator": 1_200,
            "pue": "1.25",
            "electricity_price_per_kwh": "0.09",
        },
    )
    assert (row["energy_kwh"], row["energy_cost"], row["cost"]) == ("1500", "135", None)
    assert row["power_basis"] == "stated"


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"format": "fp8", "accelerator": "a100-sxm-80"}, "unsupported-format", "bf16"),
        ({"accelerator": "cerebras-wse3"}, "unsupported-format", "none that is known"),
        ({"accelerator": "nope"}, "unknown-accelerator", "GET /accelerators"),
        ({"architecture": "nope"}, "unknown-architecture", "GET /architectures"),
        ({"mfu_ratio": 0}, "invalid-fields", "/mfu_ratio"),
        ({"mfu_ratio": "1.01"}, "invalid-fields", "/mfu_ratio"),
        ({"mfu_ratio": "NaN"}, "invalid-fields", "/mfu_ratio"),
        ({"mfu_ratio": 0.4}, "invalid-fields", "/mfu_ratio"),
        ({"goodput_ratio": 0}, "invalid-fields", "/goodput_ratio"),
        ({"pue": "0.9"}, "invalid-fields", "PUE"),
        ({"price_per_accelerator_hour": 0}, "invalid-fields", "above 0"),
        ({"price_per_accelerator_hour": "-2"}, "invalid-fields", "above 0"),
        ({"accelerator_count": 0}, "invalid-fields", "above 0"),
        ({"training_tokens": 0}, "invalid-fields", "above 0"),
        ({"training_tokens": None}, "invalid-fields", "training_tokens"),
        ({"mfu_ratio": None}, "invalid-fields", "one speed"),
        ({"accelerator_hours": 5}, "invalid-fields", "one speed"),
        ({"accelerator_hours": 5, "mfu_ratio": None}, "invalid-fields", "goodput"),
        ({"format": None}, "invalid-fields", "format"),
        ({"architecture": None}, "invalid-fields", "architecture"),
        ({"parameters": 5}, "invalid-fields", "one"),
        ({"attention": "include"}, "invalid-fields", "sequence_length"),
        ({"training_flops": "1e25", "architecture": None}, "invalid-fields", "digits"),
        ({"tokens_per_s": 1, "mfu_ratio": None, "accelerator_count": None}, "invalid-fields", "accelerator_count"),
    ],
)
def test_bad_rows_are_rows(client: httpx.Client, changes: dict[str, Any], code: str, says: str) -> None:
    bad = {name: value for name, value in (LLAMA | changes).items() if value is not None}
    row, good = answered(client, bad, LLAMA)
    assert row["error_code"] == code, row["error_detail"]
    assert says in row["error_detail"]
    assert (row["accelerator_hours"], row["cost"], row["training_flops"]) == (None, None, None)
    assert good["cost"] is not None, "the others are answered"
    refused(client.post("/training-cost?on_error=fail", json={"rows": [bad]}), 422, "invalid-fields")


@pytest.mark.parametrize("value", NO_MONEY, ids=lambda value: repr(value)[:20])
def test_money_that_is_none(client: httpx.Client, value: Any) -> None:
    for name in ("price_per_accelerator_hour", "parameters"):
        answer = client.post("/training-cost", content=json.dumps({"rows": [LLAMA | {name: value}]}))
        assert answer.json()["rows"][0]["error_code"] == "invalid-fields", name


def test_csv(client: httpx.Client) -> None:
    head, line = client.post("/training-cost?format=csv", json={"rows": [LLAMA]}).text.splitlines()
    assert len(head.split(",")) == 39
    assert Decimal(dict(zip(head.split(","), line.split(","), strict=False))["parameters"]) == 405_850_000_000

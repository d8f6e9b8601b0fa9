"""Published figures of revenue, margin, capacity and training, from `data/throughput_worked_examples.csv`, within its tolerances.

Each row names its source and says whether the figure was read there or recalled; the file has the physics of throughput, too.
"""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from api.services.training import TrainingQuestion, train
from economics.capacity.case import CapacityCase, cost_of_term
from economics.capacity.sizing import Dimension, Sizing
from economics.capacity.terms import TermPrice, monthly_cost
from economics.margins.case import MarginCase, check_case, tokens_of_query
from economics.margins.ratios import gross_margin_ratio, markup_ratio
from economics.margins.splits import token_margins
from economics.margins.statement import statement_of
from economics.money import Exact, exact
from economics.training import training_cost
from hardware.training.compute import TrainedModel, stated_compute, training_compute
from hardware.training.run import hours_at_speed, utilization, wall_clock
from tests.machines import HARDWARE

TERA = 10**12
with (Path(__file__).parent / "data" / "throughput_worked_examples.csv").open(encoding="utf-8", newline="") as lines:
    EXAMPLES = {row["id"]: row for row in csv.DictReader(lines)}


def given(example: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EXAMPLES[example]["inputs"], parse_float=Decimal, parse_int=Decimal)
    return {name: exact(value) if isinstance(value, Decimal) else value for name, value in found.items()}


def agrees(example: str, *found: Exact | None) -> None:
    """With the published answer, within its tolerance."""
    expected = json.loads(EXAMPLES[example]["expected"], parse_float=Decimal, parse_int=Decimal)
    wanted = expected if isinstance(expected, list) else [expected]
    for value, answer in zip(found, wanted, strict=True):
        assert value is not None
        error = abs(Fraction(value.to_decimal()) / Fraction(answer) - 1)
        assert error <= Fraction(EXAMPLES[example]["rel_tolerance"]), (value.to_text(), answer)


def per_million(tokens_per_s: Exact, accelerators: Exact, price: Exact) -> Exact | None:
    """Cost of a million tokens on so many accelerators that are busy all the time."""
    sizing = Sizing((), accelerators.to_decimal(), Decimal(1), Decimal(1))
    case = CapacityCase(sizing, False, tokens_per_s, exact(1), exact(3_600), exact(1), exact(1))
    return cost_of_term(case, TermPrice("hourly", price, "hour")).cost_per_million_at_peak


def test_we01_deepseeks_cost_of_a_day() -> None:
    a = given("we01")
    units = (a["avg_nodes"] * a["gpus_per_node"]).to_decimal()
    agrees("we01", monthly_cost(TermPrice("hourly", a["usd_per_gpu_hour"], "hour"), units, a["hours"]))


def deepseeks_day(**costs: Exact) -> MarginCase:
    a = given("we02")
    tokens = tokens_of_query(
        a["input_tokens_hit"] + a["input_tokens_miss"], a["input_tokens_hit"], a["output_tokens"], exact(0), exact(0)
    )
    return MarginCase(
        price_per_mtok_input=a["usd_per_m_miss"],
        price_per_mtok_cached_input=a["usd_per_m_hit"],
        price_per_mtok_output=a["usd_per_m_out"],
        queries_per_month=exact(1),
        **tokens,
        **costs,
    )


def test_we02_deepseeks_theoretical_revenue() -> None:
    case = deepseeks_day(inference_cost_per_month=exact(87_072))
    check_case(case)
    agrees("we02", statement_of(case).revenue)


def test_we04_the_gross_margin_is_84_5_percent_and_never_545() -> None:
    """DeepSeek's "545 %" is profit over cost: a mark-up."""
    a = given("we04")
    margin, markup = gross_margin_ratio(a["revenue"], a["cost"]), markup_ratio(a["revenue"], a["cost"])
    agrees("we04", margin)
    assert margin is not None
    assert markup is not None
    assert margin < exact(1)
    assert round(float(markup.to_decimal()), 2) == 5.45
    assert margin.to_text()[:6] == "0.8450"


def test_we05_deepseeks_rates_explain_its_nodes() -> None:
    a = given("we05")
    decode = Dimension("decode", a["output_tokens"] / a["seconds"], a["decode_tok_s_node"]).raw_units
    prefill = Dimension("prefill", a["input_tokens"] / a["seconds"], a["prefill_tok_s_node"]).raw_units
    agrees("we05", decode + prefill)


def test_we07_a_claim_that_counts_decode_nodes_only() -> None:
    a = given("we07")
    agrees("we07", per_million(a["out_tok_s_per_node"], a["gpus"], a["usd_per_gpu_hour"]))
    whole = per_million(a["out_tok_s_per_node"] * exact(9), a["gpus"] * exact(12), a["usd_per_gpu_hour"])
    assert whole is not None
    assert round(float(whole.to_decimal()), 4) == 0.2657, "3 prefill and 9 decode nodes"


def test_we09_llama_405b_operations() -> None:
    a = given("we09")
    agrees("we09", training_compute(TrainedModel(a["params"], "stated"), a["tokens"], "none").executed)


def test_we10_llama_405b_over_all_hours() -> None:
    a = given("we10")
    agrees("we10", utilization(a["flop"], a["gpu_hours"], a["peak_tflops_bf16"] * exact(TERA)))


def test_we12_deepseek_v3() -> None:
    a = given("we12")
    agrees("we12", training_cost(a["gpu_hours"], a["usd_per_gpu_hour"], None, None, None).accelerators)


def test_we14_gpt_3_with_recompute() -> None:
    a = given("we14")
    compute = training_compute(TrainedModel(a["params"], "stated"), a["tokens"], "full")
    hours = hours_at_speed(compute, a["achieved_tflops"] * exact(TERA), exact(1))
    agrees("we14", wall_clock(hours, a["gpus"]).days)
    without = hours_at_speed(stated_compute(compute.model), a["achieved_tflops"] * exact(TERA), exact(1))
    assert wall_clock(without, a["gpus"]).days < exact(26), "with 6 instead of 8 operations"


def test_we24_margins_of_input_and_output() -> None:
    a = given("we24")
    found = token_margins(
        MarginCase(
            price_per_mtok_input=a["price_in"],
            price_per_mtok_output=a["price_out"],
            model_price_per_mtok_input=a["cost_in"],
            model_price_per_mtok_output=a["cost_out"],
        )
    )
    agrees("we24", found.input_ratio, found.output_ratio)


def test_we25_a_million_tokens_at_batch_1() -> None:
    a = given("we25")
    agrees("we25", per_million(a["out_tok_s"], a["gpus"], a["usd_per_gpu_hour"]))


def test_we27_a_systems_speed_by_accelerator() -> None:
    a = given("we27")
    run = TrainingQuestion(0, training_tokens=exact(1), tokens_per_s=a["tok_s"], accelerator_count=a["chips"])
    agrees("we27", train(run, HARDWARE).tokens_per_s_per_accelerator)

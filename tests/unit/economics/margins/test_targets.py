from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from economics.errors import PermillionError
from economics.margins.case import MarginCase, check_case, tokens_of_query
from economics.margins.statement import statement_of
from economics.margins.targets import target_price, volumes_for
from economics.money import Exact, exact


def e(text: str) -> Exact:
    return exact(Decimal(text))


def shop(**changes: Exact) -> MarginCase:
    """0.02 a query for 0.01, 1,000 a month for hosting, 100,000 queries."""
    fields: dict[str, Any] = {
        "price_per_query": e("0.02"),
        "model_cost_per_query": e("0.01"),
        "hosting_per_month": e("1000"),
        "queries_per_month": e("100000"),
    }
    return MarginCase(**(fields | changes))


def test_fixed_costs_need_a_least_volume() -> None:
    found = volumes_for(shop(), e("0"))
    assert (found.least, found.most) == (e("100000"), None)  # 1,000 / (0.02 − 0.01)
    assert volumes_for(shop(), e("0.4")).least == e("500000")  # 1,000 / (0.02 · 0.6 − 0.01)


def test_at_a_loss_on_each_query_no_volume_helps() -> None:
    assert volumes_for(shop(model_cost_per_query=e("0.02")), e("0")).never
    assert volumes_for(shop(model_cost_per_query=e("0.02")), e("0.5")).never


def test_without_fixed_costs_any_volume_will_do() -> None:
    found = volumes_for(shop(hosting_per_month=e("0")), e("0"))
    assert (found.least, found.most, found.never) == (None, None, False)


def test_a_subscription_has_a_most() -> None:
    found = volumes_for(shop(price_per_seat=e("100"), seats=e("50"), price_per_query=e("0")), e("0"))
    assert (found.least, found.most) == (None, e("400000"))  # (5,000 − 1,000) / 0.01


def test_a_commitment_is_due_before_it_is_used() -> None:
    found = volumes_for(shop(commitment_per_month=e("3000")), e("0"))
    assert found.least == e("200000")  # 0.02 q = 1,000 + 3,000, and 200,000 · 0.01 is still below 3,000
    assert volumes_for(shop(commitment_per_month=e("500")), e("0")).least == e("100000"), "used up before"


def test_fees_and_margin_may_leave_nothing() -> None:
    statement = statement_of(shop(payment_fee_share=e("0.3")))
    assert target_price(statement, e("0.7")) is None
    found = target_price(statement, e("0.2"))
    assert found is not None
    assert (found.price, found.unit) == (e("0.04"), "query")  # 2,000 / 0.5 / 100,000


def test_no_revenue_still_has_a_target_price() -> None:
    found = target_price(statement_of(shop(price_per_query=e("0"))), e("0.5"))
    assert found is not None
    assert (found.price, found.multiplier) == (e("0.04"), None)


def test_several_prices_have_a_multiplier_only() -> None:
    found = target_price(statement_of(shop(revenue_per_month=e("2000"))), e("0.5"))
    assert found is not None
    assert (found.price, found.unit, found.multiplier) == (None, None, e("1"))


def test_parts_are_at_most_their_whole() -> None:
    with pytest.raises(PermillionError, match="cache_read_tokens"):
        tokens_of_query(e("1"), e("2"), e("0"), e("0"), e("0"))
    with pytest.raises(PermillionError, match="reasoning_tokens"):
        tokens_of_query(e("1"), e("0"), e("1"), e("2"), e("0"))


def test_a_cost_is_stated_once() -> None:
    with pytest.raises(PermillionError) as caught:
        check_case(shop(model_price_per_mtok_input=e("1")))
    assert caught.value.slug == "invalid-fields"


def test_ratios_of_nothing_are_explained() -> None:
    found = statement_of(shop(price_per_query=e("0"), queries_per_month=e("0"), hosting_per_month=e("0")))
    assert (found.gross_margin_ratio, found.markup_ratio, found.per_query(found.cogs)) == (None, None, None)
    assert found.reasons() == ["no_revenue", "no_cost", "no_queries"]
    accepted = statement_of(shop(accepted_share=e("0")))
    assert (accepted.per_accepted(accepted.cogs), accepted.reasons()) == (None, ["nothing_accepted"])


def test_accepted_outcomes_carry_the_failures() -> None:
    found = statement_of(shop(accepted_share=e("0.8"), retry_share=e("0.25")))
    cost = found.per_accepted(found.inference_cost)
    assert cost is not None
    assert Fraction(cost.to_decimal()) == Fraction("0.015625")  # 0.01 · 1.25 / 0.8

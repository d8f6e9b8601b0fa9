"""What the model costs for one query: at list price, as contracted, and with everything that happens to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from economics.margins.case import NOTHING, WHOLE, MarginCase, ModelLine
from economics.money import Exact, exact

MILLION: Final = exact(Decimal(1_000_000))


@dataclass(frozen=True, slots=True)
class QueryCost:
    """Cost of one query.

    Attributes:
        listed: one attempt at list price, not in batch.
        contracted: less the discount of a contract.
        effective: with batch, retries and the fee of a gateway.
        lines: effective, by meter.
    """

    listed: Exact
    contracted: Exact
    effective: Exact
    lines: Sequence[tuple[str, Exact]]


def query_cost(case: MarginCase) -> QueryCost:
    """The model's cost of one query.

    Formula, per meter: `effective = list · uplift · (1 − b + b · batch/list) · (1 − discount) · (1 + retries) · (1 + fee)`. Cached
    tokens are part of the input and are charged once, reasoning is charged as output. The factors commute; a fee is on what is
    spent after the discount.

    Worked number (story 2): 800·1.25/10⁶ + 1,500·0.125/10⁶ + 1,320·10/10⁶ = 0.0143875; with 12 % batch at half price and 3 %
    retries 0.0143875 · 0.94 · 1.03 = 0.0139299775.

    >>> case = MarginCase(model_cost_per_query=exact(Decimal("0.0143875")), batch_share=exact(Decimal("0.12")),
    ...                   batch_multiplier=exact(Decimal("0.5")), retry_share=exact(Decimal("0.03")))
    >>> query_cost(case).effective.to_text()
    '0.0139299775'
    """
    uplift = WHOLE if case.price_multiplier is None else case.price_multiplier
    discounted = WHOLE - case.model_discount_share
    happens = (WHOLE + case.retry_share) * (WHOLE + case.model_fee_share)
    listed = contracted = effective = NOTHING
    lines: list[tuple[str, Exact]] = []
    for line in model_lines(case):
        factor = uplift * discounted if line.discountable else uplift
        mixed = line.standard
        if case.batch_share:
            mixed = line.standard * (WHOLE - case.batch_share) + line.batch * case.batch_share
        cost = mixed * factor * happens
        listed += line.standard * uplift
        contracted += line.standard * factor
        effective += cost
        lines.append((line.meter, cost))
    return QueryCost(listed, contracted, effective, lines)


def model_lines(case: MarginCase) -> Sequence[ModelLine]:
    """The meters of one query at list price: those of an offer, of stated prices, or one for a stated cost."""
    if case.lines:
        return case.lines
    multiplier = WHOLE if case.batch_multiplier is None else case.batch_multiplier
    if case.model_cost_per_query is not None:
        return (ModelLine("query", case.model_cost_per_query, case.model_cost_per_query * multiplier),)
    cached = cached_input_price(case)
    priced = (
        ("input_tokens", case.uncached_input_tokens, case.model_price_per_mtok_input),
        ("cache_read_tokens", case.cached_input_tokens, cached),
        ("output_tokens", case.output_tokens, case.model_price_per_mtok_output),
        ("reasoning_tokens", case.reasoning_tokens, case.model_price_per_mtok_output),
    )
    found: list[ModelLine] = []
    for meter, tokens, price in priced:
        if tokens and price is not None:
            cost = tokens * price / MILLION
            found.append(ModelLine(meter, cost, cost * multiplier))
    return found


def cached_input_price(case: MarginCase) -> Exact | None:
    """The model's price of cached input: its own, else that of input."""
    if case.model_price_per_mtok_cached_input is not None:
        return case.model_price_per_mtok_cached_input
    return case.model_price_per_mtok_input


def price_factor(case: MarginCase) -> Exact:
    """What a stated model price becomes in effect: uplift, batch, discount, retries and fee."""
    multiplier = WHOLE if case.batch_multiplier is None else case.batch_multiplier
    batch = WHOLE - case.batch_share * (WHOLE - multiplier)
    happens = (WHOLE + case.retry_share) * (WHOLE + case.model_fee_share)
    uplift = WHOLE if case.price_multiplier is None else case.price_multiplier
    return uplift * batch * (WHOLE - case.model_discount_share) * happens

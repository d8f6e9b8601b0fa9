"""What a text costs: one sample under one offer, and the weighted mean over samples.

All money here is native (the book's currency) after discount and tax removal and before FX, exact. Order of operations:
discount first, then tax removal line by line, then retries, then currency; no intermediate rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from economics.billing import Bill, bill, discount_warnings
from economics.errors import PermillionError
from economics.meters import is_token_meter, root_of
from economics.money import ONE, ZERO, Exact, add, subtract
from economics.prices import PriceRow
from economics.rate_card import ApplicableRate, RateCard

NOTHING = Exact(ZERO)
_MILLION = Decimal(1_000_000)
_INPUT_ROOTS = ("input_tokens", "input_characters", "audio_seconds")


@dataclass(frozen=True, slots=True)
class Terms:
    """How an offer is bought.

    Args:
        discount_share: 0–1, off all token meters.
        tax_excluded: remove tax where the row includes it.
        batch_share: 0–1, the part of the volume sent through batch processing.
        retry_share: 0 or more, additional queries per query.
    """

    discount_share: Decimal = ZERO
    tax_excluded: bool = False
    batch_share: Decimal = ZERO
    retry_share: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class SampleCost:
    """Cost of one query of one sample: its input part, its output part and all of it (fees included)."""

    input_cost: Exact
    output_cost: Exact
    total: Exact
    rates: Sequence[ApplicableRate]
    warnings: Sequence[str]


def price_sample(
    card: RateCard, batch_card: RateCard | None, usage: Mapping[str, Decimal | int], terms: Terms
) -> SampleCost:
    """The cost of one query.

    Formula, per billed meter m: `cost_m = [(1 − b)·standard_m + b·batch_m] · (1 − d) ÷ (1 + tax) · (1 + r)`, where a meter
    that is not sold in batch keeps its standard price.

    Args:
        card: rates of the offer's context.
        batch_card: rates with `processing=batch`, None where batch is not sold.
        usage: quantities of one query.
        terms: discount, tax, batch and retry shares.

    Raises:
        PermillionError: as `bill`, and `unknown-tax-rate` where tax is to be removed at a rate nobody states.

    Worked number (story 2): 800·1.25/10⁶ + 1,500·0.125/10⁶ + 1,320·10/10⁶ = 0.0143875 USD; with 12 % batch at half price
    and 3 % retries 0.0143875 · 0.94 · 1.03 = 0.013929977…
    """
    plain: Bill = bill(card, usage)
    warnings = list(plain.warnings)
    input_cost = output_cost = total = NOTHING
    rates = [line.rate for line in plain.lines]
    for line in plain.lines:
        cost = line.cost
        if terms.batch_share:
            batch_rate = (
                None if batch_card is None else batch_card.find(line.meter, plain.input_tokens, plain.output_tokens)
            )
            if batch_rate is None:
                warnings.append("batch_not_offered")
            elif batch_rate.row is not line.rate.row:
                cost = cost * subtract(ONE, terms.batch_share) + batch_rate.cost(line.quantity) * terms.batch_share
                rates.append(batch_rate)
        cost = net_of_terms(cost, line.rate.row, terms)
        root = root_of(line.meter)
        if root in _INPUT_ROOTS:
            input_cost += cost
        elif root == "output_tokens":
            output_cost += cost
        total += cost
    if batch_card is not None and batch_card.discounted:
        warnings += [code for code in discount_warnings(rates) if code not in warnings]
    if terms.retry_share:
        factor = add(ONE, terms.retry_share)
        input_cost, output_cost, total = input_cost * factor, output_cost * factor, total * factor
    return SampleCost(input_cost, output_cost, total, rates, warnings)


def net_of_terms(amount: Exact, row: PriceRow, terms: Terms) -> Exact:
    """A cost or price of `row` after discount and, where asked for, without the tax it includes."""
    if terms.discount_share and is_token_meter(row.meter):
        amount = amount * subtract(ONE, terms.discount_share)
    if terms.tax_excluded and row.tax_included:
        if row.tax_rate is None:
            raise PermillionError(
                "unknown-tax-rate", "the price includes tax at a rate the book does not state; use tax=as_listed"
            )
        amount = amount / add(ONE, row.tax_rate)
    return amount


def per_million_characters(cost: Exact, characters: Exact) -> Exact | None:
    """`cost / characters · 10⁶`; None where there is no character.

    >>> per_million_characters(Exact(Decimal("0.0002525")), Exact(Decimal(144))).to_decimal()
    Decimal('1.753472222222222222222222222')
    """
    return cost * _MILLION / characters if characters else None


def weighted_mean(values: Sequence[Exact], weights: Sequence[Decimal]) -> Exact:
    """`Σ w·v / Σ w`; the weights need not sum to 1.

    >>> weighted_mean([Exact(Decimal(101)), Exact(Decimal(100))], [Decimal("0.6"), Decimal("0.4")]).to_decimal()
    Decimal('100.6')
    """
    if len(values) == 1:
        return values[0]
    total, weight = NOTHING, ZERO
    for value, w in zip(values, weights, strict=True):
        total, weight = total + value * w, add(weight, w)
    return total / weight

"""What is sold, how much of it, and what it costs: the question that a margin answers.

Amounts are in one currency and, but for prices per seat, query or million tokens, of one month. A case without a volume is of
one query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from economics.errors import PermillionError
from economics.money import Exact, exact

NOTHING: Final = exact(0)
WHOLE: Final = exact(1)


@dataclass(frozen=True, slots=True)
class ModelLine:
    """What one query costs under one meter.

    Attributes:
        meter: `input_tokens` (uncached), `cache_read_tokens`, `output_tokens`, `reasoning_tokens`, …, or `query`.
        standard: at list price, not in batch, in the currency of the case.
        batch: the same in batch; `standard` where the model is not sold so.
        discountable: a discount on token prices applies (fees of a request have none).
    """

    meter: str
    standard: Exact
    batch: Exact
    discountable: bool = True


@dataclass(frozen=True, slots=True)
class MarginCase:
    """One business.

    Attributes:
        price_per_seat, price_per_query, price_per_mtok_input, price_per_mtok_cached_input, price_per_mtok_output,
            revenue_per_month: what customers pay; several add up (a subscription with usage on top).
        seats, queries_per_seat, queries_per_month: volume; `queries_per_seat` a month.
        uncached_input_tokens, cached_input_tokens, output_tokens, reasoning_tokens: of one query, disjoint; customers who pay by
            token pay reasoning as output.
        model_price_per_mtok_input, model_price_per_mtok_cached_input, model_price_per_mtok_output: what a model, a host or
            one's own machines cost; reasoning is output.
        model_cost_per_query: instead, one attempt at the standard price.
        lines: instead, from an offer of the catalog.
        price_multiplier: region or residency uplift on all model prices, 1.1 for +10 %.
        batch_share, batch_multiplier: share of queries in batch, and its price as a multiple of the standard one (offers bring
            their own).
        retry_share: attempts above one a query, as a share: 0.03 is 3 more in 100.
        model_discount_share: of a contract, on token prices; `model_fee_share`: a gateway's, on what is spent after it.
        commitment_per_month: spend that is due even if less is used; `inference_cost_per_month`: reserved capacity or own
            machines, whatever the volume.
        payment_fee_share: of revenue; `payment_fee_per_seat`, `payment_fee_per_transaction` × `transactions_per_month`.
        support_per_seat, support_per_month, hosting_per_month: the rest of the cost of goods sold.
        accepted_share: queries whose result is accepted.
    """

    price_per_seat: Exact | None = None
    price_per_query: Exact | None = None
    price_per_mtok_input: Exact | None = None
    price_per_mtok_cached_input: Exact | None = None
    price_per_mtok_output: Exact | None = None
    revenue_per_month: Exact | None = None
    seats: Exact | None = None
    queries_per_seat: Exact | None = None
    queries_per_month: Exact | None = None
    uncached_input_tokens: Exact = NOTHING
    cached_input_tokens: Exact = NOTHING
    output_tokens: Exact = NOTHING
    reasoning_tokens: Exact = NOTHING
    model_price_per_mtok_input: Exact | None = None
    model_price_per_mtok_cached_input: Exact | None = None
    model_price_per_mtok_output: Exact | None = None
    model_cost_per_query: Exact | None = None
    lines: tuple[ModelLine, ...] = ()
    price_multiplier: Exact | None = None
    batch_share: Exact = NOTHING
    batch_multiplier: Exact | None = None
    retry_share: Exact = NOTHING
    model_discount_share: Exact = NOTHING
    model_fee_share: Exact = NOTHING
    commitment_per_month: Exact = NOTHING
    inference_cost_per_month: Exact = NOTHING
    payment_fee_share: Exact = NOTHING
    payment_fee_per_seat: Exact = NOTHING
    payment_fee_per_transaction: Exact = NOTHING
    transactions_per_month: Exact = NOTHING
    support_per_seat: Exact = NOTHING
    support_per_month: Exact = NOTHING
    hosting_per_month: Exact = NOTHING
    accepted_share: Exact | None = None

    @property
    def queries(self) -> Exact | None:
        """Queries of the month; None for a case of one query."""
        if self.queries_per_month is not None:
            return self.queries_per_month
        if self.seats is None or self.queries_per_seat is None:
            return None
        return self.seats * self.queries_per_seat

    @property
    def sells_tokens(self) -> bool:
        """Whether customers pay by token."""
        return self.price_per_mtok_input is not None or self.price_per_mtok_output is not None


_SEATED = ("price_per_seat", "payment_fee_per_seat", "support_per_seat")
_MONTHLY = (
    "revenue_per_month", "commitment_per_month", "inference_cost_per_month", "payment_fee_per_transaction", "support_per_month",
    "hosting_per_month",
)  # fmt: skip


def tokens_of_query(
    input_tokens: Exact, cache_read_tokens: Exact, output_tokens: Exact, reasoning_tokens: Exact, added_reasoning: Exact
) -> dict[str, Exact]:
    """The disjoint token counts of a `MarginCase` from counts as vendors state them.

    Args:
        input_tokens: all of the prompt, cached tokens included; `cache_read_tokens` is that part.
        output_tokens: with `reasoning_tokens`, which are part of it.
        added_reasoning: reasoning tokens of a vendor that counts them beside the output.

    Raises:
        PermillionError: `invalid-usage` where a part exceeds its whole.

    >>> found = tokens_of_query(exact(2300), exact(1500), exact(420), exact(0), exact(900))
    >>> [count.to_text() for count in found.values()]
    ['800', '1500', '420', '900']
    """
    for part, whole, name in (
        (cache_read_tokens, input_tokens, "cache_read_tokens"),
        (reasoning_tokens, output_tokens, "reasoning_tokens"),
    ):
        if whole < part:
            raise PermillionError("invalid-usage", f"{name} is more than its whole", pointer=f"/usage/{name}")
    return {
        "uncached_input_tokens": input_tokens - cache_read_tokens,
        "cached_input_tokens": cache_read_tokens,
        "output_tokens": output_tokens - reasoning_tokens,
        "reasoning_tokens": reasoning_tokens + added_reasoning,
    }


def check_case(case: MarginCase) -> None:
    """Refuse a case that lacks a price, a cost or a volume, or states one of them twice.

    Raises:
        PermillionError: `invalid-fields` with the field's pointer.
    """
    _check_sold(case)
    _check_volume(case)
    _check_model(case)


def _check_sold(case: MarginCase) -> None:
    sold = (case.price_per_seat, case.price_per_query, case.revenue_per_month)
    if not case.sells_tokens and all(price is None for price in sold):
        raise _refused("give a price: price_per_seat, price_per_query, price_per_mtok_… or revenue_per_month", "")
    if case.price_per_mtok_cached_input is not None and case.price_per_mtok_input is None:
        raise _refused("give price_per_mtok_input, too", "price_per_mtok_input")
    tokens = (case.uncached_input_tokens, case.cached_input_tokens, case.output_tokens, case.reasoning_tokens)
    if case.sells_tokens and not any(tokens):
        raise _refused("a price per million tokens needs the tokens of a query", "usage")
    for name in ("price_per_mtok_input", "price_per_mtok_output"):
        used = tokens[:2] if name.endswith("_input") else tokens[2:]
        if case.sells_tokens and getattr(case, name) is None and any(used):
            raise _refused("tokens are counted that have no price to the customer; 0 where they are free", name)


def _check_volume(case: MarginCase) -> None:
    if case.queries_per_seat is not None and case.queries_per_month is not None:
        raise _refused("give queries_per_seat or queries_per_month", "queries_per_month")
    if case.queries_per_seat is not None and case.seats is None:
        raise _refused("queries_per_seat needs seats", "seats")
    if case.seats is None:
        for name in _SEATED:
            if getattr(case, name):
                raise _refused("a figure per seat needs seats", name)
    elif case.queries is None:
        raise _refused("give queries_per_seat or queries_per_month", "queries_per_seat")
    if case.queries is None:
        for name in _MONTHLY:
            if getattr(case, name):
                raise _refused("a figure per month needs queries_per_month, or seats and queries_per_seat", name)
    if bool(case.payment_fee_per_transaction) and not case.transactions_per_month:
        raise _refused("payment_fee_per_transaction needs transactions_per_month", "transactions_per_month")


def _check_model(case: MarginCase) -> None:
    stated = case.model_price_per_mtok_input is not None or case.model_price_per_mtok_output is not None
    ways = sum([stated, case.model_cost_per_query is not None, bool(case.lines)])
    if ways > 1:
        raise _refused("give one cost of a query: model_price_per_mtok_…, model_cost_per_query or offer", "")
    if not ways and not case.inference_cost_per_month:
        raise _refused(
            "give a cost: model_price_per_mtok_…, model_cost_per_query, offer or inference_cost_per_month", ""
        )
    if case.model_price_per_mtok_cached_input is not None and case.model_price_per_mtok_input is None:
        raise _refused("give model_price_per_mtok_input, too", "model_price_per_mtok_input")
    if stated:
        for name, used in (
            ("model_price_per_mtok_input", (case.uncached_input_tokens, case.cached_input_tokens)),
            ("model_price_per_mtok_output", (case.output_tokens, case.reasoning_tokens)),
        ):
            if getattr(case, name) is None and any(used):
                raise _refused("tokens are counted that have no price; 0 where they are free", name)
    if case.batch_share and not case.lines and case.batch_multiplier is None:
        raise _refused("batch_share needs batch_multiplier, the price in batch as a multiple", "batch_multiplier")
    if case.lines and case.batch_multiplier is not None:
        raise _refused("an offer has batch prices of its own: leave batch_multiplier out", "batch_multiplier")


def _refused(detail: str, field: str) -> PermillionError:
    return PermillionError("invalid-fields", detail, pointer=f"/{field}" if field else "")

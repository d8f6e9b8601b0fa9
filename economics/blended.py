"""Blended prices: one figure per million tokens at a stated mix, as the market quotes them.

`Σ w_m · price_m / Σ w_m` over meters. 3:1 is (3·input + output) / 4 (Artificial Analysis, Epoch AI); 7:2:1 is
(7·cached + 2·input + output) / 10, a missing cached price replaced by the input price. A blend hides the tokenizer: two
models with the same blend differ on the same text, which `POST /compare` shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from economics.billing import discount_warnings
from economics.errors import PermillionError
from economics.money import ONE, ZERO, Exact, add
from economics.rate_card import ApplicableRate, RateCard

Weights = Mapping[str, Decimal]
MIXES: Mapping[str, Weights] = {
    "3:1": {"input_tokens": Decimal(3), "output_tokens": ONE},
    "1:3": {"input_tokens": ONE, "output_tokens": Decimal(3)},
    "7:2:1": {"cache_read_tokens": Decimal(7), "input_tokens": Decimal(2), "output_tokens": ONE},
}
BLENDED_METERS = ("input_tokens", "cache_read_tokens", "output_tokens")


def blended_per_mtok(
    card: RateCard, weights: Weights, input_tokens: int = 0, output_tokens: int = 0
) -> tuple[Exact, list[ApplicableRate], list[str]]:
    """The blended price per 1,000,000 tokens in the currency of the book.

    Args:
        card: rates in force.
        weights: share of each of `BLENDED_METERS`, at least one above 0.
        input_tokens: length of the prompt, which chooses the tier.
        output_tokens: length of the answer, where a vendor's tiers depend on it.

    Returns:
        The price, the rates it is made of, warning codes.

    Raises:
        PermillionError: `invalid-fields` for weights that are negative or all 0, or what the card says of a meter
            without a rate.

    Worked number: gpt-6-sol at 2 in, 0.2 cached, 10 out is (3·2 + 10) / 4 = 4 at 3:1 and (7·0.2 + 2·2 + 10) / 10 = 1.54 at
    7:2:1.
    """
    if any(weight < 0 for weight in weights.values()) or not any(weights.values()):
        raise PermillionError("invalid-fields", "weights are 0 or more and not all 0", pointer="/weights")
    total, whole = Exact(ZERO), ZERO
    used: list[ApplicableRate] = []
    warnings: list[str] = []
    for meter, weight in weights.items():
        if not weight:
            continue
        rate = card.find(meter, input_tokens, output_tokens)
        if rate is None and meter == "cache_read_tokens":
            rate = card.find("input_tokens", input_tokens, output_tokens)
            warnings.append("cache_read_not_priced")
        if rate is None:
            raise card.explain(meter)
        total, whole = total + rate.per_mtok() * weight, add(whole, weight)
        used.append(rate)
    if card.discounted:
        warnings += discount_warnings(used)
    return total / whole, used, warnings

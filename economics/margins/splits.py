"""The margin of input, cached input and output apart, where customers pay by token and the model costs by token."""

from __future__ import annotations

from dataclasses import dataclass

from economics.margins.case import MarginCase
from economics.margins.model_costs import cached_input_price, price_factor
from economics.margins.ratios import gross_margin_ratio
from economics.margins.statement import sold_cached_price
from economics.money import Exact


@dataclass(frozen=True, slots=True)
class TokenMargins:
    """Margin over the model's cost alone, without fees, support and hosting; None where a price is missing or 0."""

    input_ratio: Exact | None
    cached_input_ratio: Exact | None
    output_ratio: Exact | None


def token_margins(case: MarginCase) -> TokenMargins:
    """`(price − cost) / price` per million tokens, the cost with uplift, batch, discount, retries and fee.

    Source of the worked number: SemiAnalysis, InferenceX v2: 1.35 in at a cost of 0.226 and 5.40 out at 2.955 are 83 % and 45 %.

    >>> from decimal import Decimal
    >>> from economics.money import exact
    >>> prices = [exact(Decimal(text)) for text in ("1.35", "5.40", "0.226", "2.955")]
    >>> found = token_margins(MarginCase(price_per_mtok_input=prices[0], price_per_mtok_output=prices[1],
    ...     model_price_per_mtok_input=prices[2], model_price_per_mtok_output=prices[3]))
    >>> found.input_ratio.to_text()[:6], found.output_ratio.to_text()[:6]
    ('0.8325', '0.4527')
    """
    factor = price_factor(case)

    def margin(price: Exact | None, cost: Exact | None) -> Exact | None:
        return None if price is None or cost is None else gross_margin_ratio(price, cost * factor)

    return TokenMargins(
        margin(case.price_per_mtok_input, case.model_price_per_mtok_input),
        margin(sold_cached_price(case), cached_input_price(case)),
        margin(case.price_per_mtok_output, case.model_price_per_mtok_output),
    )

"""Use case: margins of stated businesses, the model's cost stated or from the catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from api.services.agreeing import standing_of
from api.services.offers import OfferName, ResolvedOffer, batch_rates, resolve, standing_warnings
from api.services.pricing import RowId, native_currency
from catalog.snapshot import Snapshot
from economics.billing import Standing, bill
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.margins.case import MarginCase, ModelLine, check_case
from economics.margins.sensitivity import Swing, sensitivity_of
from economics.margins.splits import TokenMargins, token_margins
from economics.margins.statement import MarginStatement, statement_of
from economics.margins.targets import TargetPrice, Volumes, target_price, volumes_for
from economics.meters import is_token_meter
from economics.money import Exact, exact
from economics.rate_card import ApplicableRate
from economics.text_costs import Terms, net_of_terms


@dataclass(frozen=True, slots=True)
class OfferUse:
    """One query of an offer of the catalog."""

    name: OfferName
    as_of: datetime
    usage: Mapping[str, Decimal | int]
    tax_excluded: bool


@dataclass(frozen=True, slots=True)
class MarginQuestion:
    """A business and the margin it wants, or (with `error`) why the caller's row is none."""

    row_id: RowId
    case: MarginCase = field(default_factory=MarginCase)
    offer: OfferUse | None = None
    target: Exact | None = None
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class OfferCost:
    """The model's cost of one query at an offer, in the currency of the answer."""

    resolved: ResolvedOffer
    lines: tuple[ModelLine, ...]
    native_currency: str
    conversion: Conversion | None
    standing: Standing
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class MarginResult:
    """Everything a row says, or why there is nothing to say."""

    asked: MarginQuestion
    statement: MarginStatement | None = None
    cost: OfferCost | None = None
    tokens: TokenMargins | None = None
    target: TargetPrice | None = None
    break_even: Volumes | None = None
    target_volumes: Volumes | None = None
    sensitivity: Sequence[Swing] = ()
    reasons: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


def margin_of(asked: MarginQuestion, snapshot: Snapshot, exchange: Exchange, swing: Exact) -> MarginResult:
    """The margin of one row; an error becomes part of the answer, so that the other rows are answered."""
    if asked.error is not None:
        return MarginResult(asked, error=asked.error)
    try:
        cost = None if asked.offer is None else cost_at_offer(asked.offer, asked.case, snapshot, exchange)
        case = asked.case if cost is None else replace(asked.case, lines=cost.lines)
        check_case(case)
    except PermillionError as error:
        return MarginResult(asked, error=error)
    statement = statement_of(case)
    target = None if asked.target is None else target_price(statement, asked.target)
    monthly = case.queries is not None
    break_even = volumes_for(case, exact(0)) if monthly else None
    wanted = volumes_for(case, asked.target) if monthly and asked.target is not None else None
    return MarginResult(
        replace(asked, case=case),
        statement=statement,
        cost=cost,
        tokens=token_margins(case),
        target=target,
        break_even=break_even,
        target_volumes=wanted,
        sensitivity=sensitivity_of(case, swing),
        reasons=_reasons(asked, statement, target, break_even, wanted),
        warnings=[*_assumed(case), *(() if cost is None else cost.warnings)],
    )


def _reasons(
    asked: MarginQuestion,
    statement: MarginStatement,
    target: TargetPrice | None,
    break_even: Volumes | None,
    wanted: Volumes | None,
) -> list[str]:
    reasons = list(statement.reasons())
    if asked.target is not None and target is None:
        reasons.append("target_out_of_reach")
    if break_even is not None and break_even.never:
        reasons.append("never_breaks_even")
    if wanted is not None and wanted.never:
        reasons.append("target_at_no_volume")
    return reasons


def _assumed(case: MarginCase) -> list[str]:
    found = ["figures_of_one_query"] if case.queries is None else []
    if case.cached_input_tokens:
        if case.model_price_per_mtok_input is not None and case.model_price_per_mtok_cached_input is None:
            found.append("cache_read_not_priced")
        if case.price_per_mtok_input is not None and case.price_per_mtok_cached_input is None:
            found.append("cached_input_sold_as_input")
    return found


def cost_at_offer(asked: OfferUse, case: MarginCase, snapshot: Snapshot, exchange: Exchange) -> OfferCost:
    """What one query costs at an offer, by meter, standard and in batch.

    Raises:
        PermillionError: whatever keeps the offer from being priced (`unknown-model`, `missing-price`, …), `missing-fx-rate`,
            `unknown-tax-rate`, `invalid-fields` for a batch share in a context that says `processing`.
    """
    resolved = resolve(asked.name, asked.as_of, snapshot)
    if case.batch_share and "processing" in asked.name.context:
        raise PermillionError(
            "invalid-fields", "batch_share mixes both modes: leave processing out of context", pointer="/batch_share"
        )
    result = bill(resolved.card, asked.usage)
    native = native_currency(resolved)
    conversion = exchange.conversion(native)
    batch_card = batch_rates(resolved, asked.as_of) if case.batch_share else None
    terms = Terms(tax_excluded=asked.tax_excluded)
    warnings = list(result.warnings)
    rates: list[ApplicableRate] = []
    lines: list[ModelLine] = []

    def converted(cost: Exact, rate: ApplicableRate) -> Exact:
        rates.append(rate)
        net = net_of_terms(cost, rate.row, terms)
        return net if conversion is None else net * conversion.factor

    for line in result.lines:
        standard = batch = converted(line.cost, line.rate)
        if case.batch_share:
            found = (
                None if batch_card is None else batch_card.find(line.meter, result.input_tokens, result.output_tokens)
            )
            if found is None:
                warnings.append("batch_not_offered")
            elif found.row is not line.rate.row:
                batch = converted(found.cost(line.quantity), found)
        lines.append(ModelLine(line.meter, standard, batch, is_token_meter(line.meter)))
    if not lines:
        raise PermillionError("invalid-usage", "nothing of a query is charged: give its tokens", pointer="/usage")
    standing = standing_of(rates, resolved.offer.witnesses, asked.as_of)
    noted = [*dict.fromkeys(warnings), *standing_warnings(standing, resolved, asked.as_of)]
    return OfferCost(resolved, tuple(lines), native, conversion, standing, noted)

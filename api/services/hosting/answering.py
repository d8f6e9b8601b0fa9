"""Hosted models for their queries: price, throughput, cost, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from api.services.hosting.costs import HostingCost, hosting_cost
from api.services.hosting.deployment import Deployment, HostedLoad
from api.services.hosting.finding import FoundThroughput, hourly_price, throughputs_of
from api.services.hosting.machinery import Machinery
from api.services.hosting.prices import HourlyPrice
from api.services.pricing import RowId
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.hosting.replica_price import ReplicaPrice
from economics.hosting.token_costs import MILLION
from economics.money import Exact, exact


@dataclass(frozen=True, slots=True)
class HostingQuestion:
    """A deployment and its load, or (with `error`) why the caller's row is none."""

    row_id: RowId
    as_of: datetime
    model: str
    deployment: Deployment | None = None
    load: HostedLoad | None = None
    input_characters: int | None = None
    output_characters: int | None = None
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class HostedAnswer:
    """The cost of a query, in the currency of the answer, or why there is none."""

    asked: HostingQuestion
    price: HourlyPrice | None = None
    conversion: Conversion | None = None
    cost: HostingCost | None = None
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class _Priced:
    asked: HostingQuestion
    deployment: Deployment
    load: HostedLoad
    price: HourlyPrice
    conversion: Conversion | None


def answer_all(asked: Sequence[HostingQuestion], machinery: Machinery, exchange: Exchange | None) -> list[HostedAnswer]:
    """Row i answers question i; an error becomes part of it. All estimates are made at once."""
    priced = [_priced(each, machinery, exchange) for each in asked]
    wanted = [(each.deployment, each.load) for each in priced if isinstance(each, _Priced)]
    found = iter(throughputs_of(wanted, machinery))
    return [each if isinstance(each, HostedAnswer) else _answer(each, next(found)) for each in priced]


def _priced(asked: HostingQuestion, machinery: Machinery, exchange: Exchange | None) -> _Priced | HostedAnswer:
    if asked.error is not None or asked.deployment is None or asked.load is None:
        return HostedAnswer(asked, error=asked.error)
    try:
        price, deployment = hourly_price(asked.deployment, machinery, asked.as_of)
        conversion = None if exchange is None else exchange.conversion(price.currency)
    except PermillionError as error:
        return HostedAnswer(asked, error=error)
    return _Priced(asked, deployment, asked.load, price, conversion)


def _answer(priced: _Priced, found: FoundThroughput | PermillionError) -> HostedAnswer:
    if isinstance(found, PermillionError):
        return HostedAnswer(priced.asked, priced.price, error=found)
    price, conversion = priced.price, priced.conversion
    try:
        cost = hosting_cost(
            priced.deployment,
            priced.load,
            _converted_price(price.replica, conversion),
            found.throughput,
            found.accelerator,
            _converted(priced.deployment.staffing.per_month, conversion),
        )
    except PermillionError as error:
        return HostedAnswer(priced.asked, price, error=error)
    warnings = dict.fromkeys((*found.throughput.warnings, *price.warnings, *cost.warnings))
    return HostedAnswer(priced.asked, price, conversion, cost, list(warnings))


def _converted_price(price: ReplicaPrice, conversion: Conversion | None) -> ReplicaPrice:
    return replace(price, per_hour=_converted(price.per_hour, conversion))


def _converted(amount: Exact, conversion: Conversion | None) -> Exact:
    """In the currency of the answer; monthly costs are stated in the currency of the price."""
    return amount if conversion is None else amount * conversion.factor


def per_mchar(cost: Exact | None, characters: int | None) -> Exact | None:
    """A cost of a query's part per million characters of it."""
    return None if cost is None or not characters else cost * MILLION / exact(characters)

"""One hosted model for one kind of query: its price, its throughput, its cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from api.services.hosting.costs import HostingCost, hosting_cost
from api.services.hosting.deployment import Deployment, HostedLoad, MeasuredThroughput, RentalAsked, StatedPrice
from api.services.hosting.estimated import estimated_throughput
from api.services.hosting.measured import measured_throughput
from api.services.hosting.owned import owned_price
from api.services.hosting.plausibility import check_plausible
from api.services.hosting.prices import HourlyPrice, RentalPrices, rented_price, stated_price
from api.services.hosting.stated import stated_throughput
from api.services.hosting.throughput import HostedThroughput
from api.services.owning import ProfileLookup
from api.services.pricing import RowId
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.hosting.replica_price import ReplicaPrice
from economics.hosting.token_costs import MILLION
from economics.money import Exact
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.question import ThroughputEstimator


class HardwareLookup(RentalPrices, Protocol):
    """Machines and models by id."""

    def accelerator(self, name: str) -> Accelerator:
        """Raises `unknown-accelerator`."""

    def architecture(self, name: str) -> Architecture:
        """Raises `unknown-architecture`."""


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
class Machinery:
    """Where prices, machines and estimates come from."""

    hardware: HardwareLookup
    estimator: Callable[[], ThroughputEstimator]
    profile: ProfileLookup


def answer(asked: HostingQuestion, machinery: Machinery, exchange: Exchange | None) -> HostedAnswer:
    """One row; an error becomes part of it."""
    if asked.error is not None or asked.deployment is None or asked.load is None:
        return HostedAnswer(asked, error=asked.error)
    price: HourlyPrice | None = None
    try:
        price, deployment = hourly_price(asked.deployment, machinery, asked.as_of)
        conversion = None if exchange is None else exchange.conversion(price.currency)
        throughput, accelerator = throughput_of(deployment, asked.load, machinery)
        cost = hosting_cost(
            deployment,
            asked.load,
            converted_price(price.replica, conversion),
            throughput,
            accelerator,
            converted(asked.deployment.staffing.per_month, conversion),
        )
    except PermillionError as error:
        return HostedAnswer(asked, price, error=error)
    warnings = dict.fromkeys((*throughput.warnings, *price.warnings, *cost.warnings))
    return HostedAnswer(asked, price, conversion, cost, list(warnings))


def hourly_price(deployment: Deployment, machinery: Machinery, as_of: datetime) -> tuple[HourlyPrice, Deployment]:
    """The price of a replica-hour, native, and the deployment with the accelerator that the price is for."""
    asked = deployment.price
    if isinstance(asked, StatedPrice):
        return stated_price(asked, deployment, as_of), deployment
    if isinstance(asked, RentalAsked):
        price, accelerator = rented_price(asked, deployment, as_of, machinery.hardware)
        return price, replace(deployment, accelerator=deployment.accelerator or accelerator)
    price, accelerator = owned_price(asked, deployment, as_of, machinery.profile)
    return price, replace(deployment, accelerator=deployment.accelerator or accelerator)


def throughput_of(
    deployment: Deployment, load: HostedLoad, machinery: Machinery
) -> tuple[HostedThroughput, Accelerator | None]:
    """The throughput, stated or estimated, and the accelerator where one is named."""
    hardware = machinery.hardware
    accelerator = None if deployment.accelerator is None else hardware.accelerator(deployment.accelerator)
    architecture = architecture_of(deployment, hardware)
    if isinstance(deployment.throughput, MeasuredThroughput):
        return measured_throughput(deployment, load.tokens, hardware), accelerator
    if deployment.throughput is not None or architecture is None:
        found = stated_throughput(deployment, load.tokens, architecture)
        check_plausible(deployment, load.tokens, found, architecture, accelerator)
        return found, accelerator
    if accelerator is None:
        raise PermillionError("invalid-fields", "an estimate needs an accelerator", pointer="/accelerator")
    return estimated_throughput(deployment, load, architecture, accelerator, machinery.estimator()), accelerator


def architecture_of(deployment: Deployment, hardware: HardwareLookup) -> Architecture | None:
    """The model's architecture; None for a model that nobody describes, where its throughput is stated.

    Raises:
        PermillionError: `unknown-architecture` where it is needed for an estimate.
    """
    try:
        return hardware.architecture(deployment.model)
    except PermillionError:
        if deployment.throughput is None:
            raise
        return None


def converted_price(price: ReplicaPrice, conversion: Conversion | None) -> ReplicaPrice:
    """The price in the currency of the answer."""
    return ReplicaPrice(converted(price.per_hour, conversion), price.accelerators, price.paid_accelerators)


def converted(amount: Exact, conversion: Conversion | None) -> Exact:
    """An amount in the currency of the answer; monthly costs are stated in the currency of the price."""
    return amount if conversion is None else amount * conversion.factor


def per_mchar(cost: Exact | None, characters: int | None) -> Exact | None:
    """A cost of a query's part per million characters of it."""
    return None if cost is None or not characters else cost * MILLION / Decimal(characters)

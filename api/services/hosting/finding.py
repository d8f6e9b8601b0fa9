"""The hourly price and the throughput of deployments: estimates of many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from api.services.hosting.deployment import Deployment, HostedLoad, MeasuredThroughput, RentalAsked, StatedPrice
from api.services.hosting.machinery import HardwareLookup, Machinery
from api.services.hosting.owned import owned_price
from api.services.hosting.prices import HourlyPrice, rented_price, stated_price
from api.services.hosting.serving.estimated import estimated_throughput, question_of
from api.services.hosting.serving.measured import measured_throughput
from api.services.hosting.serving.plausibility import check_format, check_plausible
from api.services.hosting.serving.stated import stated_throughput
from api.services.hosting.serving.throughput import HostedThroughput
from api.services.throughput.estimator import estimates
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.question import ThroughputQuestion


@dataclass(frozen=True, slots=True)
class FoundThroughput:
    """A throughput, and the accelerator where one is named."""

    throughput: HostedThroughput
    accelerator: Accelerator | None


@dataclass(frozen=True, slots=True)
class _Open:
    """A deployment that an estimator is to be asked about."""

    deployment: Deployment
    load: HostedLoad
    question: ThroughputQuestion


def hourly_price(deployment: Deployment, machinery: Machinery, as_of: datetime) -> tuple[HourlyPrice, Deployment]:
    """The price of a replica-hour, native, and the deployment with the accelerator that the price is for."""
    asked = deployment.price
    if isinstance(asked, StatedPrice):
        return stated_price(asked, deployment, as_of), deployment
    if isinstance(asked, RentalAsked):
        price, accelerator = rented_price(asked, deployment, as_of, machinery.hardware)
    else:
        price, accelerator = owned_price(asked, deployment, as_of, machinery.profile)
    return price, replace(deployment, accelerator=deployment.accelerator or accelerator)


def throughputs_of(
    asked: Sequence[tuple[Deployment, HostedLoad] | PermillionError], machinery: Machinery
) -> list[FoundThroughput | PermillionError]:
    """The throughput of each deployment for its load: stated, measured or estimated; answer i is of entry i."""
    first = [each if isinstance(each, PermillionError) else _known(*each, machinery.hardware) for each in asked]
    questions = [each.question for each in first if isinstance(each, _Open)]
    if not questions:
        return [each for each in first if not isinstance(each, _Open)]
    estimator = machinery.estimator()
    answers = iter(estimates(estimator, questions))
    found: list[FoundThroughput | PermillionError] = []
    for each in first:
        if not isinstance(each, _Open):
            found.append(each)
            continue
        estimate = next(answers)
        if isinstance(estimate, PermillionError):
            found.append(estimate)
            continue
        try:
            point = estimated_throughput(each.deployment, each.load, each.question, estimate, estimator.estimator)
            found.append(FoundThroughput(point, each.question.accelerator))
        except PermillionError as error:
            found.append(error)
    return found


def _known(
    deployment: Deployment, load: HostedLoad, hardware: HardwareLookup
) -> FoundThroughput | _Open | PermillionError:
    try:
        accelerator = None if deployment.accelerator is None else hardware.accelerator(deployment.accelerator)
        architecture = architecture_of(deployment, hardware)
        if isinstance(deployment.throughput, MeasuredThroughput):
            return FoundThroughput(measured_throughput(deployment, load.tokens, hardware), accelerator)
        if deployment.throughput is not None or architecture is None:
            check_format(deployment.serving.weight_precision, accelerator)
            found = stated_throughput(deployment, load.tokens, architecture)
            check_plausible(deployment, load.tokens, found, architecture, accelerator)
            return FoundThroughput(found, accelerator)
        return _Open(deployment, load, question_of(deployment, load, hardware))
    except PermillionError as error:
        return error


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

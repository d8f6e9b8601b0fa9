"""What an hour of a replica costs, from a stated price, a rental price or an ownership profile of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from api.services.hosting.deployment import Deployment, StatedPrice, discounted
from economics.billing import STALE_AFTER_DAYS
from economics.errors import PermillionError
from economics.hosting.replica_price import ReplicaPrice, price_of_accelerators, price_of_instances
from economics.money import exact
from economics.prices import PriceStatus

PriceBasis = Literal["stated", "rental", "ownership"]


@dataclass(frozen=True, slots=True)
class HourlyPrice:
    """The price of a replica-hour and where it comes from."""

    replica: ReplicaPrice
    currency: str
    basis: PriceBasis
    source: str | None = None
    checked_on: date | None = None
    valid_from: datetime | None = None
    status: PriceStatus = PriceStatus.OK
    record: str | None = None
    provider: str | None = None
    region: str | None = None
    purchase_model: str | None = None
    warnings: Sequence[str] = ()


def stated_price(asked: StatedPrice, deployment: Deployment, as_of: datetime) -> HourlyPrice:
    """The price that the caller states."""
    amount = discounted(exact(asked.amount), deployment.discount_share)
    count = deployment.accelerator_count
    if asked.per_instance:
        if asked.instance_accelerators is None:
            raise PermillionError(
                "invalid-fields",
                "say how many accelerators the instance has: a price of an instance is none of an accelerator",
                pointer="/instance_accelerators",
            )
        replica = price_of_instances(amount, asked.instance_accelerators, count)
    else:
        replica = price_of_accelerators(amount, count, asked.instance_accelerators)
    status = status_on(asked.checked_on, as_of)
    return HourlyPrice(
        replica,
        asked.currency,
        "stated",
        asked.source or "stated by the caller",
        asked.checked_on,
        status=status,
        warnings=price_warnings(replica, status),
    )


def status_on(checked_on: date | None, as_of: datetime) -> PriceStatus:
    """`stale` where the price was checked more than 90 days before `as_of`."""
    if checked_on is not None and (as_of.date() - checked_on).days > STALE_AFTER_DAYS:
        return PriceStatus.STALE
    return PriceStatus.OK


def price_warnings(replica: ReplicaPrice, status: PriceStatus) -> tuple[str, ...]:
    """Accelerators that are paid and do not serve, and an old price."""
    unused = replica.paid_accelerators - replica.accelerators
    return (
        *((f"unused_accelerators_paid={unused}",) if unused else ()),
        *(("price_stale",) if status is PriceStatus.STALE else ()),
    )

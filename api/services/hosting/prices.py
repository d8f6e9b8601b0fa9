"""What an hour of a replica costs, from a stated price, a rental price or an ownership profile of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from api.services.hosting.deployment import Deployment, RentalAsked, StatedPrice, discounted
from economics.billing import STALE_AFTER_DAYS
from economics.errors import PermillionError
from economics.hosting.replica_price import ReplicaPrice, price_of_accelerators, price_of_instances
from economics.money import exact
from economics.periods import parse_instant
from economics.prices import PriceStatus
from hardware.prices.rental import RentalPrice

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


class RentalPrices(Protocol):
    """Rental prices as the catalog has them."""

    def rental_price(
        self,
        name: str,
        *,
        region: str | None = None,
        as_of: datetime | date | None = None,
        purchase_model: str = "on_demand",
        term_months: int | None = None,
    ) -> RentalPrice:
        """Raises `unknown-rental-price`, `ambiguous-price`."""


def rented_price(
    asked: RentalAsked, deployment: Deployment, as_of: datetime, prices: RentalPrices
) -> tuple[HourlyPrice, str | None]:
    """The rental price of the catalog that was newest at `as_of`, and the accelerator it is for.

    An instance or a slice is paid in full however many of its accelerators serve.

    Raises:
        PermillionError: `unknown-rental-price`, `ambiguous-price`; `missing-price` for a price of the host alone;
            `contradictory-context` where the record is for another accelerator.
    """
    found = prices.rental_price(
        asked.rental,
        region=asked.region,
        as_of=as_of,
        purchase_model=asked.purchase_model or "on_demand",
        term_months=asked.term_months,
    )
    if found.coverage == "host_only":
        raise PermillionError("missing-price", "that price is of the host without its accelerators", pointer="/rental")
    if deployment.accelerator is not None and found.accelerator not in (None, deployment.accelerator):
        raise PermillionError(
            "contradictory-context",
            f"that price is for {found.accelerator}, the deployment for another accelerator",
            pointer="/accelerator",
        )
    amount = discounted(exact(found.amount), deployment.discount_share)
    count = deployment.accelerator_count
    if found.unit == "accelerator":
        replica = price_of_accelerators(amount, count, asked.instance_accelerators)
    else:
        replica = price_of_instances(amount, found.accelerator_count, count)
    status = status_on(found.seen_on, as_of)
    return HourlyPrice(
        replica,
        found.currency,
        "rental",
        found.source,
        found.seen_on,
        None if found.seen_on is None else parse_instant(found.seen_on.isoformat()),
        status,
        found.id,
        found.provider,
        found.region,
        found.purchase_model,
        (*price_warnings(replica, status), *_record_warnings(found)),
    ), found.accelerator


def _record_warnings(found: RentalPrice) -> tuple[str, ...]:
    return (
        *(("price_undated",) if found.seen_on is None else ()),
        *(("price_confidence=low",) if found.confidence == "low" else ()),
        *(("host_not_included",) if found.coverage == "accelerator_only" else ()),
        *(("spot_may_be_interrupted",) if found.purchase_model == "spot" else ()),
        *(("commitment_is_paid_when_idle",) if found.purchase_model in ("commit", "reserved", "block") else ()),
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

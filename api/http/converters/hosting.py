"""`POST /hosting-cost`: the questions."""

from __future__ import annotations

from dataclasses import fields
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.price import offer_of, row_id_of
from api.http.schemas.hosting import HostingIn, HostingRowIn, MeasuredThroughputIn, ThroughputIn
from api.http.wire import decode_row
from api.services.hosting.answering import HostingQuestion
from api.services.hosting.deployment import (
    Deployment,
    HostedLoad,
    MeasuredThroughput,
    OwnershipAsked,
    PriceAsked,
    RentalAsked,
    Serving,
    StatedPrice,
    StatedThroughput,
)
from economics.errors import PermillionError
from economics.hosting.volume import Staffing
from economics.money import exact

SERVING_FIELDS = tuple(field.name for field in fields(Serving))
_ROW: TypeAdapter[HostingRowIn] = TypeAdapter(HostingRowIn)


def from_api_hosting_row(value: Any, index: int, as_of: datetime) -> HostingQuestion:
    """One row of the request, or what is wrong with it."""
    try:
        row: HostingRowIn = decode_row(_ROW, value)
    except PermillionError as error:
        model = offer_of(value.get("model") if isinstance(value, dict) else None).offer
        return HostingQuestion(row_id_of(value, index), as_of, model, error=error)
    return HostingQuestion(
        index if row.row_id is None else row.row_id,
        row.as_of or as_of,
        row.model,
        from_api_hosting(row),
        HostedLoad(
            exact(row.isl_tokens), exact(row.osl_tokens), row.cached_input_share, row.queries_per_month, row.retry_share
        ),
        row.input_characters,
        row.output_characters,
    )


def from_api_hosting(row: HostingIn) -> Deployment:
    """A deployment as domain values."""
    stated = row.throughput
    return Deployment(
        row.model,
        row.accelerator,
        row.accelerator_count,
        _price(row),
        None if stated == "estimate" else from_api_throughput(stated),
        _serving(row),
        row.discount_share,
        row.utilization_ratio,
        row.usable_utilization_ratio,
        row.minimum_replicas,
        Staffing(row.staff_share, row.staff_cost_per_month, row.platform_cost_per_month),
        row.hours_per_month,
        row.power_w_per_accelerator,
        row.power_basis,
        row.output_ratio,
    )


def _price(row: HostingIn) -> PriceAsked:
    if row.rental is not None:
        return RentalAsked(row.rental, row.region, row.purchase_model, row.term_months, row.instance_accelerators)
    if row.ownership_profile is not None:
        return OwnershipAsked(row.ownership_profile)
    amount = row.price_per_accelerator_hour or row.price_per_instance_hour
    assert amount is not None
    return StatedPrice(
        amount,
        row.currency,
        row.price_per_instance_hour is not None,
        row.instance_accelerators,
        row.price_source,
        _day(row.price_checked_on),
    )


def from_api_throughput(stated: ThroughputIn | MeasuredThroughputIn) -> StatedThroughput | MeasuredThroughput:
    """A stated or measured throughput as domain values; the names are the same."""
    if isinstance(stated, MeasuredThroughputIn):
        return MeasuredThroughput(stated.measurement.model_dump(exclude={"row_id"}, exclude_none=True))
    given = stated.model_dump()
    return StatedThroughput(**{**given, "checked_on": _day(stated.checked_on)})


def _serving(row: HostingIn) -> Serving:
    return Serving(**{name: getattr(row, name) for name in SERVING_FIELDS})


def _day(value: datetime | None) -> date | None:
    return None if value is None else value.date()

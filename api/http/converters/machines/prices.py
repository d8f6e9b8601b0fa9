"""Rental and purchase prices, and measurements, both ways."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from api.http.converters.machines.fields import to_api_origin
from api.http.schemas.machines.measurements import MeasuredRowIn, MeasurementOut
from api.http.schemas.machines.prices import RentalPriceIn
from api.services.machines.measurements import terms_of
from catalog.reference import Reference
from catalog.reference.kinds import Measurement
from economics.money import format_decimal
from hardware.prices.purchase import PurchasePrice
from hardware.prices.rental import RentalPrice
from hardware.prices.sanity import PriceSanity


def from_api_rental_price(row: RentalPriceIn) -> RentalPrice:
    """A rental price as it was stated.

    Raises:
        PermillionError: `invalid-fields` with the pointer of the field.
    """
    return RentalPrice(
        provider=row.provider,
        sku=row.sku,
        accelerator=row.accelerator,
        accelerator_as_named=row.accelerator,
        accelerator_count=row.accelerator_count,
        unit=row.unit,
        coverage=row.coverage,
        purchase_model=row.purchase_model,
        amount=row.amount,
        currency=row.currency,
        source=row.source,
        term_months=row.term_months,
        upfront_share=row.upfront_share,
        region=row.region,
        zone=row.zone,
        billing_increment_s=row.billing_increment_s,
        minimum_s=row.minimum_s,
        as_of=row.as_of,
        confidence=row.confidence,
        tax_included=row.tax_included,
        note=row.note,
    )


def to_api_rental_price(reference: Reference, record: RentalPrice, sanity: PriceSanity) -> dict[str, Any]:
    """A row of `/rental-prices`."""
    return {
        "rental_price": record.id,
        "provider": record.provider,
        "sku": record.sku,
        "accelerator": record.accelerator,
        "accelerator_as_named": record.accelerator_as_named,
        "accelerator_count": record.accelerator_count,
        "unit": record.unit,
        "coverage": record.coverage,
        "purchase_model": record.purchase_model,
        "term_months": record.term_months,
        "upfront_share": None if record.upfront_share is None else format_decimal(record.upfront_share),
        "amount": format_decimal(record.amount),
        "amount_per_accelerator": record.per_accelerator.to_text(),
        "currency": record.currency,
        "region": record.region,
        "zone": record.zone,
        "billing_increment_s": record.billing_increment_s,
        "minimum_s": record.minimum_s,
        "tax_included": record.tax_included,
        "as_of": record.as_of,
        "as_of_gap": record.as_of_gap,
        "confidence": record.confidence,
        "source": record.source,
        "source_version": record.source_version,
        "license": record.license,
        "note": record.note,
        **to_api_origin(reference),
        "warnings": ";".join(sanity.warnings(record)),
    }


def to_api_purchase_price(reference: Reference, record: PurchasePrice) -> dict[str, Any]:
    """A row of `/purchase-prices`."""
    return {
        "purchase_price": record.id,
        "accelerator": record.accelerator,
        "accelerator_as_named": record.accelerator_as_named,
        "amount": format_decimal(record.amount),
        "currency": record.currency,
        "system_accelerators": record.system_accelerators,
        "estimated": record.estimated,
        "as_of": record.as_of,
        "source": record.source,
        "source_version": record.source_version,
        "license": record.license,
        "note": record.note,
        **to_api_origin(reference),
    }


def from_api_measurement(row: MeasuredRowIn) -> Measurement:
    """A measurement as it was stated: cells as text, those that are not known left out."""
    cells = {name: _cell(value) for name, value in row if value is not None}
    return Measurement(row.row_id, cells, row.source, row.measured_date)


_OWN_COLUMNS: Final = ("terms", "origin", "recorded_at")
_COUNTS: Final = ("gpu_count", "nodes", "max_batch_cfg")
_FIGURES: Final = ("concurrency", "isl_mean", "osl_mean", "output_tok_s", "ttft_ms", "tpot_ms")


def to_api_measurement(reference: Reference | None, record: Measurement) -> dict[str, Any]:
    """A row of `/throughput`; an empty cell is unknown, and null."""
    columns = [name for name in MeasurementOut.model_fields if name not in _OWN_COLUMNS]
    cells: dict[str, Any] = {name: record.cells.get(name) or None for name in columns}
    for name in _COUNTS:
        cells[name] = None if cells[name] is None else int(Decimal(cells[name]))
    for name in _FIGURES:
        cells[name] = None if cells[name] is None else format_decimal(Decimal(cells[name]))
    if reference is None:
        return cells | {"terms": terms_of(record.source), "origin": "shipped", "recorded_at": None}
    return cells | {"terms": None} | to_api_origin(reference)


def _cell(value: object) -> str:
    return format_decimal(value) if isinstance(value, Decimal) else str(value)

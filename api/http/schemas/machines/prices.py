"""`/rental-prices` and `/purchase-prices`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, Currency, DecimalOut, PositiveIn, ShareIn, Wire, numeric_columns
from api.http.schemas.machines.fields import AsOf, Confidence, Note, Origin, Source, WholeIn, Word
from hardware.prices.rental import Coverage, PurchaseModel, Unit

Place = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._()+-]{0,99}$")]
Seconds = Annotated[int, Field(ge=1, le=31_622_400, strict=True)]


class RentalPriceIn(Wire):
    """One dated price an hour: what is billed, what it covers, how it is bought."""

    provider: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    sku: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._+/-]{0,99}$")] = Field(
        description="the instance, as the provider writes it"
    )
    accelerator: Word = Field(description="an id of GET /accelerators")
    accelerator_count: WholeIn = Field(description="accelerators that the amount pays for; 1 for the unit accelerator")
    unit: Unit = Field(description="an instance is paid in full however many of its accelerators are used")
    coverage: Coverage
    purchase_model: PurchaseModel
    term_months: WholeIn | None = Field(None, description="of a commitment")
    upfront_share: ShareIn | None = Field(None, description="of a commitment: share that is paid in advance")
    amount: PositiveIn = Field(description="for one unit and hour")
    currency: Currency
    region: Place | None = None
    zone: Place | None = None
    billing_increment_s: Seconds | None = Field(None, description="a use is rounded up to whole ones")
    minimum_s: Seconds | None = Field(None, description="a use is charged at least so long")
    as_of: AsOf
    source: Source
    tax_included: Annotated[bool, Field(strict=True)] | None = None
    confidence: Confidence = "medium"
    note: Note = ""


class RentalPricesRequest(Wire):
    """Rental prices of your own, all recorded or none."""

    rows: list[RentalPriceIn] = Field(min_length=1)


class RentalPriceOut(Answer):
    """One rental price; `warnings` says what a reader should doubt."""

    rental_price: str
    provider: str
    sku: str
    accelerator: str | None
    accelerator_as_named: str
    accelerator_count: int
    unit: str
    coverage: str
    purchase_model: str
    term_months: int | None
    upfront_share: DecimalOut | None
    amount: DecimalOut
    amount_per_accelerator: DecimalOut
    currency: str
    region: str | None
    zone: str | None
    billing_increment_s: int | None
    minimum_s: int | None
    tax_included: bool | None
    as_of: str | None
    as_of_gap: str | None
    confidence: str
    source: str
    source_version: str | None
    license: str | None
    note: str
    origin: Origin
    recorded_at: str
    warnings: str


class RentalPricesAnswer(Answer):
    """Rental prices by id."""

    rows: list[RentalPriceOut]
    meta: Meta
    next: str | None


class PurchasePriceOut(Answer):
    """What one accelerator inside a system was sold or listed for."""

    purchase_price: str
    accelerator: str
    accelerator_as_named: str
    amount: DecimalOut
    currency: str
    system_accelerators: int | None
    estimated: bool
    as_of: str
    source: str
    source_version: str
    license: str
    note: str
    origin: Origin
    recorded_at: str


class PurchasePricesAnswer(Answer):
    """Purchase prices by id."""

    rows: list[PurchasePriceOut]
    meta: Meta
    next: str | None


RENTAL_PRICE_NUMBERS = numeric_columns(RentalPriceOut)
PURCHASE_PRICE_NUMBERS = numeric_columns(PurchasePriceOut)

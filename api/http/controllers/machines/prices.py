"""`/rental-prices`, `/purchase-prices`, `/throughput`: what machines cost and what was measured on them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from litestar import Controller, Request, get, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.machines.listing import DEFAULT_PAGE, Filters, list_page, record_rows
from api.http.converters.machines.prices import (
    from_api_measurement,
    from_api_rental_price,
    to_api_measurement,
    to_api_purchase_price,
    to_api_rental_price,
)
from api.http.idempotency import IdempotencyKey
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
)
from api.http.schemas.machines.fields import RecordAnswer
from api.http.schemas.machines.measurements import (
    MEASUREMENT_NUMBERS,
    MeasurementOut,
    MeasurementsAnswer,
    MeasurementsRequest,
)
from api.http.schemas.machines.prices import (
    PURCHASE_PRICE_NUMBERS,
    RENTAL_PRICE_NUMBERS,
    PurchasePriceOut,
    PurchasePricesAnswer,
    RentalPriceOut,
    RentalPricesAnswer,
    RentalPricesRequest,
)
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.machines.listing import Page, RentalFilter, list_records, list_rental_prices
from api.services.machines.measurements import MeasurementFilter, list_measurements
from catalog.reference import Hardware
from catalog.reference.kinds import MEASUREMENT, PURCHASE_PRICE, RENTAL_PRICE
from economics.periods import parse_instant
from hardware.prices.rental import PurchaseModel

_RECORDED = {201: ResponseSpec(RecordAnswer, description="What was recorded", generate_examples=False)}


class MachinePricesController(Controller):
    """Prices of machines, and measurements."""

    tags = ("hardware",)

    @get(
        "/rental-prices",
        operation_id="listRentalPrices",
        status_code=200,
        responses={200: ResponseSpec(RentalPricesAnswer, description="Prices by id", generate_examples=False)},
    )
    async def rental_prices(
        self,
        request: Request[Any, Any, State],
        provider: Annotated[str | None, QueryParameter(name="provider", max_length=100)] = None,
        sku: Annotated[
            str | None, QueryParameter(name="sku", description="the instance, such as p5.48xlarge", max_length=200)
        ] = None,
        accelerator: Filters.Accelerator = None,
        region: Annotated[str | None, QueryParameter(name="region", max_length=100)] = None,
        purchase_model: Annotated[PurchaseModel | None, QueryParameter(name="purchase_model")] = None,
        as_of: Annotated[
            str | None,
            QueryParameter(name="as_of", description="the newest of each seen by then; default: all", max_length=40),
        ] = None,
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Rental prices, each with unit, coverage, way of buying, region, day, source and what to doubt in it."""
        instant = None if as_of is None else parse_instant(as_of, pointer="/as_of")
        day = None if instant is None else instant.date()
        asked = RentalFilter(provider, sku, accelerator, region, purchase_model, day)
        hardware = service_of(request).catalog.snapshot.hardware

        def read(hardware_then: Hardware) -> Page:
            return list_rental_prices(hardware_then, asked, limit, cursor)

        row = partial(to_api_rental_price, sanity=hardware.price_sanity)
        columns = tuple(RentalPriceOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(request, read, row, columns, RENTAL_PRICE_NUMBERS, format_, known_at, style, instant)

    @post("/rental-prices", operation_id="addRentalPrices", status_code=201, responses=_RECORDED)
    async def add_rental_prices(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[RentalPricesRequest],
        idempotency_key: IdempotencyKey = None,
    ) -> ASGIResponse:
        """Record rental prices of your own, all or none; `meta.warnings` says what looks wrong beside the others."""
        return await record_rows(request, RENTAL_PRICE, data.rows, from_api_rental_price)

    @get(
        "/purchase-prices",
        operation_id="listPurchasePrices",
        status_code=200,
        responses={200: ResponseSpec(PurchasePricesAnswer, description="Prices by id", generate_examples=False)},
    )
    async def purchase_prices(
        self,
        request: Request[Any, Any, State],
        accelerator: Filters.Accelerator = None,
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """What one accelerator inside a system was sold, listed or estimated for on a day."""
        read = partial(
            list_records,
            kind=PURCHASE_PRICE,
            limit=limit,
            after=cursor,
            chosen=lambda record: accelerator in (None, record.accelerator),
        )
        columns = tuple(PurchasePriceOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(
            request, read, to_api_purchase_price, columns, PURCHASE_PRICE_NUMBERS, format_, known_at, style
        )

    @get(
        "/throughput",
        operation_id="listThroughput",
        status_code=200,
        responses={200: ResponseSpec(MeasurementsAnswer, description="Measurements by id", generate_examples=False)},
    )
    async def throughput(
        self,
        request: Request[Any, Any, State],
        architecture: Annotated[str | None, QueryParameter(name="architecture", max_length=100)] = None,
        accelerator: Filters.Accelerator = None,
        engine: Annotated[
            str | None, QueryParameter(name="engine", description="by any of its spellings", max_length=100)
        ] = None,
        scenario: Annotated[str | None, QueryParameter(name="scenario", max_length=100)] = None,
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Measured throughput with the conditions it was measured under, source and terms of each row."""
        asked = MeasurementFilter(architecture, accelerator, engine, scenario)
        read = partial(list_measurements, asked=asked, limit=limit, after=cursor)
        columns = tuple(MeasurementOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(
            request, read, to_api_measurement, columns, MEASUREMENT_NUMBERS, format_, known_at, style
        )

    @post("/throughput", operation_id="addThroughput", status_code=201, responses=_RECORDED)
    async def add_throughput(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[MeasurementsRequest],
        idempotency_key: IdempotencyKey = None,
    ) -> ASGIResponse:
        """Record measurements of your own, all or none."""
        return await record_rows(request, MEASUREMENT, data.rows, from_api_measurement)

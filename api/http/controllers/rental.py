"""`POST /rental-cost`: what rented accelerators cost in a month."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Request, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.converters.rental import from_api_hardware_to_rent, to_api_rental_totals, to_api_rented
from api.http.limits import check_rows
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render_many,
)
from api.http.schemas.rental import RENTAL_COLUMNS, RENTAL_NUMBERS, RentalAnswer, RentalRequest
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.renting import RentedHardware, rent

_AT_ONCE = 10
"""Rows worked out before other requests get their turn."""


class RentalController(Controller):
    """Costs of rentals."""

    tags = ("hardware",)

    @post(
        "/rental-cost",
        operation_id="costRental",
        status_code=200,
        responses={200: ResponseSpec(RentalAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def rental_cost(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[RentalRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """What is billed and paid when idle, line by line, and the price of an accelerator-hour that is used."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = from_api_exchange(data.currency, data.fx)
        as_of = data.as_of or service.now()
        rows: list[dict[str, Any]] = []
        bills: list[RentedHardware] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            rented = rent(from_api_hardware_to_rent(value, index), exchange, as_of.date())
            fail_on_error(on_error, rented.error, f"/rows/{index}")
            codes.update(dict.fromkeys(rented.warnings))
            rows.append(to_api_rented(rented, data.currency))
            bills.append(rented)
            if index % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)
        totals = await sync_to_thread(to_api_rental_totals, bills, data.currency)
        meta = to_api_meta(as_of, service.catalog.snapshot.version, codes)
        csv = Csv(decimal_, delimiter, bom, lang, question_of(request, data))
        return await render_many(chosen, RENTAL_COLUMNS, rows, {"totals": totals, "meta": meta}, csv, RENTAL_NUMBERS)

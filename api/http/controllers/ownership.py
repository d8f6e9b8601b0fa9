"""`POST /ownership-cost`: what hardware costs its owner."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.ownership import from_api_hardware_to_own, to_api_owned
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
from api.http.schemas.ownership import OWNERSHIP_COLUMNS, OWNERSHIP_NUMBERS, OwnershipAnswer, OwnershipRequest
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.machines.profiles import profile_lookup
from api.services.owning import own
from catalog.reference.kinds import ACCELERATOR

_AT_ONCE = 10
"""Rows worked out before other requests get their turn: each has about a dozen powers of 100 digits."""


class OwnershipController(Controller):
    """Costs of ownership."""

    tags = ("hardware",)

    @post(
        "/ownership-cost",
        operation_id="costOwnership",
        status_code=200,
        responses={200: ResponseSpec(OwnershipAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def ownership_cost(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[OwnershipRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Every component a month, the cost of an installed, an available and a used accelerator-hour, and owning beside renting."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        hardware = service.catalog.snapshot.hardware
        lookup, known = profile_lookup(hardware), hardware.shelf(ACCELERATOR).stored
        rows: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            owned = own(from_api_hardware_to_own(value, index), lookup, known)
            fail_on_error(on_error, owned.error, f"/rows/{index}")
            codes.update(dict.fromkeys(owned.warnings))
            rows.append(to_api_owned(owned))
            if index % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)
        meta = to_api_meta(data.as_of or service.now(), service.catalog.snapshot.version, codes)
        csv = Csv(decimal_, delimiter, bom, lang, question_of(request, data))
        return await render_many(chosen, OWNERSHIP_COLUMNS, rows, {"meta": meta}, csv, OWNERSHIP_NUMBERS)

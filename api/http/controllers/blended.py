"""`POST /blended-price`: prices at a stated mix of tokens."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import IN_LOOP_ROWS, OnError, fail_on_error
from api.http.converters.blended import from_api_mix, from_api_offer_to_blend, to_api_blended
from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.limits import check_rows
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render,
)
from api.http.schemas.blended import BLENDED_COLUMNS, BLENDED_NUMBERS, BlendedAnswer, BlendedRequest
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.blending import BlendedOffer, blend


class BlendedController(Controller):
    """Blended prices."""

    tags = ("price",)

    @post(
        "/blended-price",
        operation_id="blendPrices",
        status_code=200,
        responses={200: ResponseSpec(BlendedAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def blended(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[BlendedRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """One price per million tokens at 3:1, 7:2:1 or a mix of one's own; it hides the tokenizer, `/compare` does not."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        as_of = data.as_of or service.now()
        mix, weights = from_api_mix(data)
        exchange = from_api_exchange(data.currency, data.fx)
        snapshot = await snapshot_of(service, data.known_at)
        asked = [from_api_offer_to_blend(value, index, as_of) for index, value in enumerate(data.rows)]
        blends: list[BlendedOffer] = []
        for index, offer in enumerate(asked):
            blends.append(blend(offer, weights, (data.input_tokens, data.output_tokens), snapshot, exchange))
            fail_on_error(on_error, blends[-1].error, f"/rows/{index}")
            if index % IN_LOOP_ROWS == IN_LOOP_ROWS - 1:
                await asyncio.sleep(0)
        rows = [to_api_blended(blended, mix, data.currency, snapshot.version) for blended in blends]
        meta = to_api_meta(as_of, snapshot.version, [code for blended in blends for code in blended.warnings])
        return render(
            chosen,
            BLENDED_COLUMNS,
            rows,
            {"meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            BLENDED_NUMBERS,
        )

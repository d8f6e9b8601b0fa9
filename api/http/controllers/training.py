"""`POST /training-cost`: what it takes to train a model."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import IN_LOOP_ROWS, OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.training import from_api_training_row, to_api_training_row
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
from api.http.schemas.training import TRAINING_COLUMNS, TRAINING_NUMBERS, TrainingAnswer, TrainingRequest
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.training import train


class TrainingController(Controller):
    """Training."""

    tags = ("margin",)

    @post(
        "/training-cost",
        operation_id="workOutTraining",
        status_code=200,
        responses={200: ResponseSpec(TrainingAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def training(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[TrainingRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Operations, accelerator-hours, days, energy and cost of a training run, by utilization, measured speed or hours."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        hardware = service.catalog.snapshot.hardware
        rows: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            result = train(from_api_training_row(value, index), hardware)
            fail_on_error(on_error, result.error, f"/rows/{index}")
            codes.update(dict.fromkeys([*result.warnings, *result.reasons]))
            rows.append(to_api_training_row(result, data.currency))
            if index % IN_LOOP_ROWS == IN_LOOP_ROWS - 1:
                await asyncio.sleep(0)
        meta = to_api_meta(data.as_of or service.now(), service.catalog.snapshot.version, codes)
        return await render_many(
            chosen,
            TRAINING_COLUMNS,
            rows,
            {"meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            TRAINING_NUMBERS,
        )

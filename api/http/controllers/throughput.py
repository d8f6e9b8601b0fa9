"""`POST /throughput/check` and `POST /throughput/estimate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from litestar import Controller, Request, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.throughput_check import from_api_measurement, to_api_checked
from api.http.converters.throughput_estimate import from_api_deployment, to_api_estimated
from api.http.limits import check_estimates, check_rows
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
from api.http.schemas.throughput_check import CHECK_COLUMNS, CHECK_NUMBERS, CheckAnswer, CheckRequest
from api.http.schemas.throughput_estimate import (
    ESTIMATE_COLUMNS,
    ESTIMATE_NUMBERS,
    EstimateAnswer,
    EstimateRequest,
)
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.throughput.checking import CheckedMeasurement, check
from api.services.throughput.estimating import EstimatedDeployment, estimate_rows
from api.services.throughput.estimator import estimator_named
from catalog.reference import Hardware

Detail = Annotated[
    bool, QueryParameter(name="detail", description="with the findings of each row as objects; JSON only")
]


class ThroughputController(Controller):
    """Measured and estimated throughput."""

    tags = ("throughput",)

    @post(
        "/throughput/check",
        operation_id="checkThroughput",
        status_code=200,
        responses={200: ResponseSpec(CheckAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def check(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[CheckRequest],
        on_error: OnError = "row",
        detail: Detail = False,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Grade measurements A to F: physical bound, Little's law, accelerator counts, missing conditions, red flags."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        answers, rows = await sync_to_thread(
            _checked, data.rows, service.catalog.snapshot.hardware, detail and chosen == "json"
        )
        for index, answer in enumerate(answers):
            fail_on_error(on_error, answer.error, f"/rows/{index}")
        codes = [code for answer in answers for code in answer.warnings]
        meta = to_api_meta(data.as_of or service.now(), service.catalog.snapshot.version, codes)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request, data))
        return await render_many(chosen, CHECK_COLUMNS, rows, {"meta": meta}, style, CHECK_NUMBERS)

    @post(
        "/throughput/estimate",
        operation_id="estimateThroughput",
        status_code=200,
        responses={200: ResponseSpec(EstimateAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def estimate(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[EstimateRequest],
        on_error: OnError = "row",
        estimator: Annotated[
            str | None,
            QueryParameter(name="estimator", description="another plug-in than ours, by name", max_length=100),
        ] = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Estimate throughput and latency of a deployment under a load, with an 80 % band, method, grade and physical bound."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_estimates(len(data.rows), service.settings)
        answers, rows = await sync_to_thread(_estimated, data.rows, service.catalog.snapshot.hardware, estimator)
        for index, answer in enumerate(answers):
            fail_on_error(on_error, answer.error, f"/rows/{index}")
        codes = [code for answer in answers for code in answer.warnings]
        meta = to_api_meta(data.as_of or service.now(), service.catalog.snapshot.version, codes)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request, data))
        return await render_many(chosen, ESTIMATE_COLUMNS, rows, {"meta": meta}, style, ESTIMATE_NUMBERS)


def _checked(
    values: Sequence[Any], hardware: Hardware, detail: bool
) -> tuple[list[CheckedMeasurement], list[dict[str, Any]]]:
    """Beside the event loop: thousands of rows take seconds."""
    asked = [from_api_measurement(value, index) for index, value in enumerate(values)]
    answers = check(asked, hardware)
    return answers, [to_api_checked(answer, detail) for answer in answers]


def _estimated(
    values: Sequence[Any], hardware: Hardware, estimator: str | None
) -> tuple[list[EstimatedDeployment], list[dict[str, Any]]]:
    """Beside the event loop: an estimate takes 1 to 2 ms."""
    asked = [from_api_deployment(value, index) for index, value in enumerate(values)]
    answers = estimate_rows(asked, hardware, estimator_named(estimator))
    return answers, [to_api_estimated(answer) for answer in answers]

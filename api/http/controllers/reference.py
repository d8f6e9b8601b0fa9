"""`GET /providers` and `/models`: what is known, from where, since when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from litestar import Controller, Request, get
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.caching import conditional
from api.http.converters.common import to_api_meta
from api.http.converters.reference import to_api_model, to_api_provider
from api.http.rendering import (
    PLAIN,
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render,
)
from api.http.schemas.fields import numeric_columns
from api.http.schemas.reference import (
    ModelOut,
    ModelsAnswer,
    ProviderOut,
    ProvidersAnswer,
)
from api.http.state import counter_of, service_of
from api.http.writing.provenance import question_of
from economics.periods import parse_instant


class ReferenceController(Controller):
    """What is known."""

    tags = ("reference",)

    @get(
        "/providers",
        operation_id="listProviders",
        status_code=200,
        responses={200: ResponseSpec(ProvidersAnswer, description="All providers", generate_examples=False)},
    )
    async def providers(
        self,
        request: Request[Any, Any, State],
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Providers with their price books, sources and the days their prices were checked."""
        snapshot = service_of(request).catalog.snapshot
        rows = [to_api_provider(facts, snapshot) for facts in snapshot.providers.values()]
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return listed(request, tuple(ProviderOut.model_fields), rows, format_, style=style)

    @get(
        "/models",
        operation_id="listModels",
        status_code=200,
        responses={200: ResponseSpec(ModelsAnswer, description="All models", generate_examples=False)},
    )
    async def models(
        self,
        request: Request[Any, Any, State],
        provider: Annotated[
            str | None, QueryParameter(name="provider", description="of this provider only", max_length=100)
        ] = None,
        as_of: Annotated[
            str | None,
            QueryParameter(name="as_of", description="with the limits in force then; default: now", max_length=40),
        ] = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Models with limits, dates, aliases and how their tokens are counted."""
        service = service_of(request)
        instant = service.now() if as_of is None else parse_instant(as_of, pointer="/as_of")
        models = [m for m in service.catalog.snapshot.models() if provider is None or m.provider == provider]
        counter = counter_of(service, service.catalog.snapshot)
        rows = [to_api_model(facts, counter, instant) for facts in models]
        # what is in force now may be no longer although the catalog is the same
        bounds = (bound for m in models for limit in m.limits for bound in (limit.valid_from, limit.valid_to))
        passed = sum(1 for bound in bounds if bound is not None and bound <= instant)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        columns, numeric = tuple(ModelOut.model_fields), numeric_columns(ModelOut)
        return listed(request, columns, rows, format_, instant, passed, style, numeric)


def listed(
    request: Request[Any, Any, State],
    columns: tuple[str, ...],
    rows: list[dict[str, Any]],
    format_: str | None,
    as_of: datetime | None = None,
    era: int = 0,
    style: Csv = PLAIN,
    numeric: frozenset[str] = frozenset(),
) -> ASGIResponse:
    """Rows of what is known, in the format asked for, tagged with the catalog's version (and `era` where time changes them)."""
    service = service_of(request)
    chosen = choose_format(request.headers.get("accept", ""), format_)
    document = {"meta": to_api_meta(as_of or service.now(), service.catalog.snapshot.version, ()), "next": None}
    response = render(chosen, columns, rows, document, style, numeric)
    return conditional(request, response, f"{service.catalog.snapshot.version} {era}")

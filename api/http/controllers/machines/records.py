"""`/accelerators`, `/architectures`, `/engines`, `/ownership-profiles`: what is known of machines, and private records."""

from __future__ import annotations

from functools import partial
from typing import Any

from litestar import Controller, Request, get, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.machines.listing import DEFAULT_PAGE, Filters, list_page, record_rows
from api.http.converters.machines.records import (
    from_api_accelerator,
    from_api_architecture,
    from_api_profile,
    to_api_accelerator,
    to_api_architecture,
    to_api_engine,
    to_api_profile,
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
from api.http.schemas.machines.accelerators import (
    ACCELERATOR_NUMBERS,
    AcceleratorOut,
    AcceleratorsAnswer,
    AcceleratorsRequest,
)
from api.http.schemas.machines.architectures import (
    ARCHITECTURE_NUMBERS,
    ArchitectureOut,
    ArchitecturesAnswer,
    ArchitecturesRequest,
    EngineOut,
    EnginesAnswer,
)
from api.http.schemas.machines.fields import RecordAnswer
from api.http.schemas.machines.profiles import (
    OwnershipProfileOut,
    OwnershipProfilesAnswer,
    OwnershipProfilesRequest,
)
from api.http.writing.provenance import question_of
from api.services.machines.listing import list_records
from catalog.reference.kinds import ACCELERATOR, ARCHITECTURE, ENGINE, OWNERSHIP_PROFILE

_RECORDED = {201: ResponseSpec(RecordAnswer, description="What was recorded", generate_examples=False)}


def _all(answer: type[Any]) -> dict[int, ResponseSpec]:
    return {200: ResponseSpec(answer, description="Records by id", generate_examples=False)}


class MachineRecordsController(Controller):
    """What machines, models and engines are."""

    tags = ("hardware",)

    @get("/accelerators", operation_id="listAccelerators", status_code=200, responses=_all(AcceleratorsAnswer))
    async def accelerators(
        self,
        request: Request[Any, Any, State],
        vendor: Filters.Vendor = None,
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Accelerators: dense peaks by format (null with a reason in `gaps`), memory, links per direction, power."""
        read = partial(
            list_records,
            kind=ACCELERATOR,
            limit=limit,
            after=cursor,
            chosen=lambda record: vendor is None or record.vendor.casefold() == vendor.casefold(),
        )
        columns = tuple(AcceleratorOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(
            request, read, to_api_accelerator, columns, ACCELERATOR_NUMBERS, format_, known_at, style
        )

    @post("/accelerators", operation_id="addAccelerators", status_code=201, responses=_RECORDED)
    async def add_accelerators(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[AcceleratorsRequest],
        idempotency_key: IdempotencyKey = None,
    ) -> ASGIResponse:
        """Record accelerators of your own, all or none; one of an id you used takes the place of the earlier one."""
        return await record_rows(request, ACCELERATOR, data.rows, from_api_accelerator)

    @get("/architectures", operation_id="listArchitectures", status_code=200, responses=_all(ArchitecturesAnswer))
    async def architectures(
        self,
        request: Request[Any, Any, State],
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Model architectures: layers, heads, experts, parameters, and the tokenizer that counts their tokens."""
        read = partial(list_records, kind=ARCHITECTURE, limit=limit, after=cursor)
        columns = tuple(ArchitectureOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(
            request, read, to_api_architecture, columns, ARCHITECTURE_NUMBERS, format_, known_at, style
        )

    @post("/architectures", operation_id="addArchitectures", status_code=201, responses=_RECORDED)
    async def add_architectures(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[ArchitecturesRequest],
        idempotency_key: IdempotencyKey = None,
    ) -> ASGIResponse:
        """Record architectures of your own, all or none; parameters that are not stated are counted from the figures."""
        return await record_rows(request, ARCHITECTURE, data.rows, from_api_architecture)

    @get("/engines", operation_id="listEngines", status_code=200, responses=_all(EnginesAnswer))
    async def engines(
        self,
        request: Request[Any, Any, State],
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Serving engines with the names that others write them with, licenses and sources."""
        read = partial(list_records, kind=ENGINE, limit=limit, after=cursor)
        columns = tuple(EngineOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(request, read, to_api_engine, columns, frozenset(), format_, known_at, style)

    @get(
        "/ownership-profiles",
        operation_id="listOwnershipProfiles",
        status_code=200,
        responses=_all(OwnershipProfilesAnswer),
    )
    async def profiles(
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
        """Profiles of owned systems: the inputs that POST /ownership-cost computes with."""
        read = partial(
            list_records,
            kind=OWNERSHIP_PROFILE,
            limit=limit,
            after=cursor,
            chosen=lambda record: accelerator in (None, record.accelerator),
        )
        columns = tuple(OwnershipProfileOut.model_fields)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await list_page(request, read, to_api_profile, columns, frozenset(), format_, known_at, style)

    @post("/ownership-profiles", operation_id="addOwnershipProfiles", status_code=201, responses=_RECORDED)
    async def add_profiles(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[OwnershipProfilesRequest],
        idempotency_key: IdempotencyKey = None,
    ) -> ASGIResponse:
        """Record profiles of your own systems, all or none."""
        return await record_rows(request, OWNERSHIP_PROFILE, data.rows, from_api_profile)

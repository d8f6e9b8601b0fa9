"""`GET /discrepancies`: where sources disagree about a price."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Controller, Request, get
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.caching import conditional
from api.http.converters.common import to_api_meta
from api.http.converters.discrepancies import to_api_discrepancy
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
from api.http.schemas.discrepancies import DISCREPANCY_COLUMNS, DISCREPANCY_NUMBERS, DiscrepanciesAnswer
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.discrepancies import Asked, find_discrepancies
from economics.errors import PermillionError
from economics.periods import parse_instant

DEFAULT_PAGE: Final = 500
_CURSOR: Final = re.compile(r"d([0-9]{1,9})", re.ASCII)


class DiscrepanciesController(Controller):
    """Disagreements."""

    tags = ("prices",)

    @get(
        "/discrepancies",
        operation_id="listDiscrepancies",
        status_code=200,
        responses={
            200: ResponseSpec(DiscrepanciesAnswer, description="What each source says", generate_examples=False)
        },
    )
    async def discrepancies(
        self,
        request: Request[Any, Any, State],
        provider: Annotated[str | None, QueryParameter(name="provider", max_length=100)] = None,
        model: Annotated[str | None, QueryParameter(name="model", max_length=300)] = None,
        as_of: Annotated[str | None, QueryParameter(name="as_of", description="default: now", max_length=40)] = None,
        agreed: Annotated[
            bool, QueryParameter(name="agreed", description="also prices that the sources agree about")
        ] = False,
        limit: Annotated[int, QueryParameter(name="limit", ge=1, le=10_000, description="rows a page")] = DEFAULT_PAGE,
        cursor: Annotated[
            str | None, QueryParameter(name="cursor", description="`next` of the page before", max_length=30)
        ] = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Every source's price side by side with its age and lineage, where they differ by more than 1 %."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        instant = service.now() if as_of is None else parse_instant(as_of, pointer="/as_of")
        start = _start(cursor)
        snapshot = service.catalog.snapshot
        found = await sync_to_thread(find_discrepancies, snapshot, Asked(instant, provider, model, agreed))
        rows = [to_api_discrepancy(said, instant) for said in found[start : start + limit]]
        after = f"d{start + limit}" if len(found) > start + limit else None
        document = {"meta": to_api_meta(instant, snapshot.version, ()), "next": after}
        headers = None
        if after is not None:
            kept = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
            headers = {"Link": f'<?{urlencode([*kept, ("cursor", after)])}>; rel="next"'}
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        response = render(chosen, DISCREPANCY_COLUMNS, rows, document, style, DISCREPANCY_NUMBERS, headers)
        return response if as_of is None else conditional(request, response, snapshot.version)


def _start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise PermillionError("invalid-fields", "not a cursor of an earlier answer", pointer="/cursor")
    return int(found[1])

"""`POST /quotes/{quote_id}/replay`: the same bytes again, and what a fresh run would change."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import Controller, Request, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.quotes import QuoteId
from api.http.converters.common import to_api_meta
from api.http.converters.quotes import answer_writer, has_detail, to_api_difference, to_api_replay
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
from api.http.schemas.quotes import DIFFERENCE_COLUMNS, DIFFERENCE_NUMBERS, ReplayAnswer
from api.http.state import counter_of, service_of
from api.http.writing.provenance import question_of
from api.services.quoting.differences import differences
from api.services.quoting.replaying import Then, replay
from catalog.catalog import Catalog
from catalog.quotes import find_quote
from catalog.snapshot import Snapshot
from catalog.snapshot.lookup import DEFAULT_TENANT
from catalog.watching import sheets_loaded_since
from economics.errors import PermillionError
from economics.periods import parse_instant


class ReplaysController(Controller):
    """Replays of quotes."""

    tags = ("quotes",)

    @post(
        "/quotes/{quote_id:str}/replay",
        operation_id="replayQuote",
        status_code=200,
        responses={200: ResponseSpec(ReplayAnswer, description="Row by row what differs", generate_examples=False)},
    )
    async def replay(
        self,
        request: Request[Any, Any, State],
        quote_id: QuoteId,
        part: Annotated[
            Literal["all", "answer"],
            QueryParameter(name="part", description="answer: nothing but the bytes that were answered"),
        ] = "all",
        as_of: Annotated[
            str | None,
            QueryParameter(name="as_of", description="instant of the fresh run; default: now", max_length=40),
        ] = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """The answer of then, byte for byte, worked out again with the catalog of then; and what a fresh run would change."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        instant = service.now() if as_of is None else parse_instant(as_of, pointer="/as_of")
        catalog = service.catalog
        quote = await sync_to_thread(find_quote, catalog.engine, DEFAULT_TENANT, quote_id, service.now())
        now = catalog.snapshot
        then = await sync_to_thread(_snapshot_then, catalog, quote.catalog_number, quote.catalog_version)
        counter = counter_of(service, now)
        counter_then = counter if then is None else counter_of(service, then)
        write = answer_writer(has_detail(quote))
        replayed = await replay(Then(quote, then), now, counter, counter_then, instant, write)
        if part == "answer":
            return ASGIResponse(body=replayed.body, media_type="application/json")
        upgraded = await sync_to_thread(sheets_loaded_since, catalog.engine, quote.catalog_number)
        found = differences(quote, replayed, upgraded)
        document = {
            "replay": to_api_replay(quote, replayed, found),
            "answer": msgspec.Raw(replayed.body),
            "meta": to_api_meta(instant, now.version, ()),
        }
        rows = [to_api_difference(difference) for difference in found]
        return render(
            chosen,
            DIFFERENCE_COLUMNS,
            rows,
            document,
            Csv(decimal_, delimiter, bom, lang, question_of(request)),
            DIFFERENCE_NUMBERS,
        )


def _snapshot_then(catalog: Catalog, number: int, version: str) -> Snapshot | None:
    """The catalog of then; None where this database does not have it (a quote of another one that was copied over)."""
    try:
        found = catalog.snapshot_numbered(number)
    except PermillionError as error:
        if error.slug != "missing-price":
            raise
        return None
    return found if found.version == version else None

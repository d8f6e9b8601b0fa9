"""`GET /price-terms`: the dated terms of private price books."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Controller, Request, get
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.caching import conditional
from api.http.controllers.prices import DEFAULT_PAGE, Filters
from api.http.converters.common import to_api_meta
from api.http.converters.terms import to_api_price_term
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
from api.http.schemas.terms import PRICE_TERM_COLUMNS, PRICE_TERM_NUMBERS, PriceTermsAnswer
from api.http.state import service_of
from api.http.writing.provenance import question_of
from catalog.snapshot.lookup import DEFAULT_TENANT
from catalog.term_history import list_terms
from economics.periods import parse_instant


class PriceTermsController(Controller):
    """Terms of contracts."""

    tags = ("prices",)

    @get(
        "/price-terms",
        operation_id="listPriceTerms",
        status_code=200,
        responses={200: ResponseSpec(PriceTermsAnswer, description="Dated terms", generate_examples=False)},
    )
    async def believed(
        self,
        request: Request[Any, Any, State],
        price_book: Filters.Book = None,
        as_of: Annotated[
            str | None,
            QueryParameter(name="as_of", description="in force then; default: terms of all times", max_length=40),
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
        """The terms of private price books, past and future ones included, and the period of each book that has one."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        instant = None if as_of is None else parse_instant(as_of, pointer="/as_of")
        known = None if known_at is None else parse_instant(known_at, pointer="/known_at")
        read = partial(
            list_terms,
            service.catalog.engine,
            tenant=DEFAULT_TENANT,
            book=price_book,
            as_of=instant,
            known_at=known,
            limit=limit,
            cursor=cursor,
        )
        records, after = await sync_to_thread(read)
        version = service.catalog.snapshot.version
        document = {"meta": to_api_meta(instant or service.now(), version, ()), "next": after}
        rows = [to_api_price_term(record) for record in records]
        headers = None
        if after is not None:
            kept = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
            headers = {"Link": f'<?{urlencode([*kept, ("cursor", after)])}>; rel="next"'}
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        response = render(chosen, PRICE_TERM_COLUMNS, rows, document, style, PRICE_TERM_NUMBERS, headers)
        return conditional(request, response, version)

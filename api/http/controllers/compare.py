"""`POST /compare`, its GET twin, and single cells for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, Any

from litestar import Controller, Request, Response, get, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.compare import from_api_compare, to_api_compare_rows, to_api_premium, unanswered
from api.http.converters.query import PRIVATE_NO_STORE, QueryText, check_query, question_from_query
from api.http.limits import check_rows, check_texts
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    ErrorsParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render,
    with_inline_errors,
)
from api.http.schemas.compare import COMPARE_COLUMNS, COMPARE_NUMBERS, NUMERIC_COLUMNS, CompareAnswer, CompareRequest
from api.http.state import Service, counter_of, service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.comparing.compare import ComparedOffer, compare
from api.services.comparing.premiums import language_premiums
from api.services.comparing.question import Comparison
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from economics.money import format_decimal

Detail = Annotated[bool, QueryParameter(name="detail", description="with one row per sample after each offer's row")]
OffersQuery = Annotated[
    str,
    QueryParameter(
        name="offers", description="comma-separated: provider/model or provider/model@book", max_length=20_000
    ),
]
_ANSWER = {200: ResponseSpec(CompareAnswer, description="Offers, cheapest first", generate_examples=False)}


class CompareController(Controller):
    """The main question: what does this text cost, and where."""

    tags = ("compare",)

    @post("/compare", operation_id="compareOffers", status_code=200, responses=_ANSWER)
    async def compare(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[CompareRequest],
        detail: Detail = False,
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Count the texts with each offer's own tokenizer, price them exactly, rank the offers."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.fx), service.settings, "/fx")
        snapshot = await snapshot_of(service, data.known_at)
        question = from_api_compare(data, snapshot, service.now())
        offers = await compared_offers(question, service, snapshot, one_text=data.text is not None)
        fail_on_errors(on_error, question, offers)
        rows = to_api_compare_rows(offers, question, snapshot.version, detail)
        premiums = [to_api_premium(p) for p in language_premiums(offers, question.language_pairs)]
        meta = to_api_meta(question.as_of, snapshot.version, _codes(offers))
        return render(
            chosen,
            COMPARE_COLUMNS,
            rows,
            {"premiums": premiums, "meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            COMPARE_NUMBERS,
        )

    @get("/compare", operation_id="compareOffersByQuery", status_code=200, responses=_ANSWER)
    async def compare_by_query(
        self,
        request: Request[Any, Any, State],
        offers: OffersQuery,
        text: QueryText.Text = None,
        input_tokens: QueryText.InputTokens = None,
        output_characters: QueryText.OutputCharacters = None,
        output_tokens: QueryText.OutputTokens = None,
        queries_per_month: QueryText.QueriesPerMonth = None,
        currency: QueryText.Currency = "USD",
        as_of: QueryText.AsOf = None,
        revenue_per_query: QueryText.Revenue = None,
        fx: QueryText.Fx = None,
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
        errors: ErrorsParameter = None,
    ) -> ASGIResponse:
        """The same for one text by query string, for clients that cannot POST."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        snapshot = service.catalog.snapshot
        check_query(request.scope["query_string"])
        names = [name.strip() for name in offers.split(",") if name.strip()]
        try:
            question = question_from_query(
                names, snapshot, service.now(), text=text, input_tokens=input_tokens, output_tokens=output_tokens,
                output_characters=output_characters, queries_per_month=queries_per_month, currency=currency,
                as_of=as_of, revenue_per_query=revenue_per_query, fx=fx,
            )  # fmt: skip
            compared = await compared_offers(question, service, snapshot)
            fail_on_errors(on_error, question, compared)
        except PermillionError as error:
            if errors is None or chosen not in ("csv", "xlsx"):
                raise
            question, compared = unanswered(error, service.now())  # a linked sheet never shows the body of a refusal
        rows = to_api_compare_rows(compared, question, snapshot.version, detail=False)
        meta = to_api_meta(question.as_of, snapshot.version, _codes(compared))
        return render(
            chosen,
            COMPARE_COLUMNS,
            rows if errors is None else with_inline_errors(chosen, rows, "cost_per_query"),
            {"premiums": [], "meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request)),
            COMPARE_NUMBERS,
            PRIVATE_NO_STORE,
        )

    @get(
        "/cell/{figure:str}",
        operation_id="compareCell",
        status_code=200,
        media_type="text/plain",
    )
    async def cell(
        self,
        request: Request[Any, Any, State],
        figure: Annotated[str, PathParameter(description="a numeric column of a compare row", max_length=100)],
        offer: Annotated[
            str | None, QueryParameter(name="offer", description="provider/model or provider/model@book")
        ] = None,
        text: QueryText.Text = None,
        input_tokens: QueryText.InputTokens = None,
        output_characters: QueryText.OutputCharacters = None,
        output_tokens: QueryText.OutputTokens = None,
        queries_per_month: QueryText.QueriesPerMonth = None,
        currency: QueryText.Currency = "USD",
        as_of: QueryText.AsOf = None,
        revenue_per_query: QueryText.Revenue = None,
        fx: QueryText.Fx = None,
        errors: Annotated[
            str | None, QueryParameter(name="errors", description="inline: errors as text with 200")
        ] = None,
    ) -> Response[str]:
        """One bare number with 15 significant digits, as a spreadsheet cell holds them."""
        service = service_of(request)
        try:
            check_query(request.scope["query_string"])
            if offer is None:
                raise PermillionError("invalid-fields", "say which offer", pointer="/offer")
            if errors not in (None, "inline"):
                raise PermillionError("invalid-fields", "errors is inline or left out", pointer="/errors")
            if figure not in NUMERIC_COLUMNS:
                raise PermillionError("unknown-figure", f"figures are {', '.join(NUMERIC_COLUMNS)}")
            snapshot = service.catalog.snapshot
            question = question_from_query(
                [offer], snapshot, service.now(), text=text, input_tokens=input_tokens,
                output_characters=output_characters, output_tokens=output_tokens,
                queries_per_month=queries_per_month, currency=currency, as_of=as_of,
            revenue_per_query=revenue_per_query, fx=fx,
            )  # fmt: skip
            (compared,) = await compared_offers(question, service, snapshot)
            if compared.error is not None:
                raise compared.error
            (row,) = to_api_compare_rows([compared], question, snapshot.version, detail=False)
            if row[figure] is None:
                raise PermillionError(
                    "unknown-figure", f"{figure} has no value here: {row['warnings'] or 'not asked for'}"
                )
        except PermillionError as error:
            if errors != "inline":
                raise
            return Response(f"#permillion: {error.slug}", media_type="text/plain", headers=PRIVATE_NO_STORE)
        return Response(to_cell(str(row[figure])), media_type="text/plain", headers=PRIVATE_NO_STORE)


def to_cell(number: str) -> str:
    """`number` to the 15 significant digits that a cell holds, half to even.

    >>> to_cell("0.0009835"), to_cell("2.125963327132606962529896359")
    ('0.0009835', '2.12596332713261')
    """
    return format_decimal(Context(prec=15, rounding=ROUND_HALF_EVEN).create_decimal(Decimal(number)))


async def compared_offers(
    question: Comparison, service: Service, snapshot: Snapshot, *, one_text: bool = True
) -> list[ComparedOffer]:
    """The answer to a question that is within the limits."""
    offers = len(question.offers)
    check_rows(offers, service.settings, "/offers")
    check_rows(len(question.samples) * offers, service.settings, "/samples", "samples times offers")
    turns = question.workload.turns_per_conversation
    check_rows(
        len(question.samples) * offers * turns, service.settings, "/workload", "samples times offers times turns"
    )
    check_rows(len(question.language_pairs) * offers, service.settings, "/language_pairs", "pairs times offers")
    check_texts(text_places(question, one_text=one_text), service.settings)
    return await compare(question, snapshot, counter_of(service, snapshot))


def text_places(question: Comparison, *, one_text: bool) -> Iterator[tuple[str, str]]:
    """Pointer and text of everything that is to be counted."""
    for index, sample in enumerate(question.samples):
        named = (
            ("input_text", sample.input_text),
            ("output_text", sample.output_text),
            ("system_text", sample.system_text),
        )
        for name, text in named:
            if text is not None:
                yield "/text" if one_text else f"/samples/{index}/{name}", text
        for number, tool in enumerate(sample.tools):
            yield f"/samples/{index}/tools/{number}", "\n".join(tool.lines())


def fail_on_errors(on_error: str, question: Comparison, offers: list[ComparedOffer]) -> None:
    """With `?on_error=fail` the first offer that cannot be priced is the answer."""
    errors = {id(offer.prospect.wanted): offer.error for offer in offers}
    for index, wanted in enumerate(question.offers):
        fail_on_error(on_error, errors[id(wanted)], f"/offers/{index}")


def _codes(offers: list[ComparedOffer]) -> list[str]:
    return [code for offer in offers for code in offer.warnings]

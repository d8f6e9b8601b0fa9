"""`POST /tokenize`: counts of the caller's texts."""

from __future__ import annotations

from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.tokenize import to_api_tokenized_row
from api.http.limits import check_rows, check_texts
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    choose_format,
    render,
)
from api.http.schemas.tokenize import TOKENIZE_COLUMNS, TOKENIZE_NUMBERS, TokenizeAnswer, TokenizeRequest
from api.http.state import counter_of, service_of
from api.services.comparing.question import LEAST_SAMPLE_CHARACTERS
from api.services.tokenizing import tokenize


class TokenizeController(Controller):
    """Token counts."""

    tags = ("tokenize",)

    @post(
        "/tokenize",
        operation_id="tokenizeTexts",
        status_code=200,
        responses={
            200: ResponseSpec(TokenizeAnswer, description="A row per text and tokenizer", generate_examples=False)
        },
    )
    async def tokenize(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[TokenizeRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
    ) -> ASGIResponse:
        """Tokens of each text by each tokenizer: content only, control look-alikes counted as the text they are."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        columns = [*(data.tokenizers or ()), *(data.offers or ())]
        check_rows(len(data.texts) * len(columns), service.settings, "/texts")
        check_texts(((f"/texts/{i}/text", t.text) for i, t in enumerate(data.texts)), service.settings)
        snapshot = service.catalog.snapshot
        as_of = service.now()
        texts = [(index if t.id is None else t.id, t.text) for index, t in enumerate(data.texts)]
        counted = await tokenize(
            texts, data.tokenizers or (), data.offers or (), as_of, snapshot, counter_of(service, snapshot)
        )
        asked = "tokenizers" if data.tokenizers else "offers"
        for index, row in enumerate(counted):
            fail_on_error(on_error, row.error, f"/{asked}/{index % len(columns)}")
        codes = [code for row in counted for code in row.warnings]
        if any(0 < len(text) < LEAST_SAMPLE_CHARACTERS for _, text in texts):
            codes.append("sample_too_short")
        meta = to_api_meta(as_of, snapshot.version, codes)
        rows = [to_api_tokenized_row(row) for row in counted]
        return render(chosen, TOKENIZE_COLUMNS, rows, {"meta": meta}, Csv(decimal_, delimiter, bom), TOKENIZE_NUMBERS)

"""`POST /tokenize` and `/tokenize.ndjson`: counts of the caller's texts."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

import msgspec
from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response import Stream
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.tokenize import to_api_tokenized_row, to_api_unread_row
from api.http.limits import check_rows, check_texts
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
from api.http.schemas.tokenize import TOKENIZE_COLUMNS, TOKENIZE_NUMBERS, TokenizeAnswer, TokenizeRequest
from api.http.state import Service, counter_of, service_of
from api.http.wire import check_media_type
from api.http.writing.provenance import question_of
from api.services.comparing.question import LEAST_SAMPLE_CHARACTERS
from api.services.corpora.counting import batches
from api.services.corpora.jsonl import read_jsonl
from api.services.corpora.lines import Lines, line_bytes
from api.services.corpora.texts import CorpusText
from api.services.tokenizing import tokenize
from economics.errors import PermillionError

NDJSON_TYPES = ("application/x-ndjson", "application/jsonl", "application/jsonlines")
_BATCH_TEXTS = 256
_BATCH_CHARACTERS = 131_072


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
        lang: LangParameter = None,
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
        return render(
            chosen,
            TOKENIZE_COLUMNS,
            rows,
            {"meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            TOKENIZE_NUMBERS,
        )

    @post("/tokenize.ndjson", operation_id="tokenizeLines", status_code=200, media_type=NDJSON_TYPES[0])
    async def tokenize_lines(
        self,
        request: Request[Any, Any, State],
        tokenizers: Annotated[
            str | None, QueryParameter(name="tokenizers", description="ids, parted by commas", max_length=5_000)
        ] = None,
        offers: Annotated[
            str | None, QueryParameter(name="offers", description="offers instead, parted by commas", max_length=5_000)
        ] = None,
    ) -> Stream:
        """NDJSON in, NDJSON out: a line `{"id", "text"}` a text, answered in order as batches are counted."""
        service = service_of(request)
        check_media_type(request, NDJSON_TYPES)
        if not (tokenizers or offers) or (tokenizers and offers):
            raise PermillionError("invalid-fields", "name tokenizers or offers, one of them", pointer="/tokenizers")
        by_tokenizer, by_offer = _names(tokenizers), _names(offers)
        body = await request.body()
        check_rows((body.count(b"\n") + 1) * len([*by_tokenizer, *by_offer]), service.settings, "")
        most = service.settings.max_text_bytes
        texts = list(read_jsonl(Lines(io.BytesIO(body), line_bytes(most)), "", 0, "text", None, most))
        check_texts(((f"/{text.line}/text", text.text) for text in texts if text.text is not None), service.settings)
        return Stream(_counted_lines(texts, by_tokenizer, by_offer, service), media_type=NDJSON_TYPES[0])


def _names(listed: str | None) -> list[str]:
    return [name.strip() for name in (listed or "").split(",") if name.strip()]


async def _counted_lines(
    texts: Sequence[CorpusText], tokenizers: Sequence[str], offers: Sequence[str], service: Service
) -> AsyncIterator[bytes]:
    """Lines of the answer, a batch at a time; a line that could not be read is one row."""
    as_of, snapshot = service.now(), service.catalog.snapshot
    for batch in batches(texts, _BATCH_TEXTS, _BATCH_CHARACTERS):
        readable = [(text.text_id, text.text) for text in batch if text.text is not None]
        counted = iter(await tokenize(readable, tokenizers, offers, as_of, snapshot, service.counter))
        rows: list[dict[str, Any]] = []
        for text in batch:
            if text.error is not None:
                rows.append(to_api_unread_row(text.text_id, text.error))
            else:
                rows.extend(to_api_tokenized_row(next(counted)) for _ in (*tokenizers, *offers))
        yield b"".join(msgspec.json.encode(row) + b"\n" for row in rows)

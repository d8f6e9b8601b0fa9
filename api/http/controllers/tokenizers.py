"""`/tokenizers`: those there are, and those of one's own."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Annotated, Any, cast

from litestar import Controller, Request, delete, get, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.reference import listed
from api.http.converters.common import to_api_meta
from api.http.converters.reference import to_api_tokenizer
from api.http.converters.tokenizers import from_api_upload, to_api_registered
from api.http.idempotency import IdempotencyKey, Write, write_once
from api.http.limits import check_writes
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    render,
)
from api.http.schemas.reference import TokenizerOut, TokenizersAnswer
from api.http.schemas.tokenizers import RegisteredTokenizer, RegisteredTokenizersAnswer, TokenizerUpload
from api.http.state import Service, counter_of, service_of
from api.http.uploads import read_upload
from api.http.wire import JsonRequest, decode_model
from api.http.writing.provenance import question_of
from api.services.registering import Registered, checked_for_recording, withdraw
from tokenizers_registry.registered.files import RegisteredFile


class TokenizersController(Controller):
    """Tokenizers."""

    tags = ("tokenize",)

    @get(
        "/tokenizers",
        operation_id="listTokenizers",
        status_code=200,
        responses={200: ResponseSpec(TokenizersAnswer, description="All tokenizers", generate_examples=False)},
    )
    async def tokenizers(
        self,
        request: Request[Any, Any, State],
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Tokenizers with engine, package, license and fingerprint; exact or estimate. Registered ones are `user/…`."""
        service = service_of(request)
        registry = counter_of(service, service.catalog.snapshot).registry
        rows = [to_api_tokenizer(family, registry) for family in registry]
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return listed(request, tuple(TokenizerOut.model_fields), rows, format_, style=style)

    @post(
        "/tokenizers",
        operation_id="registerTokenizer",
        status_code=201,
        request_max_body_size=None,  # read_upload has a limit of its own
        responses={
            201: ResponseSpec(RegisteredTokenizersAnswer, description="What was recorded", generate_examples=False),
            200: ResponseSpec(
                RegisteredTokenizersAnswer, description="It was recorded before", generate_examples=False
            ),
        },
    )
    async def register(self, request: Request[Any, Any, State], idempotency_key: IdempotencyKey = None) -> ASGIResponse:
        """Register a tokenizer file of your own: a form with the file, checked in a limited process before it is kept."""
        service = service_of(request)
        check_writes(service.settings)
        limit = service.settings.max_tokenizer_file_bytes
        fields = await read_upload(cast("JsonRequest", request), "max_tokenizer_file_bytes", limit)

        async def prepare() -> Write[Registered]:
            wanted = from_api_upload(decode_model(TokenizerUpload, fields))
            record = await checked_for_recording(wanted, service.checker, service.catalog, service.now())
            return Write(record, partial(_recorded, service))

        return await write_once(request, {name: _said(value) for name, value in fields.items()}, prepare)

    @delete(
        "/tokenizers/user/{name:str}",
        operation_id="withdrawTokenizer",
        status_code=200,
        responses={
            200: ResponseSpec(RegisteredTokenizersAnswer, description="It is withdrawn", generate_examples=False)
        },
    )
    async def withdraw(
        self, request: Request[Any, Any, State], name: Annotated[str, PathParameter(max_length=100)]
    ) -> ASGIResponse:
        """Take a registered tokenizer out of use: nothing is counted with it any more; what was recorded stays readable."""
        service = service_of(request)
        check_writes(service.settings)
        _, file = await withdraw(f"user/{name}", service.catalog, service.now())
        return _answer(service, file, "withdrawn", service.catalog.snapshot.version)


def _said(value: Any) -> str:
    """A field of the form as JSON can say it: of a file its hash."""
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else str(value)


def _recorded(service: Service, registered: Registered) -> ASGIResponse:
    outcome, file = registered
    response = _answer(service, file, outcome, service.catalog.version_now())
    response.status_code = 201 if outcome == "added" else 200
    return response


def _answer(service: Service, file: RegisteredFile, outcome: str, catalog_version: str) -> ASGIResponse:
    meta = to_api_meta(service.now(), catalog_version, ())
    columns = tuple(RegisteredTokenizer.model_fields)
    return render("json", columns, [to_api_registered(file, outcome)], {"meta": meta})

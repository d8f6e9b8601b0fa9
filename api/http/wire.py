"""Between JSON and the wire schemas: strict reading, and validation that keeps the pointer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from litestar import Request
from litestar.config.app import AppConfig
from litestar.datastructures import State
from litestar.params import QueryParameter
from litestar.plugins import InitPlugin, PluginProtocol
from litestar.plugins.pydantic import PydanticInitPlugin, PydanticSchemaPlugin
from litestar.types import Empty
from pydantic import BaseModel, TypeAdapter, ValidationError

from api.http.problems import InvalidFieldsError, from_validation, pointer_of, summary
from api.http.state import service_of
from api.http.strict_json import read_json, read_text, read_value
from economics.errors import PermillionError

_Model = TypeVar("_Model", bound=BaseModel)

LONG_BODY = 32_768
"""Bodies of more bytes are read in turns of their own: ten of 256 KiB that come at once would keep the event loop for 15 ms."""


@dataclass(frozen=True, slots=True)
class StreamLimit:
    """Bytes that a body may have, because the setting named limits what is in it to `value` bytes."""

    setting: str
    value: int
    body_bytes: int


class JsonRequest(Request[Any, Any, State]):
    """A request whose JSON is read strictly and whose content type is minded."""

    stream_limit: StreamLimit | None = None

    async def body(self) -> bytes:
        """The whole body.

        Raises:
            PermillionError: `body-too-large`, naming the limit.
        """
        if self._body is not Empty:
            return self._body
        limit = self.route_handler.resolve_request_max_body_size() or 0
        chunks: list[bytes] = []
        size, more = 0, True
        while more:
            message = await self.receive()
            if message["type"] != "http.request":
                break  # the client is gone
            size += len(message["body"])
            if size > limit:
                raise PermillionError("body-too-large", f"over {limit} bytes; max_body_bytes is {limit}")
            chunks.append(message["body"])
            more = message["more_body"]
        self._body = self._connection_state.body = b"".join(chunks)
        return self._body

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """The body in parts, up to `stream_limit` where a route has set one.

        Raises:
            PermillionError: `body-too-large`, naming the limit.
        """
        size = 0
        async for part in super().stream():
            size += len(part)
            if self.stream_limit is not None and size > self.stream_limit.body_bytes:
                name, limit = self.stream_limit.setting, self.stream_limit.value
                raise PermillionError("body-too-large", f"over {limit} bytes; {name} is {limit}")
            yield part

    async def json(self) -> Any:
        """The body's JSON value.

        Raises:
            PermillionError: `unsupported-media-type`, `malformed-json`.
        """
        if self._json is Empty:
            check_media_type(self, ("application/json", "+json"))
            body = await self.body()
            if not body:
                raise PermillionError("malformed-json", "the body is empty; send one JSON object")
            if len(body) > LONG_BODY:
                turns = service_of(self).counter.turns
                await turns.take()
                text = read_text(body)
                await turns.take()
                self._json = read_value(text)
                await turns.take()  # validating and checking are the next step
            else:
                self._json = read_json(body)
        return self._json


async def check_parameters(request: Request[Any, Any, State]) -> None:
    """Refuse query parameters the route does not have: a misspelt one would silently change the answer.

    Raises:
        InvalidFieldsError: naming each, and each that is given twice.
    """
    if not request.scope["query_string"]:
        return
    names = [name for name, _ in request.query_params.multi_items()]
    parameters = request.route_handler.parsed_fn_signature.parameters
    known = {
        field.kwarg_definition.name or name
        for name, field in parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    }
    if not known:
        return  # a route without parameters has no answer that one could change
    errors = [
        (pointer_of((name,)), "given twice" if name in known else "no such parameter here")
        for name in dict.fromkeys(names)
        if name not in known or names.count(name) > 1
    ]
    if errors:
        raise InvalidFieldsError(errors)


def decode_model(model: type[_Model], value: Any) -> _Model:
    """`value` as `model`.

    Raises:
        InvalidFieldsError: with a JSON pointer for each field.
    """
    if isinstance(value, model):
        return value
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise InvalidFieldsError(from_validation(error)) from None


def check_media_type(request: Request[Any, Any, State], read: Sequence[str]) -> None:
    """Refuse a body of another type than the route reads, or a compressed one; none stated is taken as the right one.

    Raises:
        PermillionError: `unsupported-media-type`.
    """
    media_type = request.headers.get("content-type", read[0]).partition(";")[0].strip().lower()
    if not media_type.endswith(tuple(read)):
        raise PermillionError("unsupported-media-type", f"this route reads {read[0]}; send Content-Type: {read[0]}")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise PermillionError("unsupported-media-type", "bodies are read uncompressed; leave out Content-Encoding")


class WireModels(InitPlugin):
    """Makes `decode_model` read bodies; stands after Litestar's pydantic plugin, whose errors have no pointers."""

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        """Put our decoder before all others."""
        app_config.type_decoders = [(is_model, decode_model), *(app_config.type_decoders or [])]
        return app_config


def wire_plugins() -> list[PluginProtocol]:
    """The plugins of every application that uses the wire schemas: Litestar keeps a schema's decoder at its class."""
    return [PydanticInitPlugin(), PydanticSchemaPlugin(), WireModels()]


def is_model(kind: Any) -> bool:
    """Whether `kind` is one of the wire schemas."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def decode_row(adapter: TypeAdapter[Any], value: Any) -> Any:
    """One row of a batch.

    Raises:
        PermillionError: `invalid-fields`, whose detail names the field within the row.
    """
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        errors = from_validation(error)
        raise PermillionError("invalid-fields", summary(errors), pointer=errors[0][0]) from None

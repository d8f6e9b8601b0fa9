"""Between JSON and the wire schemas: strict reading, and validation that keeps the pointer."""

from __future__ import annotations

from typing import Any, TypeVar

from litestar import Request
from litestar.datastructures import State
from litestar.types import Empty
from pydantic import BaseModel, TypeAdapter, ValidationError

from api.http.problems import InvalidFieldsError, from_validation, summary
from api.http.strict_json import read_json
from economics.errors import PermillionError

_Model = TypeVar("_Model", bound=BaseModel)


class JsonRequest(Request[Any, Any, State]):
    """A request whose JSON is read strictly and whose content type is minded."""

    async def json(self) -> Any:
        """The body's JSON value.

        Raises:
            PermillionError: `unsupported-media-type`, `malformed-json`.
        """
        if self._json is Empty:
            media_type = self.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
            if media_type != "application/json" and not media_type.endswith("+json"):
                raise PermillionError(
                    "unsupported-media-type", "this route reads JSON; send Content-Type: application/json"
                )
            self._json = read_json(await self.body())
        return self._json


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

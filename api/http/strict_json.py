"""Reading JSON without surprises: repeated keys, NaN, endless digits and bottomless nesting are refused."""

from __future__ import annotations

import json
from typing import Any

from economics.errors import PermillionError


def read_json(body: bytes) -> Any:
    """The value in `body`; what is refused, `read_text` and `read_value` say."""
    return read_value(read_text(body))


def read_text(body: bytes) -> str:
    """The text of `body`.

    Raises:
        PermillionError: `malformed-json`, where it is not UTF-8 or starts with a byte order mark.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PermillionError("malformed-json", f"not UTF-8 at byte {error.start}") from None
    if text.startswith("\ufeff"):
        raise PermillionError("malformed-json", "starts with a byte order mark; send UTF-8 without one")
    return text


def read_value(text: str) -> Any:
    """The value in `text`.

    Numbers with a point or an exponent become floats, which no field of this API accepts: a float has lost digits of
    money before anybody could look at it.

    Raises:
        PermillionError: `malformed-json`, with the place.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise PermillionError("malformed-json", f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise PermillionError("malformed-json", "nested too deeply") from None
    except PermillionError:
        raise
    except ValueError:  # an integer of more than 4,300 digits
        raise PermillionError("malformed-json", "a number has too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise PermillionError("malformed-json", "an object has the same key twice")
    return result


def _no_constant(name: str) -> Any:
    raise PermillionError("malformed-json", "NaN and Infinity are not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)

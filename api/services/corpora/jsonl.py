"""Texts of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from api.services.corpora.lines import Lines, foreign_encoding
from api.services.corpora.texts import CorpusText, Position, checked_id, checked_text
from economics.errors import PermillionError


def read_jsonl(
    lines: Lines, source: str, index: int, field: str, id_field: str | None, max_text_bytes: int
) -> Iterator[CorpusText]:
    """The text of each line that is not blank; a line that is no object with a text is an error with its number.

    Args:
        lines: from where reading begins; `line_bytes` is their bound.
        field: key of the text.
        id_field: key of the id, which each line then needs; None takes `id` where there is one, else the line number.
    """
    for line in lines:
        text: str | None = None
        text_id: str | int = lines.number
        error: PermillionError | None = None
        if line is not None and not line.strip():
            continue
        encoding = foreign_encoding(line) if lines.number == 1 and line is not None else None
        if encoding is not None:
            error = PermillionError("invalid-text", f"the file is {encoding}; convert it to UTF-8")
            yield CorpusText(source, 1, 1, None, error, Position(index + 1))
            return
        try:
            record = _record(line)
            text_id = _id(record, id_field, lines.number)
            if field not in record:
                raise PermillionError("invalid-fields", f"no field {_shown(field)}")
            text = checked_text(record[field], max_text_bytes)
        except PermillionError as problem:
            error = problem
        yield CorpusText(source, lines.number, text_id, text, error, Position(index, lines.offset, lines.number))


def record_of(line: str) -> dict[str, Any]:
    """The object in a line.

    Raises:
        PermillionError: `malformed-json`.

    >>> record_of('{"text": "a", "text": "b"}')
    Traceback (most recent call last):
    economics.errors.PermillionError: an object has the same key twice
    """
    try:
        record = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise PermillionError("malformed-json", f"{error.msg} at column {error.colno}") from None
    except RecursionError:
        raise PermillionError("malformed-json", "nested too deeply") from None
    except ValueError:  # an integer of more than 4,300 digits
        raise PermillionError("malformed-json", "a number has too many digits") from None
    if not isinstance(record, dict):
        raise PermillionError("malformed-json", "not an object")
    return record


def _record(line: bytes | None) -> dict[str, Any]:
    if line is None:
        raise PermillionError("text-too-large", "the line is longer than any text within max_text_bytes")
    try:
        return record_of(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise PermillionError("invalid-text", f"the line is not UTF-8 (byte {error.start})") from None


def _id(record: dict[str, Any], id_field: str | None, number: int) -> str | int:
    if id_field is None:
        found = record.get("id")
        return number if found is None else checked_id(found)
    if id_field not in record:
        raise PermillionError("invalid-fields", f"no field {_shown(id_field)}")
    return checked_id(record[id_field])


def _shown(name: str) -> str:
    return json.dumps(name[:100])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise PermillionError("malformed-json", "an object has the same key twice")
    return result


def _no_constant(name: str) -> Any:
    raise PermillionError("malformed-json", "NaN and Infinity are not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)

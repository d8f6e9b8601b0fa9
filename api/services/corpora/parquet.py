"""Texts of a column of Parquet, row group by row group. Needs the extra `corpora`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO

from api.services.corpora.texts import CorpusText, Position, checked_id, checked_text
from economics.errors import PermillionError

BUFFER_BYTES = 1_048_576
"""Of a column read ahead; left to itself pyarrow takes the whole of a row group's column into memory."""
ROWS_AT_A_TIME = 64
"""Texts of a row group in memory at once, beside one page of each column."""


def require_pyarrow() -> None:
    """See that Parquet can be read and written here.

    Raises:
        PermillionError: `invalid-settings` where the package is absent.
    """
    if find_spec("pyarrow") is None:
        raise PermillionError("invalid-settings", "Parquet needs pyarrow: install the extra, permillion[corpora]")


def read_parquet(
    file: BinaryIO, start: Position, source: str, field: str, id_field: str | None, max_text_bytes: int
) -> Iterator[CorpusText]:
    """The text of each row; `line` counts rows.

    Args:
        start: `offset` is the number of rows that are read.
        field, id_field: columns of strings, ids also of whole numbers; None for an id takes `id` where there is one.
    """
    pyarrow = import_module("pyarrow")
    try:
        table = import_module("pyarrow.parquet").ParquetFile(file, buffer_size=BUFFER_BYTES, pre_buffer=False)
        id_column = _id_column(table.schema_arrow, field, id_field)
        for number, value, found_id in _rows(table, field, id_column, start.offset):
            text: str | None = None
            text_id: str | int = number
            error: PermillionError | None = None
            try:
                if found_id is not None or id_field is not None:
                    text_id = checked_id(found_id)
                if value is None:
                    raise PermillionError("invalid-fields", "the text is null")
                text = checked_text(value, max_text_bytes)
            except PermillionError as problem:
                error = problem
            yield CorpusText(source, number, text_id, text, error, Position(start.source, number, number))
    except PermillionError as problem:
        yield CorpusText(source, 1, 1, None, problem, start.next_source())
    except (pyarrow.ArrowException, OSError) as failure:
        kind = type(failure).__name__
        broken = PermillionError("unreadable-file", f"cannot be read as Parquet ({kind})")
        yield CorpusText(source, 1, 1, None, broken, start.next_source())


def _id_column(schema: Any, field: str, id_field: str | None) -> str | None:
    """The column of ids, None where there is none; the column of texts is checked too."""
    types = import_module("pyarrow").types
    for name in filter(None, (field, id_field)):
        if schema.names.count(name) != 1:
            raise PermillionError("invalid-fields", f"no column {name[:100]!r}")
    kind = schema.field(field).type
    if not (types.is_string(kind) or types.is_large_string(kind)):
        raise PermillionError("invalid-fields", f"the column {field[:100]!r} is no string column")
    return "id" if id_field is None and schema.names.count("id") == 1 else id_field


def _rows(table: Any, field: str, id_column: str | None, passed: int) -> Iterator[tuple[int, Any, Any]]:
    """Row number from 1, text and id of the rows behind the first `passed` ones."""
    number = 0
    for group in range(table.metadata.num_row_groups):
        rows = table.metadata.row_group(group).num_rows
        if number + rows <= passed:
            number += rows
            continue
        columns = list(dict.fromkeys(filter(None, (field, id_column))))
        batches = table.iter_batches(ROWS_AT_A_TIME, row_groups=[group], columns=columns, use_threads=False)
        for batch in batches:
            texts = batch.column(field)
            ids = None if id_column is None else batch.column(id_column)
            for at in range(batch.num_rows):
                number += 1
                if number > passed:
                    yield number, _value(texts[at]), None if ids is None else _value(ids[at])


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return "\udc80"  # bytes that are no UTF-8, as Python stands them in

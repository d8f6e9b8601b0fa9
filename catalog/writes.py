"""The few statements that writers share: many rows at once, and rows believed no longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, insert, update

from catalog.models import Stored
from catalog.price_tables import StoredPrice

CHUNK: Final = 500
"""Keys in one statement: SQLite takes a limited number of parameters."""

T = TypeVar("T")


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """`items` in lists of at most `size`.

    >>> list(chunks([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    whole = list(items)
    for start in range(0, len(whole), size):
        yield whole[start : start + size]


def insert_all(connection: Connection, kind: type[Stored], rows: Sequence[dict[str, Any]]) -> None:
    """Insert `rows`, which all have the same columns, in their order."""
    if rows:
        connection.execute(insert(kind), rows)


def supersede(connection: Connection, row_ids: Iterable[int], at: datetime, why: str) -> None:
    """Stop believing these price rows at `at`; `why` is `changed`, `removed` or `corrected`."""
    for some in chunks(row_ids):
        connection.execute(
            update(StoredPrice).where(StoredPrice.id.in_(some)).values(superseded_at=at, supersession=why)
        )

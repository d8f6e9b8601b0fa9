"""Terms of private books with when they were recorded, now or as they were believed at an earlier instant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Engine, or_, select

from catalog.engine import reading
from catalog.price_tables import StoredBook, StoredTerm
from catalog.term_records import PERIOD_KIND, from_db_term
from economics.contracts.terms import Term
from economics.errors import PermillionError
from economics.periods import Period

_CURSOR: Final = re.compile(r"t([0-9]{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class TermRecord:
    """A term as it was recorded; `term` is None where the record is the period of the book itself."""

    price_book: str
    currency: str
    term: Term | None
    period: Period
    recorded_at: datetime
    superseded_at: datetime | None


def list_terms(
    engine: Engine,
    *,
    tenant: str,
    book: str | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    limit: int,
    cursor: str | None = None,
) -> tuple[Sequence[TermRecord], str | None]:
    """A page of the tenant's terms, in the order they were recorded.

    Args:
        engine: of a migrated database.
        tenant: whose books are seen.
        book: id, None for all.
        as_of: terms in force then; None for those of all times.
        known_at: terms believed then; None for those believed now.
        limit: of the page, at least 1.
        cursor: what the page before returned.

    Returns:
        Records, and the next page's cursor or None.

    Raises:
        PermillionError: `invalid-fields` for a cursor that is none.
    """
    if book is not None and not book.isprintable():
        return [], None  # nothing is named so, and PostgreSQL would refuse the text itself
    statement = (
        select(StoredTerm.__table__, StoredBook.name.label("price_book"), StoredBook.currency)
        .join(StoredBook, StoredBook.id == StoredTerm.price_book_id)
        .where(StoredTerm.tenant == tenant)
        .order_by(StoredTerm.id)
        .limit(limit + 1)
    )
    if cursor is not None:
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise PermillionError("invalid-fields", "not a cursor of an earlier answer", pointer="/cursor")
        statement = statement.where(StoredTerm.id > int(found[1]))
    if book is not None:
        statement = statement.where(StoredBook.name == book)
    if as_of is not None:
        statement = statement.where(
            or_(StoredTerm.valid_from.is_(None), StoredTerm.valid_from <= as_of),
            or_(StoredTerm.valid_to.is_(None), StoredTerm.valid_to > as_of),
        )
    if known_at is None:
        statement = statement.where(StoredTerm.superseded_at.is_(None))
    else:
        statement = statement.where(
            StoredTerm.recorded_at <= known_at,
            or_(StoredTerm.superseded_at.is_(None), StoredTerm.superseded_at > known_at),
        )
    with reading(engine) as connection:
        rows = connection.execute(statement).all()
    page = rows[:limit]
    records = [
        TermRecord(
            row.price_book,
            row.currency,
            None if row.kind == PERIOD_KIND else from_db_term(row),
            Period(row.valid_from, row.valid_to),
            row.recorded_at,
            row.superseded_at,
        )
        for row in page
    ]
    return records, f"t{page[-1].id}" if len(rows) > limit else None

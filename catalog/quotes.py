"""Quotes as they are recorded: written once, listed, given another title, deleted by those they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Engine, delete, insert, select, update

from catalog.engine import is_sqlite, reading, writing
from catalog.quote_tables import StoredQuote
from economics.errors import PermillionError

QUOTE_ID: Final = r"q-[0-9a-f]{24}"
_CURSOR: Final = re.compile(r"q([0-9]{1,18})", re.ASCII)
_FACTS: Final = (
    "quote", "title", "note", "created_at", "as_of", "as_of_stated", "catalog_number", "catalog_version", "method_version",
    "currency", "revision", "answer_sha256", "text_until",
)  # fmt: skip
_CONTENT: Final = ("question", "texts", "offers", "text_question", "answer")
_LISTED: Final = tuple(column for column in StoredQuote.__table__.c if column.name not in _CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteFacts:
    """What a list of quotes shows.

    Args:
        quote: its id, `q-` and 24 hexadecimal digits.
        as_of_stated: whether the caller named the instant; else a fresh run is about now.
        catalog_number: of the catalog it was made with; `catalog_version` names it with its digest.
        revision: counts the changes of title, note and retained text from 1.
        text_until: until when the texts are kept, None where they are not.
    """

    quote: str
    title: str
    note: str
    created_at: datetime
    as_of: datetime
    as_of_stated: bool
    catalog_number: int
    catalog_version: str
    method_version: str
    currency: str
    revision: int
    answer_sha256: str
    text_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote(QuoteFacts):
    """A whole quote: `question` without texts, `text_question` with them where they are kept, the answer's bytes."""

    question: Any
    texts: Sequence[Mapping[str, Any]]
    offers: Sequence[Mapping[str, Any]]
    text_question: Any
    answer: bytes


def record_quote(engine: Engine, tenant: str, quote: Quote) -> None:
    """Write it down.

    Raises:
        PermillionError: `catalog-busy`.
    """
    with writing(engine) as connection:
        values = {name: getattr(quote, name) for name in (*_FACTS, *_CONTENT)}
        connection.execute(insert(StoredQuote).values({**values, "tenant": tenant}))


def find_quote(engine: Engine, tenant: str, quote: str, now: datetime) -> Quote:
    """The tenant's quote; texts whose time is over are not in it.

    Raises:
        PermillionError: `unknown-quote`, also for another tenant's.
    """
    with reading(engine) as connection:
        return _found(connection, tenant, quote, now)


def list_quotes(
    engine: Engine, tenant: str, *, limit: int, cursor: str | None = None
) -> tuple[list[QuoteFacts], str | None]:
    """A page of the tenant's quotes, the newest first, and the cursor of the next page.

    Raises:
        PermillionError: `invalid-fields` for a cursor that is none.
    """
    statement = select(*_LISTED).where(StoredQuote.tenant == tenant).order_by(StoredQuote.id.desc()).limit(limit + 1)
    if cursor is not None:
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise PermillionError("invalid-fields", "not a cursor of an earlier answer", pointer="/cursor")
        statement = statement.where(StoredQuote.id < int(found[1]))
    with reading(engine) as connection:
        rows = connection.execute(statement).all()
    page = rows[:limit]
    facts = [QuoteFacts(**{name: getattr(row, name) for name in _FACTS}) for row in page]
    return facts, f"q{page[-1].id}" if len(rows) > limit else None


def change_quote(
    engine: Engine,
    tenant: str,
    quote: str,
    revision: int,
    now: datetime,
    *,
    title: str | None = None,
    note: str | None = None,
    drop_text: bool = False,
) -> Quote:
    """Another title or note, or the kept text deleted; the quote as it is then.

    Args:
        engine: of a migrated database.
        tenant: whose quote it is.
        quote: its id.
        revision: the one the caller has seen.
        now: texts that are past their time then are not shown.
        title: None to leave it as it is.
        note: None to leave it as it is.
        drop_text: delete the kept text.

    Raises:
        PermillionError: `unknown-quote`, `precondition-failed` where it was changed meanwhile.
    """
    values: dict[str, Any] = {}
    if title is not None:
        values["title"] = title
    if note is not None:
        values["note"] = note
    if drop_text:
        values |= {"text_question": None, "text_until": None}
    with writing(engine) as connection:
        _check_revision(connection, tenant, quote, revision)
        connection.execute(
            update(StoredQuote).where(StoredQuote.quote == quote).values({**values, "revision": revision + 1})
        )
        changed = _found(connection, tenant, quote, now)
    if drop_text:
        fold_journal(engine)
    return changed


def delete_quote(engine: Engine, tenant: str, quote: str, revision: int) -> None:
    """Delete it for good.

    Raises:
        PermillionError: `unknown-quote`, `precondition-failed` where it was changed meanwhile.
    """
    with writing(engine) as connection:
        _check_revision(connection, tenant, quote, revision)
        connection.execute(delete(StoredQuote).where(StoredQuote.quote == quote))
    fold_journal(engine)


def drop_expired_texts(engine: Engine, now: datetime) -> int:
    """Delete the texts whose time is over; of how many quotes. A read where there are none.

    On SQLite freed pages are overwritten (`secure_delete`) and the journal is folded in, so that no copy stays behind.
    """
    expired = StoredQuote.text_until <= now
    with reading(engine) as connection:
        if connection.scalar(select(StoredQuote.id).where(expired).limit(1)) is None:
            return 0
    with writing(engine) as connection:
        changed = connection.execute(
            update(StoredQuote)
            .where(expired)
            .values(text_question=None, text_until=None, revision=StoredQuote.revision + 1)
        ).rowcount
    fold_journal(engine)
    return changed


def fold_journal(engine: Engine) -> None:
    """Move SQLite's write-ahead journal into the file and empty it; nothing on PostgreSQL, whose vacuum does as much."""
    if is_sqlite(engine):
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _found(connection: Connection, tenant: str, quote: str, now: datetime) -> Quote:
    row = connection.execute(
        select(StoredQuote.__table__).where(StoredQuote.tenant == tenant, StoredQuote.quote == quote)
    ).first()
    if row is None:
        raise _unknown()
    found = {name: getattr(row, name) for name in (*_FACTS, *_CONTENT)}
    if row.text_until is not None and row.text_until <= now:
        found |= {"text_question": None, "text_until": None}
    return Quote(**found)


def _check_revision(connection: Connection, tenant: str, quote: str, revision: int) -> None:
    found = connection.scalar(
        select(StoredQuote.revision).where(StoredQuote.tenant == tenant, StoredQuote.quote == quote)
    )
    if found is None:
        raise _unknown()
    if found != revision:
        raise PermillionError("precondition-failed", "the quote was changed meanwhile; read it again")


def _unknown() -> PermillionError:
    return PermillionError("unknown-quote", "there is no such quote; see GET /quotes")

"""Publishing private rows: one transaction, corrections supersede, nothing is overwritten.

A new row takes the time it says from what was believed of its slot; what is left of an older row before and after it is
recorded again as rows of their own, so that the old row stays readable as what was believed until now.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, or_, select, update

from catalog.corrections import EARLIEST, Believed, clear, correct, start_of
from catalog.engine import reading, writing
from catalog.models import StoredProvider, StoredSource
from catalog.price_tables import StoredBook, StoredPrice
from catalog.publishing.checks import ClearedRate, KnownProvider, NewBook, NewRow, check_book, check_rows
from catalog.publishing.private_books import open_book, open_models, open_sources, source_fingerprint
from catalog.publishing.terms import TermEntry, check_entries, publish_terms
from catalog.records import from_db_price, from_db_schedules, from_db_vocabulary, price_fingerprint, to_db_price
from catalog.versions import latest_version, next_version, record_version
from catalog.writes import chunks, insert_all, supersede
from economics.contracts.terms import Term
from economics.periods import Period
from economics.prices import PriceRow
from providers.sheet import Source

_NO_MODEL: Final = 0


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What a publication did.

    Args:
        price_book: id of the book.
        added: rows and terms of the request that are believed now and were not before; a new period of the book is a term.
        superseded: recorded rows and terms that are believed no longer.
        remainders: what was left of those rows outside of the new rows' time, recorded again.
        unchanged: rows and terms of the request that were believed already, or cleared where nothing was believed.
        version: the catalog version after it.
        recorded_at: when it is believed from.
    """

    price_book: str
    added: int
    superseded: int
    remainders: int
    unchanged: int
    version: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Publication:
    """Rows and terms for one book.

    `sources` is, by title, what is known of the rows' sources beyond it (licence, version, lineage).
    """

    book: NewBook
    rows: Sequence[NewRow | ClearedRate] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    terms: Sequence[TermEntry] = ()


def publish_private_rows(
    engine: Engine, tenant: str, book: NewBook, rows: Sequence[NewRow], recorded_at: datetime
) -> PublishReport:
    """As `publish_parts`, into one book."""
    return publish_parts(engine, tenant, [Publication(book, rows)], recorded_at)[0]


def publish_parts(
    engine: Engine, tenant: str, parts: Sequence[Publication], recorded_at: datetime
) -> list[PublishReport]:
    """Make a tenant's private books say what `parts` say, all of it or nothing.

    Args:
        engine: of a migrated database.
        tenant: whose books they are.
        parts: a book is made where there is none of that id; an existing one keeps currency, base and tax. Of one slot no
            two rows of a part may overlap in time.
        recorded_at: when this is believed from; never earlier than what is recorded already.

    Raises:
        PermillionError: `read-only-book`, `unknown-price-book` (also for a book that is not there and of which something
            is only to be cleared), `invalid-fields`, `unknown-context`, `overlapping-prices`,
            `catalog-busy`; nothing is written then.
    """
    with reading(engine) as connection:
        listed = list_books(connection)
        for part in parts:
            check_book(part.book, listed)
        known = known_providers(connection)
    checked = [
        replace(part, rows=check_rows(part.book, part.rows, known), terms=check_entries(part.terms, known))
        for part in parts
    ]
    with writing(engine) as connection:
        return [_publish(connection, tenant, part, recorded_at) for part in checked]


def _publish(connection: Connection, tenant: str, part: Publication, recorded_at: datetime) -> PublishReport:
    book, rows = part.book, part.rows
    number, at = next_version(connection, recorded_at)
    book_id, tally = open_book(connection, tenant, book, number, at, made=not _only_clears(part))
    scope = {"tenant": tenant, "price_book_id": book_id, "recorded_at": at}
    model_ids = open_models(connection, scope, [new for new in rows if isinstance(new, NewRow)], tally)
    slots, stored = _believed(connection, book_id, {_slot(new, model_ids) for new in rows}, _span(rows))
    gone: list[int] = []
    cleared: list[int] = []
    unchanged = emptied = 0
    for new in rows:
        slot = _slot(new, model_ids)
        if isinstance(new, ClearedRate):
            slots[slot], displaced = clear(slots[slot], new.period)
            cleared.extend(old.row_id for old in displaced if old.row_id is not None)
            emptied, unchanged = emptied + bool(displaced), unchanged + (not displaced)
            continue
        if _is_believed(new.row, slots[slot], stored):
            unchanged += 1
            continue
        slots[slot], displaced = correct(slots[slot], new.row)
        gone.extend(old.row_id for old in displaced if old.row_id is not None)
    keys = {model_id: key for key, model_id in model_ids.items()}
    for row_id in (*gone, *cleared):
        tally.remove(["row", *keys[stored[row_id].model_id], stored[row_id].fingerprint])
    supersede(connection, gone, at, "corrected")
    supersede(connection, cleared, at, "removed")
    fresh = [(model_id, b.row) for (model_id, _), some in slots.items() for b in some if b.row_id is None]
    source_ids = open_sources(connection, tenant, {row.provenance.source for _, row in fresh}, part.sources, at)
    values: list[dict[str, Any]] = []
    for model_id, row in fresh:
        print_ = _fingerprint(row)
        tally.add(["row", *keys[model_id], print_])
        of_row = {"model_id": model_id, "source_id": source_ids[row.provenance.source], "fingerprint": print_}
        values.append(to_db_price(row, row.currency) | scope | of_row)
    insert_all(connection, StoredPrice, values)
    added = len(rows) - unchanged - emptied
    terms = publish_terms(connection, scope, part.terms, book.bounds, tally)
    if tally.touched:
        changed = {"digest": tally.digest(), "changed_in": number}
        connection.execute(update(StoredBook).where(StoredBook.id == book_id).values(changed))
        version = record_version(connection, number, at, "private rows published")
    else:
        version = latest_version(connection)
    return PublishReport(
        book.id,
        added + terms.added,
        len(gone) + len(cleared) + terms.superseded,
        len(fresh) - added,
        unchanged + terms.unchanged,
        str(version),
        version.recorded_at,
    )


def _slot(new: NewRow | ClearedRate, model_ids: Mapping[tuple[str, str], int]) -> tuple[int, str]:
    """Model and slot of a row; a rate that is cleared does not make its model known."""
    slot = new.slot if isinstance(new, ClearedRate) else new.row.slot
    return model_ids.get(new.model_key, _NO_MODEL), slot


def _only_clears(part: Publication) -> bool:
    """Whether all that is said is that something is believed no longer: no book begins with that."""
    said = [isinstance(new, NewRow) for new in part.rows] + [isinstance(term, Term) for term in part.terms]
    return bool(said) and not any(said) and not part.book.bounds


def list_books(connection: Connection) -> frozenset[str]:
    """The ids of all list books."""
    found = select(StoredBook.name).where(StoredBook.kind == "list", StoredBook.withdrawn_at.is_(None)).distinct()
    return frozenset(connection.scalars(found))


def known_providers(connection: Connection) -> dict[str, KnownProvider]:
    """What the list says of its vendors, by case-folded name."""
    found = connection.execute(
        select(StoredProvider.name, StoredProvider.vocabulary, StoredProvider.schedules).where(
            StoredProvider.withdrawn_at.is_(None)
        )
    )
    return {
        row.name.casefold(): KnownProvider(from_db_vocabulary(row.vocabulary), from_db_schedules(row.schedules))
        for row in found
    }


def _span(rows: Sequence[NewRow | ClearedRate]) -> Period:
    """From the earliest start to the latest end of the rows: what is believed outside of it stays as it is."""
    periods = [new.period if isinstance(new, ClearedRate) else new.row.period for new in rows]
    starts = [period.valid_from for period in periods]
    ends = [period.valid_to for period in periods]
    start = None if None in starts else min((s for s in starts if s is not None), default=None)
    return Period(start, None if None in ends else max((e for e in ends if e is not None), default=None))


def _believed(
    connection: Connection, book_id: int, slots: set[tuple[int, str]], span: Period
) -> tuple[dict[tuple[int, str], list[Believed]], dict[int, Any]]:
    """What is believed of `slots` in `span`, in the order of their starts, and the stored rows by id."""
    found: dict[tuple[int, str], list[Believed]] = {slot: [] for slot in sorted(slots)}
    stored: dict[int, Any] = {}
    inside: list[ColumnElement[bool]] = []
    if span.valid_from is not None:
        inside.append(or_(StoredPrice.valid_to.is_(None), StoredPrice.valid_to > span.valid_from))
    if span.valid_to is not None:
        inside.append(or_(StoredPrice.valid_from.is_(None), StoredPrice.valid_from < span.valid_to))
    for some in chunks(sorted({model_id for model_id, _ in slots})):
        rows = connection.execute(
            select(StoredPrice, StoredSource.title.label("source"))
            .join(StoredSource, StoredSource.id == StoredPrice.source_id)
            .where(
                StoredPrice.price_book_id == book_id,
                StoredPrice.model_id.in_(some),
                StoredPrice.superseded_at.is_(None),
                *inside,
            )
            .order_by(StoredPrice.id)
        )
        for row in rows:
            believed = found.get((row.model_id, row.slot))
            if believed is None:
                continue
            price = from_db_price(row, row.source)
            if isinstance(price, PriceRow):
                stored[row.id] = row
                believed.append(Believed(price, row.id))
    for believed in found.values():
        believed.sort(key=start_of)
    return found, stored


def _is_believed(row: PriceRow, believed: Sequence[Believed], stored: Mapping[int, Any]) -> bool:
    """Whether exactly this row is recorded and believed."""
    place = bisect_left(believed, row.period.valid_from or EARLIEST, key=start_of)
    old = believed[place].row_id if place < len(believed) else None
    return old is not None and bool(stored[old].fingerprint == _fingerprint(row))


def _fingerprint(row: PriceRow) -> str:
    return price_fingerprint(source_fingerprint(row.provenance.source), to_db_price(row, row.currency))

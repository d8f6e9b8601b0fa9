"""Reading a snapshot from the database: all of it, or only the shelves that changed since another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, or_, select

from catalog.engine import reading
from catalog.models import StoredAlias, StoredModel, StoredProvider, StoredSource, StoredVersion
from catalog.price_tables import StoredBook, StoredPrice, StoredTerm
from catalog.records import from_db_limits, from_db_schedules, from_db_unpriced, from_db_vocabulary
from catalog.reference.reading import read_reference
from catalog.snapshot.facts import AliasFacts, BookFacts, ModelFacts, ProviderFacts
from catalog.snapshot.lookup import Snapshot
from catalog.snapshot.shelves import ROW_COLUMNS, DatedAlias, ListShelf, PrivateShelf, ShelvedRows
from catalog.term_records import from_db_contract
from catalog.tokenizer_files import read_files
from catalog.versions import Version, latest_version
from economics.periods import Period
from providers.sheet import Source

_EVERYTHING = -1
_FETCHED = 10_000
"""Rows fetched at a time; those of one offer follow each other."""


def read_snapshot(engine: Engine) -> Snapshot:
    """Everything believed now."""
    return _read(engine, None)


def refresh(engine: Engine, snapshot: Snapshot) -> Snapshot:
    """`snapshot` brought up to date: only providers and private books changed since its version are read.

    Returns:
        `snapshot` itself where nothing changed.
    """
    return _read(engine, snapshot)


def read_snapshot_at(engine: Engine, version: Version) -> Snapshot:
    """What was believed while `version` was the newest: rows recorded by then and not yet superseded.

    Facts of models and vendors (limits, context keys) are today's; prices and aliases are those of that time.
    """
    with reading(engine) as connection:
        lists, _ = _list_shelves(connection, _EVERYTHING, version.recorded_at)
        private = _private_shelves(connection, _EVERYTHING, version.recorded_at)
        tokenizers = read_files(connection, version.recorded_at)
        reference = read_reference(connection, version.recorded_at)
    return Snapshot(version, lists, private, tokenizers, reference)


def _read(engine: Engine, known: Snapshot | None) -> Snapshot:
    with reading(engine) as connection:
        version = latest_version(connection)
        if known is not None and version.number == known.number:
            return known
        # a lower number is another database, or an older copy of this one: nothing known can be kept
        since = known.number if known is not None and known.number < version.number else _EVERYTHING
        lists, withdrawn = _list_shelves(connection, since)
        private = _private_shelves(connection, since, known=known if since != _EVERYTHING else None)
        tokenizers = read_files(connection)
        kept = None if known is None or since == _EVERYTHING else known.reference
        reference = read_reference(connection, since=since, known=kept)
    if known is None or since == _EVERYTHING:
        return Snapshot(version, lists, private, tokenizers, reference)
    return known.with_changes(version, lists, private, tokenizers, reference, withdrawn)


def _list_shelves(
    connection: Connection, since: int, known_at: datetime | None = None
) -> tuple[dict[str, ListShelf], list[str]]:
    """Shelves of the providers changed after version `since`, and the keys of those withdrawn."""
    providers = connection.execute(
        select(StoredProvider).where(StoredProvider.changed_in > since).order_by(StoredProvider.name)
    ).all()
    changed = select(StoredProvider.id).where(StoredProvider.changed_in > since, StoredProvider.withdrawn_at.is_(None))
    sources = _grouped(connection, _of_sheet(StoredSource, changed), "provider_id")
    books = _grouped(connection, _of_sheet(StoredBook, changed), "provider_id")
    models = _grouped(connection, _of_sheet(StoredModel, changed), "provider_id")
    aliases = _grouped(
        connection,
        select(StoredAlias)
        .join(StoredModel, StoredModel.id == StoredAlias.model_id)
        .where(StoredModel.provider_id.in_(changed), *_believed(StoredAlias, known_at))
        .order_by(StoredAlias.id),
        "model_id",
    )
    rows = _shelved(connection, select(StoredBook.id).where(StoredBook.provider_id.in_(changed)), known_at)
    shelves = {
        provider.name.casefold(): _list_shelf(
            provider, sources[provider.id], books[provider.id], models[provider.id], aliases, rows
        )
        for provider in providers
        if provider.withdrawn_at is None
    }
    return shelves, [provider.name.casefold() for provider in providers if provider.withdrawn_at is not None]


def _of_sheet(kind: type[StoredSource | StoredBook | StoredModel], providers: Select[int]) -> Select[Any]:
    columns = kind.__table__.c
    return (
        select(kind.__table__)
        .where(columns.provider_id.in_(providers), columns.withdrawn_at.is_(None))
        .order_by(columns.id)
    )


def _grouped(connection: Connection, statement: Select[Any], by: str) -> defaultdict[int, list[Any]]:
    groups: defaultdict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(statement):
        groups[getattr(row, by)].append(row)
    return groups


def _believed(
    kind: type[StoredPrice | StoredAlias | StoredTerm], known_at: datetime | None
) -> tuple[ColumnElement[bool], ...]:
    """What is believed now, or was at `known_at`."""
    if known_at is None:
        return (kind.superseded_at.is_(None),)
    return (kind.recorded_at <= known_at, or_(kind.superseded_at.is_(None), kind.superseded_at > known_at))


def _shelved(
    connection: Connection, books: Select[int], known_at: datetime | None, models: Select[int] | None = None
) -> dict[int, dict[int, ShelvedRows]]:
    """Believed rows of `books` by book and model, of these `models` or of all."""
    of_models = () if models is None else (StoredPrice.model_id.in_(models),)
    believed = (StoredPrice.price_book_id.in_(books), *of_models, *_believed(StoredPrice, known_at))
    used = select(StoredPrice.source_id).where(*believed)
    named = select(StoredSource.id, StoredSource.title).where(StoredSource.id.in_(used))
    titles = dict(connection.execute(named).all())
    ordered = (
        select(*ROW_COLUMNS)
        .where(*believed)
        .order_by(StoredPrice.price_book_id, StoredPrice.model_id, StoredPrice.id)
        .execution_options(yield_per=_FETCHED)
    )
    shelved: dict[int, dict[int, ShelvedRows]] = {}
    with connection.execute(ordered) as found:
        for (book, model), rows in groupby(found, key=lambda row: (row.price_book_id, row.model_id)):
            shelved.setdefault(book, {})[model] = ShelvedRows(rows, titles)
    return shelved


def _list_shelf(
    provider: Any,
    sources: Sequence[Any],
    books: Sequence[Any],
    models: Sequence[Any],
    aliases: Mapping[int, Sequence[Any]],
    rows: Mapping[int, Mapping[int, ShelvedRows]],
) -> ListShelf:
    priced = {(model_id, book.name): some for book in books for model_id, some in rows.get(book.id, {}).items()}
    newest = [some.checked_newest for some in priced.values() if some.checked_newest is not None]
    oldest = [some.checked_oldest for some in priced.values() if some.checked_oldest is not None]
    facts = ProviderFacts(
        provider.name,
        provider.title,
        provider.homepage,
        from_db_vocabulary(provider.vocabulary),
        from_db_schedules(provider.schedules),
        {book.name: _book(book) for book in books},
        {source.source_key: _source(source) for source in sources},
        max(newest, default=None),
        min(oldest, default=None),
    )
    by_alias: dict[str, list[DatedAlias]] = {}
    shelved: dict[str, ModelFacts] = {}
    for model in sorted(models, key=lambda model: str(model.model_key)):  # sorted here: collations differ
        named = sorted(aliases.get(model.id, ()), key=lambda alias: (str(alias.alias).casefold(), alias.id))
        for alias in named:
            dated = DatedAlias(alias.alias, Period(alias.valid_from, alias.valid_to), model.model_key)
            by_alias.setdefault(alias.alias.casefold(), []).append(dated)
        in_books = tuple(book.name for book in books if (model.id, book.name) in priced)
        shelved[model.model_key] = _model(model, named, in_books)
    keys = {model.id: model.model_key for model in models}
    return ListShelf(facts, shelved, by_alias, {(keys[model_id], book): r for (model_id, book), r in priced.items()})


def _private_shelves(
    connection: Connection, since: int, known_at: datetime | None = None, known: Snapshot | None = None
) -> dict[tuple[str, str], PrivateShelf]:
    """Shelves of the private books changed after version `since`, by tenant and id.

    Of a book that `known` has, only the offers that something was recorded of since are read again: a row more in a book
    of a million costs the row.
    """
    private = (StoredBook.kind == "private", StoredBook.changed_in > since)
    books = connection.execute(select(StoredBook).where(*private).order_by(StoredBook.tenant, StoredBook.name)).all()
    changed = select(StoredBook.id).where(*private)
    models = _grouped(
        connection,
        select(StoredModel).where(StoredModel.price_book_id.in_(changed)).order_by(StoredModel.id),
        "price_book_id",
    )
    kept = {(book.tenant, book.name): known.private_shelf(book.name, book.tenant) for book in books} if known else {}
    touched = None if known is None or None in kept.values() else _touched(connection, changed, known)
    rows = _shelved(connection, changed, known_at, touched)
    feeds = _feeds(connection, changed)
    terms = _grouped(
        connection,
        select(StoredTerm)
        .where(StoredTerm.price_book_id.in_(changed), *_believed(StoredTerm, known_at))
        .order_by(StoredTerm.id),
        "price_book_id",
    )
    stale = set() if touched is None else set(connection.scalars(touched))
    shelves: dict[tuple[str, str], PrivateShelf] = {}
    for book in books:
        own = dict(sorted(((m.provider_key, m.model_key), m) for m in models[book.id]))
        facts = {key: replace(_model(m, (), (book.name,)), private_book=book.name) for key, m in own.items()}
        by_model = rows.get(book.id, {})
        if touched is not None and (shelf := kept[book.tenant, book.name]) is not None:
            by_model |= {m.id: shelf.rows[key] for key, m in own.items() if key in shelf.rows and m.id not in stale}
        shelves[book.tenant, book.name] = PrivateShelf(
            _book(book),
            facts,
            {key: by_model[m.id] for key, m in own.items() if m.id in by_model},
            feeds.get(book.id, {}),
            from_db_contract(book.name, terms[book.id]) if book.id in terms else None,
        )
    return shelves


def _touched(connection: Connection, books: Select[int], known: Snapshot) -> Select[int]:
    """Models of `books` of which a row was recorded or superseded after the version `known`."""
    later = select(StoredVersion.recorded_at).where(StoredVersion.number > known.number)
    since = connection.scalars(later.order_by(StoredVersion.recorded_at).limit(1)).one()
    return (
        select(StoredPrice.model_id)
        .where(
            StoredPrice.price_book_id.in_(books),
            or_(StoredPrice.recorded_at >= since, StoredPrice.superseded_at >= since),
        )
        .distinct()
    )


def _feeds(connection: Connection, books: Select[int]) -> dict[int, dict[str, Source]]:
    """The imported sources that rows of `books` ever named, by title; what a tenant typed in is none."""
    used = (
        select(StoredPrice.price_book_id, StoredPrice.source_id)
        .join(StoredSource, StoredSource.id == StoredPrice.source_id)
        .where(StoredPrice.price_book_id.in_(books), StoredSource.kind != "private")
        .distinct()
        .subquery()
    )
    found: dict[int, dict[str, Source]] = {}
    named = select(StoredSource.__table__, used.c.price_book_id).join(used, used.c.source_id == StoredSource.id)
    for stored in connection.execute(named.order_by(StoredSource.id)):
        found.setdefault(stored.price_book_id, {})[stored.title] = _source(stored)
    return found


def _book(book: Any) -> BookFacts:
    return BookFacts(
        book.name,
        book.kind,
        book.base,
        book.currency,
        book.title,
        book.tax_included,
        book.tax_rate,
        book.tenant,
    )


def _source(source: Any) -> Source:
    return Source(
        title=source.title,
        kind=source.kind,
        url=source.url,
        version=source.version,
        license=source.license,
        retrieved_on=source.retrieved_on,
        note=source.note,
        lineage=source.lineage,
    )


def _model(model: Any, aliases: Sequence[Any], books: tuple[str, ...]) -> ModelFacts:
    return ModelFacts(
        provider=model.provider,
        model=model.model,
        name=model.name,
        released_on=model.released_on,
        retired_on=model.retired_on,
        successor=model.successor,
        max_input_tokens=model.max_input_tokens,
        max_output_tokens=model.max_output_tokens,
        note=model.note,
        aliases=tuple(AliasFacts(a.alias, Period(a.valid_from, a.valid_to), a.source) for a in aliases),
        books=books,
        tokenizer=model.tokenizer,
        limits=from_db_limits(model.limits),
        unpriced=from_db_unpriced(model.unpriced),
    )

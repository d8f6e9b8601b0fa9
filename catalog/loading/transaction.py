"""Loading the shipped sheets: idempotent, in one transaction, superseding instead of overwriting.

The sheets given are all there are: a provider that is not among them is withdrawn. Of each provider the digest of its
content is stored; where all are unchanged nothing is written. Where one changed, rows are compared by fingerprint: those
gone are superseded, those new are added, the rest stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, insert, select, update

from catalog.engine import reading, writing
from catalog.loading.sheets import REVOKED, SheetAlias, SheetRecords, SheetRow, Values, sheet_records
from catalog.models import StoredAlias, StoredModel, StoredProvider, StoredSource
from catalog.price_tables import StoredBook, StoredPrice
from catalog.versions import latest_version, next_version, record_version
from catalog.writes import insert_all, supersede
from economics.errors import PermillionError
from providers.content import ProviderContent


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Price rows added, superseded and left as they were, and the catalog version after it."""

    added: int
    superseded: int
    unchanged: int
    version: str


@dataclass(frozen=True, slots=True)
class _Change:
    """The version being written."""

    connection: Connection
    number: int
    at: datetime


def load_providers(engine: Engine, contents: Iterable[ProviderContent], recorded_at: datetime) -> LoadReport:
    """Make the list books say what `contents` say.

    Args:
        engine: of a migrated database.
        contents: of every provider there is.
        recorded_at: when this is believed from; never earlier than what is recorded already.

    Returns:
        What changed. Unchanged contents write nothing and keep the version.

    Raises:
        PermillionError: `invalid-sheet`, before anything is written; `catalog-busy`.
    """
    sheets = [sheet_records(content) for content in contents]
    if len({sheet.provider["name"] for sheet in sheets}) < len(sheets):
        raise PermillionError("invalid-sheet", "two providers have one name")
    total = sum(len(sheet.rows) for sheet in sheets)
    wanted = {sheet.provider["name"]: sheet.digest for sheet in sheets}
    with reading(engine) as connection:
        if _digests(connection) == wanted:
            return LoadReport(0, 0, total, str(latest_version(connection)))
    with writing(engine) as connection:
        stored = _digests(connection)  # another process may have loaded them while this one waited
        if stored == wanted:
            return LoadReport(0, 0, total, str(latest_version(connection)))
        change = _Change(connection, *next_version(connection, recorded_at))
        added = superseded = 0
        for sheet in sheets:
            if stored.get(sheet.provider["name"]) != sheet.digest:
                more, fewer = _load(change, sheet)
                added, superseded = added + more, superseded + fewer
        superseded += sum(_withdraw(change, name) for name in stored.keys() - wanted.keys())
        version = record_version(connection, change.number, change.at, "sheets loaded")
    return LoadReport(added, superseded, total - added, str(version))


def _digests(connection: Connection) -> dict[str, str]:
    found = select(StoredProvider.name, StoredProvider.digest).where(StoredProvider.withdrawn_at.is_(None))
    return dict(connection.execute(found).all())


def _load(change: _Change, sheet: SheetRecords) -> tuple[int, int]:
    connection, at = change.connection, change.at
    provider_id = _provider(change, sheet)
    source_ids = _sync(change, StoredSource, "fingerprint", provider_id, sheet.sources)
    books = {name: values | {"kind": "list", "changed_in": change.number} for name, values in sheet.books.items()}
    book_ids = _sync(change, StoredBook, "name", provider_id, books)
    model_ids = _sync(change, StoredModel, "model_key", provider_id, sheet.models)
    _aliases(change, provider_id, [(model_ids[alias.model_key], alias) for alias in sheet.aliases])
    wanted = {(book_ids[row.book], model_ids[row.model_key], row.fingerprint): row for row in sheet.rows}
    slots = {(book, model, row.values["slot"]) for (book, model, _), row in wanted.items()}
    gone: dict[str, list[int]] = {"changed": [], "removed": []}
    kept: set[tuple[int, int, str]] = set()
    for row_id, book, model, slot, print_ in _believed(connection, provider_id):
        if (book, model, print_) in wanted:
            kept.add((book, model, print_))
        else:
            gone["changed" if (book, model, slot) in slots else "removed"].append(row_id)
    for why, row_ids in gone.items():
        supersede(connection, row_ids, at, why)

    def _keys(row: SheetRow) -> Values:
        return {
            "price_book_id": book_ids[row.book],
            "model_id": model_ids[row.model_key],
            "source_id": source_ids[row.source],
            "fingerprint": row.fingerprint,
            "recorded_at": at,
        }

    new = [row.values | _keys(row) for key, row in wanted.items() if key not in kept]
    insert_all(connection, StoredPrice, new)
    revoked = [row.values | _keys(row) | {"superseded_at": at, "supersession": "removed"} for row in sheet.revoked]
    known = {(r["price_book_id"], r["model_id"], r["fingerprint"]) for r in _revoked(connection, provider_id)}
    insert_all(
        connection,
        StoredPrice,
        [r for r in revoked if (r["price_book_id"], r["model_id"], r["fingerprint"]) not in known],
    )
    return len(new), sum(map(len, gone.values()))


def _provider(change: _Change, sheet: SheetRecords) -> int:
    connection = change.connection
    values = sheet.provider | {"digest": sheet.digest, "changed_in": change.number, "withdrawn_at": None}
    find = select(StoredProvider.id).where(StoredProvider.name == values["name"])
    found = connection.scalar(find)
    if found is None:
        connection.execute(insert(StoredProvider).values(values | {"recorded_at": change.at}))
        return connection.scalars(find).one()
    connection.execute(update(StoredProvider).where(StoredProvider.id == found).values(values))
    return found


def _sync(
    change: _Change,
    kind: type[StoredSource | StoredBook | StoredModel],
    key: str,
    provider_id: int,
    wanted: Mapping[str, Values],
) -> dict[str, int]:
    """Insert what is new, update what differs, withdraw what is gone; the ids by `key`."""
    connection, columns = change.connection, kind.__table__.c
    find = select(kind.__table__).where(columns.provider_id == provider_id)
    stored = {row[key]: row for row in connection.execute(find).mappings()}
    of_all = {"provider_id": provider_id, "recorded_at": change.at}
    insert_all(connection, kind, [{key: k} | values | of_all for k, values in wanted.items() if k not in stored])
    for k, row in stored.items():
        values = (
            wanted[k] | {"withdrawn_at": None} if k in wanted else {"withdrawn_at": row["withdrawn_at"] or change.at}
        )
        if any(row[name] != value for name, value in values.items()):
            connection.execute(update(kind).where(columns.id == row["id"]).values(values))
    return {row[key]: row["id"] for row in connection.execute(find).mappings()}


def _aliases(change: _Change, provider_id: int, wanted: Sequence[tuple[int, SheetAlias]]) -> None:
    connection = change.connection
    found = connection.execute(
        select(StoredAlias)
        .join(StoredModel, StoredModel.id == StoredAlias.model_id)
        .where(StoredModel.provider_id == provider_id, StoredAlias.superseded_at.is_(None))
    )
    stored = {(a.model_id, a.alias, a.valid_from, a.valid_to, a.source): a.id for a in found}
    new = {(model_id, a.alias, a.valid_from, a.valid_to, a.source) for model_id, a in wanted}
    for key in stored.keys() - new:
        connection.execute(update(StoredAlias).where(StoredAlias.id == stored[key]).values(superseded_at=change.at))
    names = ("model_id", "alias", "valid_from", "valid_to", "source")
    rows = [dict(zip(names, key, strict=True)) | {"recorded_at": change.at} for key in new - stored.keys()]
    insert_all(connection, StoredAlias, rows)


def _believed(connection: Connection, provider_id: int) -> Iterator[tuple[int, int, int, str, str]]:
    """Id, book, model, slot and fingerprint of the provider's rows."""
    found = connection.execute(
        select(
            StoredPrice.id, StoredPrice.price_book_id, StoredPrice.model_id, StoredPrice.slot, StoredPrice.fingerprint
        )
        .join(StoredBook, StoredBook.id == StoredPrice.price_book_id)
        .where(StoredBook.provider_id == provider_id, StoredPrice.superseded_at.is_(None))
    )
    for row in found:
        yield row.id, row.price_book_id, row.model_id, row.slot, row.fingerprint


def _revoked(connection: Connection, provider_id: int) -> Sequence[Mapping[str, Any]]:
    """What of the provider is recorded as announced and taken back."""
    found = (
        select(StoredPrice.price_book_id, StoredPrice.model_id, StoredPrice.fingerprint)
        .join(StoredBook, StoredBook.id == StoredPrice.price_book_id)
        .where(StoredBook.provider_id == provider_id, StoredPrice.status == REVOKED)
    )
    return [dict(row) for row in connection.execute(found).mappings()]


def _withdraw(change: _Change, name: str) -> int:
    """Believe nothing of a provider any more; how many rows that were."""
    connection = change.connection
    provider_id = connection.scalars(select(StoredProvider.id).where(StoredProvider.name == name)).one()
    rows = [row_id for row_id, *_ in _believed(connection, provider_id)]
    supersede(connection, rows, change.at, "removed")
    _aliases(change, provider_id, [])
    _sync(change, StoredSource, "fingerprint", provider_id, {})
    _sync(change, StoredBook, "name", provider_id, {})
    _sync(change, StoredModel, "model_key", provider_id, {})
    connection.execute(
        update(StoredProvider)
        .where(StoredProvider.id == provider_id)
        .values(withdrawn_at=change.at, changed_in=change.number)
    )
    return len(rows)

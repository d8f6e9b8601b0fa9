"""What changed in the catalog since an instant, and what is about to: the records behind a price watch.

Prices change in two ways. What is believed changes when rows are recorded and superseded; what holds changes when a believed
row ends and another begins. Both are read here; what it means is said in `catalog.price_news`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, or_, select

from catalog.engine import reading
from catalog.models import StoredModel, StoredProvider, StoredSource, StoredTokenizerFile, StoredVersion
from catalog.price_tables import StoredBook, StoredPrice
from catalog.reference.watching import record_changes
from catalog.versions import Version, latest_version, version_at
from catalog.writes import chunks
from economics.errors import PermillionError

_VERSION: Final = re.compile(r"([0-9]{1,18})(?:-([0-9a-f]{8}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedPrice:
    """A price row with its two times; `slot` is meter, conditions and tier, of which one row holds at a time."""

    id: int
    provider: str
    model: str
    price_book: str
    slot: str
    kind: str
    meter: str
    conditions: Any
    rate: Decimal
    per: int
    currency: str
    min_input_tokens: int | None
    valid_from: datetime | None
    valid_to: datetime | None
    source: str
    checked_on: date | None
    status: str
    recorded_at: datetime
    superseded_at: datetime | None
    supersession: str | None

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Of which price this is one dated row."""
        return self.price_book, self.provider, self.model, self.slot

    @property
    def price(self) -> tuple[Decimal, int, str]:
        """What it costs."""
        return self.rate, self.per, self.currency


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedRecord:
    """Something else that came or went: a model, a provider, a tokenizer file, a record of a machine; `at` is when, `recorded_at` since when known."""

    kind: str
    id: int
    provider: str | None
    name: str
    at: datetime
    recorded_at: datetime
    detail: str


@dataclass(frozen=True, slots=True)
class Watched:
    """Everything a watch reads, of one consistent view of the database.

    Args:
        since: the version from which on changes are told; the first one at the earliest.
        first: the first version: what it brought is no news.
        version: the newest.
        moved: rows recorded or superseded since.
        before: believed rows that end where a row of `moved` begins.
        bounds: believed rows that begin or end after now and within the days ahead.
        aging: believed rows in force whose last check passed 90 days since, or had when they were recorded since.
        records: what else came or went, or is about to.
    """

    since: Version
    first: Version
    version: Version
    moved: Sequence[DatedPrice]
    before: Sequence[DatedPrice]
    bounds: Sequence[DatedPrice]
    aging: Sequence[DatedPrice]
    records: Sequence[DatedRecord]


def sheets_loaded_since(engine: Engine, number: int) -> dict[str, str]:
    """Providers whose sheet was loaded anew after catalog version `number`, each with the version that did it."""
    with reading(engine) as connection:
        found = connection.execute(
            select(StoredProvider.name, StoredVersion.number, StoredVersion.digest)
            .join(StoredVersion, StoredVersion.number == StoredProvider.changed_in)
            .where(StoredProvider.changed_in > number)
        )
        return {name: f"{version}-{digest[:8]}" for name, version, digest in found}


def read_watched(
    engine: Engine, tenant: str, since: datetime | str, now: datetime, ahead: timedelta, stale_after: timedelta
) -> Watched:
    """What a watch needs.

    Args:
        engine: of a migrated database.
        tenant: whose private books and tokenizers are seen.
        since: an instant, or a catalog version as answers name it (`12-3fa94c1b`, or its number).
        now: until when.
        ahead: how far the watch looks.
        stale_after: how old a check may be.

    Raises:
        PermillionError: `invalid-fields` for a version that this catalog never had.
    """
    with reading(engine) as connection:
        first = connection.execute(
            select(StoredVersion.number, StoredVersion.digest, StoredVersion.recorded_at)
            .order_by(StoredVersion.number)
            .limit(1)
        ).first()
        newest = latest_version(connection)
        begun = newest if first is None else Version(*first)
        start = _version(connection, since)
        if start.number < begun.number:
            start = begun
        told = max(start.recorded_at, since) if isinstance(since, datetime) else start.recorded_at
        moved = _prices(connection, tenant, or_(StoredPrice.recorded_at > told, StoredPrice.superseded_at > told))
        starts = {row.valid_from for row in moved if row.valid_from is not None and row.superseded_at is None}
        before = [
            row
            for some in chunks(sorted(starts))
            for row in _prices(connection, tenant, _believed(), StoredPrice.valid_to.in_(some))
        ]
        bounds = _prices(
            connection,
            tenant,
            _believed(),
            or_(_within(StoredPrice.valid_from, now, now + ahead), _within(StoredPrice.valid_to, now, now + ahead)),
        )
        oldest, newest_check = ((instant - stale_after).date() for instant in (told, now))
        aging = _prices(
            connection,
            tenant,
            _believed(),
            or_(StoredPrice.checked_on >= oldest, StoredPrice.recorded_at > told),
            StoredPrice.checked_on < newest_check,
            or_(StoredPrice.valid_from.is_(None), StoredPrice.valid_from <= now),
            or_(StoredPrice.valid_to.is_(None), StoredPrice.valid_to > now),
        )
        records = [*_models(connection, told, now, ahead), *_others(connection, tenant, told)]
    return Watched(Version(start.number, start.digest, told), begun, newest, moved, before, bounds, aging, records)


def _version(connection: Connection, since: datetime | str) -> Version:
    if isinstance(since, datetime):
        return version_at(connection, since)
    named = _VERSION.fullmatch(since)
    found = None if named is None else connection.execute(
        select(StoredVersion.number, StoredVersion.digest, StoredVersion.recorded_at).where(
            StoredVersion.number == int(named[1])
        )
    ).first()  # fmt: skip
    if named is None or found is None or (named[2] and not found.digest.startswith(named[2])):
        raise PermillionError(
            "invalid-fields", "since is an instant (RFC 3339) or a catalog version of this database", pointer="/since"
        )
    return Version(*found)


def _believed() -> ColumnElement[bool]:
    return StoredPrice.superseded_at.is_(None)


def _within(column: Any, after: datetime, until: datetime) -> ColumnElement[bool]:
    return and_(column > after, column <= until)


def _prices(connection: Connection, tenant: str, *where: ColumnElement[bool]) -> list[DatedPrice]:
    names = [
        name for name in DatedPrice.__dataclass_fields__ if name not in ("provider", "model", "price_book", "source")
    ]
    statement: Select[Any] = (
        select(
            *(getattr(StoredPrice, name) for name in names),
            StoredModel.provider,
            StoredModel.model,
            StoredBook.name.label("price_book"),
            StoredSource.title.label("source"),
        )
        .join(StoredModel, StoredModel.id == StoredPrice.model_id)
        .join(StoredBook, StoredBook.id == StoredPrice.price_book_id)
        .join(StoredSource, StoredSource.id == StoredPrice.source_id)
        .where(or_(StoredBook.kind == "list", StoredBook.tenant == tenant), *where)
        .order_by(StoredPrice.id)
    )
    return [DatedPrice(**row) for row in connection.execute(statement).mappings()]


def _models(connection: Connection, since: datetime, now: datetime, ahead: timedelta) -> Iterable[DatedRecord]:
    listed = StoredModel.provider_id.is_not(None)
    found = connection.execute(
        select(StoredModel).where(
            listed,
            or_(
                StoredModel.recorded_at > since,
                StoredModel.withdrawn_at > since,
                _within(StoredModel.retired_on, since, now + ahead),
            ),
        ).order_by(StoredModel.id)
    )  # fmt: skip
    for model in found:
        said = {"id": model.id, "provider": model.provider, "name": model.model}
        if model.recorded_at > since:
            yield DatedRecord(
                kind="model_added", at=model.recorded_at, recorded_at=model.recorded_at, detail="", **said
            )
        if model.withdrawn_at is not None and model.withdrawn_at > since:
            yield DatedRecord(
                kind="model_withdrawn", at=model.withdrawn_at, recorded_at=model.withdrawn_at,
                detail="the sheet has it no more", **said,
            )  # fmt: skip
        if model.retired_on is not None and since < model.retired_on <= now + ahead and model.withdrawn_at is None:
            kind = "model_retired" if model.retired_on <= now else "model_will_retire"
            detail = f"successor: {model.successor}" if model.successor else ""
            yield DatedRecord(kind=kind, at=model.retired_on, recorded_at=model.recorded_at, detail=detail, **said)


def _others(connection: Connection, tenant: str, since: datetime) -> Iterable[DatedRecord]:
    """Providers, the tenant's tokenizer files, and records of machines that came or went."""
    of_provider = select(
        StoredProvider.id, StoredProvider.name, StoredProvider.recorded_at, StoredProvider.withdrawn_at
    )
    of_file = select(
        StoredTokenizerFile.id,
        StoredTokenizerFile.tokenizer.label("name"),
        StoredTokenizerFile.recorded_at,
        StoredTokenizerFile.withdrawn_at,
    ).where(StoredTokenizerFile.tenant == tenant)
    for kind, statement in (("provider", of_provider), ("tokenizer", of_file)):
        for row in connection.execute(statement):
            for what, at in (("added", row.recorded_at), ("withdrawn", row.withdrawn_at)):
                if at is not None and at > since:
                    provider = row.name if kind == "provider" else None
                    yield DatedRecord(
                        kind=f"{kind}_{what}",
                        id=row.id,
                        provider=provider,
                        name=row.name,
                        at=at,
                        recorded_at=at,
                        detail="",
                    )
    for change in record_changes(connection, tenant, since):
        yield DatedRecord(
            kind=f"{change.kind}_{change.what}",
            id=change.id,
            provider=None,
            name=change.key,
            at=change.at,
            recorded_at=change.at,
            detail=change.origin,
        )

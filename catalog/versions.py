"""Catalog versions: a number for every recorded change, and a digest of everything that is believed after it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection, insert, select

from catalog.models import StoredProvider, StoredTokenizerFile, StoredVersion
from catalog.price_tables import StoredBook
from catalog.records import fingerprint
from catalog.reference_tables import StoredEdition

_SHOWN_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class Version:
    """A state of the catalog; as text `number-digest`, which every answer names.

    The number counts changes of this database; the digest depends on what is believed alone, so that the same content
    loaded into another database has the same one.

    >>> str(Version(12, "3fa94c1b77aa0d5c", datetime(2026, 11, 30, tzinfo=UTC)))
    '12-3fa94c1b'
    """

    number: int
    digest: str
    recorded_at: datetime

    def __str__(self) -> str:
        return f"{self.number}-{self.digest[:_SHOWN_DIGITS]}"


def latest_version(connection: Connection) -> Version:
    """The newest version; number 0 where nothing was ever recorded."""
    found = connection.execute(
        select(StoredVersion.number, StoredVersion.digest, StoredVersion.recorded_at)
        .order_by(StoredVersion.number.desc())
        .limit(1)
    ).first()
    return Version(0, fingerprint([]), datetime.min.replace(tzinfo=UTC)) if found is None else Version(*found)


def version_at(connection: Connection, known_at: datetime) -> Version:
    """The version that was the newest at `known_at`; number 0 before the first."""
    found = connection.execute(
        select(StoredVersion.number, StoredVersion.digest, StoredVersion.recorded_at)
        .where(StoredVersion.recorded_at <= known_at)
        .order_by(StoredVersion.number.desc())
        .limit(1)
    ).first()
    return Version(0, fingerprint([]), datetime.min.replace(tzinfo=UTC)) if found is None else Version(*found)


def version_numbered(connection: Connection, number: int) -> Version | None:
    """The version of that number, None where this database has none."""
    found = connection.execute(
        select(StoredVersion.number, StoredVersion.digest, StoredVersion.recorded_at).where(
            StoredVersion.number == number
        )
    ).first()
    return None if found is None else Version(*found)


def next_version(connection: Connection, recorded_at: datetime) -> tuple[int, datetime]:
    """Number and instant of the change now being written; recorded time never runs backwards, whatever the clock does."""
    latest = latest_version(connection)
    return latest.number + 1, max(recorded_at, latest.recorded_at)


def record_version(connection: Connection, number: int, recorded_at: datetime, reason: str) -> Version:
    """Record what `catalog.loading`, `.publishing`, `.reference` or `.tokenizer_files` just wrote as version `number`."""
    providers = connection.execute(
        select(StoredProvider.name, StoredProvider.digest).where(StoredProvider.withdrawn_at.is_(None))
    )
    books = connection.execute(
        select(StoredBook.tenant, StoredBook.name, StoredBook.digest).where(StoredBook.kind == "private")
    )
    tokenizers = connection.execute(
        select(
            StoredTokenizerFile.tenant,
            StoredTokenizerFile.tokenizer,
            StoredTokenizerFile.sha256,
            StoredTokenizerFile.pattern,
            StoredTokenizerFile.license,
            StoredTokenizerFile.source,
        ).where(StoredTokenizerFile.withdrawn_at.is_(None))
    )
    parts = [["list", *row] for row in providers] + [["private", *row] for row in books]
    parts += [["tokenizer", *row[:3], row.pattern or "", *row[4:]] for row in tokenizers]
    editions = connection.execute(select(StoredEdition.tenant, StoredEdition.kind, StoredEdition.digest))
    parts += [["reference", tenant or "", kind, digest] for tenant, kind, digest in editions]
    version = Version(number, fingerprint(sorted(parts)), recorded_at)
    connection.execute(
        insert(StoredVersion).values(
            number=version.number, recorded_at=version.recorded_at, digest=version.digest, reason=reason
        )
    )
    return version

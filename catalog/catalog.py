"""The catalog as the services see it: one database, one current snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Final, Literal

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from catalog.engine import joining, open_engine, reading
from catalog.idempotency import forget_keys
from catalog.loading import LoadReport, load_providers
from catalog.migrating import is_at_head, upgrade
from catalog.publishing import NewBook, NewRow, Publication, PublishReport, publish_parts
from catalog.publishing.book_state import book_digest
from catalog.publishing.checks import check_book
from catalog.publishing.sifting import sift_rows
from catalog.publishing.transaction import known_providers, list_books
from catalog.quotes import drop_expired_texts
from catalog.reference.kinds import Kind
from catalog.reference.loading import load_reference
from catalog.reference.writing import RecordReport, record_private
from catalog.snapshot import Snapshot, read_snapshot, read_snapshot_at, refresh
from catalog.snapshot.lookup import DEFAULT_TENANT
from catalog.tokenizer_files import Registration, content_of, record_file, withdraw_file
from catalog.versions import Version, latest_version, version_at, version_numbered
from economics.errors import PermillionError
from providers.content import ProviderContent
from tokenizers_registry.registered.files import RegisteredFile

_EARLIER_KEPT: Final = 4
"""Snapshots of earlier versions kept in memory."""


class Catalog:
    """A database and the snapshot of it that questions are answered from.

    The snapshot is replaced as a whole: a request that took one keeps it to its end. Methods may be called from any thread.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._snapshot: Snapshot | None = None
        self._earlier: dict[int, Snapshot] = {}
        self._lock = Lock()

    @classmethod
    def open(cls, url: str) -> Catalog:
        """The catalog in the database at `url`; nothing is connected or read yet.

        Raises:
            PermillionError: `invalid-settings`, as `catalog.engine.open_engine`.
        """
        return cls(open_engine(url))

    def prepare(self, contents: Iterable[ProviderContent], recorded_at: datetime | None = None) -> LoadReport:
        """Migrate, load the shipped sheets and reference records, and read the first snapshot.

        Args:
            contents: of every provider there is.
            recorded_at: when new content is believed from, now by default.

        Raises:
            PermillionError: `invalid-settings`, `invalid-sheet`, `catalog-busy`.
        """
        upgrade(self.engine)
        report = load_providers(self.engine, contents, recorded_at or datetime.now(UTC))
        load_reference(self.engine, recorded_at or datetime.now(UTC))
        self._swap()
        return report

    @property
    def snapshot(self) -> Snapshot:
        """What is believed now, as far as this process knows.

        Raises:
            PermillionError: `not-ready` before `prepare`.
        """
        if self._snapshot is None:
            raise PermillionError("not-ready", "the catalog is not loaded yet; try again in a moment")
        return self._snapshot

    def book_digest(self, book: str, *, tenant: str = DEFAULT_TENANT) -> str | None:
        """Digest of what a private book holds, within a transaction under way with what it wrote; None where there is none."""
        return book_digest(self.engine, tenant, book)

    def version_now(self) -> str:
        """The newest version, in a transaction under way the one that it is about to make."""
        with joining(self.engine) as connection:
            return str(latest_version(connection))

    def snapshot_at(self, known_at: datetime) -> Snapshot:
        """What was believed at `known_at`: the answer that was given then.

        Raises:
            PermillionError: `missing-price` before anything was recorded, `not-ready` before `prepare`.
        """
        current = self.snapshot
        with reading(self.engine) as connection:
            version = version_at(connection, known_at)
        if version.number == 0:
            raise PermillionError("missing-price", "nothing was recorded yet at known_at", pointer="/known_at")
        return self._snapshot_of(version, current)

    def snapshot_numbered(self, number: int) -> Snapshot:
        """What was believed in the catalog version of that number.

        Raises:
            PermillionError: `missing-price` where this database has no such version, `not-ready` before `prepare`.
        """
        current = self.snapshot
        if number == current.number:
            return current
        with reading(self.engine) as connection:
            version = version_numbered(connection, number)
        if version is None:
            raise PermillionError("missing-price", f"this database has no catalog version {number}")
        return self._snapshot_of(version, current)

    def _snapshot_of(self, version: Version, current: Snapshot) -> Snapshot:
        if version.number == current.number:
            return current
        with self._lock:
            earlier = self._earlier.get(version.number)
        if earlier is None:
            earlier = read_snapshot_at(self.engine, version)
            with self._lock:
                self._earlier[version.number] = earlier
                while len(self._earlier) > _EARLIER_KEPT:
                    del self._earlier[next(iter(self._earlier))]
        return earlier

    def publish(
        self,
        book: NewBook,
        rows: Sequence[NewRow],
        *,
        tenant: str = DEFAULT_TENANT,
        recorded_at: datetime | None = None,
    ) -> PublishReport:
        """Publish private rows into one book; `snapshot` has them when this returns.

        Raises:
            PermillionError: as `catalog.publishing.publish_parts`.
        """
        return self.publish_all([Publication(book, rows)], tenant=tenant, recorded_at=recorded_at)[0]

    def publish_all(
        self, parts: Sequence[Publication], *, tenant: str = DEFAULT_TENANT, recorded_at: datetime | None = None
    ) -> list[PublishReport]:
        """As `publish`, into several books in one transaction: all of it or nothing.

        Raises:
            PermillionError: `read-only-book` too where the tenant's own rates would stand in a feed's book, or a feed's in one
                of the tenant's: nobody could tell any more who says what.
        """
        for part in parts:
            self._check_voice(part, tenant)
        reports = publish_parts(self.engine, tenant, parts, recorded_at or datetime.now(UTC))
        self._swap()
        return reports

    def _check_voice(self, part: Publication, tenant: str) -> None:
        shelf = None if self._snapshot is None else self._snapshot.private_shelf(part.book.id, tenant)
        if shelf is None or not shelf.rows or bool(shelf.feeds) == bool(part.sources) or not part.rows:
            return
        whose = "what an imported feed says" if shelf.feeds else "your own rates"
        raise PermillionError(
            "read-only-book", f"this book is {whose}; choose another book for these", pointer="/price_book/id"
        )

    def sift(self, book: NewBook, rows: Sequence[NewRow]) -> tuple[dict[int, NewRow], dict[int, PermillionError]]:
        """Which of `rows` could be published into `book`, and why the others could not; nothing is written.

        Raises:
            PermillionError: as `publish` where the book itself cannot be written to.
        """
        with reading(self.engine) as connection:
            check_book(book, list_books(connection))
            known = known_providers(connection)
        return sift_rows(book, rows, known)

    def register_tokenizer(
        self, file: RegisteredFile, content: bytes, *, tenant: str = DEFAULT_TENANT
    ) -> tuple[Registration, RegisteredFile]:
        """Record a checked tokenizer file; `snapshot` has it when this returns.

        Raises:
            PermillionError: as `catalog.tokenizer_files.record_file`.
        """
        recorded = record_file(self.engine, tenant, file, content)
        self._swap()
        return recorded

    def record_reference(
        self,
        kind: Kind,
        records: Sequence[Any],
        *,
        imported: bool = False,
        tenant: str = DEFAULT_TENANT,
        recorded_at: datetime | None = None,
    ) -> RecordReport:
        """Record a tenant's own records of machines, all or none; `snapshot` has them when this returns.

        Raises:
            PermillionError: as `catalog.reference.writing.record_private`.
        """
        origin: Literal["private", "import"] = "import" if imported else "private"
        report = record_private(self.engine, tenant, kind, records, recorded_at or datetime.now(UTC), origin)
        self._swap()
        return report

    def withdraw_tokenizer(
        self, tokenizer: str, *, tenant: str = DEFAULT_TENANT, at: datetime | None = None
    ) -> tuple[bool, RegisteredFile]:
        """Take a registered tokenizer out of use.

        Raises:
            PermillionError: as `catalog.tokenizer_files.withdraw_file`.
        """
        withdrawn = withdraw_file(self.engine, tenant, tokenizer, at or datetime.now(UTC))
        self._swap()
        return withdrawn

    def tokenizer_content(self, sha256: str) -> bytes | None:
        """The bytes of a registered file, None where there is none with this sha256."""
        return content_of(self.engine, sha256)

    def refresh_if_changed(self) -> bool:
        """Take over what other processes published; whether there was anything. One indexed read where there was not."""
        with reading(self.engine) as connection:
            if self._snapshot is not None and latest_version(connection).number == self._snapshot.number:
                return False
        return self._swap()

    def try_refresh(self) -> bool:
        """As `refresh_if_changed`; False where the database does not answer, which `ready` says too."""
        try:
            return self.refresh_if_changed()
        except (PermillionError, SQLAlchemyError):
            return False

    def try_to_forget(self, now: datetime) -> int:
        """Delete kept texts of quotes and answers under keys whose time is over; 0 where the database is busy or away."""
        try:
            return drop_expired_texts(self.engine, now) + forget_keys(self.engine, now)
        except (PermillionError, SQLAlchemyError):
            return 0

    def ready(self) -> bool:
        """Whether a snapshot is loaded, the database answers and its schema is the one of this code."""
        try:
            return self._snapshot is not None and is_at_head(self.engine)
        except (PermillionError, SQLAlchemyError):
            return False

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _swap(self) -> bool:
        with self._lock:  # so that an older state read meanwhile never replaces a newer one
            before = self._snapshot
            self._snapshot = read_snapshot(self.engine) if before is None else refresh(self.engine, before)
            return self._snapshot is not before

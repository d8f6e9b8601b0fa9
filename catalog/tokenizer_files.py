"""Tokenizer files that tenants registered: recorded, withdrawn, never overwritten, since answers relied on what an id meant."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import Connection, Engine, insert, select, update

from catalog.engine import reading, writing
from catalog.models import StoredTenant, StoredTokenizerFile
from catalog.versions import next_version, record_version
from economics.errors import PermillionError
from tokenizers_registry.registered.files import CheckedFile, RegisteredFile

Registration = Literal["added", "unchanged"]

_COLUMNS: Final = tuple(column for column in StoredTokenizerFile.__table__.c if column.name not in {"id", "content"})
_FACTS: Final = ("format", "sha256", "size", "pattern", "entries", "memory_mib", "note")


def record_file(
    engine: Engine, tenant: str, file: RegisteredFile, content: bytes
) -> tuple[Registration, RegisteredFile]:
    """Record a checked file under its id.

    Args:
        engine: of a migrated database.
        tenant: who alone can count with it.
        file: what is known of it; believed from its `recorded_at`, never earlier than what is recorded already.
        content: its bytes.

    Returns:
        Whether it is new, and the file as it is recorded: the earlier one where it says the same.

    Raises:
        PermillionError: `tokenizer-exists`, see `refuse_other`; `catalog-busy`, `invalid-fields` for an unknown tenant.
    """
    with writing(engine) as connection:
        if connection.scalar(select(StoredTenant.id).where(StoredTenant.id == tenant)) is None:
            raise PermillionError("invalid-fields", "there is no such tenant")
        known = _latest(connection, tenant, file.tokenizer)
        if known is not None:
            refuse_other(known, file)
            if known.withdrawn_at is None:
                return "unchanged", known
        number, at = next_version(connection, file.recorded_at)
        checked = file.checked
        connection.execute(
            insert(StoredTokenizerFile).values(
                {name: getattr(checked, name) for name in _FACTS}
                | {
                    "tenant": tenant,
                    "tokenizer": file.tokenizer,
                    "probe_counts": list(checked.probe_counts),
                    "license": file.license,
                    "source": file.source,
                    "content": content,
                    "recorded_at": at,
                }
            )
        )
        record_version(connection, number, at, "tokenizer registered")
    return "added", RegisteredFile(file.tokenizer, checked, file.license, file.source, at)


def refuse_other(known: RegisteredFile, new: RegisteredFile) -> None:
    """Refuse to let an id mean something else, though it was withdrawn: counts made with it would be another one's.

    The words (license, source) may be others once it is withdrawn.

    Raises:
        PermillionError: `tokenizer-exists`.
    """
    if known.checked.fingerprint != new.checked.fingerprint:
        raise PermillionError(
            "tokenizer-exists",
            f"{new.tokenizer} is registered with another file or pattern; register this one under another id",
            pointer="/id",
        )
    if known.withdrawn_at is None and (known.license, known.source) != (new.license, new.source):
        raise PermillionError(
            "tokenizer-exists",
            f"{new.tokenizer} is registered with another license or source; to mend them withdraw it first",
            pointer="/id",
        )


def withdraw_file(engine: Engine, tenant: str, tokenizer: str, at: datetime) -> tuple[bool, RegisteredFile]:
    """Take a tokenizer out of use; it stays readable.

    Returns:
        Whether it was in use, and the file as it is recorded now.

    Raises:
        PermillionError: `unknown-tokenizer` where the tenant registered none of that id; `catalog-busy`.
    """
    with writing(engine) as connection:
        known = _latest(connection, tenant, tokenizer)
        if known is None:
            raise PermillionError("unknown-tokenizer", "no tokenizer of that id was registered")
        if known.withdrawn_at is not None:
            return False, known
        number, instant = next_version(connection, at)
        connection.execute(
            update(StoredTokenizerFile)
            .where(_of(tenant), StoredTokenizerFile.tokenizer == tokenizer, StoredTokenizerFile.withdrawn_at.is_(None))
            .values(withdrawn_at=instant)
        )
        record_version(connection, number, instant, "tokenizer withdrawn")
    return True, RegisteredFile(tokenizer, known.checked, known.license, known.source, known.recorded_at, instant)


def read_files(connection: Connection, known_at: datetime | None = None) -> dict[str, tuple[RegisteredFile, ...]]:
    """The files of each tenant in the order of their ids, the last record of each, withdrawn ones included.

    Args:
        connection: within a transaction.
        known_at: as it was recorded then; None for now.
    """
    statement = select(*_COLUMNS).order_by(StoredTokenizerFile.id)
    if known_at is not None:
        statement = statement.where(StoredTokenizerFile.recorded_at <= known_at)
    found: dict[str, dict[str, RegisteredFile]] = {}
    for row in connection.execute(statement):
        found.setdefault(row.tenant, {})[row.tokenizer] = _from_db_file(row, known_at)
    return {tenant: tuple(files[name] for name in sorted(files)) for tenant, files in found.items()}


def content_of(engine: Engine, sha256: str) -> bytes | None:
    """The bytes of a file by its sha256, None where nobody registered it."""
    with reading(engine) as connection:
        return connection.scalar(
            select(StoredTokenizerFile.content).where(StoredTokenizerFile.sha256 == sha256).limit(1)
        )


def _of(tenant: str) -> Any:
    return StoredTokenizerFile.tenant == tenant


def _latest(connection: Connection, tenant: str, tokenizer: str) -> RegisteredFile | None:
    statement = (
        select(*_COLUMNS)
        .where(_of(tenant), StoredTokenizerFile.tokenizer == tokenizer)
        .order_by(StoredTokenizerFile.id.desc())
        .limit(1)
    )
    row = connection.execute(statement).first()
    return None if row is None else _from_db_file(row, None)


def _from_db_file(row: Any, known_at: datetime | None) -> RegisteredFile:
    withdrawn_at = row.withdrawn_at
    checked = CheckedFile(probe_counts=tuple(row.probe_counts), **{name: getattr(row, name) for name in _FACTS})
    return RegisteredFile(
        row.tokenizer,
        checked,
        row.license,
        row.source,
        row.recorded_at,
        None if known_at is not None and withdrawn_at is not None and withdrawn_at > known_at else withdrawn_at,
    )

"""Writing reference records: a record that says something else takes the place of the one before, which keeps its row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Engine, insert, select, update

from catalog.engine import writing
from catalog.models import StoredTenant
from catalog.publishing.private_books import Tally
from catalog.records import fingerprint
from catalog.reference.kinds import Kind
from catalog.reference_tables import StoredEdition, StoredReference
from catalog.versions import latest_version, next_version, record_version
from catalog.writes import chunks, insert_all
from economics.errors import PermillionError


@dataclass(frozen=True, slots=True)
class Change:
    """The version being written."""

    connection: Connection
    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class RecordReport:
    """Records added, superseded by what was said now, and already believed; and the catalog version after it."""

    added: int
    superseded: int
    unchanged: int
    version: str


def record_private(
    engine: Engine,
    tenant: str,
    kind: Kind,
    records: Sequence[Any],
    recorded_at: datetime,
    origin: Literal["private", "import"] = "private",
) -> RecordReport:
    """Record a tenant's own records, all of them or none.

    Args:
        engine: of a migrated database.
        tenant: who alone sees them.
        kind: of all of them.
        records: with ids of their own; the last of one id counts.
        recorded_at: when they are believed from; never earlier than what is recorded already.
        origin: whether somebody wrote them down or a feed said so.

    Raises:
        PermillionError: `read-only-record` for an id the package ships, with its pointer; `catalog-busy`, `invalid-fields`
            for an unknown tenant.
    """
    shipped = kind.shipped()
    for index, record in enumerate(records):
        if record.id in shipped:
            raise PermillionError(
                "read-only-record",
                "this id is a shipped record, which is read-only; choose another id",
                pointer=f"/rows/{index}/{kind.field}".rstrip("/"),
            )
    with writing(engine) as connection:
        if connection.scalar(select(StoredTenant.id).where(StoredTenant.id == tenant)) is None:
            raise PermillionError("invalid-fields", "there is no such tenant")
        change = Change(connection, *next_version(connection, recorded_at))
        added, gone = replace_records(change, kind, tenant, origin, records)
        unchanged = len({record.id for record in records}) - len(added)
        if not added:
            return RecordReport(0, 0, unchanged, str(latest_version(connection)))
        tally = Tally(_digest(connection, tenant, kind))
        for key, print_ in gone:
            tally.remove([key, print_])
        for key, print_ in added:
            tally.add([key, print_])
        set_edition(change, kind, tenant, tally.digest())
        version = record_version(connection, change.number, change.at, "reference records added")
    return RecordReport(len(added) - len(gone), len(gone), unchanged, str(version))


def replace_records(
    change: Change,
    kind: Kind,
    tenant: str | None,
    origin: str,
    records: Iterable[Any],
    *,
    all_there_are: bool = False,
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Believe `records`; what was added and what is believed no longer, each as key and fingerprint."""
    connection, table = change.connection, StoredReference
    wanted: dict[str, tuple[str, Any, Any]] = {}
    for record in records:
        value = kind.encode(record)
        wanted[record.id] = (fingerprint([origin, value]), value, record)
    owner = table.tenant.is_(None) if tenant is None else table.tenant == tenant
    believed = select(table.record_key, table.id, table.fingerprint).where(
        owner, table.kind == kind.name, table.superseded_at.is_(None)
    )
    stored = {key: (row_id, print_) for key, row_id, print_ in connection.execute(believed)}
    new = [key for key, (print_, _, _) in wanted.items() if key not in stored or stored[key][1] != print_]
    gone = [key for key in new if key in stored]
    if all_there_are:
        gone += [key for key in stored if key not in wanted]
    for some in chunks(stored[key][0] for key in gone):
        connection.execute(update(table).where(table.id.in_(some)).values(superseded_at=change.at))
    of_all = {"tenant": tenant, "kind": kind.name, "origin": origin, "recorded_at": change.at}
    insert_all(
        connection,
        table,
        [
            of_all
            | {
                "record_key": key,
                "as_of": getattr(wanted[key][2], "as_of", None),
                "record": wanted[key][1],
                "fingerprint": wanted[key][0],
            }
            for key in new
        ],
    )
    return [(key, wanted[key][0]) for key in new], [(key, stored[key][1]) for key in gone]


def set_edition(change: Change, kind: Kind, tenant: str | None, digest: str) -> None:
    """What is believed of the kind as a whole changed in this version."""
    values = {"digest": digest, "changed_in": change.number, "recorded_at": change.at}
    found = change.connection.execute(update(StoredEdition).where(*_edition(tenant, kind)).values(values))
    if not found.rowcount:
        change.connection.execute(insert(StoredEdition).values(values | {"tenant": tenant, "kind": kind.name}))


def _digest(connection: Connection, tenant: str, kind: Kind) -> str | None:
    return connection.scalar(select(StoredEdition.digest).where(*_edition(tenant, kind)))


def _edition(tenant: str | None, kind: Kind) -> tuple[Any, ...]:
    owner = StoredEdition.tenant.is_(None) if tenant is None else StoredEdition.tenant == tenant
    return owner, StoredEdition.kind == kind.name

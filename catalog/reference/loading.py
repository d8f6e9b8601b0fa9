"""Loading the shipped records: idempotent, in one transaction, superseding instead of overwriting."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, Engine, select

from catalog.engine import reading, writing
from catalog.reference.kinds import KINDS, Kind, shipped_digests
from catalog.reference.writing import Change, replace_records, set_edition
from catalog.reference_tables import StoredEdition
from catalog.versions import next_version, record_version


def load_reference(engine: Engine, recorded_at: datetime) -> bool:
    """Make the shipped records those of this package; whether anything changed.

    Where the digests of all tables are those recorded, nothing is parsed or written.

    Raises:
        PermillionError: `catalog-busy`.
    """
    wanted = shipped_digests()
    with reading(engine) as connection:
        if _digests(connection) == wanted:
            return False
    with writing(engine) as connection:
        known = _digests(connection)  # another process may have loaded them while this one waited
        stale = [kind for kind in KINDS.values() if known.get(kind.name) != wanted[kind.name]]
        if not stale:
            return False
        change = Change(connection, *next_version(connection, recorded_at))
        for kind in stale:
            _load(change, kind, wanted[kind.name])
        record_version(connection, change.number, change.at, "reference records loaded")
    return True


def _load(change: Change, kind: Kind, digest: str) -> None:
    records = kind.shipped()
    replace_records(change, kind, None, "shipped", records.values(), all_there_are=True)
    set_edition(change, kind, None, digest)


def _digests(connection: Connection) -> Mapping[str, str]:
    found = select(StoredEdition.kind, StoredEdition.digest).where(StoredEdition.tenant.is_(None))
    return dict(connection.execute(found).all())

"""Reading reference records into the view, all of them or only the kinds that changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, cast

from sqlalchemy import Connection, Text, or_, select, type_coerce

from catalog.reference.kinds import KINDS
from catalog.reference.view import Hardware, Origin, Reference, Shelf
from catalog.reference_tables import StoredEdition, StoredReference

SHIPPED: Final = ""
"""Key of what is seen by a tenant who added nothing."""


def read_reference(
    connection: Connection,
    known_at: datetime | None = None,
    since: int | None = None,
    known: Mapping[str, Hardware] | None = None,
) -> Mapping[str, Hardware]:
    """The view of each tenant, and under `SHIPPED` that of everybody else.

    Args:
        connection: within a transaction.
        known_at: as it was believed then; None for now.
        since: catalog version that `known` was read at: kinds that did not change since are taken from it.
        known: an earlier view, with `since`.
    """
    statement = select(StoredEdition.kind, StoredEdition.tenant)
    if since is not None and known:
        changed = {kind for kind, _ in connection.execute(statement.where(StoredEdition.changed_in > since))}
        if not changed:
            return known
    else:
        changed, known = set(KINDS), {}
    tenants = {tenant or SHIPPED for _, tenant in connection.execute(statement)} | {SHIPPED}
    stored = _read(connection, changed, known_at)
    views: dict[str, Hardware] = {}
    for tenant in tenants:
        earlier = known.get(tenant) or known.get(SHIPPED)
        shelves = {name: earlier.shelf(kind) for name, kind in KINDS.items() if earlier is not None}
        for name in changed & KINDS.keys():
            shelves[name] = Shelf(KINDS[name], [*stored.get((SHIPPED, name), ()), *_own(stored, tenant, name)])
        views[tenant] = Hardware(shelves)
    return views


def _own(stored: Mapping[tuple[str, str], list[Reference]], tenant: str, kind: str) -> list[Reference]:
    return [] if tenant == SHIPPED else stored.get((tenant, kind), [])


def _read(connection: Connection, kinds: set[str], known_at: datetime | None) -> dict[tuple[str, str], list[Reference]]:
    record = type_coerce(StoredReference.record, Text).label("text")
    columns = (StoredReference.tenant, StoredReference.kind, StoredReference.record_key, StoredReference.origin)
    statement = select(*columns, StoredReference.recorded_at, record).where(StoredReference.kind.in_(kinds))
    if known_at is None:
        statement = statement.where(StoredReference.superseded_at.is_(None))
    else:
        statement = statement.where(
            StoredReference.recorded_at <= known_at,
            or_(StoredReference.superseded_at.is_(None), StoredReference.superseded_at > known_at),
        )
    found: dict[tuple[str, str], list[Reference]] = {}
    for tenant, kind, key, origin, recorded_at, text in connection.execute(statement):
        found.setdefault((tenant or SHIPPED, kind), []).append(
            Reference(key, cast("Origin", origin), recorded_at, text)
        )
    return found

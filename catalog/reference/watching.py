"""Which records of machines came, changed or went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, or_, select

from catalog.reference_tables import StoredReference


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A record that was `added`, `changed` (another took its place) or `withdrawn`; `kind` as `rental_price`."""

    kind: str
    what: str
    id: int
    key: str
    origin: str
    at: datetime


def record_changes(connection: Connection, tenant: str, since: datetime) -> Iterator[RecordChange]:
    """Shipped records and the tenant's own, as far as they changed after `since`; what a database began with is no news."""
    table = StoredReference
    theirs = or_(table.tenant.is_(None), table.tenant == tenant)
    firsts = select(table.kind, func.min(table.recorded_at)).where(table.tenant.is_(None)).group_by(table.kind)
    began: dict[str, datetime] = dict(list(connection.execute(firsts)))
    found = connection.execute(
        select(
            table.id, table.kind, table.record_key, table.origin, table.tenant, table.recorded_at, table.superseded_at
        )
        .where(theirs, or_(table.recorded_at > since, table.superseded_at > since))
        .order_by(table.id)
    ).all()
    begins = {(row.tenant, row.kind, row.record_key, row.recorded_at) for row in found}
    ends = {(row.tenant, row.kind, row.record_key, row.superseded_at) for row in found}
    for row in found:
        of = (row.tenant, row.kind, row.record_key)
        if row.recorded_at > since and not (row.tenant is None and row.recorded_at == began.get(row.kind)):
            what = "changed" if (*of, row.recorded_at) in ends else "added"
            yield RecordChange(row.kind, what, row.id, row.record_key, row.origin, row.recorded_at)
        if row.superseded_at is not None and row.superseded_at > since and (*of, row.superseded_at) not in begins:
            yield RecordChange(row.kind, "withdrawn", row.id, row.record_key, row.origin, row.superseded_at)

"""The tables of reference records: machines, models' architectures, rental and purchase prices, profiles, measurements.

One table holds all kinds: what they share is a key, a dated record that is never overwritten, and whose word it is. A record
believed no longer keeps its row with `superseded_at`. `reference_editions` says per kind what is believed as a whole, so that
an unchanged package is recognized by one digest and a reader knows which kinds to read again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from catalog.columns import CanonicalJson
from catalog.models import BigId, Stored


def _unique(name: str, *columns: str, where: str) -> Index:
    return Index(name, *columns, unique=True, sqlite_where=text(where), postgresql_where=text(where))


class StoredReference(Stored):
    """One record: `shipped` ones have no tenant, `private` and `import` ones are a tenant's."""

    __tablename__ = "reference_records"
    __table_args__ = (
        CheckConstraint("origin IN ('shipped', 'private', 'import')", name="origin"),
        CheckConstraint("(origin = 'shipped') = (tenant IS NULL)", name="shipped_or_private"),
        CheckConstraint("superseded_at >= recorded_at", name="recorded_time"),
        _unique("ix_reference_records_shipped", "kind", "record_key", where="superseded_at IS NULL AND tenant IS NULL"),
        _unique(
            "ix_reference_records_private",
            "tenant",
            "kind",
            "record_key",
            where="superseded_at IS NULL AND tenant IS NOT NULL",
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tenant: Mapped[str | None] = mapped_column(ForeignKey("tenants.id"))
    kind: Mapped[str]
    record_key: Mapped[str]
    origin: Mapped[str]
    as_of: Mapped[str | None]
    record: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    fingerprint: Mapped[str]
    recorded_at: Mapped[datetime]
    superseded_at: Mapped[datetime | None]


class StoredEdition(Stored):
    """What is believed of one kind, shipped or a tenant's: its digest, and the catalog version that last changed it."""

    __tablename__ = "reference_editions"
    __table_args__ = (
        _unique("ix_reference_editions_shipped", "kind", where="tenant IS NULL"),
        _unique("ix_reference_editions_private", "tenant", "kind", where="tenant IS NOT NULL"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tenant: Mapped[str | None] = mapped_column(ForeignKey("tenants.id"))
    kind: Mapped[str]
    digest: Mapped[str]
    changed_in: Mapped[int]
    recorded_at: Mapped[datetime]

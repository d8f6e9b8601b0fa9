"""The shipped machines and models as a catalog has them, without a database."""

from __future__ import annotations

from datetime import UTC, datetime

from catalog.reference.kinds import KINDS
from catalog.reference.view import Hardware, Reference, Shelf


def shipped() -> Hardware:
    recorded = datetime(2026, 11, 30, tzinfo=UTC)
    shelves = {}
    for name in ("accelerator", "architecture"):
        kind = KINDS[name]
        shelf = Shelf(kind, ())
        for key, record in kind.shipped().items():
            shelf.stored[key] = Reference(key, "shipped", recorded, "")
            shelf._decoded[key] = record
        shelves[name] = shelf
    return Hardware(shelves)


HARDWARE = shipped()

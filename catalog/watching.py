"""What changed in the catalog between two versions, and what is about to: the records behind a price watch."""

from __future__ import annotations

from sqlalchemy import Engine, select

from catalog.engine import reading
from catalog.models import StoredProvider, StoredVersion


def sheets_loaded_since(engine: Engine, number: int) -> dict[str, str]:
    """Providers whose sheet was loaded anew after catalog version `number`, each with the version that did it."""
    with reading(engine) as connection:
        found = connection.execute(
            select(StoredProvider.name, StoredVersion.number, StoredVersion.digest)
            .join(StoredVersion, StoredVersion.number == StoredProvider.changed_in)
            .where(StoredProvider.changed_in > number)
        )
        return {name: f"{version}-{digest[:8]}" for name, version, digest in found}

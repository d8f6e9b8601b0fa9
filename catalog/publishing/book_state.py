"""What a private book holds, as one digest: whoever corrects a book can say which state of it they have seen."""

from __future__ import annotations

from sqlalchemy import Engine, select

from catalog.engine import joining
from catalog.price_tables import StoredBook


def book_digest(engine: Engine, tenant: str, book: str) -> str | None:
    """Digest of the believed rows and terms of the tenant's book, of the transaction under way; None where there is none."""
    with joining(engine) as connection:
        found = select(StoredBook.digest).where(StoredBook.tenant == tenant, StoredBook.name == book)
        return connection.scalar(found)

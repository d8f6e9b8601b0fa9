"""Where Alembic meets the catalog: it runs on the connection and in the transaction that `catalog.migrating` gives it."""

from __future__ import annotations

from alembic import context

import catalog.price_tables
import catalog.quote_tables
import catalog.reference_tables  # noqa: F401  (all three fill the metadata)
from catalog.models import Stored

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Stored.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
)
context.run_migrations()

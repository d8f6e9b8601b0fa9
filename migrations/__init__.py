"""The history of the schema: one for SQLite and PostgreSQL, run by `catalog.migrating`."""

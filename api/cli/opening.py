"""The catalog as the command line opens it."""

from __future__ import annotations

from api.settings import Settings
from catalog.catalog import Catalog
from providers.registry import all_providers


def open_catalog(settings: Settings) -> Catalog:
    """The catalog of the settings' database, migrated, with the sheets of all providers loaded."""
    catalog = Catalog.open(settings.database_url)
    catalog.prepare([provider.content() for provider in all_providers()])
    return catalog

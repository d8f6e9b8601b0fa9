"""Carrying out a plan: one transaction over all its books."""

from __future__ import annotations

from collections.abc import Mapping

from api.services.importing.plan import ImportPlan
from catalog.catalog import Catalog
from catalog.publishing import Publication
from providers.sheet import Source


def publish_import(catalog: Catalog, plan: ImportPlan, *, own: bool = False) -> str:
    """Publish what is planned, all of it or nothing; the catalog version after it.

    Args:
        catalog: prepared.
        plan: worked out on it.
        own: the rows are the tenant's own words (a contract, a quotation), no other source's that could dispute the list.

    Raises:
        PermillionError: as `catalog.publishing.publish_parts`; nothing is written then.
    """
    sources: Mapping[str, Source] = {} if own else plan.sources
    parts = [Publication(book.book, rows, sources) for book in plan.books if (rows := book.rows())]
    if parts:
        catalog.publish_all(parts)
    return catalog.snapshot.version

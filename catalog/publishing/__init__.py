"""Publishing private rows into a tenant's own price books."""

from catalog.publishing.checks import ClearedRate, NewBook, NewRow
from catalog.publishing.terms import ClearedTerm, TermEntry
from catalog.publishing.transaction import Publication, PublishReport, publish_parts, publish_private_rows

__all__ = [
    "ClearedRate",
    "ClearedTerm",
    "NewBook",
    "NewRow",
    "Publication",
    "PublishReport",
    "TermEntry",
    "publish_parts",
    "publish_private_rows",
]

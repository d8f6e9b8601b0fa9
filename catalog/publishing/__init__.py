"""Publishing private rows into a tenant's own price books."""

from catalog.publishing.checks import NewBook, NewRow
from catalog.publishing.transaction import Publication, PublishReport, publish_parts, publish_private_rows

__all__ = ["NewBook", "NewRow", "Publication", "PublishReport", "publish_parts", "publish_private_rows"]

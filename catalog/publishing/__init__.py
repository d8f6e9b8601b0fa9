"""Publishing private rows into a tenant's own price book."""

from catalog.publishing.checks import NewBook, NewRow
from catalog.publishing.transaction import PublishReport, publish_private_rows

__all__ = ["NewBook", "NewRow", "PublishReport", "publish_private_rows"]

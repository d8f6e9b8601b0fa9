"""Reference records in the catalog: loaded, added to, superseded and read as one immutable view."""

from catalog.reference.kinds import KINDS, Kind
from catalog.reference.view import Hardware, Reference

__all__ = ["KINDS", "Hardware", "Kind", "Reference"]

"""Loading the shipped sheets into the catalog."""

from catalog.loading.transaction import LoadReport, load_providers

__all__ = ["LoadReport", "load_providers"]

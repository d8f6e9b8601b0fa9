"""Ownership profiles of the catalog, as the cost of ownership looks them up."""

from __future__ import annotations

from api.services.owning import ProfileLookup
from catalog.reference import Hardware
from economics.errors import PermillionError
from hardware.ownership.profiles import SourcedProfile


def profile_lookup(hardware: Hardware) -> ProfileLookup:
    """Finds a profile by its id, shipped or the tenant's own.

    Raises:
        PermillionError: `unknown-ownership-profile` at `/profile`, naming near ones.
    """

    def find(name: str) -> SourcedProfile:
        try:
            return hardware.ownership_profile(name).sourced
        except PermillionError as error:
            raise PermillionError(error.slug, error.detail, pointer="/profile") from None

    return find

"""Where models and accelerators are looked up."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Protocol

from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator, shipped_accelerators
from hardware.architectures.architecture import Architecture, shipped_architectures

_MOST_NEAR = 3


class Machines(Protocol):
    """What is believed of machines: lookups by exact id."""

    def accelerator(self, name: str) -> Accelerator:
        """An accelerator, or `unknown-accelerator`."""

    def architecture(self, name: str) -> Architecture:
        """A model architecture, or `unknown-architecture`."""


class ShippedMachines:
    """The tables of this package."""

    def accelerator(self, name: str) -> Accelerator:
        """One of the shipped accelerators.

        Raises:
            PermillionError: `unknown-accelerator`, naming near ones.
        """
        found = shipped_accelerators().get(name)
        if found is None:
            detail = f"no such accelerator; GET /accelerators lists them{_near(name, shipped_accelerators())}"
            raise PermillionError("unknown-accelerator", detail, pointer="/accelerator")
        return found

    def architecture(self, name: str) -> Architecture:
        """One of the shipped architectures.

        Raises:
            PermillionError: `unknown-architecture`, naming near ones.
        """
        found = shipped_architectures().get(name)
        if found is None:
            detail = f"no such model architecture; GET /architectures lists them{_near(name, shipped_architectures())}"
            raise PermillionError("unknown-architecture", detail, pointer="/architecture")
        return found


def _near(name: str, ids: Iterable[str]) -> str:
    near = get_close_matches(name[:100].casefold(), list(ids), _MOST_NEAR, 0.5)
    return f"; near ones are {', '.join(near)}" if near else ""

"""The shipped machines, as services look them up."""

from __future__ import annotations

from hardware.accelerators.accelerator import Accelerator, shipped_accelerator
from hardware.architectures.architecture import Architecture, shipped_architecture


class ShippedMachines:
    """The tables of the package."""

    def accelerator(self, name: str) -> Accelerator:
        return shipped_accelerator(name)

    def architecture(self, name: str) -> Architecture:
        return shipped_architecture(name)

"""Where models and accelerators are looked up."""

from __future__ import annotations

from typing import Protocol

from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture

_MOST_NEAR = 3


class Machines(Protocol):
    """What is believed of machines: lookups by exact id."""

    def accelerator(self, name: str) -> Accelerator:
        """An accelerator, or `unknown-accelerator`."""

    def architecture(self, name: str) -> Architecture:
        """A model architecture, or `unknown-architecture`."""

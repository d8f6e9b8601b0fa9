"""What only fitting needs: SciPy and scikit-learn, imported when they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from economics.errors import PermillionError


def needs_extra(module: str) -> Any:
    """A module of the extra `fit`.

    Raises:
        PermillionError: `invalid-settings` where it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise PermillionError(
            "invalid-settings", "fitting needs scikit-learn: install permillion with the extra `fit`"
        ) from None

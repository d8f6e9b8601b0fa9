"""Every worked number in a docstring comes out."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("api", "catalog", "economics", "hardware", "providers", "tokenizers_registry")
MODULES = sorted(
    found.name
    for package in PACKAGES
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    if not found.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0

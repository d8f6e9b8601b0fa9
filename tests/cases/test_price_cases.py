"""The golden cases: usage in, exact total out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.cli.price import differing, read_cases
from catalog.catalog import Catalog
from catalog.snapshot import Snapshot
from providers.registry import all_providers

CASES = read_cases(Path(__file__).parent / "data" / "price_cases.json")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    catalog = Catalog.open(f"sqlite:///{tmp_path_factory.mktemp('cases') / 'catalog.sqlite3'}")
    catalog.prepare([provider.content() for provider in all_providers()])
    yield catalog.snapshot
    catalog.close()


def test_there_are_47_cases() -> None:
    assert len(CASES) == 47


@pytest.mark.parametrize("case", CASES, ids=[str(case["id"]) for case in CASES])
def test_case_comes_out_exactly(case: dict[str, Any], snapshot: Snapshot) -> None:
    assert list(differing([case], snapshot)) == []


def test_a_wrong_expectation_is_reported_with_its_lines(snapshot: Snapshot) -> None:
    (difference,) = differing([{**CASES[0], "expected_total": "0.436"}], snapshot)
    assert (difference.expected, difference.got) == ("0.436 USD", "0.435 USD")
    assert difference.lines == ("input_tokens: 1000000 at 0.435 per 1000000 = 0.435",)

"""The ready workbook, opened from disk: its four sheets against figures by hand."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from api.cli.workbook import build_workbook
from tests.office.conftest import LibreOffice
from tests.running import Service


@pytest.fixture
def path(office: LibreOffice, service: Service) -> Path:
    """In the profile's folder, which the driver's settings trust."""
    found = office.folder / "permillion.xlsx"
    found.write_bytes(build_workbook(service.url))
    return found


def numbers(office: LibreOffice, path: Path, sheet: str, line: int) -> list[float | str]:
    cells = office.do("open", path=str(path), sheet=sheet, across=6, down=line)[line - 1]
    assert all(cell.error == 0 for cell in cells), cells
    return [cell.text if cell.kind == "TEXT" else cell.value for cell in cells]


def test_compare(office: LibreOffice, path: Path, client: httpx.Client) -> None:
    offer, tokens, per_query, per_month, *_ = numbers(office, path, "compare", 8)
    text = office.do("open", path=str(path), sheet="compare", across=2, down=3)[2][1].text
    body = {"text": text, "offers": [offer], "as_of": "2026-11-30", "workload": {"output_tokens_per_query": 200}}
    (row,) = client.post("/compare", json=body).json()["rows"]
    assert (tokens, per_query) == (row["input_tokens"], float(row["cost_per_query"]))
    assert per_month == pytest.approx(float(row["cost_per_query"]) * 100_000, rel=1e-14)
    ranks = [numbers(office, path, "compare", line)[4] for line in range(8, 13)]
    assert sorted(ranks) == [1, 2, 3, 4, 5]


def test_monthly_bill(office: LibreOffice, path: Path) -> None:
    """gpt-6-sol: (1,200 · 2 + 300 · 10) / 10⁶ · 500,000 = 2,700; Opus 5: (4,000 · 5 + 800 · 25) / 10⁶ · 20,000 = 800."""
    bills = [numbers(office, path, "monthly bill", line)[4] for line in range(8, 12)]
    assert bills[:2] == [2700, 800]
    assert bills[3] == sum(bills[:3])  # type: ignore[arg-type]


def test_margin(office: LibreOffice, path: Path) -> None:
    """(0.02 − 0.0054) / 0.02 = 0.73; a margin of 0.7 needs 0.0054 / 0.3 = 0.018."""
    _, _, _, cost, margin, price = numbers(office, path, "margin", 8)
    assert (cost, margin) == (0.0054, 0.73)
    assert price == pytest.approx(0.018, rel=1e-14)


def test_break_even(office: LibreOffice, path: Path) -> None:
    """25,000 / (0.0054 − 0.0001) = 4,716,981.13 queries, fewer than 60,000,000."""
    *_, cost, queries, within = numbers(office, path, "break-even", 8)
    assert cost == 0.0054
    assert queries == pytest.approx(25_000 / 0.0053, rel=1e-14)
    assert within == 1

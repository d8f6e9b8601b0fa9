"""The macro of docs/spreadsheets on 200 selected lines, started as the menu starts it."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context
from typing import Any

import httpx

from tests.office.conftest import LibreOffice
from tests.running import Service

DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN)
OFFERS = ["openai/gpt-6-sol", "anthropic/claude-opus-5", "mistral/mistral-large-2512", "openai/nope"]
IDS = ["=1+1", "+1", "-1", "@A1", "00012", "1e5", "12345678901234567890", "包裹"]


def test_two_hundred_lines(office: LibreOffice, service: Service, client: httpx.Client) -> None:
    header = ["row_id", "offer", "text", "output_tokens", "queries_per_month", "as_of"]
    lines: list[list[Any]] = [
        [
            IDS[index] if index < len(IDS) else f"row {index}",
            OFFERS[index % 4],
            f"=包裹 {index} 到哪里了?",
            float(index),
            1000.5,
            "2026-11-30",
        ]
        for index in range(200)
    ]
    lines[50][5] = 46_356.0  # a cell with the date 2026-11-30
    shown = office.do("macro", macro="compare_selection", service=service.url, lines=[header, *lines], across=14)
    columns = [cell.text for cell in shown[0]]
    assert columns[:3] == ["row_id", "rank", "offer"]
    assert len(shown) == 201
    for line, cells in zip(lines, shown[1:], strict=True):
        row = dict(zip(columns, cells, strict=True))
        body = {
            "text": line[2], "offers": [line[1]], "as_of": "2026-11-30",
            "workload": {"output_tokens_per_query": int(line[3]), "queries_per_month": "1000.5"},
        }  # fmt: skip
        (wanted,) = client.post("/compare", json=body).json()["rows"]
        assert row["row_id"].text == line[0]
        assert all(cell.kind != "FORMULA" for cell in cells)
        assert row["error_detail"].text == (wanted["error_detail"] or "")
        for name in ("input_tokens", "output_tokens", "input_price_per_mtok", "cost_per_query", "cost_per_month"):
            if wanted[name] is None:
                assert row[name].text == ""
            else:
                assert row[name].kind == "VALUE"
                assert DIGITS.create_decimal(repr(row[name].value)) == DIGITS.create_decimal(str(wanted[name])), name


def test_usage(office: LibreOffice, service: Service) -> None:
    """gpt-6-sol: 200 · 2 + 800 · 0.2 + 100 · 10 = 1,560 / 10⁶."""
    lines = [
        ["offer", "as_of", "input_tokens", "cache_read_tokens", "output_tokens"],
        ["openai/gpt-6-sol", "2026-11-30", 1000.0, 800.0, 100.0],
    ]
    header, row = office.do("macro", macro="price_selection", service=service.url, lines=lines, across=8)
    assert (header[2].text, row[2].value, row[3].text) == ("total", 0.00156, "USD")


def test_refusals_stand_in_the_first_cell(office: LibreOffice, service: Service) -> None:
    ((cell, *_), *_) = office.do(
        "macro", macro="compare_selection", service=service.url, lines=[["ofer"], ["x"]], across=2
    )
    assert cell.text.startswith("#permillion: invalid-fields: unknown column ofer")
    ((cell, *_), *_) = office.do(
        "macro", macro="compare_selection", service="http://127.0.0.1:9", lines=[["offer"], ["x"]], across=2
    )
    assert cell.text.startswith("#permillion: no answer from http://127.0.0.1:9/compare.csv")

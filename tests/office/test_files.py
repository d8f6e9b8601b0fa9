"""XLSX of the service, opened by LibreOffice: the types of the cells survive, text stays text."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context

import httpx

from tests.office.conftest import LibreOffice

DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN)
IDS = ["=1+1", "@SUM(A1)", "+1", "-1", "=HYPERLINK(\"http://x\")", "00012", "1e5", "12345678901234567890", "包裹 =1", "true", "2026-11-30"]  # fmt: skip


def test_a_workbook_of_answers(office: LibreOffice, client: httpx.Client) -> None:
    usage = {"input_tokens": 123_457, "output_tokens": 891}
    rows = [{"row_id": name, "offer": "openai/gpt-6-sol", "usage": usage} for name in IDS]
    body = {
        "as_of": "2026-11-30T12:34:56Z",
        "rows": rows,
        "currency": "EUR",
        "fx": [{"from": "USD", "to": "EUR", "rate": "0.8612345678901", "as_of": "2026-11-30"}],
    }
    answer = client.post("/price", json=body).json()["rows"]
    path = office.folder / "answers.xlsx"
    path.write_bytes(client.post("/price?format=xlsx&lang=zh-CN", json=body).content)
    header, *cells = office.do("open", path=str(path), sheet="rows", across=19, down=len(IDS) + 1)
    columns = [cell.text for cell in header]
    assert (columns[0], columns[5]) == ("行号", "合计")
    for name, row, wanted in zip(IDS, cells, answer, strict=True):
        assert all(cell.kind != "FORMULA" for cell in row)
        assert (row[0].text, row[0].kind) == (name, "TEXT")
        assert row[5].kind == "VALUE"
        assert DIGITS.create_decimal(repr(row[5].value)) == DIGITS.create_decimal(wanted["total"])
        assert row[4].kind == "VALUE", "an instant is a date"
        assert row[4].text == "2026-11-30 12:34:56"
    said = office.do("open", path=str(path), sheet="provenance", across=2, down=12)
    assert [cell.text for cell in said[0]] == ["as_of", "2026-11-30T12:34:56Z"]

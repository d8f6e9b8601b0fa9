"""CSV that a sheet is linked to, under English and German locales: numbers are numbers, text is text, nothing runs."""

from __future__ import annotations

import csv
import io
from decimal import ROUND_HALF_EVEN, Context

import httpx
import pytest

from api.http.schemas.compare import COMPARE_NUMBERS
from tests.http.asking import private_row, publish
from tests.office.conftest import Cell, LibreOffice
from tests.running import Service

DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN)
OFFERS = "openai/gpt-6-sol,deepseek/deepseek-v4-pro,mistral/mistral-large-2512,=1+1/x,@SUM(A1)/y,-1/z,+1/w"
LOCALES = {  # options of the import (delimiter and language, as numbers), what the service is asked for
    "en-US": ("44,34,76,1,,1033", ""),
    "de-DE": ("59,34,76,1,,1031", "&decimal=comma&delimiter=%3B&bom=1"),
}
HOSTILE = ["=1+1", "=HYPERLINK(\"http://x\";\"y\")", "＝1+1", "+1+1", "-1+1", "@SUM(A1)", "=cmd|' /C calc'!A0", "合同 4711 =1"]  # fmt: skip


def linked(
    office: LibreOffice, url: str, client: httpx.Client, style: str
) -> tuple[list[dict[str, Cell]], list[dict[str, str]]]:
    """The cells by column, and the same rows as plain CSV."""
    options, asked = LOCALES[style]
    plain = list(csv.DictReader(io.StringIO(client.get(url).text)))
    shown = office.do(
        "link",
        url=f"{client.base_url}{url}{asked}".replace("///", "/"),
        options=options,
        across=len(plain[0]),
        down=len(plain) + 1,
    )
    columns = [cell.text for cell in shown[0]]
    return [dict(zip(columns, row, strict=True)) for row in shown[1:]], plain


@pytest.mark.parametrize("style", LOCALES)
def test_numbers_and_text(office: LibreOffice, client: httpx.Client, service: Service, style: str) -> None:
    """Each form under each locale of the program: the file's form is said at the import and must not depend on it."""
    url = f"/compare?offers={OFFERS.replace('+', '%2B')}&input_tokens=123457&output_tokens=7&queries_per_month=1000&as_of=2026-11-30&fx=CNY:USD:0.1408:2026-11-30&format=csv"
    shown, plain = linked(office, url, client, style)
    assert [row["offer"].text for row in shown] == [row["offer"] for row in plain]
    numbers = 0
    for cells, row in zip(shown, plain, strict=True):
        for column, cell in cells.items():
            assert cell.kind != "FORMULA", (column, cell)
            if column in COMPARE_NUMBERS and row[column]:
                assert cell.kind == "VALUE", (column, cell)
                assert DIGITS.create_decimal(repr(cell.value)) == DIGITS.create_decimal(row[column]), column
                numbers += 1
    assert numbers > 30


@pytest.mark.parametrize("style", LOCALES)
def test_what_a_caller_wrote_stays_text(office: LibreOffice, client: httpx.Client, style: str) -> None:
    """CWE-1236: sources of a private book come back in CSV."""
    rows = [private_row(f"m{index}", "input_tokens", "1", source=source) for index, source in enumerate(HOSTILE)]
    assert publish(client, "hostile", rows).status_code == 201
    shown, plain = linked(office, "/prices?price_book=hostile&as_of=2026-11-30&format=csv", client, style)
    assert sorted(row["source"].text for row in shown) == sorted(row["source"] for row in plain)
    assert {row["source"].kind for row in shown} == {"TEXT"}
    assert "合同 4711 =1" in [row["source"].text for row in shown]


def test_chinese_headers(office: LibreOffice, client: httpx.Client) -> None:
    url = "/compare?offers=openai/gpt-6-sol&input_tokens=5&as_of=2026-11-30&format=csv&lang=zh-CN"
    shown, _ = linked(office, url, client, "de-DE")
    assert shown[0]["每次调用成本"].value == 0.00001

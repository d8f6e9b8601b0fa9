"""WEBSERVICE in cells of a real LibreOffice: figures of the service to the 15 digits that a cell holds, in every locale."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal

import httpx

from tests.office.conftest import LibreOffice
from tests.running import ROOT, Service

AS_OF = "2026-11-30"
OFFERS = ["openai/gpt-6-sol", "anthropic/claude-opus-5", "mistral/mistral-large-2512", "google/gemini-2.5-pro"]
FIGURES = ["cost_per_query", "cost_per_month", "tokens_per_character", "input_cost_per_mchar", "input_tokens"]
TEXT = "Where is my parcel? 我的包裹到哪里了? =1+1 & 100% “ok” 😀"
DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN)


def formula(figure: str, row: int) -> str:
    """As docs/spreadsheets/README.md writes it, with the separators that files have."""
    return (
        f'=NUMBERVALUE(WEBSERVICE($H$1&"/cell/{figure}?offer="&ENCODEURL(I{row})&"&text="&ENCODEURL($H$2)'
        f'&"&output_tokens="&$H$3&"&queries_per_month="&$H$4&"&as_of="&$H$5);".")'
    )


def test_the_formula_of_the_page(office: LibreOffice, service: Service, client: httpx.Client) -> None:
    """docs/spreadsheets/README.md: address in B1, text in B2, offer in A5."""
    page = (ROOT / "docs" / "spreadsheets" / "README.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```\n(=NUMBERVALUE.*)\n```", page)
    cells = {"B1": service.url, "B2": TEXT, "A5": OFFERS[0]}
    ((cell,),) = office.do("formulas", formulas=[written], cells=cells)
    body = {"text": TEXT, "offers": OFFERS[:1], "as_of": AS_OF, "workload": {"output_tokens_per_query": 250}}
    (row,) = client.post("/compare", json=body).json()["rows"]
    assert cell.value == float(row["cost_per_query"])


def test_twenty_cells(office: LibreOffice, service: Service, client: httpx.Client) -> None:
    asked = [(offer, figure) for offer in OFFERS for figure in FIGURES]
    assert len(asked) == 20
    cells = {"H1": service.url, "H2": TEXT, "H3": 250, "H4": 1_234_567, "H5": AS_OF}
    cells |= {f"I{row}": offer for row, (offer, _) in enumerate(asked, start=1)}
    formulas = [formula(figure, row) for row, (_, figure) in enumerate(asked, start=1)]
    shown = office.do("formulas", formulas=formulas, cells=cells)
    body = {
        "text": TEXT, "offers": OFFERS, "as_of": AS_OF,
        "workload": {"output_tokens_per_query": 250, "queries_per_month": 1_234_567},
    }  # fmt: skip
    rows = {row["offer"]: row for row in client.post("/compare", json=body).json()["rows"]}
    for (offer, figure), (cell,) in zip(asked, shown, strict=True):
        assert (cell.kind, cell.error) == ("FORMULA", 0), (offer, figure, cell)
        exact = DIGITS.create_decimal(Decimal(str(rows[offer][figure])))
        assert DIGITS.create_decimal(repr(cell.value)) == exact, (offer, figure)


def test_a_refusal_is_a_text_that_can_be_read(office: LibreOffice, service: Service) -> None:
    url = f"{service.url}/cell/cost_per_query?offer=openai/nope&text=a"
    ((inline,), (plain,)) = office.do(
        "formulas", formulas=[f'=WEBSERVICE("{url}&errors=inline")', f'=WEBSERVICE("{url}")'], cells={}
    )
    assert (inline.text, inline.error) == ("#permillion: unknown-model", 0)
    assert plain.error != 0, "without it LibreOffice shows #VALUE! and loses the reason"

"""`POST /statement`: a month's usage under a contract."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, WithJsonSchema

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import Answer, Currency, DecimalOut, InstantIn, Name, PriceIn, Wire, numeric_columns
from api.http.schemas.price import PricedRow, PricedRowWithLines, UsageRowIn


class StatementRowIn(UsageRowIn):
    """One usage of the month; its instant decides prices, discounts and what comes first."""

    as_of: InstantIn


class StatementRequest(Wire):
    """The usage of one calendar month (UTC) under one private book; a bad row becomes a row with `error_code`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "price_book": "acme-2026",
                    "month": "2026-11",
                    "rows": [
                        {
                            "offer": "openai/gpt-6-sol",
                            "as_of": "2026-11-03T09:30:00Z",
                            "usage": {"input_tokens": 200000, "output_tokens": 50000},
                        }
                    ],
                }
            ]
        }
    )

    price_book: Name
    month: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")]
    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/StatementRowIn"})]], Field(min_length=1)
    ]
    opening: Annotated[dict[Annotated[str, StringConstraints(max_length=64)], PriceIn], Field(max_length=1_000)] = (
        Field(
            {},
            description="by id of a credit or commitment that began before the month, how much of it was used: no usage is kept here",
        )
    )
    known_at: InstantIn | None = Field(None, description="with prices and terms believed then; default: now")
    currency: Currency | None = Field(None, description="convert to this; default: the book's own")
    fx: list[FxIn] = []


class StatementLine(Answer):
    """One effect of a term; `amount` is negative for a reduction, positive for an unused commitment."""

    term_id: str
    kind: Literal["discount", "free_allowance", "credit", "committed_spend"]
    order: int
    applied_to: str
    row_id: str | int | None
    meter: str | None
    quantity: DecimalOut | None
    rate: DecimalOut | None
    per: int | None
    amount: DecimalOut
    currency: str
    native_amount: DecimalOut
    native_currency: str
    balance_before: DecimalOut | None
    balance_after: DecimalOut | None
    balance_unit: str | None
    source: str
    note: str


class StatementTotals(Answer):
    """`undiscounted_cost + discounts = contract_cost`, and `contract_cost + reductions + unused_commitment = payable`.

    Rows with an error are in none of them; `complete` says whether there was none.
    """

    list_cost: DecimalOut | None
    list_cost_detail: str | None
    undiscounted_cost: DecimalOut
    discounts: DecimalOut
    contract_cost: DecimalOut
    allowances: DecimalOut
    credits: DecimalOut
    reductions: DecimalOut
    unused_commitment: DecimalOut
    payable: DecimalOut
    currency: str
    native_payable: DecimalOut
    native_currency: str
    fx_rate: DecimalOut | None
    fx_as_of: str | None
    priced_rows: int
    error_rows: int
    complete: bool


class StatementAnswer(Answer):
    """Row i answers row i; `lines` are the effects of the terms, in the order they were applied."""

    rows: list[PricedRowWithLines | PricedRow]
    lines: list[StatementLine]
    totals: StatementTotals
    meta: Meta


LINE_COLUMNS = tuple(StatementLine.model_fields)
LINE_NUMBERS = numeric_columns(StatementLine)
TOTALS_COLUMNS = tuple(StatementTotals.model_fields)
TOTALS_NUMBERS = numeric_columns(StatementTotals)

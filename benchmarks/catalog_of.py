"""A catalog of so many price rows, made once for a measurement.

10,000 rows are published as a tenant would: 100 models, two meters, 50 dated prices each. More are copies of these under
other model names, written by the database itself, because publishing a million rows would take minutes and is not what is
measured here.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from catalog.catalog import Catalog
from catalog.publishing import NewBook, NewRow
from economics.periods import Period
from economics.prices import PriceRow, Provenance
from providers.registry import all_providers

BOOK: Final = "history"
PROVIDER: Final = "vendor"
MODELS: Final = 100
CHANGES: Final = 50
ROWS: Final = MODELS * CHANGES * 2
FIRST: Final = datetime(2024, 1, 1, tzinfo=UTC)
STEP: Final = timedelta(days=20)


def model_name(number: int) -> str:
    """The name of a model; copy c of model m is number c·100 + m."""
    return f"model-{number % MODELS:03d}" + (f"-{number // MODELS}" if number >= MODELS else "")


def fill(path: Path, rows: int) -> None:
    """Make a catalog of at least `rows` private rows, a multiple of 10,000, beside the shipped sheets."""
    catalog = Catalog.open(f"sqlite:///{path}")
    catalog.prepare([provider.content() for provider in all_providers()])
    source = Provenance("benchmark", None)
    published = [
        NewRow(
            PROVIDER,
            model_name(model),
            "o200k_base",
            PriceRow(
                meter,
                Decimal(change + 1) / 10,
                1_000_000,
                "USD",
                source,
                period=Period(FIRST + STEP * change, FIRST + STEP * (change + 1)),
            ),
        )
        for model in range(MODELS)
        for meter in ("input_tokens", "output_tokens")
        for change in range(CHANGES)
    ]
    catalog.publish(NewBook(BOOK, None, "USD"), published)
    with catalog.engine.begin() as connection:
        models, prices = (_columns(connection, table) for table in ("models", "price_rows"))
        for copy in range(1, rows // ROWS):
            renamed = {"id": "NULL", "model": f"model || '-{copy}'", "model_key": f"model_key || '-{copy}'"}
            values = ", ".join(renamed.get(name, name) for name in models)
            of_book = f"price_book_id = (SELECT id FROM price_books WHERE name = '{BOOK}')"
            plain = f"{of_book} AND length(model) = {len(model_name(0))}"
            connection.execute(
                text(f"INSERT INTO models ({', '.join(models)}) SELECT {values} FROM models WHERE {plain}")
            )
            same = (
                "SELECT copied.id FROM models copied WHERE copied.price_book_id = p.price_book_id"
                f" AND copied.provider_key = m.provider_key AND copied.model_key = m.model_key || '-{copy}'"
            )
            moved = {"id": "NULL", "model_id": f"({same})"}
            values = ", ".join(moved.get(name, f"p.{name}") for name in prices)
            connection.execute(
                text(
                    f"INSERT INTO price_rows ({', '.join(prices)}) SELECT {values} FROM price_rows p"
                    f" JOIN models m ON m.id = p.model_id WHERE p.{of_book} AND length(m.model) = {len(model_name(0))}"
                )
            )
    catalog.close()


def _columns(connection: Connection, table: str) -> list[str]:
    return [column["name"] for column in inspect(connection).get_columns(table)]

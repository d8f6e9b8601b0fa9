"""`permillion compare FILE`: the comparison in a terminal."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Sequence
from decimal import Context, Decimal
from typing import BinaryIO, TypeVar

import click
import msgspec
from rich.console import Console
from rich.table import Table

from api.cli.opening import open_catalog
from api.counting import counter_for
from api.http.converters.compare import from_api_compare, to_api_compare_rows
from api.http.converters.query import read_fx
from api.http.limits import check_texts
from api.http.rendering import Csv, to_csv
from api.http.schemas.compare import COMPARE_COLUMNS, COMPARE_NUMBERS, CompareRequest
from api.http.state import utc_now
from api.http.wire import decode_model
from api.services.comparing.compare import ComparedOffer, compare
from api.services.comparing.question import Comparison
from api.settings import Settings, settings_from_environment
from catalog.catalog import Catalog
from economics.errors import PermillionError
from economics.money import format_decimal

PROGRESS_AFTER_S = 1.0
_T = TypeVar("_T")
_COLUMNS = (
    # column of the row, title, how early it goes when the terminal is narrow (0: never)
    ("rank", "rank", 0),
    ("offer", "offer", 0),
    ("tokenizer", "tokenizer", 5),
    ("count_method", "count", 2),
    ("input_tokens", "tokens in", 1),
    ("output_tokens", "tokens out", 3),
    ("input_price_per_mtok", "in/Mtok", 6),
    ("output_price_per_mtok", "out/Mtok", 7),
    ("input_cost_per_mchar", "in/Mchar", 4),
    ("cost_per_query", "per query", 0),
    ("cost_per_month", "per month", 0),
)
_TEXT_COLUMNS = ("offer", "tokenizer", "count_method")
_UNLIMITED = 10_000


@click.command(name="compare")
@click.argument("file", type=click.File("rb"))
@click.option("--offers", required=True, help="Comma-separated: provider/model or provider/model@book.")
@click.option("--output-characters", help="Characters a query gives back.")
@click.option("--output-tokens", help="Tokens a query gives back, instead.")
@click.option("--queries-per-month", help="For the cost per month.")
@click.option("--currency", default="USD", show_default=True)
@click.option(
    "--fx", multiple=True, metavar="FROM:TO:RATE:DATE", help="A currency rate, such as CNY:USD:0.1408:2026-11-30."
)
@click.option("--as-of", help="Instant or date of the prices; default: now.")
@click.option("--format", "format_", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
def command(
    file: BinaryIO,
    offers: str,
    output_characters: str | None,
    output_tokens: str | None,
    queries_per_month: str | None,
    currency: str,
    fx: tuple[str, ...],
    as_of: str | None,
    format_: str,
) -> None:
    """Rank offers by what the text in FILE (- for standard input) costs."""
    settings = settings_from_environment()
    text = read_text(file.read(settings.max_text_bytes + 1), settings)
    catalog = open_catalog(settings)
    workload = {
        "output_characters_per_query": output_characters,
        "output_tokens_per_query": output_tokens,
        "queries_per_month": queries_per_month,
    }
    body: dict[str, object] = {
        "text": text,
        "offers": [name.strip() for name in offers.split(",") if name.strip()],
        "workload": {name: value for name, value in workload.items() if value is not None},
        "currency": currency,
        "fx": [read_fx(rate) for rate in fx],
        **({} if as_of is None else {"as_of": as_of}),
    }
    snapshot = catalog.snapshot
    question = from_api_compare(decode_model(CompareRequest, body), snapshot, utc_now())
    compared = asyncio.run(_compare(question, catalog, settings))
    rows = to_api_compare_rows(compared, question, snapshot.version, detail=False)
    catalog.close()
    if format_ == "json":
        click.echo(msgspec.json.format(msgspec.json.encode({"rows": rows})).decode())
    elif format_ == "csv":
        click.echo(to_csv(COMPARE_COLUMNS, rows, Csv(), COMPARE_NUMBERS).decode(), nl=False)
    else:
        show_table(rows, question, snapshot.version)
    if not any(offer.overall for offer in compared):
        raise SystemExit(1)


def read_text(content: bytes, settings: Settings) -> str:
    """The text of a file.

    Raises:
        PermillionError: `invalid-text` where it is not UTF-8, `text-too-large`.
    """
    if len(content) > settings.max_text_bytes:
        raise PermillionError("text-too-large", f"the file is over max_text_bytes, {settings.max_text_bytes}")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PermillionError("invalid-text", f"the file is not UTF-8 (byte {error.start})") from None
    check_texts([("", text)], settings)
    return text


async def _compare(question: Comparison, catalog: Catalog, settings: Settings) -> list[ComparedOffer]:
    counter = counter_for(settings, catalog)
    await counter.start()
    try:
        snapshot = catalog.snapshot
        theirs = counter.with_files(snapshot.tokenizer_files())
        return await with_progress(compare(question, snapshot, theirs), "counting tokens")
    finally:
        await counter.close()


async def with_progress(work: Awaitable[_T], what: str) -> _T:
    """The result of `work`; after a second a line on standard error, if that is a terminal, says that it is running."""
    task = asyncio.ensure_future(work)
    done, _ = await asyncio.wait({task}, timeout=PROGRESS_AFTER_S)
    if done or not sys.stderr.isatty():
        return await task
    started = time.monotonic() - PROGRESS_AFTER_S
    console = Console(stderr=True)
    with console.status(what) as status:
        while not task.done():
            await asyncio.wait({task}, timeout=0.25)
            status.update(f"{what}, {time.monotonic() - started:.0f} s")
    return await task


def show_table(rows: list[dict[str, object]], question: Comparison, catalog_version: str) -> None:
    """The table a person reads: shortened figures, then what is wrong or worth knowing, offer by offer.

    A narrow terminal gets fewer columns, never cut ones; a pipe or file gets them all.
    """
    console = Console(width=None if sys.stdout.isatty() else _UNLIMITED)
    columns = [c for c in _COLUMNS if c[0] in ("rank", "offer") or any(row[c[0]] is not None for row in rows)]
    while _width(columns, rows) > console.width and any(early for _, _, early in columns):
        columns.remove(max(columns, key=lambda column: column[2]))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, title, _ in columns:
        table.add_column(title, justify="left" if column in _TEXT_COLUMNS else "right", no_wrap=True)
    for row in rows:
        table.add_row(*[_cell(row, column) for column, _, _ in columns])
    console.print(table)
    for row in rows:
        notes = [f"{row['error_code']}: {row['error_detail']}"] if row["error_code"] else []
        notes += str(row["warnings"]).split(";") if row["warnings"] else []
        if notes:
            click.echo(f"{_cell(row, 'offer')}: {'; '.join(notes)}")
    as_of = rows[0]["as_of"] if rows else ""
    click.echo(
        f"{question.currency}; prices as of {as_of}; catalog {catalog_version}; sources and all digits: --format csv"
    )


def _width(columns: Sequence[tuple[str, str, int]], rows: list[dict[str, object]]) -> int:
    return sum(max(len(title), *(len(_cell(row, name)) for row in rows)) + 2 for name, title, _ in columns) - 2


def _cell(row: dict[str, object], column: str) -> str:
    value = row[column]
    if value is None:
        return "-"
    if column == "offer":
        return str(value) if row["price_book"] in (None, "default") else f"{value}@{row['price_book']}"
    return shorten(str(value)) if column.startswith("cost") or column.endswith(("mtok", "mchar")) else str(value)


def shorten(number: str) -> str:
    """At most 6 significant digits for the eye; the exact figure is in csv and json.

    >>> shorten("1.753472222222222222222222222"), shorten("1180.20"), shorten("0.00000071")
    ('1.75347', '1180.2', '0.00000071')
    """
    return format_decimal(Context(prec=6).create_decimal(Decimal(number)))

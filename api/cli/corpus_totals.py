"""The totals of a corpus as a person reads them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

from api.cli.compare import shorten
from api.services.corpora.columns import TokenColumn
from api.services.corpora.totals import Totals

_UNLIMITED = 10_000


def show_totals(totals: Totals, columns: Sequence[TokenColumn]) -> None:
    """Texts and their lengths, a line a tokenizer, then what was not counted and where."""
    click.echo(
        f"{totals.texts:,} texts, {totals.characters:,} characters "
        f"({totals.non_whitespace_characters:,} without white space), {totals.bytes:,} bytes"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("tokenizer", "count"):
        table.add_column(title, no_wrap=True)
    for title in ("texts", "tokens", "tokens/character"):
        table.add_column(title, justify="right", no_wrap=True)
    for column, total in zip(columns, totals.columns, strict=True):
        name = column.asked if column.asked == column.tokenizer else f"{column.asked} ({column.tokenizer})"
        ratio = total.tokens_per_character
        shown = "-" if ratio is None else shorten(ratio)
        table.add_row(name, column.method, f"{total.texts:,}", f"{total.tokens:,}", shown)
    Console(width=None if sys.stdout.isatty() else _UNLIMITED).print(table)
    for column in columns:
        if column.warnings:
            click.echo(f"{column.asked}: {'; '.join(column.warnings)}")
    for slug, rows in sorted(totals.errors.items()):
        click.echo(f"{slug}: {rows:,} of the texts")
    for (source, slug), (rows, line) in totals.problems.items():
        click.echo(f"  {source}: {slug}, {rows:,} from line {line}")
    if not totals.texts:
        click.echo("no text was found")

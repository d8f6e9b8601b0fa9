"""`permillion tokenize SOURCE...`: token counts of a corpus, one row a text, in constant memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import msgspec

from api.cli.corpus_output import CorpusOutput
from api.cli.corpus_progress import CorpusProgress
from api.cli.corpus_totals import show_totals
from api.cli.opening import open_catalog
from api.http.state import utc_now
from api.services.corpora.checkpoint import Checkpoint, read_checkpoint
from api.services.corpora.columns import TokenColumn, columns_of_offers, columns_of_tokenizers
from api.services.corpora.parquet import require_pyarrow
from api.services.corpora.reading import Reading, read_corpus
from api.services.corpora.running import Running, count_corpus
from api.services.corpora.sources import Kind, Source, Survey, find_sources, survey
from api.services.corpora.totals import totals_document
from api.settings import Settings, settings_from_environment
from economics.errors import PermillionError
from economics.periods import parse_instant


@click.command(name="tokenize")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--tokenizers", help="Comma-separated ids, such as o200k_base,gemma3.")
@click.option("--offers", help="Instead: comma-separated provider/model or provider/model@book.")
@click.option("--as-of", help="With --offers: instant or date at which they are looked up; default: now.")
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help=".csv, .jsonl or .parquet")
@click.option("--field", default="text", show_default=True, help="Field or column of the text.")
@click.option("--id-field", help="Field or column of the id; default: id where there is one, else the line.")
@click.option("--as", "kind", type=click.Choice(["jsonl", "csv", "parquet", "text"]), help="Whatever the suffix says.")
@click.option("--pattern", "patterns", multiple=True, help="Names of files in folders, such as '*.md'; repeatable.")
@click.option("--resume", is_flag=True, help="Go on where a killed count stopped.")
@click.option("--overwrite", is_flag=True, help="Begin anew though the output, or a part of it, is there.")
@click.option("--batch", default=256, show_default=True, type=click.IntRange(1, 10_000), help="Texts in a batch.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes (PERMILLION_COUNTING_WORKERS; default 2).")
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", help="Of the totals.")
def command(
    sources: tuple[str, ...],
    tokenizers: str | None,
    offers: str | None,
    as_of: str | None,
    out: Path,
    field: str,
    id_field: str | None,
    kind: Kind | None,
    patterns: tuple[str, ...],
    resume: bool,
    overwrite: bool,
    batch: int,
    workers: int | None,
    format_: str,
) -> None:
    """Count the tokens of every text in SOURCE...: files, folders, or - for JSON lines on standard input.

    Exit status: 0 all counted, 1 some texts were not (their rows say why) or there was none, 2 refused.
    """
    settings = settings_from_environment()
    if resume and overwrite:
        raise PermillionError("invalid-fields", "--resume or --overwrite, not both")
    columns = _columns(tokenizers, offers, as_of, settings)
    reading = Reading(field, id_field, settings.max_text_bytes)
    output = CorpusOutput(out, columns)

    def found() -> Iterator[Source]:
        return find_sources(sources, patterns, kind, output.files)

    surveyed = survey(found(), _what_makes_rows(reading, columns, output.format))
    if not surveyed.files:
        raise PermillionError("invalid-fields", "there is no file to read")
    if output.format == "parquet" or "parquet" in surveyed.kinds:
        require_pyarrow()
    checkpoint = _checkpoint(output, surveyed, resume=resume, overwrite=overwrite)
    if output.begin(surveyed.identity, checkpoint):
        running = Running(workers or settings.counting_workers, batch_texts=batch)
        try:
            with CorpusProgress(surveyed.bytes) as progress:
                asyncio.run(_count(output, progress, found(), reading, columns, running))
        except KeyboardInterrupt:
            click.echo("permillion: stopped; the same command with --resume goes on", err=True)
            raise SystemExit(130) from None
    if format_ == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(totals_document(output.totals, columns))).decode())
    else:
        show_totals(output.totals, columns)
    if output.totals.errors or not output.totals.texts:
        raise SystemExit(1)


async def _count(
    output: CorpusOutput,
    progress: CorpusProgress,
    sources: Iterator[Source],
    reading: Reading,
    columns: Sequence[TokenColumn],
    running: Running,
) -> None:
    texts = progress.of_texts(read_corpus(progress.of_sources(sources), reading, output.position))
    try:
        async with aclosing(count_corpus(texts, columns, running)) as counted:
            async for rows in counted:
                output.add(rows)
        output.finish()
    finally:
        output.close()


def _columns(tokenizers: str | None, offers: str | None, as_of: str | None, settings: Settings) -> list[TokenColumn]:
    if (tokenizers is None) == (offers is None):
        raise PermillionError("invalid-fields", "name --tokenizers or --offers, one of them")
    if offers is None:
        if as_of is not None:
            raise PermillionError("invalid-fields", "--as-of goes with --offers")
        return columns_of_tokenizers(_names(tokenizers or ""))
    instant = utc_now() if as_of is None else parse_instant(as_of)
    catalog = open_catalog(settings)
    try:
        return columns_of_offers(_names(offers), instant, catalog.snapshot)
    finally:
        catalog.close()


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _what_makes_rows(reading: Reading, columns: Sequence[TokenColumn], output_format: str) -> dict[str, Any]:
    """All that makes a row what it is beside the files: the same corpus counted otherwise cannot be gone on with."""
    counted = [[column.header, column.fingerprint] for column in columns]
    return {**asdict(reading), "columns": counted, "format": output_format}


def _checkpoint(output: CorpusOutput, surveyed: Survey, *, resume: bool, overwrite: bool) -> Checkpoint | None:
    """Where to go on, None for the start.

    Raises:
        PermillionError: `invalid-fields` where an output is there that nobody said to go on with or to replace.
    """
    if overwrite:
        return None
    if resume:
        if surveyed.bytes is None:
            raise PermillionError("invalid-fields", "a stream cannot be read again, so it cannot be resumed")
        checkpoint = read_checkpoint(output.checkpoint, surveyed.identity)
        if checkpoint is not None or not output.out.exists():
            return checkpoint
        raise PermillionError("invalid-fields", f"{output.out.name} is whole: there is nothing to resume")
    if output.checkpoint.exists():
        raise PermillionError(
            "invalid-fields", f"{output.checkpoint.name} is there: --resume goes on, --overwrite begins anew"
        )
    if output.out.exists():
        raise PermillionError("invalid-fields", f"{output.out.name} is there; --overwrite replaces it")
    return None

"""How far a corpus is, on standard error: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Self

import click

from api.services.corpora.sources import Source
from api.services.corpora.texts import CorpusText

SHOWN_EVERY_S = 0.2
LOGGED_EVERY_S = 30.0


class CorpusProgress:
    """Watches a corpus being read.

    Args:
        total_bytes: of its files; None where that is not known, and then only texts are counted.
    """

    def __init__(self, total_bytes: int | None) -> None:
        self._total_bytes = total_bytes
        self._terminal = sys.stderr.isatty()
        self._bar: Any = None
        self._closing = ExitStack()
        self._texts = 0
        self._before = 0
        self._within = 0
        self._shown_bytes = 0
        self._shown_at = time.monotonic()

    def __enter__(self) -> Self:
        if self._terminal and self._total_bytes is not None:
            bar = click.progressbar(length=max(self._total_bytes, 1), label="counting", file=sys.stderr, show_pos=False)
            self._bar = self._closing.enter_context(bar)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is None and self._terminal and self._texts:
            self._show()
            click.echo(err=True)
        self._closing.close()

    def of_sources(self, sources: Iterator[Source]) -> Iterator[Source]:
        """The sources; those before the one being read are done."""
        for source in sources:
            self._source_bytes = source.kind in ("jsonl", "csv")
            yield source
            self._before += source.size or 0
            self._within = 0

    def of_texts(self, texts: Iterator[CorpusText]) -> Iterator[CorpusText]:
        """The texts, each noted as it goes by."""
        every_s = SHOWN_EVERY_S if self._terminal else LOGGED_EVERY_S
        for text in texts:
            self._texts += 1
            if self._source_bytes:
                self._within = text.after.offset
            if time.monotonic() - self._shown_at >= every_s:
                self._show()
            yield text
        if self._bar is not None:
            self._show()

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        reached = self._before + self._within
        if self._bar is not None:
            self._bar.label = f"{self._texts:,} texts"
            self._bar.update(reached - self._shown_bytes)
            self._shown_bytes = reached
        elif self._terminal:
            click.echo(f"\r{self._texts:,} texts", nl=False, err=True)
        else:
            share = f", {100 * reached // self._total_bytes} % of the bytes" if self._total_bytes else ""
            click.echo(f"permillion: {self._texts:,} texts{share}", err=True)

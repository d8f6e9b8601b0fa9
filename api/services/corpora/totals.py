"""What a corpus adds up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from api.services.corpora.columns import TokenColumn
from api.services.corpora.counting import CountedRow
from economics.money import Exact

MAX_PROBLEMS = 20
"""Pairs of file and kind of error that are remembered by name; all errors are counted."""


@dataclass(slots=True)
class ColumnTotal:
    """Sums over the texts that one tokenizer counted."""

    texts: int = 0
    characters: int = 0
    tokens: int = 0

    @property
    def tokens_per_character(self) -> str | None:
        """Tokens ÷ characters of the texts counted, to 28 significant digits; None without characters.

        >>> ColumnTotal(2, 13, 4).tokens_per_character
        '0.3076923076923076923076923077'
        """
        return Exact(Decimal(self.tokens), Decimal(self.characters)).to_text() if self.characters else None


@dataclass(slots=True)
class Totals:
    """Sums over rows.

    Attributes:
        texts: rows, those with errors included.
        characters, bytes, non_whitespace_characters: of the texts that could be read.
        columns: one for each column of counts, in order.
        errors: rows by error code.
        problems: by file and error code the number of rows and the first line; at most `MAX_PROBLEMS` pairs.
    """

    columns: list[ColumnTotal]
    texts: int = 0
    characters: int = 0
    bytes: int = 0
    non_whitespace_characters: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    problems: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[CountedRow], columns: int) -> Totals:
        """The sums of rows that have so many columns of counts."""
        totals = cls([ColumnTotal() for _ in range(columns)])
        for row in rows:
            totals.add(row)
        return totals

    def add(self, row: CountedRow) -> None:
        """Count one more row."""
        self.texts += 1
        self.characters += row.characters or 0
        self.bytes += row.bytes or 0
        self.non_whitespace_characters += row.non_whitespace_characters or 0
        for total, tokens in zip(self.columns, row.tokens, strict=True):
            if tokens is not None and row.characters is not None:
                total.texts += 1
                total.characters += row.characters
                total.tokens += tokens
        if row.error is not None:
            self.errors[row.error.slug] += 1
            self._note(row.source, row.error.slug, 1, row.line)

    def merge(self, other: Totals) -> None:
        """Add the sums of other rows."""
        self.texts += other.texts
        self.characters += other.characters
        self.bytes += other.bytes
        self.non_whitespace_characters += other.non_whitespace_characters
        for total, further in zip(self.columns, other.columns, strict=True):
            total.texts += further.texts
            total.characters += further.characters
            total.tokens += further.tokens
        self.errors.update(other.errors)
        for (source, slug), (rows, line) in other.problems.items():
            self._note(source, slug, rows, line)

    def _note(self, source: str, slug: str, rows: int, line: int) -> None:
        known = self.problems.get((source, slug))
        if known is not None:
            self.problems[source, slug] = (known[0] + rows, min(known[1], line))
        elif len(self.problems) < MAX_PROBLEMS:
            self.problems[source, slug] = (rows, line)

    def to_json(self) -> dict[str, Any]:
        """The sums as JSON values, from which `from_json` makes them again."""
        return {
            "texts": self.texts,
            "characters": self.characters,
            "bytes": self.bytes,
            "non_whitespace_characters": self.non_whitespace_characters,
            "columns": [[total.texts, total.characters, total.tokens] for total in self.columns],
            "errors": dict(self.errors),
            "problems": [[*key, *value] for key, value in self.problems.items()],
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Totals:
        """The sums that `to_json` wrote."""
        return cls(
            [ColumnTotal(*total) for total in content["columns"]],
            content["texts"],
            content["characters"],
            content["bytes"],
            content["non_whitespace_characters"],
            Counter(content["errors"]),
            {(source, slug): (rows, line) for source, slug, rows, line in content["problems"]},
        )


def totals_document(totals: Totals, columns: Sequence[TokenColumn]) -> dict[str, Any]:
    """The totals as a reader of JSON gets them: each figure under its name."""
    return {
        "texts": totals.texts,
        "characters": totals.characters,
        "bytes": totals.bytes,
        "non_whitespace_characters": totals.non_whitespace_characters,
        "columns": [
            {
                "name": column.asked,
                "tokenizer": column.tokenizer,
                "count_method": column.method,
                "texts": total.texts,
                "characters": total.characters,
                "tokens": total.tokens,
                "tokens_per_character": total.tokens_per_character,
                "warnings": ";".join(column.warnings),
            }
            for column, total in zip(columns, totals.columns, strict=True)
        ],
        "errors": dict(sorted(totals.errors.items())),
        "problems": [
            {"source": source, "error_code": slug, "rows": rows, "first_line": line}
            for (source, slug), (rows, line) in totals.problems.items()
        ],
    }

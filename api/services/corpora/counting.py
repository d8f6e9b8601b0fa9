"""The step that every way of running shares: texts in, counted rows out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.services.corpora.columns import TokenColumn
from api.services.corpora.texts import CorpusText, Position
from economics.errors import PermillionError
from tokenizers_registry.counting import Counted, TokenCounter

ROW_COLUMNS = ("source", "line", "text_id", "characters", "bytes", "non_whitespace_characters")
ERROR_COLUMNS = ("error_code", "error_detail")
_GIVEN_UP = ("counting-failed", "counting-timeout")


@dataclass(frozen=True, slots=True)
class CountedRow:
    """A text's counts, without the text.

    Attributes:
        characters: Unicode code points; like the other lengths None where there is no text.
        tokens: content tokens, one a column; None where that tokenizer gave none.
        error: why there is no text, or the first reason why a tokenizer gave no count.
    """

    source: str
    line: int
    text_id: str | int
    characters: int | None
    bytes: int | None
    non_whitespace_characters: int | None
    tokens: tuple[int | None, ...]
    error: PermillionError | None
    after: Position


def row_headers(columns: Sequence[TokenColumn]) -> list[str]:
    """Names of a row's cells, in order."""
    return [*ROW_COLUMNS, *(column.header for column in columns), *ERROR_COLUMNS]


def row_cells(row: CountedRow, columns: Sequence[TokenColumn]) -> dict[str, Any]:
    """A row by name, missing figures None."""
    cells: dict[str, Any] = {name: getattr(row, name) for name in ROW_COLUMNS}
    cells.update(zip((column.header for column in columns), row.tokens, strict=True))
    cells["error_code"] = None if row.error is None else row.error.slug
    cells["error_detail"] = None if row.error is None else row.error.detail
    return cells


def counted_row(text: CorpusText, counts: Mapping[str, Counted], columns: Sequence[TokenColumn]) -> CountedRow:
    """The row of a text.

    Args:
        counts: by tokenizer; nothing where the text has an error.
    """
    if text.text is None:
        unread = (None,) * len(columns)
        return CountedRow(text.source, text.line, text.text_id, None, None, None, unread, text.error, text.after)
    found = [counts[column.tokenizer] for column in columns]
    problems = [count for count in found if isinstance(count, PermillionError)]
    error = None
    if problems:
        details = "; ".join(dict.fromkeys(problem.detail for problem in problems))
        error = PermillionError(problems[0].slug, details)
    return CountedRow(
        text.source,
        text.line,
        text.text_id,
        len(text.text),
        len(text.text.encode()),
        sum(map(len, text.text.split())),
        tuple(None if isinstance(count, PermillionError) else count for count in found),
        error,
        text.after,
    )


async def count_batch(
    texts: Sequence[CorpusText], columns: Sequence[TokenColumn], counter: TokenCounter
) -> list[CountedRow]:
    """Rows of a batch, in order.

    An engine that gives up gives no count of its batch: then each text is asked alone, so that one text's fault is
    one row's error.
    """
    tokenizers = list(dict.fromkeys(column.tokenizer for column in columns))
    readable = [text.text for text in texts if text.text is not None]
    counts = await counter.count(readable, tokenizers) if readable else []
    for tokenizer in tokenizers:
        if len(readable) > 1 and any(_gave_up(count[tokenizer]) for count in counts):
            for text, count in zip(readable, counts, strict=True):
                if _gave_up(count[tokenizer]):
                    count[tokenizer] = (await counter.count([text], [tokenizer]))[0][tokenizer]
    following = iter(counts)
    return [counted_row(text, {} if text.text is None else next(following), columns) for text in texts]


def _gave_up(count: Counted) -> bool:
    return isinstance(count, PermillionError) and count.slug in _GIVEN_UP


def batches(texts: Iterable[CorpusText], max_texts: int, max_characters: int) -> Iterator[list[CorpusText]]:
    """Texts in batches that end at either bound; a longer text is a batch of its own end.

    >>> from api.services.corpora.texts import Position
    >>> texts = [CorpusText("", n, n, "abc", None, Position()) for n in range(5)]
    >>> [len(batch) for batch in batches(texts, 2, 100)], [len(batch) for batch in batches(texts, 9, 7)]
    ([2, 2, 1], [3, 2])
    """
    batch: list[CorpusText] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += len(text.text or "")
        if len(batch) >= max_texts or characters >= max_characters:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch

"""Which rows of somebody else could be published: each is looked at alone, and what is refused keeps nothing else out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from catalog.corrections import Believed, correct
from catalog.publishing.checks import KnownProvider, NewBook, NewRow, check_tokenizer, checked_row
from catalog.publishing.tiers import reaching
from economics.errors import PermillionError


def sift_rows(
    book: NewBook, rows: Sequence[NewRow], known: Mapping[str, KnownProvider]
) -> tuple[dict[int, NewRow], dict[int, PermillionError]]:
    """Which of `rows` could be published, by position and in the vendor's spelling, and why the others could not.

    As `check_rows`, for rows that somebody else wrote: one that is refused does not keep the rest out. Of two that hold at
    the same time for the same usage, in whatever spelling, the first is taken.
    """
    good: dict[int, NewRow] = {}
    taken: dict[tuple[str, str, str], list[Believed]] = {}
    refused: dict[int, PermillionError] = {}
    tokenizers: dict[tuple[str, str], str] = {}
    for position, new in enumerate(rows):
        try:
            check_tokenizer(new, tokenizers)
            good[position] = _taking_its_time(checked_row(book, new, known.get(new.provider.casefold())), taken)
        except PermillionError as error:
            refused[position] = error
    for position, _ in list(reaching({at: (new.model_key, new.row) for at, new in good.items()})):
        good.pop(position, None)
        refused[position] = PermillionError(
            "invalid-fields", "the tier reaches into a later one of the same price", pointer="/max_input_tokens"
        )
    return good, refused


def _taking_its_time(new: NewRow, taken: dict[tuple[str, str, str], list[Believed]]) -> NewRow:
    slot = (*new.model_key, new.row.slot)
    rows, rivals = correct(taken.get(slot, ()), new.row)
    if rivals:
        raise PermillionError(
            "overlapping-prices", "an earlier row of the file holds at the same time for the same usage"
        )
    taken[slot] = rows
    return new

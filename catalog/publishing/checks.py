"""What a caller may publish, and the checks that need no private row: names, currency, context, size, collisions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from catalog.corrections import first_overlap
from catalog.publishing.tiers import check_tiers
from catalog.records import check_instants, check_storable
from economics.collisions import contradiction, is_empty
from economics.context import Vocabulary
from economics.contracts.terms import check_meter
from economics.errors import PermillionError
from economics.naming import CONTEXT_VALUE, CURRENCY, MODEL, PROVIDER
from economics.periods import Period
from economics.prices import Conditions, PriceRow, Tier, check_conditions, slot_text
from economics.schedules import Schedules

_BOOK: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_TOKENIZER: Final = re.compile(r"[!-~]{1,200}", re.ASCII)
_MAX_TEXT: Final = 2_000
_RESERVED: Final = frozenset({"default", "intl", "cn"})


@dataclass(frozen=True, slots=True)
class NewBook:
    """The private book to publish into; it is made where there is none of that id.

    Args:
        id: `[a-z0-9][a-z0-9._-]{0,63}`, no list book's.
        base: list book that answers where this one has no rate, such as `default`; None for no fall-back, or to leave an
            existing book as it is.
        currency: ISO 4217 code of all its rates.
        title: for people.
        tax_included: whether its rates include tax, None where unknown.
        tax_rate: a ratio, None where unknown.
        bounds: `valid_from` and `valid_to`, outside of which the book answers nothing; None for no bound, left out to leave
            it as it is.
    """

    id: str
    base: str | None
    currency: str
    title: str | None = None
    tax_included: bool | None = None
    tax_rate: Decimal | None = None
    bounds: Mapping[str, datetime | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewRow:
    """A rate of a model in that book; `tokenizer` is the id its tokens are counted with, where the tenant knows it."""

    provider: str
    model: str
    tokenizer: str | None
    row: PriceRow

    @property
    def model_key(self) -> tuple[str, str]:
        """Provider and model without regard to case."""
        return self.provider.casefold(), self.model.casefold()


@dataclass(frozen=True, slots=True)
class ClearedRate:
    """A slot of which nothing is to be believed in `period`: a rate that is null is neither absent nor 0."""

    provider: str
    model: str
    meter: str
    conditions: Conditions
    tier: Tier
    period: Period

    @property
    def model_key(self) -> tuple[str, str]:
        """Provider and model without regard to case."""
        return self.provider.casefold(), self.model.casefold()

    @property
    def slot(self) -> str:
        """As `PriceRow.slot`."""
        return slot_text(self.meter, self.conditions, self.tier, None)


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """What the list says of a vendor: which contexts and schedules its rows may name."""

    vocabulary: Vocabulary
    schedules: Schedules


def check_book(book: NewBook, list_books: frozenset[str]) -> None:
    """Refuse a book that cannot be written to.

    Raises:
        PermillionError: `read-only-book` for a list book, `invalid-fields` for a malformed id or currency,
            `unknown-price-book` for a base that is no list book.
    """
    if book.id in _RESERVED | list_books:
        raise PermillionError(
            "read-only-book",
            "a list book is what a vendor publishes; write to a book of your own",
            pointer="/price_book/id",
        )
    if not _BOOK.fullmatch(book.id):
        raise PermillionError(
            "invalid-fields",
            "a book's id has at most 64 lower-case letters, digits, dots, underscores and hyphens",
            pointer="/price_book/id",
        )
    if not CURRENCY.fullmatch(book.currency):
        raise PermillionError("invalid-fields", "a currency is three capital letters", pointer="/price_book/currency")
    if book.base is not None and book.base not in list_books:
        named = ", ".join(sorted(list_books)) or "none"
        raise PermillionError(
            "unknown-price-book", f"the base must be a list book; there are {named}", pointer="/price_book/base"
        )
    if book.title is not None:
        check_text(book.title, "/price_book/title")
    try:
        check_instants(Period(book.bounds.get("valid_from"), book.bounds.get("valid_to")))
    except PermillionError as error:
        raise PermillionError(error.slug, error.detail, pointer=f"/price_book{error.pointer}") from None


def check_rows(
    book: NewBook, rows: Sequence[NewRow | ClearedRate], known: Mapping[str, KnownProvider]
) -> list[NewRow | ClearedRate]:
    """The rows with their contexts in the vendor's own spelling.

    Args:
        book: they are of.
        rows: of one request.
        known: vendors with a sheet, by case-folded name.

    Raises:
        PermillionError: with a pointer `/rows/<i>/…`: `invalid-fields`, `unknown-context`, `contradictory-context`,
            `overlapping-prices`.
    """
    checked: list[NewRow | ClearedRate] = []
    tokenizers: dict[tuple[str, str], str] = {}
    for position, new in enumerate(rows):
        try:
            if isinstance(new, ClearedRate):
                checked.append(_checked_clearing(new, known.get(new.provider.casefold())))
                continue
            check_tokenizer(new, tokenizers)
            checked.append(checked_row(book, new, known.get(new.provider.casefold())))
        except PermillionError as error:
            raise PermillionError(error.slug, error.detail, pointer=f"/rows/{position}{error.pointer}") from None
    clash = first_overlap(
        ((*new.model_key, new.slot), new.period)
        if isinstance(new, ClearedRate)
        else ((*new.model_key, new.row.slot), new.row.period)
        for new in checked
    )
    if clash is not None:
        raise PermillionError(
            "overlapping-prices",
            f"this row holds at the same time and for the same usage as row {clash[0]}; give each its own period",
            pointer=f"/rows/{clash[1]}",
        )
    check_tiers({at: (new.model_key, new.row) for at, new in enumerate(checked) if isinstance(new, NewRow)})
    return checked


def check_tokenizer(new: NewRow, named: dict[tuple[str, str], str]) -> None:
    """Refuse a tokenizer id that cannot be one, or another one than a former row of the model has in `named`."""
    if new.tokenizer is None:
        return
    if not _TOKENIZER.fullmatch(new.tokenizer):
        raise PermillionError("invalid-fields", "a tokenizer id has no blanks", pointer="/tokenizer")
    if named.setdefault(new.model_key, new.tokenizer) != new.tokenizer:
        raise PermillionError("invalid-fields", "rows of one model name different tokenizers", pointer="/tokenizer")


def checked_row(book: NewBook, new: NewRow, known: KnownProvider | None) -> NewRow:
    """`new` with its context in the vendor's own spelling.

    Raises:
        PermillionError: `invalid-fields`, `unknown-context`, `contradictory-context`, with a pointer within the row.
    """
    row = new.row
    _check_names(new)
    if row.currency != book.currency:
        raise PermillionError("invalid-fields", f"the book is in {book.currency}", pointer="/currency")
    if row.tax_rate is not None and not 0 <= row.tax_rate <= 1:
        raise PermillionError("invalid-fields", "a tax rate is a ratio from 0 to 1", pointer="/tax_rate")
    if row.tax_rate is not None and row.tax_included is None:
        raise PermillionError("invalid-fields", "say whether the rate includes that tax", pointer="/tax_rate")
    check_text(row.provenance.source, "/source")
    if row.provenance.note:
        check_text(row.provenance.note, "/note")
    schedules = {} if known is None else known.schedules
    if row.schedule is not None and row.schedule not in schedules:
        raise PermillionError("invalid-fields", "this provider has no such schedule", pointer="/schedule")
    spelled = spelled_conditions(row.conditions, known)
    if spelled != row.conditions:
        new = replace(new, row=replace(row, conditions=spelled))
    if known is not None and contradiction(spelled, known.vocabulary):
        raise PermillionError(
            "contradictory-context", "these are not sold together, so the row could never hold", pointer="/context"
        )
    if row.tier.max_input_tokens == 0:
        raise PermillionError("invalid-fields", "no prompt is within 0 tokens", pointer="/max_input_tokens")
    if is_empty(row.tier):
        raise PermillionError(
            "invalid-fields", "no prompt is beyond min_input_tokens and within this", pointer="/max_input_tokens"
        )
    check_storable(new.row)
    return new


def _checked_clearing(cleared: ClearedRate, known: KnownProvider | None) -> ClearedRate:
    _check_names(cleared)
    check_meter(cleared.meter, "/meter")
    check_conditions(cleared.conditions)
    check_instants(cleared.period)
    return replace(cleared, conditions=spelled_conditions(cleared.conditions, known))


def _check_names(new: NewRow | ClearedRate) -> None:
    if not PROVIDER.fullmatch(new.provider):
        raise PermillionError("invalid-fields", "a provider is 1 to 64 letters, digits and -+.()", pointer="/provider")
    if not MODEL.fullmatch(new.model):
        raise PermillionError("invalid-fields", "a model is 1 to 200 letters, digits and -+.:/@()", pointer="/model")


def spelled_conditions(conditions: Conditions, known: KnownProvider | None) -> Conditions:
    """`conditions` in the vendor's own spelling, its synonyms resolved.

    Raises:
        PermillionError: `unknown-context` for a key or value the vendor does not have, `invalid-fields`.
    """
    vocabulary = None if known is None else known.vocabulary
    return {name: _spelled(vocabulary, name, values) for name, values in conditions.items()}


def _spelled(vocabulary: Vocabulary | None, name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    pointer = f"/context/{name}"
    if not values:
        raise PermillionError("invalid-fields", "a context key needs a value", pointer=pointer)
    if vocabulary is None:
        if not all(CONTEXT_VALUE.fullmatch(value) for value in values):
            raise PermillionError(
                "invalid-fields",
                "a context value is 1 to 64 letters, digits, dots, underscores and hyphens",
                pointer=pointer,
            )
        return tuple(sorted(set(values)))
    key = vocabulary.keys.get(name)
    if key is None:
        allowed = ", ".join(vocabulary.keys) or "none"
        raise PermillionError(
            "unknown-context", f"this provider has no such context key; allowed: {allowed}", pointer=pointer
        )
    canonical = {key.synonyms.get(value, value) for value in values}
    if not canonical <= set(key.values):
        allowed = ", ".join([*key.values, *key.synonyms])
        raise PermillionError("unknown-context", f"unknown value for {name}; allowed: {allowed}", pointer=pointer)
    return tuple(sorted(canonical))


def check_text(text: str, pointer: str) -> None:
    """Refuse a text that is empty, long or hides characters."""
    if not 0 < len(text) <= _MAX_TEXT or not all(c.isprintable() for c in text):
        raise PermillionError("invalid-fields", "1 to 2,000 printable characters on one line", pointer=pointer)

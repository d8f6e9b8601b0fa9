"""Publishing the terms of a private book: what a request says of a term's id takes the place of all believed of it.

Parts of a rate's time can be corrected, because a rate is the same rate in each of them. A balance cannot be cut at a date
without becoming two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, func, or_, select, update

from catalog.models import StoredModel
from catalog.price_tables import StoredTerm
from catalog.publishing.checks import KnownProvider, check_text
from catalog.publishing.discounts import check_discount, check_stacking
from catalog.publishing.private_books import Tally
from catalog.records import check_digits, check_instants
from catalog.term_records import BOOK_PERIOD, check_order, to_db_book_period, to_db_term
from catalog.writes import chunks, insert_all
from economics.contracts.contract import check_terms
from economics.contracts.terms import CommittedSpend, Credit, Discount, FreeAllowance, Term
from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import ALWAYS

MAX_TERMS: Final = 1_000
"""Terms a book may have: each question of the book reads its discounts."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ClearedTerm:
    """A term of which nothing is to be believed any more."""

    id: str


TermEntry = Term | ClearedTerm


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Terms that are believed now and were not, no longer, and as before."""

    added: int = 0
    superseded: int = 0
    unchanged: int = 0


def check_entries(entries: Sequence[TermEntry], known: Mapping[str, KnownProvider]) -> list[TermEntry]:
    """The terms with their contexts in the vendor's own spelling.

    Args:
        entries: of one request.
        known: vendors with a sheet, by case-folded name.

    Raises:
        PermillionError: with a pointer `/price_book/terms/<i>/…`: `invalid-fields`, `unknown-context`, `overlapping-prices`;
            `too-many-rows`.
    """
    _check_count(len(entries))
    checked: list[TermEntry] = []
    for position, entry in enumerate(entries):
        try:
            if not _ID.fullmatch(entry.id):
                raise PermillionError(
                    "invalid-fields",
                    "a term's id has at most 64 lower-case letters, digits, dots, underscores and hyphens",
                    pointer="/id",
                )
            checked.append(entry if isinstance(entry, ClearedTerm) else _checked(entry, known))
        except PermillionError as error:
            raise _at(position, error) from None
    _check_cleared(checked)
    try:
        check_terms({position: term for position, term in enumerate(checked) if isinstance(term, Term)})
    except PermillionError as error:
        raise PermillionError(error.slug, error.detail, pointer=f"/price_book/terms{error.pointer}") from None
    return checked


def _checked(term: Term, known: Mapping[str, KnownProvider]) -> Term:
    check_order(term.order)
    check_instants(term.period)
    check_text(term.source, "/source")
    if term.note:
        check_text(term.note, "/note")
    if isinstance(term, Discount):
        return replace(term, conditions=check_discount(term, known))
    for pointer, value in _figures(term).items():
        check_digits(value, pointer)
    return term


def _figures(term: Term) -> dict[str, Decimal]:
    if isinstance(term, FreeAllowance):
        return {"/quantity": term.quantity}
    return {"/amount": term.amount} if isinstance(term, Credit | CommittedSpend) else {}


def _check_cleared(entries: Sequence[TermEntry]) -> None:
    cleared = {entry.id for entry in entries if isinstance(entry, ClearedTerm)}
    for position, entry in enumerate(entries):
        if isinstance(entry, Term) and entry.id in cleared:
            raise PermillionError(
                "invalid-fields", "this id is both cleared and stated", pointer=f"/price_book/terms/{position}/id"
            )


def publish_terms(
    connection: Connection,
    scope: Mapping[str, Any],
    entries: Sequence[TermEntry],
    bounds: Mapping[str, datetime | None],
    tally: Tally,
) -> TermCounts:
    """Make the book say `entries` and hold within `bounds`, a bound that is not said staying as it is.

    Raises:
        PermillionError: `unknown-provider`, `unknown-model`, `too-many-rows`, `invalid-fields` for an end that is not after
            the start, and for more discounts on one offer than `catalog.publishing.discounts` allows.
    """
    if not entries and not bounds:
        return TermCounts()
    _check_scopes(connection, scope["price_book_id"], entries)
    wanted: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for entry in entries:
        of_id = wanted[entry.id]
        if isinstance(entry, Term):
            columns = to_db_term(entry)
            of_id[columns["fingerprint"]] = columns
    if bounds:
        period = _bounded(connection, scope["price_book_id"], bounds)
        columns = to_db_book_period(period)
        wanted[BOOK_PERIOD] = {} if period == ALWAYS else {columns["fingerprint"]: columns}
    stored = _believed(connection, scope["price_book_id"], wanted)
    gone = {row_id: print_ for (key, print_), row_id in stored.items() if print_ not in wanted[key]}
    fresh = [
        columns for key, of_id in wanted.items() for print_, columns in of_id.items() if (key, print_) not in stored
    ]
    for print_ in gone.values():
        tally.remove(["term", print_])
    for columns in fresh:
        tally.add(["term", columns["fingerprint"]])
    _supersede(connection, gone, scope["recorded_at"])
    insert_all(connection, StoredTerm, [columns | dict(scope) for columns in fresh])
    _check_count(_count(connection, scope["price_book_id"]))
    discounts = {position: entry.scope for position, entry in enumerate(entries) if isinstance(entry, Discount)}
    check_stacking(connection, scope["price_book_id"], discounts)
    said = sum(len(of_id) or 1 for of_id in wanted.values())
    cleared = sum(1 for key, of_id in wanted.items() if not of_id and any(key == found for found, _ in stored))
    return TermCounts(len(fresh), len(gone), said - len(fresh) - cleared)


def _bounded(connection: Connection, book_id: int, bounds: Mapping[str, datetime | None]) -> Period:
    """The book's period as it is believed, with the bounds that are said."""
    stored = connection.execute(
        select(StoredTerm.valid_from, StoredTerm.valid_to).where(
            StoredTerm.price_book_id == book_id,
            StoredTerm.term_key == BOOK_PERIOD,
            StoredTerm.superseded_at.is_(None),
        )
    ).first()
    start, end = (None, None) if stored is None else stored
    try:
        return Period(bounds.get("valid_from", start), bounds.get("valid_to", end))
    except PermillionError as error:
        raise PermillionError(error.slug, error.detail, pointer=f"/price_book{error.pointer}") from None


def _believed(connection: Connection, book_id: int, keys: Mapping[str, object]) -> dict[tuple[str, str], int]:
    """Row ids of what is believed of these ids, by id and fingerprint."""
    found: dict[tuple[str, str], int] = {}
    for some in chunks(keys):
        rows = connection.execute(
            select(StoredTerm.id, StoredTerm.term_key, StoredTerm.fingerprint).where(
                StoredTerm.price_book_id == book_id,
                StoredTerm.term_key.in_(some),
                StoredTerm.superseded_at.is_(None),
            )
        )
        found |= {(row.term_key, row.fingerprint): row.id for row in rows}
    return found


def _supersede(connection: Connection, row_ids: Mapping[int, object], at: datetime) -> None:
    for some in chunks(row_ids):
        connection.execute(update(StoredTerm).where(StoredTerm.id.in_(some)).values(superseded_at=at))


def _count(connection: Connection, book_id: int) -> int:
    believed = (StoredTerm.price_book_id == book_id, StoredTerm.superseded_at.is_(None))
    return connection.scalars(select(func.count()).select_from(StoredTerm).where(*believed)).one()


def _check_count(count: int) -> None:
    if count > MAX_TERMS:
        raise PermillionError(
            "too-many-rows", f"{count} terms; a book has at most {MAX_TERMS}", pointer="/price_book/terms"
        )


def _check_scopes(connection: Connection, book_id: int, entries: Sequence[TermEntry]) -> None:
    """A misspelt vendor or model would be a term that never applies."""
    for position, entry in enumerate(entries):
        if isinstance(entry, ClearedTerm) or entry.scope.provider is None:
            continue
        provider, model = entry.scope.provider.casefold(), entry.scope.model
        named = [StoredModel.provider_key == provider]
        if model is not None:
            named.append(StoredModel.model_key == model.casefold())
        seen = or_(StoredModel.price_book_id == book_id, StoredModel.provider_id.is_not(None))
        known = select(StoredModel.id).where(*named, seen, StoredModel.withdrawn_at.is_(None)).limit(1)
        if connection.scalar(known) is not None:
            continue
        only_model = model is not None and connection.scalar(
            select(StoredModel.id).where(named[0], seen, StoredModel.withdrawn_at.is_(None)).limit(1)
        )
        if only_model:
            detail = "neither a list nor this book has that model; name its own id, no alias"
            raise _at(position, PermillionError("unknown-model", detail, pointer="/model"))
        detail = "neither a list nor this book has models of that provider"
        raise _at(position, PermillionError("unknown-provider", detail, pointer="/provider"))


def _at(position: int, error: PermillionError) -> PermillionError:
    return PermillionError(error.slug, error.detail, pointer=f"/price_book/terms/{position}{error.pointer}")

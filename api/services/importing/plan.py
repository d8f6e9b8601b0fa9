"""What an import would do: a dry run that writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from api.services.importing.doubts import Doubts
from api.services.importing.outcome import Outcome, outcome_of
from catalog.catalog import Catalog
from catalog.publishing import NewBook, NewRow
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from economics.prices import PriceRow, PriceStatus
from providers.feeds import FeedReading, FeedRow, Refused
from providers.sheet import Source
from tokenizers_registry.registry import Registry

_REASONS = {"unknown-context": "unknown-context", "overlapping-prices": "overlap"}


@dataclass(frozen=True, slots=True)
class Planned:
    """A row of the feed and what becomes of it; `status` is what the vendor's list makes of its price."""

    upstream_id: str
    new: NewRow
    outcome: Outcome
    status: PriceStatus


@dataclass(frozen=True, slots=True)
class BookPlan:
    """What would be published into one book; a book has one currency."""

    book: NewBook
    planned: Sequence[Planned]

    def rows(self) -> list[NewRow]:
        """The rows to publish."""
        return [
            NewRow(p.new.provider, p.new.model, p.new.tokenizer, p.outcome.row)
            for p in self.planned
            if p.outcome.row is not None
        ]


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """All of an import, nothing of it written.

    Args:
        books: by currency, the most frequent one first.
        refused: what becomes no row, with the reason.
        quarantined: rows that need a person, with the reason; they are not published.
        entries: of the feed.
        gone: slots believed from this feed before that its file does not have any more; they stay believed.
    """

    books: Sequence[BookPlan]
    refused: Sequence[Refused]
    quarantined: Sequence[Refused]
    entries: int
    gone: int
    sources: Mapping[str, Source] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """How many rows were added, changed, confirmed, unchanged, refused, quarantined, disputed, suspect, gone."""
        kinds = Counter(planned.outcome.kind for book in self.books for planned in book.planned)
        statuses = Counter(planned.status for book in self.books for planned in book.planned)
        return {
            "entries": self.entries,
            **{kind: kinds[kind] for kind in ("added", "changed", "confirmed", "unchanged")},
            "refused": len(self.refused),
            "quarantined": len(self.quarantined),
            "disputed": statuses[PriceStatus.DISPUTED],
            "suspect": statuses[PriceStatus.SUSPECT],
            "gone": self.gone,
        }


def plan_import(
    catalog: Catalog, reading: FeedReading, book: NewBook, seen_on: date, *, accept_quarantined: bool = False
) -> ImportPlan:
    """Work out what importing `reading` would do.

    Args:
        catalog: prepared.
        reading: of the feed's file.
        book: into which rows of its currency go, or else those of the most frequent one; rows of any further currency go
            into a book named `<id>-<currency>`.
        seen_on: the day the file was taken from its source.
        accept_quarantined: a person has looked at the jumps and wants them.

    Raises:
        PermillionError: `invalid-feed` where there is nothing to import at all.
    """
    if not reading.rows and not reading.refused:
        raise PermillionError("invalid-feed", "the file has no entry")
    snapshot = catalog.snapshot
    doubts = Doubts(snapshot, reading.rows, seen_on)
    countable, uncountable = _with_known_tokenizers(reading.rows, Registry(files=snapshot.tokenizer_files()))
    refused = [*reading.refused, *uncountable]
    quarantined: list[Refused] = []
    books: list[BookPlan] = []
    gone = 0
    for target, rows in _by_book(book, countable):
        _check_currency(snapshot, target)
        believed: dict[tuple[tuple[str, str], str], list[PriceRow]] = {}
        for key, row in snapshot.private_rows(target.id):
            believed.setdefault((key, row.slot), []).append(row)
        good, bad = catalog.sift(target, [NewRow(r.provider, r.model, r.tokenizer, r.row) for r in rows])
        refused.extend(_refused(rows[position], error) for position, error in bad.items())
        planned: list[Planned] = []
        slots: set[tuple[tuple[str, str], str]] = set()
        for position, new in good.items():
            feed_row = rows[position]
            slot = (new.model_key, new.row.slot)
            slots.add(slot)
            outcome = outcome_of(new.row, believed.get(slot, ()), seen_on)
            if outcome.kind == "older":
                refused.append(_older(feed_row, outcome))
                continue
            doubt = doubts.about(new, outcome)
            if doubt and not accept_quarantined:
                quarantined.append(Refused(feed_row.upstream_id, new.row.slot, "quarantined", doubt))
                continue
            planned.append(Planned(feed_row.upstream_id, new, outcome, doubts.status(new)))
        gone += len(believed.keys() - slots)
        books.append(BookPlan(target, planned))
    return ImportPlan(books, refused, quarantined, reading.entries, gone, reading.sources)


def _with_known_tokenizers(rows: Sequence[FeedRow], registry: Registry) -> tuple[list[FeedRow], list[Refused]]:
    """The rows, and refusals of those that name a tokenizer nobody can count with."""
    if all(row.tokenizer is None for row in rows):
        return list(rows), []
    known = {None, *registry.in_use()}
    detail = "no such tokenizer; see GET /tokenizers"
    refused = [Refused(r.upstream_id, "tokenizer", "invalid-name", detail) for r in rows if r.tokenizer not in known]
    return [row for row in rows if row.tokenizer in known], refused


def _by_book(book: NewBook, rows: Sequence[FeedRow]) -> Iterator[tuple[NewBook, list[FeedRow]]]:
    by_currency: dict[str, list[FeedRow]] = {}
    for row in rows:
        by_currency.setdefault(row.row.currency, []).append(row)
    ordered = sorted(by_currency.items(), key=lambda item: (item[0] != book.currency, -len(item[1]), item[0]))
    for position, (currency, some) in enumerate(ordered):
        book_id = book.id if not position else f"{book.id}-{currency.lower()}"
        yield NewBook(book_id, book.base, currency, book.title, book.tax_included, book.tax_rate), some


def _check_currency(snapshot: Snapshot, target: NewBook) -> None:
    shelf = snapshot.private_shelf(target.id)
    if shelf is not None and shelf.book.currency != target.currency:
        raise PermillionError(
            "invalid-fields",
            f"the book {target.id} is in {shelf.book.currency} and the rows are in {target.currency}; choose another book",
        )


def _refused(row: FeedRow, error: PermillionError) -> Refused:
    reason = _REASONS.get(error.slug, "invalid-name" if error.pointer in ("/provider", "/model") else "malformed")
    return Refused(
        row.upstream_id, row.row.slot, reason, f"{error.pointer.strip('/') or row.row.meter}: {error.detail}"
    )


def _older(row: FeedRow, outcome: Outcome) -> Refused:
    assert outcome.before is not None
    checked = outcome.before.provenance.checked_on
    return Refused(row.upstream_id, row.row.slot, "older", f"another price is believed, which was checked on {checked}")

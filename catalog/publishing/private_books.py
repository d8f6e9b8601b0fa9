"""The parts of a private book that its rows stand on: the book itself, its models, what the tenant names as sources.

Each is found or made. What of them is believed is counted in a `Tally`, the digest of the book.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from catalog.models import StoredModel, StoredSource, StoredTenant
from catalog.price_tables import StoredBook
from catalog.publishing.checks import NewBook, NewRow
from catalog.records import fingerprint
from catalog.writes import chunks, insert_all
from economics.errors import PermillionError
from providers.sheet import Source

_MODULUS: Final = 1 << 128
_SETTLED: Final = ("base", "tax_included", "tax_rate")


class Tally:
    """Digest of a set that grows and shrinks: the sum of its members' fingerprints.

    The order of changes, and what was a member in between, leave no trace in it.
    """

    def __init__(self, digest: str | None) -> None:
        self._sum = int(digest or "0", 16)
        self.touched = False

    def add(self, member: object) -> None:
        """One more member."""
        self._move(int(fingerprint(member), 16))

    def remove(self, member: object) -> None:
        """One member fewer."""
        self._move(-int(fingerprint(member), 16))

    def _move(self, step: int) -> None:
        self._sum = (self._sum + step) % _MODULUS
        self.touched = True

    def digest(self) -> str:
        """32 hexadecimal digits."""
        return f"{self._sum:032x}"


def open_book(
    connection: Connection, tenant: str, book: NewBook, number: int, at: datetime, *, made: bool = True
) -> tuple[int, Tally]:
    """Id of the book, made where there is none, and its digest so far.

    Raises:
        PermillionError: `unknown-price-book` where there is none and none is to be `made`; `invalid-fields` for a currency,
            base or tax that is not the book's.
    """
    if connection.scalar(select(StoredTenant.id).where(StoredTenant.id == tenant)) is None:
        raise PermillionError("invalid-fields", "there is no such tenant")
    find = select(StoredBook).where(StoredBook.tenant == tenant, StoredBook.name == book.id)
    stored = connection.execute(find).first()
    if stored is None:
        if not made:
            raise PermillionError(
                "unknown-price-book", "there is no such book to clear anything of", pointer="/price_book/id"
            )
        tally = Tally(None)
        settled = {name: getattr(book, name) for name in ("currency", *_SETTLED, "title")}
        tally.add(["book", settled])
        of_book = {"kind": "private", "tenant": tenant, "name": book.id, "recorded_at": at, "changed_in": number}
        connection.execute(insert(StoredBook).values(settled | of_book))
        return connection.execute(find).one().id, tally
    for name in ("currency", *_SETTLED):
        given, kept = getattr(book, name), getattr(stored, name)
        if given is not None and given != kept:
            shown = "unknown" if kept is None else str(kept).lower() if isinstance(kept, bool) else kept
            raise PermillionError(
                "invalid-fields",
                f"the book has {name} {shown}, which earlier answers relied on; publish into a new book instead",
                pointer=f"/price_book/{name}",
            )
    tally = Tally(stored.digest)
    if book.title is not None and book.title != stored.title:
        settled = {name: getattr(stored, name) for name in ("currency", *_SETTLED, "title")}
        tally.remove(["book", settled])
        tally.add(["book", settled | {"title": book.title}])
        connection.execute(update(StoredBook).where(StoredBook.id == stored.id).values(title=book.title))
    return stored.id, tally


def open_models(
    connection: Connection, scope: Mapping[str, Any], rows: Sequence[NewRow], tally: Tally
) -> dict[tuple[str, str], int]:
    """Ids of the models the rows are of, by key; unknown ones are made, a newly named tokenizer is kept."""
    columns = (StoredModel.id, StoredModel.provider_key, StoredModel.model_key, StoredModel.tokenizer)
    find = select(*columns).where(StoredModel.price_book_id == scope["price_book_id"])
    stored = {(m.provider_key, m.model_key): m for m in connection.execute(find)}
    tokenizers: dict[tuple[str, str], str | None] = {}
    spelled: dict[tuple[str, str], NewRow] = {}
    for new in rows:
        spelled.setdefault(new.model_key, new)
        tokenizers[new.model_key] = tokenizers.get(new.model_key) or new.tokenizer
    unknown = [key for key in spelled if key not in stored]
    for key in unknown:
        tally.add(["model", *key, tokenizers[key]])
    insert_all(
        connection,
        StoredModel,
        [
            {
                **scope,
                "provider": spelled[key].provider,
                "provider_key": key[0],
                "model": spelled[key].model,
                "model_key": key[1],
                "tokenizer": tokenizers[key],
            }
            for key in unknown
        ],
    )
    for key, tokenizer in tokenizers.items():
        known = stored.get(key)
        if known is not None and tokenizer is not None and tokenizer != known.tokenizer:
            tally.remove(["model", *key, known.tokenizer])
            tally.add(["model", *key, tokenizer])
            connection.execute(update(StoredModel).where(StoredModel.id == known.id).values(tokenizer=tokenizer))
    return {(m.provider_key, m.model_key): m.id for m in connection.execute(find)}


def open_sources(
    connection: Connection, tenant: str, titles: Iterable[str], details: Mapping[str, Source], at: datetime
) -> dict[str, int]:
    """Ids of what the tenant names as sources, by title; a new one is kept with what `details` says of it."""
    prints = {source_fingerprint(title): title for title in sorted(titles)}
    known: dict[str, int] = {}
    for _ in range(2):
        for some in chunks(prints.keys() - known.keys()):
            found = select(StoredSource.fingerprint, StoredSource.id).where(
                StoredSource.tenant == tenant, StoredSource.fingerprint.in_(some)
            )
            known |= connection.execute(found).all()
        missing = {key: title for key, title in prints.items() if key not in known}
        of_all = {"tenant": tenant, "recorded_at": at}
        new = [
            of_all | _source(details.get(t)) | {"source_key": t, "title": t, "fingerprint": key}
            for key, t in missing.items()
        ]
        insert_all(connection, StoredSource, new)
    return {prints[key]: source_id for key, source_id in known.items()}


def _source(source: Source | None) -> dict[str, Any]:
    """The columns of a source of which more than its title is known, a feed's."""
    known = ("url", "version", "license", "retrieved_on", "note", "lineage")
    if source is None:
        return dict.fromkeys(known) | {"kind": "private"}
    return {name: getattr(source, name) for name in known} | {"kind": source.kind}


@lru_cache(maxsize=1_024)
def source_fingerprint(title: str) -> str:
    """Of what a tenant names as a source."""
    return fingerprint(["private", title])

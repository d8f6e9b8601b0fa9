"""Discounts that a private book may have: what keeps exact costs short, and what could never take anything off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, select

from catalog.price_tables import StoredTerm
from catalog.publishing.checks import KnownProvider, spelled_conditions
from economics.contracts.terms import Discount, Scope, TermKind, check_share_decimals
from economics.errors import PermillionError
from economics.prices import Conditions

MAX_DISCOUNTS: Final = 8
"""Discounts that may cover one offer: they multiply, so a cost has the decimals of all of them."""

Scoped = tuple[str | None, str | None]
"""Case-folded provider and model of a scope."""


def check_discount(discount: Discount, known: Mapping[str, KnownProvider]) -> Conditions:
    """The context of a discount in the vendor's own spelling.

    Args:
        discount: one of a request.
        known: vendors with a sheet, by case-folded name.

    Raises:
        PermillionError: `invalid-fields` for a share of 0 or of too many decimals, `unknown-context` for what its vendor, or
            with none named no vendor, has.
    """
    if not discount.share:
        raise PermillionError("invalid-fields", "a discount of 0 takes nothing off", pointer="/discount_share")
    check_share_decimals(discount.share)
    provider = discount.scope.provider
    if provider is None:
        _check_somewhere(discount.conditions, known)
        return spelled_conditions(discount.conditions, None)
    return spelled_conditions(discount.conditions, known.get(provider.casefold()))


def _check_somewhere(conditions: Conditions, known: Mapping[str, KnownProvider]) -> None:
    """Refuse a context that no vendor has. A synonym is none: of which vendor it would be is not said."""
    vocabularies = [provider.vocabulary.keys for provider in known.values()]
    for name, values in conditions.items():
        had = sorted({value for keys in vocabularies if name in keys for value in keys[name].values})
        if not set(values) <= set(had):
            raise PermillionError(
                "unknown-context",
                f"no provider has this {name}; allowed: {', '.join(had) or 'none'}; or name the provider",
                pointer=f"/context/{name}",
            )
    if conditions and not any(_can_hold(conditions, provider) for provider in known.values()):
        raise PermillionError("unknown-context", "no provider has all of these", pointer="/context")


def _can_hold(conditions: Conditions, provider: KnownProvider) -> bool:
    keys = provider.vocabulary.keys
    return all(name in keys and not set(values).isdisjoint(keys[name].values) for name, values in conditions.items())


def check_stacking(connection: Connection, book_id: int, said: Mapping[int, Scope]) -> None:
    """Refuse more than `MAX_DISCOUNTS` discounts on one offer, whatever their dates and meters.

    Versions of one discount, which follow each other in time, are one.

    Args:
        connection: in which what was said is believed already.
        book_id: the book.
        said: scopes of the discounts of the request, by position.

    Raises:
        PermillionError: `invalid-fields` at the last discount of the request that is on such an offer.
    """
    if not said:
        return
    stacks: dict[Scoped, set[str]] = {}
    believed = select(StoredTerm.term_key, StoredTerm.term).where(
        StoredTerm.price_book_id == book_id,
        StoredTerm.kind == TermKind.DISCOUNT.value,
        StoredTerm.superseded_at.is_(None),
    )
    for row in connection.execute(believed):
        scope = Scope(row.term["provider"], row.term["model"])
        stacks.setdefault(_folded(scope), set()).add(row.term_key)
    for offer in stacks:
        ids = set().union(*(stacks.get(wider, ()) for wider in _around(offer)))
        if len(ids) <= MAX_DISCOUNTS:
            continue
        on_it = [position for position, scope in said.items() if _folded(scope) in _around(offer)]
        if on_it:
            raise PermillionError(
                "invalid-fields",
                f"{len(ids)} discounts are on {_words(offer)}; at most {MAX_DISCOUNTS} may be, whatever their dates and meters",
                pointer=f"/price_book/terms/{max(on_it)}",
            )


def _folded(scope: Scope) -> Scoped:
    provider, model = scope.provider, scope.model
    return (None if provider is None else provider.casefold(), None if model is None else model.casefold())


def _around(offer: Scoped) -> Sequence[Scoped]:
    """The scopes that cover all of `offer`: everything, its provider, itself."""
    return list(dict.fromkeys(((None, None), (offer[0], None), offer)))


def _words(offer: Scoped) -> str:
    return "/".join(filter(None, offer)) or "every offer"

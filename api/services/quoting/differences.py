"""What a fresh run would change in a quote, each change with its cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from api.services.quoting.rates import Rate, changed_rates
from api.services.quoting.replaying import Answered, AnsweredOffer, Replay
from catalog.quotes import Quote
from economics.method import METHOD_VERSION
from economics.periods import format_instant

Cause = Literal["price_change", "sheet_upgrade", "tokenizer_change", "method_version", "fx", "status", "unexplained"]

_FIGURES: Final = (
    "cost_per_query", "cost_per_month", "gross_margin_ratio", "rank", "input_tokens", "output_tokens", "tokens_low",
    "tokens_high", "cost_per_query_low", "cost_per_query_high", "count_method", "error_code",
)  # fmt: skip
_TOKENS: Final = frozenset({"input_tokens", "output_tokens", "tokens_low", "tokens_high", "count_method"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that would be otherwise.

    Args:
        row_id: of the offer, None for what holds for the whole quote.
        offer: `provider/model`.
        price_book: of the price.
        cause: why.
        field: `rate` for a price, else the column of the answer or what was replaced.
        meter: of a price.
        before: as the quote has it.
        after: as a fresh run has it.
        currency: of a price or cost.
        per_before: units that the price before is for.
        per_after: units that the price after is for.
        source_before: who said so.
        source_after: who says so now.
        since: from when the new price holds.
        detail: in words.
    """

    row_id: str | int | None
    offer: str | None
    price_book: str | None
    cause: Cause
    field: str
    meter: str | None = None
    before: str | None = None
    after: str | None = None
    currency: str | None = None
    per_before: int | None = None
    per_after: int | None = None
    source_before: str | None = None
    source_after: str | None = None
    since: str | None = None
    detail: str = ""


def differences(quote: Quote, replayed: Replay, upgraded: Mapping[str, str]) -> list[Difference]:
    """Everything a fresh run changes: first what holds for the whole quote, then offer by offer, step by step.

    Args:
        quote: as it was recorded.
        replayed: worked out again.
        upgraded: providers whose sheets were loaded anew since, with the catalog version of that.
    """
    recorded, again, corrected, fresh = replayed.steps
    found = [*_of_method(quote, recorded, again), *_of_sheets(recorded, upgraded, quote), *_of_fx(quote)]
    for place in sorted(recorded):
        offers = (recorded[place], again[place], corrected[place], fresh[place])
        provider = str(offers[0].row["provider"] or "")
        found += _worked_otherwise(offers[0], offers[1], quote, provider in upgraded)
        found += _price_step(offers[1], offers[2], "corrected", f"about {format_instant(quote.as_of)}")
        found += _price_step(offers[2], offers[3], "dated", f"from {format_instant(quote.as_of)} to the fresh run")
    return found


def _of_method(quote: Quote, before: Answered, after: Answered) -> Iterator[Difference]:
    if quote.method_version != METHOD_VERSION:
        moved = sum(1 for place in before if _changed(before[place], after[place]))
        yield Difference(
            None, None, None, "method_version", "method_version", None, quote.method_version, METHOD_VERSION,
            detail=f"the arithmetic has a new version; with the catalog of then {moved} of {len(before)} offers differ",
        )  # fmt: skip


def _of_sheets(before: Answered, upgraded: Mapping[str, str], quote: Quote) -> Iterator[Difference]:
    named = sorted({str(offer.row["provider"]) for offer in before.values()} & upgraded.keys())
    for provider in named:
        yield Difference(
            None, None, None, "sheet_upgrade", "sheet", None, quote.catalog_version, upgraded[provider],
            detail=f"the sheet of {provider} was loaded anew",
        )  # fmt: skip


def _of_fx(quote: Quote) -> Iterator[Difference]:
    for rate in quote.question["fx"]:
        pair = f"{rate['source_currency']}/{rate['target_currency']}"
        yield Difference(
            None, None, None, "fx", pair, None, str(rate["rate"]), str(rate["rate"]),
            source_before=rate["source"], source_after=rate["source"],
            detail=f"stated by the caller, as of {rate['as_of']}: unchanged in a fresh run",
        )  # fmt: skip


def _worked_otherwise(
    before: AnsweredOffer, after: AnsweredOffer, quote: Quote, sheet_upgraded: bool
) -> Iterator[Difference]:
    """The same catalog and instant, worked out by today's program."""
    replaced = (before.tokenizer, before.fingerprint) != (after.tokenizer, after.fingerprint)
    changed = _changed(before, after)
    recounted = any(field in ("input_tokens", "output_tokens") for field, _, _ in changed)
    if replaced or recounted:
        yield _difference(
            before, "tokenizer_change", "tokenizer", _named(before), _named(after),
            "counted with another tokenizer, or with another version of it",
        )  # fmt: skip
    other: Cause = "unexplained"
    if quote.method_version != METHOD_VERSION:
        other = "method_version"
    elif sheet_upgraded:
        other = "sheet_upgrade"
    cause: Cause = "tokenizer_change" if replaced or recounted else other
    for field, old, new in changed:
        yield _difference(before, cause, field, old, new, "with the catalog of then")


def _price_step(
    before: AnsweredOffer, after: AnsweredOffer, kind: Literal["corrected", "dated"], detail: str
) -> Iterator[Difference]:
    """Another catalog, or another instant: which prices differ, and what that makes of the figures."""
    replaced = (before.tokenizer, before.fingerprint) != (after.tokenizer, after.fingerprint)
    moved = changed_rates(before.rates, after.rates)
    upgraded = [kind == "corrected" and bool((new or old or {})["listed"]) for old, new in moved]
    cause: Cause = "sheet_upgrade" if upgraded and all(upgraded) else "price_change"
    for (old, new), by_sheet in zip(moved, upgraded, strict=True):
        yield _of_rate(before, "sheet_upgrade" if by_sheet else "price_change", old, new, detail)
    if replaced:
        yield _difference(before, "tokenizer_change", "tokenizer", _named(before), _named(after), detail)
    for field, was, now in _changed(before, after):
        why: Cause = cause if moved or not replaced else "tokenizer_change"
        if field in _TOKENS and replaced:
            why = "tokenizer_change"
        yield _difference(before, why, field, was, now, detail)
    if before.row["price_status"] != after.row["price_status"] and after.row["price_status"] is not None:
        yield _difference(
            before, "status", "price_status", before.row["price_status"], after.row["price_status"], detail
        )


def _of_rate(offer: AnsweredOffer, cause: Cause, old: Rate | None, new: Rate | None, detail: str) -> Difference:
    shown = new or old
    assert shown is not None
    row = offer.row
    return Difference(
        row["row_id"], row["offer"], row["price_book"], cause, "rate", shown["meter"],
        None if old is None else old["rate"],
        None if new is None else new["rate"],
        shown["currency"],
        None if old is None else old["per"],
        None if new is None else new["per"],
        None if old is None else old["source"],
        None if new is None else new["source"],
        None if new is None else new["valid_from"],
        detail,
    )  # fmt: skip


def _changed(before: AnsweredOffer, after: AnsweredOffer) -> list[tuple[str, Any, Any]]:
    """The figures that differ; a rank only beside another one, since by itself it follows from other offers."""
    found = [(f, before.row[f], after.row[f]) for f in _FIGURES if before.row[f] != after.row[f]]
    return [] if [field for field, _, _ in found] == ["rank"] else found


def _difference(offer: AnsweredOffer, cause: Cause, field: str, before: Any, after: Any, detail: str) -> Difference:
    row = offer.row
    currency = row["currency"] if field.startswith("cost") else None
    return Difference(
        row["row_id"], row["offer"], row["price_book"], cause, field, None, _text(before), _text(after), currency,
        detail=detail,
    )  # fmt: skip


def _named(offer: AnsweredOffer) -> str | None:
    if offer.tokenizer is None:
        return None
    return f"{offer.tokenizer} {(offer.fingerprint or '')[:12]}".strip()


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def totals(found: Sequence[Difference]) -> dict[str, int]:
    """How many differences each cause has."""
    counted: dict[str, int] = {}
    for difference in found:
        counted[difference.cause] = counted.get(difference.cause, 0) + 1
    return counted

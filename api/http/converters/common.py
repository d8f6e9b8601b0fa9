"""What several converters need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from api.http.schemas.common import FxIn
from economics.billing import Standing
from economics.errors import PermillionError
from economics.exchange import Exchange, FxRate
from economics.method import METHOD_VERSION
from economics.money import Exact
from economics.periods import format_instant

WARNING_TEXTS = {
    "output_not_given": "no output was given: cost_per_query is the input only",
    "output_tokens_derived": "output tokens follow from output characters at the input's tokens per character",
    "cache_writes_not_counted": "cached_input_share counts reads; writing the cache is not counted",
    "cache_read_not_priced": "no cache read price: cached input is charged in full",
    "cache_write_not_priced": "no cache write price: written input is charged in full",
    "cache_write_12h_not_priced": "no price of writes kept for 12 hours: they are charged as writes of the default time",
    "batch_not_offered": "batch is not sold: that volume stays at the standard price",
    "list_price_not_known": "the book has no base with a price for this: the list price shown is the contracted one",
    "base_price_used": "the book has no rate of its own for some meters: its base answered",
    "minimum_charged": "less was used than a request is charged for at least: the least is charged",
    "contract_discount": "a discount of the contract is in the rates: the term named",
    "sample_too_short": "under 200 characters of input: figures per character and per million are not reliable",
    "prices_differ_between_samples": "the samples fall into different tiers: there is no one price",
    "prices_differ_between_turns": "the turns of a conversation fall into different tiers: there is no one price",
    "frame_unknown": "the tokens around a message are not documented for this model and are not counted",
    "tool_tokens_unknown": "how tools are counted is not documented for this model: they are not counted",
    "tool_tokens_estimated": "some tools have more than the vendor's example counts: nested or other types, no description",
    "image_tokens_unknown": "how images are counted is not documented for this model: they are not counted",
    "image_tokens_estimated": "the tokens of the images are an estimate: the vendor says so, or its formula is known at second hand",
    "tokenizer_assumed": "counted with the newest known tokenizer of the line",
    "tokenizer_unrelated": "counted with another vendor's tokenizer: the vendor publishes none",
    "count_range": "tokens_low and tokens_high are measured ratios, by script: own_tests (of the tokenizer's author), "
    "next_generation (what vendors changed from one tokenizer to the next), between_tokenizers (of twelve measured ones)",
    "count_range_unknown": "the error of this estimate was not measured for this text: there is no range",
    "tokenizer_chosen_by_caller": "counted with the tokenizer the caller named",
    "tax_unknown": "the book does not say whether tax is included: nothing was removed",
    "served_tier_differs": "what was served is not what was asked for: what was served is billed",
    "output_not_recounted": "no output_text was given: the output stays as billed",
    "recount_not_priced": "with the counted tokens the usage has no price: it contradicts itself or nothing is sold at that length",
    "price_stale": "checked more than 90 days before as_of",
    "price_disputed": "sources differ by more than 1 %",
    "price_suspect": "sources differ by more than a factor of 2",
    "price_start_unconfirmed": "the price was first seen later than as_of and its start is not known",
    "price_changes_at": "the price in force ends or changes at this instant",
    "model_retires_at": "the model is withdrawn at this instant",
    "alias_of": "the id is an alias of this model",
}


def from_api_exchange(currency: str | None, rates: Sequence[FxIn]) -> Exchange | None:
    """Into what amounts are converted, and at which rates; None where they stay in their own currency."""
    return None if currency is None else Exchange(currency, from_api_fx(rates))


def from_api_fx(rates: Sequence[FxIn]) -> list[FxRate]:
    """Stated currency rates as domain values.

    Raises:
        PermillionError: `invalid-fields` for two rates of one pair: which of them was meant?
    """
    pairs: set[frozenset[str]] = set()
    for index, rate in enumerate(rates):
        pair = frozenset((rate.source_currency, rate.target_currency))
        if pair in pairs:
            raise PermillionError("invalid-fields", "a rate of this pair is given already", pointer=f"/fx/{index}")
        pairs.add(pair)
    return [FxRate(r.source_currency, r.target_currency, r.rate, r.as_of, r.source) for r in rates]


def to_api_meta(as_of: datetime, catalog_version: str, codes: Iterable[str]) -> dict[str, Any]:
    """`meta` of an answer: what it rests on, and each kind of warning of its rows once, in words."""
    kinds = dict.fromkeys(code.partition("=")[0] for code in codes)
    return {
        "as_of": format_instant(as_of),
        "catalog_version": catalog_version,
        "method_version": METHOD_VERSION,
        "warnings": [{"code": kind, "text": WARNING_TEXTS.get(kind, kind.replace("_", " "))} for kind in kinds],
    }


def to_api_standing(stands: Standing) -> dict[str, Any]:
    """Source, dates and status of the prices used."""
    return {
        "price_valid_from": None if stands.valid_from is None else format_instant(stands.valid_from),
        "price_checked_on": None if stands.checked_on is None else stands.checked_on.isoformat(),
        "price_source": "; ".join(stands.sources),
        "price_status": stands.status.value,
    }


def text_or_none(value: Exact | None) -> str | None:
    """A figure as a decimal string."""
    return None if value is None else value.to_text()


def to_api_quantity(value: Decimal | int) -> str:
    """A quantity as text in fixed notation."""
    return str(value) if isinstance(value, int) else Exact(value).to_text()

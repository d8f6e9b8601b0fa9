"""Which tokenizer counts a provider's model, how well that is known, and since when.

The table is `assignments.yaml`: dated data, by model and never by provider, since Claude's generations differ by 30 %
and Gemini's by vocabulary. A model is found by its exact id, without regard to case; an id that is not in the table
is unknown, however much it looks like one that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from tokenizers_registry.count_ranges import RangeMethod
from tokenizers_registry.overheads import Frame, frame_named

Method = Literal["exact", "estimate", "unavailable"]

TABLE = Path(__file__).with_name("assignments.yaml")


@dataclass(frozen=True, slots=True)
class Assignment:
    """The tokenizer of one model from one day on.

    Attributes:
        tokenizer: id of the family, None where the model cannot be counted; `reason` then says why.
        method: `exact` only where a source maps the model to the vocabulary.
        warning: `tokenizer_assumed` or `tokenizer_unrelated`, None for none.
        valid_from: first day (00:00Z) it holds, None for as long as the model exists.
        frame: tokens around messages where documented for the model; a family may know them of one message.
        source, checked_on: what says so, and when it was read.
    """

    provider: str
    model: str
    tokenizer: str | None
    method: Method
    warning: str | None
    reason: str | None
    valid_from: date | None
    frame: Frame | None
    source: str
    checked_on: date

    @property
    def frame_tokens(self) -> int | None:
        """Tokens around one user message, None where not documented for the model."""
        return None if self.frame is None else self.frame.tokens()

    @property
    def range_method(self) -> RangeMethod | None:
        """How the error of the estimate is known; None for a count that is exact or impossible."""
        return None if self.method != "estimate" else _RANGE_METHODS[self.warning]


_RANGE_METHODS: Mapping[str | None, RangeMethod] = {
    None: "own_tests",
    "tokenizer_assumed": "next_generation",
    "tokenizer_unrelated": "between_tokenizers",
}


def assign(provider: str, model: str, as_of: datetime | None = None) -> Assignment | None:
    """The assignment in force for a model, None where the table does not know the model.

    Args:
        provider: e.g. `openai`.
        model: the vendor's id; exact but for case.
        as_of: an aware instant; the table's own day where it is left out, so that no answer depends on a clock.

    >>> assign("openai", "GPT-4o").tokenizer, assign("openai", "gpt-4o-imagined")
    ('o200k_base', None)
    >>> assign("openai", "gpt-6-sol").method, assign("openai", "gpt-6-sol").warning
    ('estimate', 'tokenizer_assumed')
    """
    dated = _table().get((provider.casefold(), model.casefold()), ())
    day = as_of.astimezone(UTC).date() if as_of is not None else checked_on()
    in_force = [each for each in dated if each.valid_from is None or each.valid_from <= day]
    return in_force[-1] if in_force else None


def all_assignments() -> list[Assignment]:
    """Every assignment, in the order of the table; several for a model that changed."""
    return [assignment for dated in _table().values() for assignment in dated]


@cache
def checked_on() -> date:
    """The day the table was last checked as a whole."""
    return date.fromisoformat(_document()["checked_on"])


@cache
def _document() -> dict[str, Any]:
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # text only: no dates, no floats, no objects
    with TABLE.open(encoding="utf-8") as file:
        return cast("dict[str, Any]", yaml.load(file, Loader=loader))  # noqa: S506


@cache
def _table() -> Mapping[tuple[str, str], tuple[Assignment, ...]]:
    table: dict[tuple[str, str], tuple[Assignment, ...]] = {}
    for entry in _document()["entries"]:
        for provider, model in _models(entry):
            assignment = _assignment(entry, provider, model)
            key = (provider.casefold(), model.casefold())
            dated = (*table.get(key, ()), assignment)
            days = [each.valid_from or date.min for each in dated]
            if len(set(days)) < len(days):
                raise ValueError(f"assignments.yaml: {provider}/{model} is assigned twice from the same day")
            table[key] = tuple(sorted(dated, key=lambda each: each.valid_from or date.min))
    return table


def _models(entry: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for provider, models in entry.get("models", {}).items():
        for model in models:
            yield provider, model
    for provider, models in entry.get("in_every_geography", {}).items():
        for model in models:
            for geography in _document()["geographies"]:
                yield provider, geography + model


def _assignment(entry: Mapping[str, str], provider: str, model: str) -> Assignment:
    tokenizer, reason = entry.get("tokenizer"), entry.get("reason")
    if (tokenizer is None) == (reason is None):
        raise ValueError(f"assignments.yaml: {provider}/{model} needs a tokenizer or a reason, not both")
    return Assignment(
        provider=provider,
        model=model,
        tokenizer=tokenizer,
        method=cast("Method", entry["method"] if tokenizer else "unavailable"),
        warning=entry.get("warning"),
        reason=reason,
        valid_from=date.fromisoformat(entry["valid_from"]) if "valid_from" in entry else None,
        frame=frame_named(entry["frame"]) if "frame" in entry else None,
        source=entry["source"],
        checked_on=date.fromisoformat(entry.get("checked_on", _document()["checked_on"])),
    )

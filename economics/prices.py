"""Price components: one dated rate on one meter with its conditions, and uplifts that multiply rates.

Rates keep the denominator they were published with: 0.111 per hour of audio is not a finite price per second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum

from economics.context import CONTEXT_KEYS
from economics.errors import PermillionError
from economics.meters import METERS
from economics.periods import Period

Conditions = Mapping[str, tuple[str, ...]]
"""Context key → values under which a rate holds."""


class PriceStatus(Enum):
    """How far a row can be trusted, worst last."""

    OK = "ok"
    UNCONFIRMED_START = "unconfirmed_start"
    STALE = "stale"
    DISPUTED = "disputed"
    SUSPECT = "suspect"


class SearchUnit(Enum):
    """What one `web_searches` is: vendors charge by call, by prompt that searched, or by distinct query."""

    CALL = "call"
    PROMPT = "prompt"
    UNIQUE_QUERY = "unique_query"


@dataclass(frozen=True, slots=True)
class Tier:
    """The whole-request tier a rate belongs to, by total input tokens (cached and written ones counted) and total output.

    Args:
        min_input_tokens: lower bound, None for the base tier.
        min_inclusive: whether exactly that many tokens are in the tier (xAI's starts *at* 200,000).
        max_input_tokens: inclusive upper bound, where a rate is not sold beyond it; None for no bound.
        min_output_tokens: lower bound on the output, None for answers of any length (Zhipu's older flagships cost more in
            and out for answers of 200 tokens or more, at prompts below 32,000).
        output_inclusive: whether exactly that many output tokens are in the tier.
    """

    min_input_tokens: int | None = None
    min_inclusive: bool = False
    max_input_tokens: int | None = None
    min_output_tokens: int | None = None
    output_inclusive: bool = False

    def holds(self, input_tokens: Decimal | int) -> bool:
        """Whether a request of `input_tokens` falls into the tier, as far as its input goes.

        >>> Tier(200_000, True).holds(200_000), Tier(272_000).holds(272_000)
        (True, False)
        """
        return self.reached(input_tokens) and (self.max_input_tokens is None or input_tokens <= self.max_input_tokens)

    def reached(self, input_tokens: Decimal | int) -> bool:
        """Whether a request of `input_tokens` is beyond the lower bound."""
        if self.min_input_tokens is None:
            return True
        if self.min_inclusive:
            return input_tokens >= self.min_input_tokens
        return input_tokens > self.min_input_tokens

    def reached_by_output(self, output_tokens: Decimal | int) -> bool:
        """Whether an answer of `output_tokens` is beyond the lower bound on the output.

        >>> Tier(min_output_tokens=200, output_inclusive=True).reached_by_output(200)
        True
        """
        if self.min_output_tokens is None:
            return True
        if self.output_inclusive:
            return output_tokens >= self.min_output_tokens
        return output_tokens > self.min_output_tokens

    @property
    def input_rank(self) -> tuple[int, bool]:
        """Order of tiers by input: the higher start wins; of equal starts the exclusive one is the later."""
        return (-1 if self.min_input_tokens is None else self.min_input_tokens, not self.min_inclusive)

    @property
    def rank(self) -> tuple[int, bool, int, bool]:
        """Order of tiers: by input first, then by output in the same way."""
        least = -1 if self.min_output_tokens is None else self.min_output_tokens
        return (*self.input_rank, least, not self.output_inclusive)


BASE_TIER = Tier()
ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a figure comes from: the source's id and printed name, the day it was checked, how far it is trusted."""

    source: str
    checked_on: date | None
    status: PriceStatus = PriceStatus.OK
    note: str = ""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """`rate` of `currency` per `per` units of `meter`, under `conditions`, in a tier, on a schedule, for a period.

    Args:
        meter: name in `METERS`.
        rate: money per `per` units, not negative.
        per: positive number of units.
        currency: ISO 4217 code of the book.
        conditions: context under which the rate holds; `{}` for the default modes.
        tier: whole-request tier.
        schedule: name of the schedule outside of which the rate does not hold, None for always.
        period: valid time.
        start_known: False where `valid_from` is only "seen since" or unknown.
        search_unit: for `web_searches` only.
        min_quantity: the least that one request with any of the meter is charged for, None for no least (Groq charges at
            least 10 seconds of audio a request).

    Raises:
        PermillionError: `invalid-fields` for an unknown meter or key, a negative rate, a `per` below 1 or a
            `min_quantity` that is not above 0.
    """

    meter: str
    rate: Decimal
    per: int
    currency: str
    provenance: Provenance
    conditions: Conditions = field(default_factory=dict)
    tier: Tier = BASE_TIER
    schedule: str | None = None
    period: Period = ALWAYS
    start_known: bool = True
    tax_included: bool | None = None
    tax_rate: Decimal | None = None
    search_unit: SearchUnit | None = None
    min_quantity: Decimal | None = None

    def __post_init__(self) -> None:
        if self.meter not in METERS:
            raise PermillionError("unknown-meter", f"unknown meter; known are {', '.join(METERS)}", pointer="/meter")
        if self.rate < 0:
            raise PermillionError("invalid-fields", "a rate cannot be negative", pointer="/rate")
        if self.per < 1:
            raise PermillionError("invalid-fields", "per must be at least 1", pointer="/per")
        if self.min_quantity is not None and not self.min_quantity > 0:
            raise PermillionError("invalid-fields", "a least quantity must be above 0", pointer="/min_quantity")
        check_conditions(self.conditions)

    @property
    def slot(self) -> str:
        """What the row is the price *of*, apart from when: two rows of one slot must not overlap in time."""
        return slot_text(self.meter, self.conditions, self.tier, self.schedule)


@dataclass(frozen=True, slots=True)
class Uplift:
    """A factor on every token rate of an offer under a context that has no rates of its own.

    `rate' = rate · factor`, exact: OpenAI's data residency is 1.1 on models released from 2026-03-05, Anthropic's
    `inference_geo=us` 1.1 on every token class, cache included.
    """

    factor: Decimal
    conditions: Conditions
    provenance: Provenance
    period: Period = ALWAYS
    start_known: bool = True

    def __post_init__(self) -> None:
        if self.factor <= 0:
            raise PermillionError("invalid-fields", "a factor must be positive", pointer="/factor")
        if not self.conditions:
            raise PermillionError("invalid-fields", "an uplift needs the context it holds in", pointer="/when")
        check_conditions(self.conditions)

    @property
    def slot(self) -> str:
        """As `PriceRow.slot`."""
        return slot_text("*", self.conditions, BASE_TIER, None)


@dataclass(frozen=True, slots=True)
class Unpriced:
    """A context in which a model is sold at a price that no source states: not `not-offered`, and not the standard price."""

    conditions: Conditions
    source: str
    period: Period = ALWAYS

    def __post_init__(self) -> None:
        if not self.conditions:
            raise PermillionError("invalid-fields", "say in which context the price is unknown", pointer="/when")
        check_conditions(self.conditions)


def check_conditions(conditions: Conditions) -> None:
    """Refuse a condition on something that is no context key."""
    for name in conditions:
        if name not in CONTEXT_KEYS:
            raise PermillionError(
                "unknown-context", f"no such context key; known: {', '.join(CONTEXT_KEYS)}", pointer="/context"
            )


def slot_text(meter: str, conditions: Conditions, tier: Tier, schedule: str | None) -> str:
    """Canonical text of a slot.

    >>> slot_text("input_tokens", {"processing": ("batch",)}, Tier(272_000), None)
    'input_tokens|processing=batch|>272000|'
    >>> slot_text("input_tokens", {}, Tier(min_output_tokens=200, output_inclusive=True), None)
    'input_tokens||output>=200|'
    """
    when = "&".join(f"{name}={','.join(sorted(conditions[name]))}" for name in sorted(conditions))
    low = "" if tier.min_input_tokens is None else f"{'>=' if tier.min_inclusive else '>'}{tier.min_input_tokens}"
    if tier.min_output_tokens is not None:
        low += f"{'&' if low else ''}output{'>=' if tier.output_inclusive else '>'}{tier.min_output_tokens}"
    return f"{meter}|{when}|{low}|{schedule or ''}"

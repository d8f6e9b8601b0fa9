"""Terms of a contract: discounts on rates, free allowances, credits and committed spend, each dated and with its source.

A contract is more than a list of rates. Google gives a number of grounded searches a month free (5,000; a peer's figure,
genai-prices 0.2.3, November 2026), AWS and the prepaid accounts of OpenAI and Anthropic pay a bill from a balance, and
Azure's consumption commitment (MACC) charges what was promised and not spent. `economics.contracts.settlement` applies them to a month.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import ClassVar, Final

from economics.context import Context
from economics.contracts.months import CommitmentPeriod, is_month_start, months_between
from economics.errors import PermillionError
from economics.meters import METERS, is_token_meter
from economics.money import ONE, subtract
from economics.periods import Period
from economics.prices import ALWAYS, Conditions, check_conditions
from economics.selection import satisfied

SHARE_DECIMALS: Final = 12
"""Decimals a discount may have: each discount adds as many to a rate, and no contract grants a millionth of a millionth."""
_LAST: Final = datetime.max.replace(tzinfo=UTC)


class TermKind(Enum):
    """What a term does, in the order of a statement."""

    DISCOUNT = "discount"
    FREE_ALLOWANCE = "free_allowance"
    CREDIT = "credit"
    COMMITTED_SPEND = "committed_spend"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a term is about: a provider, one of its models, or all there is.

    Raises:
        PermillionError: `invalid-fields` for a model without its provider.

    >>> Scope("OpenAI").covers("openai", "gpt-6-sol"), Scope("openai", "gpt-6-sol").covers("openai", "gpt-6-luna")
    (True, False)
    """

    provider: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        if self.model is not None and self.provider is None:
            raise PermillionError("invalid-fields", "say the provider of the model", pointer="/provider")

    def covers(self, provider: str, model: str) -> bool:
        """Whether an offer of `model` by `provider` is in it; names without regard to case."""
        if self.provider is None:
            return True
        return self.provider.casefold() == provider.casefold() and (
            self.model is None or self.model.casefold() == model.casefold()
        )


EVERYTHING = Scope()


@dataclass(frozen=True, kw_only=True)
class Term:
    """What all terms have.

    Args:
        id: within the book.
        source: who says so, such as a contract and its clause.
        order: among terms of one kind the lower comes first, then the id in alphabetical order; of credits of one order
            the one that ends sooner comes first, as AWS applies them (AWS Billing guide, "AWS credits", 2026).
        period: when it holds, half-open.
        scope: what it is about.
        note: for people.
    """

    kind: ClassVar[TermKind]

    id: str
    source: str
    order: int = 0
    period: Period = ALWAYS
    scope: Scope = EVERYTHING
    note: str = ""

    @property
    def rank(self) -> tuple[int, datetime, str]:
        """Its place among terms of its kind."""
        return self.order, _LAST, self.id


@dataclass(frozen=True, kw_only=True)
class Discount(Term):
    """A share off rates: `rate' = rate · (1 − share)`, exact, before currency and tax.

    Several discounts on one rate multiply, since each is granted on the price that is left: 20 % and then 10 % are 28 % off.

    Args:
        share: 0–1.
        meters: whose rates, by their exact names; empty for all token meters (fees are rarely discounted).
        conditions: context under which it holds.
        base_only: only on rates that come from the base, so that rates negotiated one by one stay as they are.

    Raises:
        PermillionError: `invalid-fields`, `unknown-meter`, `unknown-context`.

    Worked number: 12 % off 2 USD per Mtok is 2 · 0.88 = 1.76.

    >>> Discount(id="d", source="contract", share=Decimal("0.12")).factor * 2
    Decimal('1.76')
    """

    kind: ClassVar[TermKind] = TermKind.DISCOUNT

    share: Decimal
    meters: tuple[str, ...] = ()
    conditions: Conditions = field(default_factory=dict)
    base_only: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise PermillionError("invalid-fields", "a share lies between 0 and 1", pointer="/discount_share")
        for meter in self.meters:
            check_meter(meter, "/meters")
        check_conditions(self.conditions)

    @cached_property
    def factor(self) -> Decimal:
        """1 − share."""
        return subtract(ONE, self.share)

    def holds(self, context: Context, as_of: datetime) -> bool:
        """Whether it can touch rates of an offer of its scope in that context at that instant."""
        return self.period.contains(as_of) and (not self.conditions or satisfied(self.conditions, context))

    def touches(self, meter: str, from_base: bool) -> bool:
        """Whether the rate of `meter` is one of those it takes a share off."""
        if self.base_only and not from_base:
            return False
        return meter in self.meters if self.meters else is_token_meter(meter)


@dataclass(frozen=True, kw_only=True)
class FreeAllowance(Term):
    """A quantity of a meter that is free in each calendar month (UTC), oldest usage first.

    Units of a meter's parts are units of it (cache reads are input), so an allowance of `input_tokens` covers them too.

    Raises:
        PermillionError: `invalid-fields`, `unknown-meter`.

    Worked number: 5,000 free of 7,000 searches at 14 USD per 1,000 take 5,000 · 14 / 1,000 = 70 off 98 USD.
    """

    kind: ClassVar[TermKind] = TermKind.FREE_ALLOWANCE

    meter: str
    quantity: Decimal

    def __post_init__(self) -> None:
        check_meter(self.meter, "/meter")
        if self.quantity <= 0:
            raise PermillionError("invalid-fields", "a free quantity must be above 0", pointer="/quantity")

    def counts(self, meter: str) -> bool:
        """Whether units of `meter` are units of the free one.

        >>> free = FreeAllowance(id="f", source="page", meter="input_tokens", quantity=Decimal(1_000))
        >>> free.counts("cache_write_1h_tokens"), free.counts("output_tokens")
        (True, False)
        """
        found: str | None = meter
        while found is not None and found != self.meter:
            found = METERS[found].parent
        return found is not None


@dataclass(frozen=True, kw_only=True)
class Credit(Term):
    """A balance that pays for usage in its period until it is used up; what is left is carried to the next month.

    It never pays an unused commitment, and never more than is due. In the currency of the book.

    Raises:
        PermillionError: `invalid-fields` for an amount that is not positive.

    Worked number: 100 USD of which 40 are used, against 75 USD due, pay 60; 15 are payable and the balance is 0.
    """

    kind: ClassVar[TermKind] = TermKind.CREDIT

    amount: Decimal

    def __post_init__(self) -> None:
        check_amount(self.amount)

    @property
    def rank(self) -> tuple[int, datetime, str]:
        """As `Term.rank`, the sooner end before the id."""
        return self.order, self.period.valid_to or _LAST, self.id


@dataclass(frozen=True, kw_only=True)
class CommittedSpend(Term):
    """An amount to be spent in each month, each quarter or the whole term; what is not spent is charged at its end.

    Spend is what usage costs after discounts and allowances. Credits do not lessen it unless `after_credits` says that
    only money counts. Periods begin at a month's start in UTC and are counted from `valid_from`, because a bill covers a
    month: a period that began on the 15th would split every bill.

    Raises:
        PermillionError: `invalid-fields` for an amount that is not positive, a start that is unknown or within a month, an
            end within a month, or a length that is no whole number of periods.

    Worked number: 1,000 USD a month, 640 spent: 360 are charged on top, 1,000 in all.
    """

    kind: ClassVar[TermKind] = TermKind.COMMITTED_SPEND

    amount: Decimal
    per: CommitmentPeriod
    after_credits: bool = False

    def __post_init__(self) -> None:
        check_amount(self.amount)
        start, end = self.period.valid_from, self.period.valid_to
        if start is None or not is_month_start(start):
            raise PermillionError(
                "invalid-fields", "a commitment starts at the first instant of a month in UTC", pointer="/valid_from"
            )
        if end is None:
            if self.per is CommitmentPeriod.TERM:
                raise PermillionError("invalid-fields", "say when the term ends", pointer="/valid_to")
        elif not is_month_start(end):
            raise PermillionError(
                "invalid-fields", "a commitment ends at the first instant of a month in UTC", pointer="/valid_to"
            )
        elif self.per is CommitmentPeriod.QUARTER and months_between(start, end) % 3:
            raise PermillionError("invalid-fields", "the term is no whole number of quarters", pointer="/valid_to")


def check_meter(meter: str, pointer: str) -> None:
    """Refuse a name that is no meter."""
    if meter not in METERS:
        raise PermillionError("unknown-meter", f"unknown meter; known are {', '.join(METERS)}", pointer=pointer)


def check_share_decimals(share: Decimal) -> None:
    """Refuse a discount with more decimals than `SHARE_DECIMALS`: exact arithmetic carries every one into every cost.

    >>> check_share_decimals(Decimal("0.0123456789012"))
    Traceback (most recent call last):
    ...
    economics.errors.PermillionError: a discount has at most 12 decimals
    """
    exponent = share.as_tuple().exponent
    if not isinstance(exponent, int) or -exponent > SHARE_DECIMALS:
        raise PermillionError(
            "invalid-fields", f"a discount has at most {SHARE_DECIMALS} decimals", pointer="/discount_share"
        )


def check_amount(amount: Decimal) -> None:
    """Refuse an amount that is not positive."""
    if amount <= 0:
        raise PermillionError("invalid-fields", "an amount must be above 0", pointer="/amount")

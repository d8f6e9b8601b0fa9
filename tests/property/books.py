"""Hypothesis strategies: usages, and small random price books that exercise every rule of selection at once."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from fractions import Fraction

from hypothesis import strategies as st

from tests.oracle.naive import (
    FEES,
    PARENT_OF,
    Conditions,
    NaiveFactor,
    NaiveGap,
    NaiveHours,
    NaiveKey,
    NaiveRow,
    NaiveSeller,
)

OFFER = ("acme", "m1", "default")
SELLER = NaiveSeller(
    keys={
        "processing": NaiveKey(values=("standard", "batch"), default="standard", synonyms={}, undecided=()),
        "service_tier": NaiveKey(
            values=("standard", "flex"), default="standard", synonyms={"default": "standard"}, undecided=("auto",)
        ),
        "data_residency": NaiveKey(values=("global", "eu"), default="global", synonyms={}, undecided=()),
        "zone": NaiveKey(values=("us", "eu"), default=None, synonyms={}, undecided=()),
        "thinking_mode": NaiveKey(values=("true", "false"), default=None, synonyms={}, undecided=()),
        "cache_kind": NaiveKey(values=("explicit", "implicit"), default="explicit", synonyms={}, undecided=()),
    },
    contradictions=({"processing": ("batch",), "service_tier": ("flex",)},),
    schedules={
        "peak": NaiveHours(
            timezone="Asia/Shanghai",
            windows=((time(9), time(12)), (time(14), time(18))),
            weekdays=("mon", "tue", "wed", "thu", "fri"),
            days_off=("2026-12-01",),
        ),
        "night": NaiveHours(timezone="UTC", windows=((time(22), time(6)),), weekdays=(), days_off=("2026-12-02",)),
    },
)
DAYS = [datetime(2026, 11, 28, 16, tzinfo=UTC) + timedelta(days=n) for n in range(6)]
TIERS = ((None, False), (100, False), (100, True), (200, False))
METERS = (*PARENT_OF, "requests", "web_searches", "audio_seconds")
CONDITIONS: tuple[dict[str, tuple[str, ...]], ...] = (
    {},
    {"processing": ("batch",)},
    {"service_tier": ("flex",)},
    {"data_residency": ("eu",)},
    {"zone": ("us", "eu")},
    {"zone": ("us",)},
    {"thinking_mode": ("true",)},
    {"thinking_mode": ("false",)},
    {"cache_kind": ("implicit",)},
    {"cache_kind": ("explicit", "implicit")},
    {"processing": ("batch",), "thinking_mode": ("true",)},
    {"service_tier": ("standard", "flex")},
)

rates = st.one_of(
    st.sampled_from([Fraction(0), Fraction(1), Fraction(5, 2), Fraction(111, 1000)]),
    st.integers(0, 10**9).map(lambda n: Fraction(n, 10**6)),
)
counts = st.one_of(st.sampled_from([0, 1, 99, 100, 101, 199, 200, 201, 300]), st.integers(0, 1_000))
instants = st.one_of(
    st.sampled_from(DAYS).flatmap(lambda day: st.sampled_from([-1, 0, 1]).map(lambda s: day + timedelta(seconds=s))),
    st.sampled_from(DAYS).flatmap(
        lambda day: st.sampled_from([9, 12, 14, 18, 22, 24, 30]).flatmap(
            lambda hour: st.sampled_from([-1, 0, 1]).map(lambda s: day + timedelta(hours=hour - 8, seconds=s))
        )
    ),
    st.integers(0, 6 * 86_400).map(lambda s: DAYS[0] + timedelta(seconds=s)),
)


@st.composite
def usages(draw: st.DrawFn) -> dict[str, int]:
    """A usage whose children fit into their parents; parents may be left out."""
    usage: dict[str, int] = {}
    for root in ("input_tokens", "output_tokens"):
        children = [name for name, parent in PARENT_OF.items() if parent == root]
        parts = {child: draw(counts) for child in children if draw(st.booleans())}
        usage |= parts
        if not parts or draw(st.booleans()):
            usage[root] = sum(parts.values()) + draw(counts)
    if usage.keys() >= {"cache_read_tokens", "input_audio_tokens"} and draw(st.booleans()):
        both = draw(st.integers(0, min(usage["cache_read_tokens"], usage["input_audio_tokens"])))
        usage["cache_read_audio_tokens"] = both
        if "input_tokens" in usage:  # counted once there
            usage["input_tokens"] -= draw(st.sampled_from([0, both]))
        if both and draw(st.booleans()):
            del usage[draw(st.sampled_from(["cache_read_tokens", "input_audio_tokens"]))]
    if "cache_write_tokens" in usage and draw(st.booleans()):
        usage["cache_write_5m_tokens"] = draw(st.integers(0, usage["cache_write_tokens"]))
        usage["cache_write_1h_tokens"] = draw(
            st.integers(0, usage["cache_write_tokens"] - usage["cache_write_5m_tokens"])
        )
        rest = usage["cache_write_tokens"] - usage["cache_write_5m_tokens"] - usage["cache_write_1h_tokens"]
        usage["cache_write_12h_tokens"] = draw(st.integers(0, rest))
    for fee in draw(st.lists(st.sampled_from([*METERS[-3:], *FEES[:1]]), max_size=1)):
        usage[fee] = draw(st.integers(0, 100))
    return usage


def plain_row(meter: str, rate: Fraction, per: int = 1_000_000, when: Conditions | None = None) -> NaiveRow:
    """A rate of the one offer, in the base tier, always."""
    provider, model, book = OFFER
    return NaiveRow(
        provider=provider,
        model=model,
        book=book,
        meter=meter,
        rate=rate,
        per=per,
        currency="USD",
        when=when or {},
        min_input=None,
        min_inclusive=False,
        max_input=None,
        min_output=None,
        output_inclusive=False,
        schedule=None,
        valid_from=None,
        valid_to=None,
        search_unit=None,
        least=None,
    )


@st.composite
def rows(draw: st.DrawFn) -> NaiveRow:
    """One row of the one offer, with anything that a row can say."""
    meter = draw(st.sampled_from(METERS))
    low, inclusive = draw(st.sampled_from(TIERS))
    starts, ends = sorted(draw(st.lists(st.sampled_from(DAYS), min_size=2, max_size=2, unique=True)))
    row = plain_row(
        meter, draw(rates), draw(st.sampled_from([1, 1_000, 3_600, 1_000_000, 7])), draw(st.sampled_from(CONDITIONS))
    )
    row["min_input"], row["min_inclusive"] = low, inclusive
    row["max_input"] = draw(st.sampled_from([None] * 6 + [200, 300]))
    row["schedule"] = draw(st.sampled_from([None, None, None, "peak", "night"]))
    row["min_output"], row["output_inclusive"] = draw(st.sampled_from([(None, False)] * 4 + list(TIERS[1:])))
    row["least"] = draw(st.sampled_from([None] * 4 + [Fraction(10), Fraction(5, 2), Fraction(250)]))
    row["valid_from"] = draw(st.sampled_from([None, starts]))
    row["valid_to"] = draw(st.sampled_from([None, ends]))
    if meter == "web_searches":
        row["search_unit"] = draw(st.sampled_from([None, "call", "prompt", "unique_query"]))
    return row


def same_slot(left: NaiveRow, right: NaiveRow) -> bool:
    """Whether a catalog would refuse to store both: one price twice at one time."""
    keys = ("meter", "min_input", "min_inclusive", "min_output", "output_inclusive", "schedule")
    if any(left[key] != right[key] for key in keys) or left["when"] != right["when"]:  # type: ignore[literal-required]
        return False
    first, second = (
        (left, right) if (left["valid_from"] or DAYS[0]) <= (right["valid_from"] or DAYS[0]) else (right, left)
    )
    return first["valid_to"] is None or second["valid_from"] is None or second["valid_from"] < first["valid_to"]


@st.composite
def books(draw: st.DrawFn) -> list[NaiveRow]:
    """Base prices of input and output, and some random rows on top; no slot is priced twice at one time."""
    base = [
        plain_row(meter, draw(rates), when=when)
        for meter in ("input_tokens", "output_tokens")
        for when in ({}, *draw(st.lists(st.sampled_from(CONDITIONS[1:]), max_size=3, unique_by=str)))
    ]
    chosen: list[NaiveRow] = []
    for row in [*base, *draw(st.lists(rows(), max_size=8))]:
        if not any(same_slot(row, other) for other in chosen):
            chosen.append(row)
    return draw(st.permutations(chosen))


@st.composite
def factors(draw: st.DrawFn) -> list[NaiveFactor]:
    """No factor, or one."""
    if draw(st.booleans()):
        return []
    provider, model, book = OFFER
    starts = draw(st.sampled_from([None, *DAYS]))
    return [
        NaiveFactor(
            provider=provider,
            model=model,
            book=book,
            factor=draw(st.sampled_from([Fraction(1), Fraction(11, 10), Fraction(6, 5)])),
            when=draw(st.sampled_from([{"data_residency": ("eu",)}, {"zone": ("eu",)}, {"service_tier": ("flex",)}])),
            valid_from=starts,
            valid_to=None,
        )
    ]


@st.composite
def gaps(draw: st.DrawFn) -> list[NaiveGap]:
    """Now and then a context that is said to be sold at an unknown price."""
    if draw(st.integers(0, 2)):
        return []
    starts = draw(st.sampled_from([None, *DAYS]))
    return [NaiveGap(when=draw(st.sampled_from(CONDITIONS[1:])), valid_from=starts, valid_to=None)]


@st.composite
def contexts(draw: st.DrawFn) -> dict[str, str]:
    """Mostly little: a key or two of the vocabulary, other spellings included."""
    names = draw(st.lists(st.sampled_from(sorted(SELLER.keys)), max_size=3, unique=True))
    return {
        name: draw(
            st.sampled_from(
                [*SELLER.keys[name]["values"], *SELLER.keys[name]["synonyms"], *SELLER.keys[name]["undecided"]]
            )
        )
        for name in names
    }


searches = st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "A"]), max_size=4))

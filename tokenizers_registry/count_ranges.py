"""How far the true number of tokens may lie from an estimate: measured ratios by script, from `count_ranges.yaml`.

A range says what was measured and nothing more: where no measurement exists there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from tokenizers_registry.scripts import Script

RangeMethod = Literal["own_tests", "next_generation", "between_tokenizers"]

TABLE = Path(__file__).with_name("count_ranges.yaml")


@dataclass(frozen=True, slots=True)
class MeasuredRatios:
    """True count / our count by script.

    Attributes:
        ratios: lowest and highest measured ratio of each script that was measured.
        tokenizer: the one the ratios hold for, None for whichever counts.
        source, limits, measured_on: what was measured, what it cannot say, and when.
    """

    ratios: Mapping[Script, tuple[Fraction, Fraction]]
    tokenizer: str | None
    source: str
    limits: str
    measured_on: date


@dataclass(frozen=True, slots=True)
class CountRange:
    """Lowest and highest ratio of true to counted tokens."""

    low: Fraction
    high: Fraction

    def tokens(self, counted: int) -> tuple[int, int]:
        """The range of `counted` tokens in whole ones, rounded outwards.

        >>> CountRange(Fraction(278, 279), Fraction(137, 100)).tokens(1000)
        (996, 1370)
        """
        low, high = self.low, self.high
        return (
            counted * low.numerator // low.denominator,
            -(-counted * high.numerator // high.denominator),
        )


EXACTLY = CountRange(Fraction(1), Fraction(1))
RECONSTRUCTED = frozenset({"claude_v3", "claude_v47", "claude_v48"})
"""Estimating families whose own tests are the measurement, whichever model they count for."""


@lru_cache(maxsize=256)
def count_range(method: RangeMethod, tokenizer: str, scripts: frozenset[Script]) -> CountRange | None:
    """The range of a count; None where a script of the text, or the tokenizer, was not measured.

    Formula: of all scripts in the text the lowest low and the highest high.

    Args:
        method: how the estimate is made.
        tokenizer: the one that counted.
        scripts: of the text, as `writing_of` finds them.

    Worked number: 100 tokens of English by o200k_base for a vendor that publishes nothing are 100 to 149
    (Claude v4.8 needs 1.37 / 0.92 as many).

    >>> count_range("between_tokenizers", "o200k_base", frozenset({"latin"})).tokens(100)
    (100, 149)
    """
    measured = measured_ratios()[method]
    if not scripts or not scripts <= measured.ratios.keys() or measured.tokenizer not in (None, tokenizer):
        return None
    found = [measured.ratios[script] for script in scripts]
    return CountRange(min(low for low, _ in found), max(high for _, high in found))


@cache
def measured_ratios() -> Mapping[RangeMethod, MeasuredRatios]:
    """The table."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    with TABLE.open(encoding="utf-8") as file:
        document = yaml.load(file, Loader=loader)  # noqa: S506 - text only
    measured_on = date.fromisoformat(document["measured_on"])
    return {name: _measured(entry, measured_on) for name, entry in document["methods"].items()}


def _measured(entry: Mapping[str, Any], measured_on: date) -> MeasuredRatios:
    ratios = {cast("Script", script): (_ratio(r["low"]), _ratio(r["high"])) for script, r in entry["scripts"].items()}
    return MeasuredRatios(ratios, entry.get("tokenizer"), entry["source"], entry["limits"], measured_on)


def _ratio(parts: list[str]) -> Fraction:
    return Fraction(int(parts[0]), int(parts[1]))

"""Why a bill counts other tokens than its texts have: what explains the difference, if anything known does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Explanation = Literal["equal", "frame", "estimate_range", "reasoning", "cache", "unexplained"]
EXPLAINED: frozenset[Explanation] = frozenset({"equal", "frame", "estimate_range", "reasoning"})
"""What needs no question to the vendor. `cache` names a likely error of the bill and does not excuse it."""


@dataclass(frozen=True, slots=True)
class Recount:
    """A count of our own in tokens.

    Attributes:
        tokens: as counted.
        low, high: the range of an estimate, both the count itself where it is exact; None where the error is not known.
    """

    tokens: int
    low: int | None
    high: int | None

    def holds(self, tokens: int, frame: int = 0) -> bool:
        """Whether `tokens` lie in the range, up to `frame` above it."""
        low = self.tokens if self.low is None else self.low
        high = self.tokens if self.high is None else self.high
        return low <= tokens <= high + frame


def explain_input(billed: int, counted: Recount, frame: int | None, cached: int) -> Explanation:
    """What explains the billed input tokens.

    In this order: nothing to explain; up to `frame` tokens more than counted; within the range of the estimate, the frame
    on top; the tokens of the cache counted twice or left out (the most frequent defect of clients that keep bills).

    Args:
        billed: tokens of the prompt, those from and to the cache included.
        counted: of the texts.
        frame: tokens around the messages, None where not documented: they excuse nothing then.
        cached: tokens read from and written to the cache.

    Worked number (langfuse/langfuse#10592): 17,903 tokens of which 17,817 were cached came out as 35,720.

    >>> explain_input(35_720, Recount(17_903, 17_903, 17_903), 0, 17_817)
    'cache'
    >>> explain_input(107, Recount(100, 100, 100), 7, 0), explain_input(108, Recount(100, 100, 100), 7, 0)
    ('frame', 'unexplained')
    """
    around = frame or 0
    if billed == counted.tokens:
        return "equal"
    if counted.tokens < billed <= counted.tokens + around:
        return "frame"
    if counted.holds(billed, around):
        return "estimate_range"
    if cached and (counted.holds(billed - cached, around) or counted.holds(billed + cached, around)):
        return "cache"
    return "unexplained"


def explain_output(billed: int, counted: Recount, reasoning: int) -> Explanation:
    """What explains the billed output tokens: reasoning is billed and not shown, so the text does not have it.

    >>> explain_output(150, Recount(100, 100, 100), 50), explain_output(150, Recount(100, 100, 100), 40)
    ('reasoning', 'unexplained')
    """
    if billed == counted.tokens:
        return "equal"
    if reasoning and counted.holds(billed - reasoning):
        return "reasoning"
    return "estimate_range" if counted.holds(billed) else "unexplained"

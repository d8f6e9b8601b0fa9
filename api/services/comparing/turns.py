"""A query, or a conversation whose turns send again what was said before."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from economics.money import Exact


class Conversation(NamedTuple):
    """Tokens of the turns of a conversation; a single query is one of one turn.

    Attributes:
        standing: sent anew with each turn and once only: system text, tools, what primes the answer.
        new: what a turn adds, its message's frame and its images included.
        answer: what is answered in each turn; None where not known, then there is one turn.
        answer_frame: tokens around an answer that is sent again.
        turns: how many.
    """

    standing: int
    new: int
    answer: int | None
    answer_frame: int = 0
    turns: int = 1

    def inputs(self) -> Iterator[int]:
        """Input tokens of each turn.

        Formula: turn k sends `standing + k·new + (k − 1)·(answer + answer_frame)`; without a standing part and frames the
        sum over n turns is `n·a + (a + b)·n(n − 1)/2` for a new and b answered tokens a turn.

        Worked number: 100 new and 50 answered tokens a turn, three turns, are 100 + 250 + 400 = 750
        = 3·100 + 150·3.

        >>> list(Conversation(0, 100, 50, turns=3).inputs())
        [100, 250, 400]
        """
        again = 0 if self.answer is None else self.answer + self.answer_frame
        for turn in range(1, self.turns + 1):
            yield self.standing + turn * self.new + (turn - 1) * again

    def mean_input(self) -> Exact:
        """The mean over the turns: `standing + new·(n + 1)/2 + again·(n − 1)/2`.

        >>> Conversation(0, 100, 50, turns=3).mean_input().to_text()
        '250'
        """
        return Exact(Decimal(sum(self.inputs())), Decimal(self.turns))

"""One request to a counting worker, from the moment it is asked until its outcome is known."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from economics.errors import PermillionError
from tokenizers_registry import wire
from tokenizers_registry.families import Family

#: What became of an exchange: all counts came; the worker died; it took too long; it was busy for too long.
Outcome = Literal["answered", "lost", "overdue", "busy"]


class Exchange:
    """One request to a worker and what has come back so far.

    Attributes:
        counts: for each tokenizer its counts (`wire.MEASURES`: what its texts measure), or the error that stopped it; filled as
            answers come.
        announced: the tokenizer that the worker said it is at, empty if it has not said.
        outcome: resolves when the exchange is over.
    """

    def __init__(
        self,
        texts: Sequence[bytes],
        jobs: Mapping[str, Sequence[int]],
        timeout_s: float,
        registered: Mapping[str, Family],
    ) -> None:
        self.tokenizers = list(jobs)
        self.frame = wire.pack_request(texts, jobs, registered)
        self.timeout_s = timeout_s
        self.counts: dict[str, list[Any] | PermillionError] = {}
        self.announced = ""
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._refusal: asyncio.TimerHandle | None = None

    def wait(self, wait_timeout_s: float) -> None:
        """It has to wait for others: end it as `busy` if that takes too long."""
        self._refusal = asyncio.get_running_loop().call_later(wait_timeout_s, self.end, "busy")

    def begin(self) -> bool:
        """It is its turn; False where nobody waits for it any more."""
        if self._refusal is not None:
            self._refusal.cancel()
        return not self.outcome.done()

    def take(self, answer: Mapping[str, Any]) -> None:
        """Note what one frame from the worker says."""
        for tokenizer, found in answer["counts"].items():
            failed = isinstance(found, dict)
            self.counts[tokenizer] = PermillionError(found["slug"], found["detail"]) if failed else found
        self.announced = answer["loading"] or answer["counting"]

    def end(self, outcome: Outcome) -> None:
        """Resolve the outcome, unless whoever waited for it has gone."""
        if not self.outcome.done():
            self.outcome.set_result(outcome)

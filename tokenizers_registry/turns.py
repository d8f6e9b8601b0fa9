"""Long work on an event loop, taken by turns."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

#: Turns of the loop between two that are given away: what a short request needs from its arrival to its answer.
BETWEEN: Final = 3


class Turns:
    """One waiting task goes on in every fourth turn of the event loop, in the order of asking.

    `await asyncio.sleep(0)` lets others run, but ten tasks that do half a millisecond each between two of those keep the loop
    for five: a request that came meanwhile waits for all of them. With `await turns.take()` it waits for one, and is then answered
    before the next; a turn in which nothing happens takes some microseconds.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._giving = False

    async def take(self) -> None:
        """Wait for a turn of the loop that no other caller has."""
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[None] = loop.create_future()
        self._waiting.append(mine)
        if not self._giving:
            self._giving = True
            loop.call_soon(self._give)
        await mine

    def _give(self, wait: int = 0) -> None:
        if wait:
            asyncio.get_running_loop().call_soon(self._give, wait - 1)
            return
        while self._waiting:
            following = self._waiting.popleft()
            if not following.done():  # else its task was cancelled
                following.set_result(None)
                asyncio.get_running_loop().call_soon(self._give, BETWEEN)
                return
        self._giving = False

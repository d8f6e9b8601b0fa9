"""Long work on an event loop, taken by turns."""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """One waiting task goes on in each turn of the event loop, in the order of asking.

    `await asyncio.sleep(0)` lets others run, but ten tasks that do half a millisecond each between two of those keep the loop
    for five: a request that came meanwhile waits for all of them. With `await turns.take()` it waits for one.
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

    def _give(self) -> None:
        while self._waiting:
            following = self._waiting.popleft()
            if not following.done():  # else its task was cancelled
                following.set_result(None)
                asyncio.get_running_loop().call_soon(self._give)
                return
        self._giving = False

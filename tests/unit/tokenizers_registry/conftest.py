"""A plug-in with families that misbehave, and counters that run with short patience."""

import asyncio
import importlib
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.registry import Registry
from tokenizers_registry.workers import WorkerSettings

PLUG_IN = '''
"""Counts characters; some of its families do so badly."""
import os, pathlib, time
from dataclasses import replace
from tokenizers_registry.families import Family

def letters(family):
    def count(text):
        if "calls" in text:
            with open(text.split("\\n")[1], "a") as file:
                file.write(family.tokenizer + "\\n")
        return len(text)
    return count

def slow(family):
    def count(text):
        time.sleep(60 if "slow" in text else 0)
        return len(text)
    return count

def busy(family):
    """Keeps a core for as many seconds of its own as the text says."""
    def count(text):
        began = time.process_time()
        while time.process_time() - began < float(text):
            pass
        return len(text)
    return count

def slow_to_load(family):
    time.sleep(1.5)
    return letters(family)

def dying(family):
    def count(text):
        if "die" in text:
            os.kill(os.getpid(), 9)
        return len(text)
    return count

def dying_once(family):
    def count(text):
        marker = pathlib.Path(text)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), 9)
        return len(text)
    return count

def meeting(family):
    """Counts once its twin counts, too: two tokenizers that can only be counted side by side."""
    def count(text):
        if not text.startswith("/"):
            return len(text)
        place = pathlib.Path(text)
        place.joinpath(family.tokenizer).touch()
        for _ in range(1_000):
            if len(list(place.iterdir())) > 1:
                return len(text)
            time.sleep(0.01)
        raise RuntimeError("alone")
    return count

def hungry(family):
    def count(text):
        if "eat" in text:
            return len(bytearray(1 << 40))
        return len(text)
    return count

class Panic(BaseException):
    pass

def panicking(family):
    def count(text):
        raise Panic(text)
    return count

LETTERS = Family(
    tokenizer="letters", kind="exact", loader=__name__ + ":letters", engines=("json",), package="pytest",
    version="", path="", sha256="", fingerprint="probe:letters", package_license="MIT", vocabulary_license="none",
    cross_checked="", source="", memory_mib=1, max_text_bytes=100_000,
)
FAMILIES = [LETTERS, *(
    replace(LETTERS, tokenizer=name, loader=f"{__name__}:{name}", fingerprint="probe:" + name)
    for name in ("slow", "busy", "slow_to_load", "dying", "dying_once", "panicking", "hungry")
), *(
    replace(LETTERS, tokenizer=name, loader=f"{__name__}:meeting", fingerprint="probe:" + name, megabytes_per_s=1e-4)
    for name in ("meeting_one", "meeting_two")
)]
'''


@pytest.fixture
def misbehaving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """The built-in families and those of the plug-in, which workers find on the same path."""
    (tmp_path / "misbehaving_families.py").write_text(PLUG_IN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    importlib.invalidate_caches()
    yield Registry(["misbehaving_families:FAMILIES"])
    sys.modules.pop("misbehaving_families", None)


Scenario = Callable[[TokenCounter], Awaitable[None]]


@pytest.fixture
def run_scenario() -> Callable[..., None]:
    """Run what a test does with a counter inside one event loop, the workers started and ended around it."""

    def run(scenario: Scenario, registry: Registry | None = None, workers: int = 2, timeout_s: float = 10.0) -> None:
        async def started() -> None:
            counter = TokenCounter(registry, WorkerSettings(workers=workers, timeout_s=timeout_s))
            await counter.start()
            try:
                await scenario(counter)
            finally:
                await counter.close()

        asyncio.run(started())

    return run

"""Counting with registered files: in a limited worker of their own, from a private folder, proved on each load."""

from __future__ import annotations

import asyncio
import hashlib
import stat
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from economics.errors import PermillionError
from tests.tokenizer_files import EVERYTHING, byte_level_json, byte_ranks, sentencepiece_model
from tokenizers_registry import probes
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.families import pack_family, unpack_family
from tokenizers_registry.registered.files import CheckedFile, Format, RegisteredFile
from tokenizers_registry.registered.folder import FileFolder
from tokenizers_registry.workers import WorkerSettings

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
BYTES = tuple(len(text.encode()) for text in probes.REGISTERED_TEXTS)


def registered(
    tokenizer: str, content: bytes, stated: Format = "tiktoken", counts: tuple[int, ...] = BYTES
) -> RegisteredFile:
    pattern = EVERYTHING if stated == "tiktoken" else None
    sha256 = hashlib.sha256(content).hexdigest()
    checked = CheckedFile(stated, sha256, len(content), pattern, 256, counts, 10, "")
    return RegisteredFile(tokenizer, checked, "ours", "our tickets", NOON)


def stored(*contents: bytes) -> Callable[[str], bytes | None]:
    return {hashlib.sha256(content).hexdigest(): content for content in contents}.get


def run(
    files: list[RegisteredFile],
    scenario: Callable[[TokenCounter], Awaitable[None]],
    read_file: Callable[[str], bytes | None],
    **settings: float,
) -> None:
    async def started() -> None:
        counter = TokenCounter(settings=WorkerSettings(workers=1, **settings), read_file=read_file)  # type: ignore[arg-type]
        await counter.start()
        try:
            await scenario(counter.with_files(files))
        finally:
            await counter.close()

    asyncio.run(started())


def test_families_survive_their_journey_to_a_worker() -> None:
    import json

    for content, stated in ((byte_ranks(), "tiktoken"), (byte_level_json(), "tokenizer.json")):
        family = registered("user/a", content, stated).family  # type: ignore[arg-type]
        assert unpack_family(json.loads(json.dumps(pack_family(family)))) == family


def test_they_count_beside_the_built_in_ones() -> None:
    files = [registered("user/a", byte_ranks()), registered("user/b", byte_level_json(), "tokenizer.json")]

    async def scenario(counter: TokenCounter) -> None:
        rows = await counter.count(["héllo", ""], ["user/a", "user/b", "cl100k_base"])
        assert rows == [{"user/a": 6, "user/b": 6, "cl100k_base": 3}, {"user/a": 0, "user/b": 0, "cl100k_base": 0}]

    run(files, scenario, stored(byte_ranks(), byte_level_json()))


def test_a_counter_without_the_files_does_not_know_them() -> None:
    async def scenario(counter: TokenCounter) -> None:
        (row,) = await counter.count(["a"], ["user/a"])
        assert isinstance(row["user/a"], PermillionError)
        assert row["user/a"].slug == "unknown-tokenizer"

    run([], scenario, stored(byte_ranks()))


def test_a_withdrawn_one_says_so() -> None:
    async def scenario(counter: TokenCounter) -> None:
        (row,) = await counter.count(["a"], ["user/a"])
        assert isinstance(row["user/a"], PermillionError)
        assert row["user/a"].slug == "tokenizer-unavailable"
        assert row["user/a"].detail == "user/a was withdrawn at 2026-11-30T12:00:00Z"

    run([replace(registered("user/a", byte_ranks()), withdrawn_at=NOON)], scenario, stored(byte_ranks()))


@pytest.mark.parametrize(
    ("file", "read_file", "says"),
    [
        (registered("user/a", byte_ranks()), stored(), "is not the one that was registered"),
        (registered("user/a", byte_ranks()), lambda sha256: byte_ranks() + b"\n", "is not the one that was registered"),
        (registered("user/a", byte_ranks(), counts=(*BYTES[:-1], 7)), stored(byte_ranks()), "does not count the probe texts"),
        (registered("user/a", sentencepiece_model(), "sentencepiece"), stored(sentencepiece_model()), "does not count the probe texts"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_the_registered_one_counts_nothing(
    file: RegisteredFile, read_file: Callable[[str], bytes | None], says: str
) -> None:
    async def scenario(counter: TokenCounter) -> None:
        (row,) = await counter.count(["a"], ["user/a", "cl100k_base"])
        assert row["cl100k_base"] == 1
        assert isinstance(row["user/a"], PermillionError)
        assert row["user/a"].slug == "tokenizer-unavailable"
        assert says in row["user/a"].detail

    run([file], scenario, read_file)


def test_a_hostile_one_ends_its_own_worker_alone() -> None:
    """30 MB for each of 400 characters is 12 GB; the built-in one's worker lives on."""
    content = byte_level_json(normalizer={"type": "Replace", "pattern": {"String": "☠"}, "content": "x" * 30_000_000})

    async def scenario(counter: TokenCounter) -> None:
        await counter.count(["warm"], ["cl100k_base"])
        before = counter.worker_process_ids
        (row,) = await counter.count(["☠" * 400], ["user/bomb", "cl100k_base"])
        assert isinstance(row["cl100k_base"], int)
        assert isinstance(row["user/bomb"], PermillionError)
        assert row["user/bomb"].slug in ("counting-failed", "counting-timeout")
        assert counter.worker_process_ids == before
        assert await counter.count(["abc"], ["user/a"]) == [{"user/a": 3}]

    files = [registered("user/bomb", content, "tokenizer.json"), registered("user/a", byte_ranks())]
    run(files, scenario, stored(content, byte_ranks()), registered_limit_mib=512, timeout_s=5.0)


def test_its_worker_starts_when_it_is_needed_and_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(counter: TokenCounter) -> None:
        await counter.count(["a"], ["cl100k_base"])
        built_in = psutil.Process().children()
        await counter.count(["a"], ["user/a"])
        (guest,) = set(psutil.Process().children()) - set(built_in)
        assert guest.rlimit(psutil.RLIMIT_AS) == (700 << 20, 700 << 20)
        assert not [name for name in guest.environ() if name.startswith("PERMILLION_")]

    monkeypatch.setenv("PERMILLION_DATABASE_URL", "postgresql://user:secret@host/name")
    run([registered("user/a", byte_ranks())], scenario, stored(byte_ranks()), registered_limit_mib=700)


def test_the_folder_is_private_and_goes_with_the_counter() -> None:
    family = registered("user/a", byte_ranks()).family

    folder = FileFolder(stored(byte_ranks()))
    path = Path(asyncio.run(folder.placed(family)).path)
    assert path.name == family.sha256
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
    path.unlink()  # as a cleaner of temporary files does
    assert Path(asyncio.run(folder.placed(family)).path).read_bytes() == byte_ranks()
    folder.close()
    assert not path.parent.exists()

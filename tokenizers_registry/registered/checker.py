"""The server's side of a check: one limited process a file, one at a time, ended when it takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from dataclasses import dataclass
from typing import Any, Final

from economics.errors import PermillionError
from tokenizers_registry.registered.checking import HEAD
from tokenizers_registry.registered.files import CheckedFile, Format
from tokenizers_registry.registered.recognizing import SLUG
from tokenizers_registry.worker_process import child_environment

_LONGEST_ANSWER: Final = 65_536


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How much a check may take.

    Attributes:
        timeout_s: longest time in seconds, on the clock and of the processor.
        memory_mib: memory in MiB that the process may address.
    """

    timeout_s: float = 30.0
    memory_mib: int = 2_048


class Checker:
    """Checks files. A check may need gigabytes, so the next one waits for it."""

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings
        self._turn = asyncio.Lock()

    async def check(self, stated: Format, content: bytes, pattern: str | None) -> CheckedFile:
        """Look at a file in a process of its own.

        Raises:
            PermillionError: `invalid-tokenizer` with the reason: the process's, or what became of it; `not-ready` where
                none can be started.
        """
        header = json.dumps({"format": stated, "pattern": pattern}).encode()
        async with self._turn:
            answer = await self._answer(HEAD.pack(len(header)) + header, content)
        if "detail" in answer:
            raise PermillionError(SLUG, answer["detail"], pointer=answer["pointer"])
        return CheckedFile(
            stated,
            answer["sha256"],
            len(content),
            pattern,
            answer["entries"],
            tuple(answer["probe_counts"]),
            answer["memory_mib"],
            answer["note"],
        )

    async def _answer(self, head: bytes, content: bytes) -> dict[str, Any]:
        settings = self._settings
        process = await _started(settings)
        try:
            async with asyncio.timeout(settings.timeout_s):
                _, said = await asyncio.gather(_send(process, head, content), _receive(process))
                await process.wait()
        except TimeoutError:
            raise _over(settings) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode == -signal.SIGXCPU:
            raise _over(settings)
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError:
            raise PermillionError(
                SLUG,
                f"the file ended the process that checked it (it may use {settings.memory_mib} MiB)",
                pointer="/file",
            ) from None
        return answer


async def _started(settings: CheckSettings) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "tokenizers_registry.registered.checking",
            str(settings.memory_mib), str(max(1, round(settings.timeout_s))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            close_fds=True,
            env=child_environment(),
        )  # fmt: skip
    except OSError:
        raise PermillionError("not-ready", "no process can be had to check the file; try again in a moment") from None


async def _send(process: asyncio.subprocess.Process, head: bytes, content: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ended; what it left says why
        process.stdin.write(head)
        process.stdin.write(content)
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _receive(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    said = b""
    while len(said) < _LONGEST_ANSWER and (part := await process.stdout.read(_LONGEST_ANSWER)):
        said += part
    return said[:_LONGEST_ANSWER]


def _over(settings: CheckSettings) -> PermillionError:
    return PermillionError(SLUG, f"checking it took more than {settings.timeout_s:g} s", pointer="/file")

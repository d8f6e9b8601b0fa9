"""The process that looks at a user's file first: reads it, counts with it, says what it found, and ends.

    python -P -m tokenizers_registry.registered.checking MEMORY_MIB CPU_S

The question comes on standard input (a length, a JSON header, the file) and one JSON object leaves on standard output.
Standard error goes nowhere: what an engine prints when it panics may quote the file. Whatever a hostile file makes of
the engines ends here.
"""

from __future__ import annotations

import hashlib
import json
import resource
import struct
import sys
import time
from pathlib import Path
from typing import Any, Final

from economics.errors import PermillionError
from tokenizers_registry import probes
from tokenizers_registry.boundary import Count
from tokenizers_registry.priority import take_priority
from tokenizers_registry.registered.limits import limit_process
from tokenizers_registry.registered.reading import read_tokenizer
from tokenizers_registry.registered.recognizing import SLUG

HEAD: Final = struct.Struct("!I")
_LONG: Final = 20_000
#: Seconds a stress text may take: at that pace 100 kB, which the slowest built-in family counts in 1 s, take 10.
MOST_SECONDS: Final = 2
#: Runs on which a split with nested repetition takes forever or runs into its engine's retry limit (tokenizers note, section 4).
STRESS: Final = tuple(
    unit * (_LONG // len(unit)) + end
    for unit in ("a", " ", "\n", "1", "aB", "\n ", "a ", "中", "é", "-")
    for end in ("", "!", "a")
)


def check(header: dict[str, Any], content: bytes) -> dict[str, Any]:
    """What is answered about a file: the facts of `CheckedFile`, or `detail` and `pointer` of the refusal."""
    try:
        before = _resident_bytes()
        reading = read_tokenizer(header["format"], content, header["pattern"])
        counts = _counts(reading.count, header["pattern"] is not None)
    except PermillionError as refusal:
        return {"detail": refusal.detail, "pointer": refusal.pointer}
    except MemoryError:
        return {"detail": "the file needs more memory than checking it may use", "pointer": "/file"}
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "entries": reading.entries,
        "probe_counts": counts,
        "memory_mib": 1 + (max(_resident_bytes() - before, len(content)) >> 20),
        "note": reading.note,
    }


def _counts(count: Count, has_pattern: bool) -> list[int]:
    """Tokens of the probe texts, counted twice around the stress texts: a count that changes is none."""
    pointer = "/pattern" if has_pattern else "/file"
    try:
        first = [count(text) for text in probes.REGISTERED_TEXTS]
        slow = any(_seconds(count, text) > MOST_SECONDS for text in STRESS)
        second = [count(text) for text in probes.REGISTERED_TEXTS]
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001  PanicException is not an Exception
        first, second, slow = [], [], False
    if slow:
        raise PermillionError(
            SLUG, f"it takes more than {MOST_SECONDS} s for a run of {_LONG:,} characters", pointer=pointer
        )
    if not first:
        raise PermillionError(
            SLUG, "its engine gives up on ordinary texts (on long runs of one character at the latest)", pointer=pointer
        )
    if first != second:
        raise PermillionError(SLUG, "it counts the same text differently each time", pointer="/file")
    if 0 in first:
        raise PermillionError(SLUG, "it counts no token in texts that are not empty", pointer=pointer)
    return first


def _seconds(count: Count, text: str) -> float:
    """Processor time that a text takes: what else the machine does must not decide."""
    started = time.process_time()
    count(text)
    return time.process_time() - started


def _resident_bytes() -> int:
    """Memory this process holds; not `ru_maxrss`, in which Linux leaves the peak of the process it was started from."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the estimate below stands alone
        return 0


def main(arguments: list[str]) -> None:
    """Limit this process, then answer the one question."""
    memory_mib, cpu_s = map(int, arguments)
    take_priority("low")
    limit_process(memory_mib, cpu_s)
    (size,) = HEAD.unpack(sys.stdin.buffer.read(HEAD.size))
    header = json.loads(sys.stdin.buffer.read(size))
    answer = check(header, sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1:])

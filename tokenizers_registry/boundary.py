"""The one place where what an engine throws is caught.

Engines written in Rust turn a panic into `pyo3_runtime.PanicException`, which derives from BaseException: `except
Exception` lets it through, and it ends the worker. Everything but a wish to stop the process becomes a
`PermillionError`; its text names the kind of failure, never the message, because a panic may quote the caller's text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from economics.errors import PermillionError

Answer = TypeVar("Answer")
Count = Callable[[str], int]

OUT_OF_MEMORY = "counting-memory"


def guarded(call: Callable[[], Answer], slug: str, what: str) -> Answer:
    """Run an engine call; turn whatever it raises into a PermillionError.

    Args:
        call: the engine call.
        slug: problem type of an unforeseen failure.
        what: what was being done, e.g. `counting with llama3`.

    Raises:
        PermillionError: the engine's own, `counting-memory` where the worker's memory did not do, or `slug` with the
            name of the exception's class.
        KeyboardInterrupt, SystemExit: passed on.

    >>> guarded(lambda: 1 // 0, "counting-failed", "counting with llama3")
    Traceback (most recent call last):
    economics.errors.PermillionError: counting with llama3 failed (ZeroDivisionError)
    """
    try:
        return call()
    except (KeyboardInterrupt, SystemExit, PermillionError):
        raise
    except MemoryError:
        kind = "MemoryError"
        slug = OUT_OF_MEMORY
    except BaseException as failure:  # noqa: BLE001  PanicException is not an Exception
        kind = type(failure).__name__
    raise PermillionError(slug, f"{what} failed ({kind})")


def count_all(tokenizer: str, count: Count, texts: Sequence[str]) -> list[int]:
    """Count each text; content tokens only, 0 for an empty one.

    Raises:
        PermillionError: `counting-failed` where the engine gave up on any of them.

    >>> count_all("letters", len, ["", "abc"])
    [0, 3]
    """
    return guarded(
        lambda: [count(text) if text else 0 for text in texts], "counting-failed", f"counting with {tokenizer}"
    )

"""How a process that counts stands back behind the server that started it."""

from __future__ import annotations

import contextlib
import os
from typing import Final, Literal

Priority = Literal["idle", "low", "normal"]
"""`idle`: runs where nothing else wants the core, and gives it up at once; `low`: a tenth of a core that both want (niceness 10);
`normal`: half."""

_NICENESS: Final = {"idle": 19, "low": 10, "normal": 0}


def take_priority(priority: Priority) -> None:
    """Give the calling process, for good, this priority against others of its session or container.

    A low niceness shortens a process's share, and not what it may finish first: on Linux a server that wakes waits up to a tick
    (4 ms at 250 Hz) for a busy worker of any niceness. It never waits for one of the class SCHED_IDLE (sched(7)). Where the
    system has no such class, `idle` is niceness 19.
    """
    os.nice(_NICENESS[priority])
    if priority == "idle" and hasattr(os, "SCHED_IDLE"):
        with contextlib.suppress(OSError):  # a sandbox may refuse the call
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

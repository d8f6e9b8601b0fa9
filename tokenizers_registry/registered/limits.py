"""What a process that handles a user's file may use of the machine."""

from __future__ import annotations

import resource

_MIB = 1 << 20
_OPEN_FILES = 64


def limit_process(memory_mib: int, cpu_s: int | None = None) -> None:
    """Limit the calling process for good: memory it may address, processor time, no core file, no file written.

    Args:
        memory_mib: address space in MiB; an engine that asks for more is ended or gets a MemoryError.
        cpu_s: processor time in seconds, None for a process that goes on; then it is killed by SIGXCPU.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_mib * _MIB, memory_mib * _MIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold the vocabulary
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    if cpu_s is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))

"""How far a count has come, in a file beside the output: enough to go on after the process was killed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.services.corpora.texts import Position
from api.services.corpora.totals import Totals
from economics.errors import PermillionError

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment at which output and position agree.

    Attributes:
        identity: of the corpus and of what makes its rows (`sources.survey`); another one is another corpus.
        position: where reading goes on.
        output_bytes: of the output that hold the rows before `position`; what stands behind them is cut off.
        totals: of those rows.
        finished: all texts are in the output.
    """

    identity: str
    position: Position
    output_bytes: int
    totals: Totals
    finished: bool = False


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Put a checkpoint in the place of the one before: a reader finds the one or the other, never half of one."""
    content = {
        "version": _VERSION,
        "identity": checkpoint.identity,
        "position": list(checkpoint.position),
        "output_bytes": checkpoint.output_bytes,
        "totals": checkpoint.totals.to_json(),
        "finished": checkpoint.finished,
    }
    fresh = fresh_checkpoint(path)
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def fresh_checkpoint(path: Path) -> Path:
    """Where the next checkpoint is written before it takes its place."""
    return path.with_name(path.name + ".new")


def read_checkpoint(path: Path, identity: str) -> Checkpoint | None:
    """The checkpoint at `path`, None where there is none.

    Raises:
        PermillionError: `invalid-fields` where it is of another corpus, other settings or another version, or no checkpoint.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        raise PermillionError("invalid-fields", f"{path.name} cannot be read as a checkpoint") from None
    try:
        checkpoint = _checkpoint(content)
    except (KeyError, TypeError, ValueError):
        raise PermillionError("invalid-fields", f"{path.name} is no checkpoint of this version") from None
    if checkpoint.identity != identity:
        raise PermillionError(
            "invalid-fields",
            f"{path.name} is of another count: files, their sizes or times, the tokenizers or the options have changed",
        )
    return checkpoint


def _checkpoint(content: Any) -> Checkpoint:
    if content["version"] != _VERSION:
        raise ValueError
    return Checkpoint(
        content["identity"],
        Position(*content["position"]),
        int(content["output_bytes"]),
        Totals.from_json(content["totals"]),
        bool(content["finished"]),
    )

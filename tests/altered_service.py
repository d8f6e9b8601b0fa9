"""`permillion` as it may be one day, or as it dies: for tests of what is kept across both.

`ALTERED` holds JSON: `method` is another METHOD_VERSION, `sheets` a folder of other price sheets, `kill` a place at which the
process kills itself with SIGKILL, `gate` a file that making a quote waits for, having made one called `waiting` beside it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine

import economics.method

ALTERED = json.loads(os.environ.get("ALTERED", "{}"))
if "method" in ALTERED:
    economics.method.METHOD_VERSION = ALTERED["method"]  # before anything takes its value over

import api.http.controllers.quotes as quotes  # noqa: E402
import api.http.idempotency as idempotency  # noqa: E402
import providers.registry as registry  # noqa: E402
from api.cli import main  # noqa: E402
from catalog.engine import one_transaction  # noqa: E402

KILLED_AT = ("before the transaction", "within the effect", "before the key", "before the commit", "after the commit")


def _die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _then(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    def both(*given: Any, **named: Any) -> Any:
        first(*given, **named)
        return second()

    return both


@contextmanager
def _committed_then_dead(engine: Engine) -> Iterator[Connection]:
    with one_transaction(engine) as connection:
        yield connection
    _die()


def _wait_for(gate: Path) -> None:
    gate.with_name("waiting").touch()
    while not gate.exists():
        time.sleep(0.02)


def alter() -> None:
    if "sheets" in ALTERED:
        folder = Path(ALTERED["sheets"])
        registry.built_in = lambda: iter(registry.SheetProvider(p) for p in sorted(folder.glob("*/sheet.yaml")))
    if "gate" in ALTERED:
        made = quotes.make_quote

        async def waiting(*given: Any) -> Any:
            await idempotency.sync_to_thread(_wait_for, Path(ALTERED["gate"]))
            return await made(*given)

        quotes.make_quote = waiting
    if "kill" in ALTERED:
        places: dict[str, Callable[[], None]] = {
            "before the transaction": lambda: setattr(idempotency, "_commit", _die),
            "within the effect": lambda: setattr(quotes, "record_quote", _then(quotes.record_quote, _die)),
            "before the key": lambda: setattr(idempotency, "keep_answer", _die),
            "before the commit": lambda: setattr(idempotency, "keep_answer", _then(idempotency.keep_answer, _die)),
            "after the commit": lambda: setattr(idempotency, "one_transaction", _committed_then_dead),
        }
        places[ALTERED["kill"]]()


if __name__ == "__main__":
    alter()
    main()

"""What others wait while long texts are counted: the event loop's longest delay, and `/healthz` against itself at rest.

Ten requests of 256 KiB come at once, of every kind of text, for the eight tokenizers of `serving`; a second client asks
`/healthz` all the while. Its longest answer is the longest time the loop did not turn. Each figure is given twice: as the
client's clock has it, and less the time for which the machine gave server or client no processor.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from pathlib import Path
from statistics import quantiles

from benchmarks.probing import probing
from benchmarks.servers import RunningServer, permillion, post
from benchmarks.serving import OFFERS
from benchmarks.texts import text_of

REQUESTS, TEXT_BYTES = 10, 256 * 1024
IDLE_S = 5.0


def measurements() -> Iterator[str]:
    """All figures of the event loop, as `name: value unit`."""
    with tempfile.TemporaryDirectory() as folder, permillion(Path(folder) / "permillion.sqlite3") as server:
        _ask(server, [_body("english", 1_000, 0)])
        for round_, kind in enumerate(("english", "hindi", "mixed"), 1):
            bodies = [_body(kind, TEXT_BYTES, 100 * round_ + number) for number in range(REQUESTS)]
            with probing(server) as idle:
                time.sleep(IDLE_S)
            with probing(server) as busy:
                _ask(server, bodies)
            yield f"loop_delay_{kind}: {max(p.served_s for p in busy) * 1e3:.1f} ms at most ({len(busy)} probes)"
            yield f"loop_delay_{kind}_by_the_clock: {max(p.took_s for p in busy) * 1e3:.1f} ms at most"
            served, took = (
                (_p99_ms([get(p) for p in idle]), _p99_ms([get(p) for p in busy]))
                for get in (attrgetter("served_s"), attrgetter("took_s"))
            )
            yield f"healthz_p99_{kind}: {served[0]:.2f} ms at rest, {served[1]:.2f} ms while counting"
            yield f"healthz_p99_ratio_{kind}: {served[1] / served[0]:.2f} x"
            yield f"healthz_p99_ratio_{kind}_by_the_clock: {took[1] / took[0]:.2f} x"


def _body(kind: str, size: int, seed: int) -> bytes:
    texts = [{"text": text_of(kind, size, seed)}]
    return json.dumps({"texts": texts, "tokenizers": list(OFFERS.values())}, ensure_ascii=False).encode()


def _ask(server: RunningServer, bodies: list[bytes]) -> None:
    with ThreadPoolExecutor(len(bodies)) as clients:
        for answer in clients.map(lambda body: post(server.connect(), "/tokenize", body), bodies):
            for row in answer["rows"]:
                if row["error_code"] is not None:
                    raise RuntimeError(f"{row['tokenizer']}: {row['error_detail']}")


def _p99_ms(took_s: list[float]) -> float:
    return quantiles(took_s, n=100)[98] * 1e3

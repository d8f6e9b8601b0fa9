"""What others wait while long texts are counted: the event loop's longest delay, and `/healthz` against itself at rest.

Ten requests of 256 KiB come at once, of every kind of text, for the eight tokenizers of `serving`; a second client asks
`/healthz` all the while. Its longest answer is the longest time the loop did not turn, and what the machine gave to others
meanwhile. Rounds of rest and of work alternate; a ratio is the median over rounds, with its range.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles

from benchmarks.probing import probing
from benchmarks.servers import RunningServer, permillion, post
from benchmarks.serving import OFFERS
from benchmarks.texts import text_of

REQUESTS, TEXT_BYTES = 10, 256 * 1024
ROUNDS, IDLE_S = 5, 3.0
KINDS = ("english", "hindi", "mixed")


def measurements() -> Iterator[str]:
    """All figures of the event loop, as `name: value unit`."""
    with tempfile.TemporaryDirectory() as folder, permillion(Path(folder) / "permillion.sqlite3") as server:
        _ask(server, [_body("english", 1_000, 0)])
        for first, kind in enumerate(KINDS):
            rest_s: list[float] = []
            work_s: list[float] = []
            delays_s: list[float] = []
            for round_ in range(ROUNDS):
                seed = 1_000 * first + 100 * round_
                bodies = [_body(kind, TEXT_BYTES, seed + number) for number in range(REQUESTS)]
                with probing(server) as idle:
                    time.sleep(IDLE_S)
                with probing(server) as busy:
                    _ask(server, bodies)
                rest_s.append(_p99(idle))
                work_s.append(_p99(busy))
                delays_s.append(max(busy))
            ratios = [work / rest for work, rest in zip(work_s, rest_s, strict=True)]
            yield f"loop_delay_{kind}: {median(delays_s) * 1e3:.1f} ms at most in a round, {max(delays_s) * 1e3:.1f} in all"
            yield f"healthz_p99_{kind}: {median(rest_s) * 1e3:.2f} ms at rest, {median(work_s) * 1e3:.2f} ms while counting"
            yield f"healthz_p99_ratio_{kind}: {median(ratios):.2f} x ({min(ratios):.2f} to {max(ratios):.2f})"


def _body(kind: str, size: int, seed: int) -> bytes:
    texts = [{"text": text_of(kind, size, seed)}]
    return json.dumps({"texts": texts, "tokenizers": list(OFFERS.values())}, ensure_ascii=False).encode()


def _ask(server: RunningServer, bodies: list[bytes]) -> None:
    with ThreadPoolExecutor(len(bodies)) as clients:
        for answer in clients.map(lambda body: post(server.connect(), "/tokenize", body), bodies):
            for row in answer["rows"]:
                if row["error_code"] is not None:
                    raise RuntimeError(f"{row['tokenizer']}: {row['error_detail']}")


def _p99(took_s: list[float]) -> float:
    return quantiles(took_s, n=100)[98]

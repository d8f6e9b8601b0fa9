"""Pricing inside one process: against genai-prices, and with a hundred times the history."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import psutil
from genai_prices import Usage, calc_price

from api.services.offers import OfferName
from api.services.pricing import UsageToPrice, price_usage
from benchmarks.catalog_of import BOOK, CHANGES, FIRST, MODELS, PROVIDER, ROWS, STEP, fill, model_name
from benchmarks.servers import RunningServer, permillion, post
from catalog.catalog import Catalog
from catalog.snapshot import Snapshot
from providers.registry import all_providers

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
FEW, MANY = ROWS, 100 * ROWS
LOOKUPS, ROUNDS = 2_000, 7


def measurements() -> Iterator[str]:
    """All figures, as `name: value unit`."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _against_genai_prices(Path(folder) / "sheets.sqlite3")
        yield from _history(Path(folder))


def _against_genai_prices(path: Path) -> Iterator[str]:
    catalog = Catalog.open(f"sqlite:///{path}")
    contents = [provider.content() for provider in all_providers()]
    started = time.perf_counter()
    catalog.prepare(contents)
    yield f"load_all_sheets_into_an_empty_database: {time.perf_counter() - started:.2f} s"
    counts = {"input_tokens": 6_100, "cache_read_tokens": 6_034, "output_tokens": 100}
    row = UsageToPrice(0, OfferName("anthropic/claude-opus-5", None, {}), AT, counts)
    usage = Usage(**counts)
    snapshot = catalog.snapshot

    def ours() -> object:
        return price_usage(row, snapshot).total

    def theirs() -> object:
        return calc_price(usage, "claude-opus-5", provider_id="anthropic", genai_request_timestamp=AT).total_price

    answer = price_usage(row, snapshot).total
    if answer is None or answer.to_decimal() != theirs():
        raise RuntimeError("the two do not agree on what is measured")
    own, other, ratio = _paired(theirs, ours, 500)
    yield f"one_row_in_process: {other:.1f} us"
    yield f"one_row_in_process_genai_prices: {own:.1f} us"
    yield f"one_row_in_process_ratio: {ratio:.1f} x faster"
    catalog.close()


def _paired(one: Callable[[], object], other: Callable[[], object], times: int) -> tuple[float, float, float]:
    """Microseconds a call of each, in alternate rounds, and the median of one / other."""
    figures = [(_each_us(one, times), _each_us(other, times)) for _ in range(ROUNDS)]
    return (
        median(a for a, _ in figures),
        median(b for _, b in figures),
        median(a / b for a, b in figures),
    )


def _each_us(call: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - started) / times * 1e6


def _history(folder: Path) -> Iterator[str]:
    few, many = folder / "few.sqlite3", folder / "many.sqlite3"
    fill(few, FEW)
    fill(many, MANY)
    small, big = _opened(few), _opened(many)
    asked = {path: _lookups(path is many) for path in (few, many)}
    _all_us(small, asked[few])  # touched once, as any offer that is asked for again
    yield f"as_of_lookup_{MANY}_rows_first: {_all_us(big, asked[many]):.1f} us, each offer touched for the first time once"
    big_us, small_us, ratio = _paired(lambda: _all_us(big, asked[many]), lambda: _all_us(small, asked[few]), 1)
    yield f"as_of_lookup_{FEW}_rows: {small_us / LOOKUPS:.1f} us"
    yield f"as_of_lookup_{MANY}_rows: {big_us / LOOKUPS:.1f} us"
    yield f"as_of_lookup_ratio: {ratio:.2f} x"
    yield f"memory_of_a_process_with_both: {psutil.Process().memory_full_info().pss / 2**20:.0f} MiB"
    with permillion(few) as little, permillion(many) as large:
        yield f"start_with_{MANY}_rows: {large.ready_after_s:.1f} s"
        yield f"memory_with_{MANY}_rows: {large.memory_mib():.0f} MiB"
        bodies = {False: _bodies(False), True: _bodies(True)}
        for server, is_many in ((little, False), (large, True)):
            _answered(server, bodies[is_many])
        pairs = [(_answered(large, bodies[True]), _answered(little, bodies[False])) for _ in range(ROUNDS)]
        yield f"price_request_{FEW}_rows: {median(b for _, b in pairs):.0f} us CPU"
        yield f"price_request_{MANY}_rows: {median(a for a, _ in pairs):.0f} us CPU"
        yield f"price_request_{MANY}_rows_ratio: {median(a / b for a, b in pairs):.2f} x"


def _opened(path: Path) -> Snapshot:
    catalog = Catalog.open(f"sqlite:///{path}")
    catalog.refresh_if_changed()
    snapshot = catalog.snapshot
    catalog.close()
    return snapshot


def _lookups(is_many: bool) -> Sequence[UsageToPrice]:
    """Random instants of 100 offers, of all there are or of ten thousand."""
    rng = random.Random(20261201)
    names = [model_name(number) for number in rng.sample(range(100 * MODELS if is_many else MODELS), MODELS)]
    usage = {"input_tokens": 1_000, "output_tokens": 100}
    return [
        UsageToPrice(
            number,
            OfferName(f"{PROVIDER}/{rng.choice(names)}", BOOK, {}),
            FIRST + timedelta(seconds=rng.randrange(int((STEP * CHANGES).total_seconds()))),
            usage,
        )
        for number in range(LOOKUPS)
    ]


def _all_us(snapshot: Snapshot, rows: Sequence[UsageToPrice]) -> float:
    started = time.perf_counter()
    for row in rows:
        if price_usage(row, snapshot).error is not None:
            raise RuntimeError("a lookup was refused")
    return (time.perf_counter() - started) / len(rows) * 1e6


def _bodies(is_many: bool) -> list[bytes]:
    """Requests of ten rows each."""
    rows = [
        {"offer": row.name.offer, "price_book": BOOK, "as_of": row.as_of.isoformat(), "usage": dict(row.usage)}
        for row in _lookups(is_many)
    ]
    return [json.dumps({"rows": rows[at : at + 10]}).encode() for at in range(0, len(rows), 10)]


def _answered(server: RunningServer, bodies: Sequence[bytes]) -> float:
    connection = server.connect()
    before = server.cpu_s()
    for body in bodies:
        post(connection, "/price", body)
    return (server.cpu_s() - before) / len(bodies) * 1e6

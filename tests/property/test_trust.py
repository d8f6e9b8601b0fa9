"""Laws of the trust of measurements: whatever numbers are stated, an answer comes that is finite and never too kind."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from api.http.converters.throughput_check import from_api_measurement, to_api_checked
from api.http.schemas.physical import LEAST, MOST
from api.http.schemas.throughput_check import CHECK_NUMBERS
from api.services.throughput.checking import check
from hardware.accelerators.accelerator import shipped_accelerators
from hardware.architectures.architecture import shipped_architectures
from hardware.throughput.physics.model.precision import WEIGHT_BYTES
from hardware.throughput.trust.bound import RequestLoad, physical_bound, roof_of
from tests.machines import HARDWARE

QUANTITIES = st.one_of(st.floats(LEAST, MOST), st.floats(1, 10_000), st.sampled_from([LEAST, 1.0, MOST]))
COUNTS = st.integers(1, 1_000_000)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "architecture": st.sampled_from(sorted(shipped_architectures())),
    "accelerator": st.sampled_from(sorted(shipped_accelerators())),
    "accelerator_count": COUNTS,
    "weight_precision": st.sampled_from(sorted(WEIGHT_BYTES)),
    "kv_precision": st.sampled_from(["bf16", "fp8"]),
    "nodes": COUNTS,
    "replicas": COUNTS,
    "engine": st.just("vllm"),
    "parallelism": st.sampled_from(["tp1", "tp8-ep8", "dep16-pp2", "prefill 1x4 + decode 5x8", "prefill 4 + decode 8"]),
    "isl_tokens": st.one_of(st.just(0), QUANTITIES),
    "osl_tokens": QUANTITIES,
    "concurrency": QUANTITIES,
    "request_rate_per_s": QUANTITIES,
    "ttft_ms": QUANTITIES,
    "ttft_p99_ms": QUANTITIES,
    "tpot_ms": QUANTITIES,
    "tpot_definition": st.sampled_from(["after_first_token", "whole_latency"]),
    "latency_ms": QUANTITIES,
    "prefix_cache_hit_ratio": st.floats(LEAST, 1),
    "output_tokens_per_s": QUANTITIES,
    "peak_tokens_per_s": QUANTITIES,
    "peak_tflops": QUANTITIES,
    "bandwidth_gb_per_s": QUANTITIES,
}
ROWS = st.fixed_dictionaries({}, optional=FIELDS)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_every_row_is_answered_with_finite_figures(rows: list[dict[str, Any]]) -> None:
    asked = [from_api_measurement(row, index) for index, row in enumerate(rows)]
    for checked in check(asked, HARDWARE):
        assert checked.error is None
        row = to_api_checked(checked, detail=True)
        assert row["grade"] in "ABCDF"
        assert row["may_enter_cost"] == (row["grade"] in "ABC")
        for name in CHECK_NUMBERS:
            assert row[name] is None or math.isfinite(float(row[name])), name
        if row["roofline_ratio"] is not None and float(row["roofline_ratio"]) > 1:
            assert row["grade"] == "F"
        assert all("ABCDF".index(row["grade"]) >= "ABCDF".index(found["ceiling"]) for found in row["findings"])


@given(
    FIELDS["architecture"], FIELDS["accelerator"], FIELDS["weight_precision"],
    st.floats(1, 1e6), st.floats(1, 1e6), st.floats(1, 1e5), st.floats(0, 1),
)  # fmt: skip
def test_the_bound_is_monotonic(
    model: str, device: str, precision: str, isl: float, osl: float, concurrency: float, cached: float
) -> None:
    """More requests share a reading, cached input is no work; more distinct experts are more to read."""
    architecture, accelerator = shipped_architectures()[model], shipped_accelerators()[device]
    roof = roof_of(accelerator, precision)

    def bound(requests: float, share: float = 0.0, *, expected: bool = False) -> float:
        load = RequestLoad(architecture, isl, osl, precision, None, requests, share)
        found = physical_bound(load, roof, expected_experts=expected)
        return math.inf if found is None else found.tokens_per_s

    assert bound(concurrency) <= bound(concurrency * 2) * (1 + 1e-9)
    assert bound(concurrency) <= bound(concurrency, cached) * (1 + 1e-9)
    assert bound(concurrency, expected=True) <= bound(concurrency) * (1 + 1e-9)

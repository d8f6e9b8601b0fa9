"""Law of the built-in estimator's costs: no query gets cheaper by a tighter limit, and what is priced keeps its limit."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from api.services.hosting.answering import HostingQuestion, answer_all
from api.services.hosting.deployment import Deployment, HostedLoad, Serving, StatedPrice
from api.services.hosting.machinery import Machinery
from api.services.machines.profiles import profile_lookup
from economics.errors import PermillionError
from economics.money import exact
from hardware.throughput.plugins import shipped_estimator
from tests.machines import HARDWARE

MACHINERY = Machinery(HARDWARE, shipped_estimator, profile_lookup(HARDWARE))
MODELS = st.sampled_from([("llama-3.3-70b", 4), ("qwen3-32b", 2), ("llama-3.1-8b", 1)])
ROUGHNESS = Decimal("1.05")
"""The learned residual is a step function of the batch: neighboring operating points may change places by so much."""


@settings(max_examples=16)
@given(
    MODELS,
    st.sampled_from(["h100-sxm", "h200-sxm", "b200-sxm"]),
    st.integers(100, 8000),
    st.integers(50, 2000),
    st.lists(st.integers(5, 120), min_size=2, max_size=5, unique=True),
    st.booleans(),
)
def test_a_tighter_limit_is_never_cheaper(
    model: tuple[str, int], accelerator: str, isl: int, osl: int, limits: list[int], shaped: bool
) -> None:
    name, width = model
    asked = [
        HostingQuestion(
            limit,
            datetime(2026, 11, 30, tzinfo=UTC),
            name,
            Deployment(
                name,
                accelerator,
                width if shaped else 8,
                StatedPrice(Decimal("4.5"), "USD"),
                utilization_ratio=Decimal("0.5"),
                serving=Serving(
                    weight_precision="fp8", parallelism=f"tp{width}" if shaped else None, tpot_limit_ms=Decimal(limit)
                ),
            ),
            HostedLoad(exact(isl), exact(osl)),
        )
        for limit in sorted(limits, reverse=True)
    ]
    dearest: Decimal | None = None
    stopped = False
    for answered in answer_all(asked, MACHINERY, None):
        if answered.error is not None:
            assert isinstance(answered.error, PermillionError) and answered.error.slug == "infeasible"
            stopped = True
            continue
        assert not stopped, "a tighter limit was met where a looser one was not"
        assert answered.cost is not None and answered.cost.cost is not None
        latency = answered.cost.throughput.tpot_ms
        assert latency is not None and latency.value <= int(answered.asked.row_id) * 1.001
        cost = answered.cost.cost.total.to_decimal()
        assert dearest is None or cost * ROUGHNESS >= dearest
        dearest = cost if dearest is None else max(dearest, cost)

"""The 14 conditions of a measurement: which are stated, and which of their details are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hardware.throughput.trust.measurement import Measurement

_Test = Callable[[Measurement], object]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: its name, what must be stated for it to count, and what completes it; by field."""

    name: str
    needed: tuple[tuple[str, _Test], ...]
    details: tuple[tuple[str, _Test], ...] = ()


def _of(name: str) -> tuple[str, _Test]:
    return name, lambda measured: getattr(measured.conditions, name) is not None


def _arrival(measured: Measurement) -> bool:
    conditions = measured.conditions
    known = (conditions.concurrency, conditions.request_rate_per_s)
    return conditions.arrival == "all_at_once" or any(each is not None for each in known)


def _amount(measured: Measurement) -> bool:
    return measured.conditions.requests is not None or measured.conditions.duration_s is not None


def _latency(measured: Measurement) -> bool:
    value = measured.value
    return any(each is not None for each in (*value.ttft, *value.tpot))


def _statistic(measured: Measurement) -> bool:
    value = measured.value
    return any(each is not None for each in (*value.ttft[1:], *value.tpot[1:]))


def _interconnect(measured: Measurement) -> bool:
    return measured.conditions.nodes == 1 or measured.conditions.interconnect is not None


def _acceptance(measured: Measurement) -> bool:
    conditions = measured.conditions
    return conditions.speculative_decoding in (None, "none") or conditions.acceptance_ratio is not None


CONDITIONS: Final = (
    Condition("model", (_of("architecture"),), (_of("model_revision"),)),
    Condition("precision", (_of("weight_precision"),), (_of("kv_precision"),)),
    Condition("accelerators", (_of("accelerator"), _of("accelerator_count")), (_of("power_cap_w"),)),
    Condition("nodes", (_of("nodes"),), (("interconnect", _interconnect),)),
    Condition("engine", (_of("engine"), _of("engine_version"))),
    Condition("parallelism", (("parallelism", lambda measured: measured.conditions.factors is not None),)),
    Condition("input_lengths", (_of("isl_tokens"),), (_of("input_lengths"),)),
    Condition("output_lengths", (_of("osl_tokens"),), (_of("output_lengths"), _of("output_length_kind"))),
    Condition(
        "arrival",
        (("concurrency", _arrival),),
        (("requests", _amount), _of("warm_up")),
    ),
    Condition(
        "counting",
        (("tokens_per_s", lambda measured: measured.value.tokens_per_s is not None),),
        (_of("tokens_counted_by"), ("window", lambda measured: measured.value.window is not None)),
    ),
    Condition("latency", (("ttft_ms", _latency),), (("ttft_p50_ms", _statistic), _of("tpot_definition"))),
    Condition("prefix_cache", (_of("prefix_cache_hit_ratio"),)),
    Condition("speculative_decoding", (_of("speculative_decoding"),), (("acceptance_ratio", _acceptance),)),
    Condition("source", (_of("source"), _of("measured_on")), (_of("source_kind"),)),
)


@dataclass(frozen=True, slots=True)
class Stated:
    """Which conditions a measurement states, and the fields that would complete the rest.

    Attributes:
        stated: names of the conditions whose main part is there.
        missing: fields without which a condition does not count.
        incomplete: fields that complete a condition that counts.
    """

    stated: tuple[str, ...]
    missing: tuple[str, ...]
    incomplete: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all 14 are there with every detail."""
        return not self.missing and not self.incomplete


def stated_conditions(measured: Measurement) -> Stated:
    """The conditions of a measurement, in the order of `CONDITIONS`.

    >>> from hardware.throughput.trust.measurement import Conditions, Value
    >>> nothing = stated_conditions(Measurement(Value(529.0), Conditions()))
    >>> len(CONDITIONS), nothing.stated, nothing.missing[:3]
    (14, ('counting',), ('architecture', 'weight_precision', 'accelerator'))
    """
    stated: list[str] = []
    missing: list[str] = []
    incomplete: list[str] = []
    for condition in CONDITIONS:
        absent = [name for name, test in condition.needed if not test(measured)]
        missing += absent
        if not absent:
            stated.append(condition.name)
            incomplete += [name for name, test in condition.details if not test(measured)]
    return Stated(tuple(stated), tuple(missing), tuple(incomplete))

"""What the warnings of hosted models mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HOSTING_WARNING_TEXTS: Final[Mapping[str, str]] = {
    "throughput_estimate": "the throughput is an estimate: its band is in cost_per_query_low and _high",
    "throughput_method": "how the throughput is known: measured, anchored to measured rows, or physics alone",
    "throughput_grade": "how far the throughput can be relied on, A to C",
    "throughput_stated": "the throughput is the caller's: it was not checked here",
    "weight_precision_assumed": "weight_precision was not stated: this one was assumed, and costs depend on it",
    "split_unknown": "the throughput does not tell prefill from decode: lines and costs of each are null",
    "latency_limit_not_checked": "the stated throughput comes without the latency that is limited",
    "quantized_below_8_bits": "weights have fewer than 8 bits: measure the quality of the answers",
    "utilization_at_volume": "at the volume asked for replicas are busy for less than utilization_ratio: idle time costs more",
    "utilization_is_floor": "nobody sustains 100 % utilization: the cost is a floor",
    "utilization_not_given": "no utilization and no volume: only the floor at 100 % is known",
    "model_not_described": "no architecture of that id is known: nothing about the model was checked",
    "whole_replicas": "cost_per_query is the month's bill by so many whole replicas over its queries",
    "cached_input_is_prefix_cache": "cached_input_share is what the prefix cache holds: it saves prefill, not attention",
    "price_undated": "the source does not say when the price was seen",
    "price_confidence": "how far the source of the hourly price can be relied on",
    "measured_at_other_lengths": "queries differ from those of the measurement by over 10 %: its throughput need not hold",
    "capital_method": "how the cost of capital entered the hourly cost",
    "host_not_included": "the hourly price is of the accelerator without its host",
    "spot_may_be_interrupted": "spot capacity can be taken back: work is lost and on-demand stands in, neither is in the price",
    "commitment_is_paid_when_idle": "a commitment is paid for every hour of its term",
    "no_headroom_planned": "replicas are planned to be busy all the time: say usable_utilization_ratio",
}

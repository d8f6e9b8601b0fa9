"""InferenceX: how many accelerators a run had, and which of them its per-GPU figures were divided by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hardware.throughput.sources.imported import RefusedEntryError, count_of, number_of

_AGREE: Final = 0.02
_MOST_TENSOR: Final = 8
"""Widest tensor-parallel group of its aggregated runs; wider or odd ones were totals of a disaggregated rack."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Accelerators of the whole system and of its pools.

    Attributes:
        gpus: of the whole system.
        prefill, decode: of each pool; both are `gpus` where serving is aggregated.
        label: parallelism as the collected file writes it.
    """

    gpus: int
    prefill: int
    decode: int
    label: str
    disaggregated: bool
    flags: tuple[str, ...] = ()


def deployment_of(flat: Mapping[str, Any]) -> Deployment:
    """The accelerators of a row: the product of tensor, pipeline, prefill-context and data factors, by workers and pools.

    Experts and decode-context parallelism use the same accelerators and multiply nothing. Pages repeat an aggregated run's
    count in both `num_prefill_gpu` and `num_decode_gpu`: they are added for disaggregated runs only.

    Raises:
        RefusedEntryError: if no factor is stated, or a stated count is explained by none.

    >>> deployment_of({"tp": 8, "ep": 8}).gpus
    8
    >>> pools = {"disagg": True, "prefill_num_workers": 1, "prefill_tp": 4, "decode_num_workers": 5, "decode_tp": 8}
    >>> deployment_of(pools).gpus, deployment_of(pools).label
    (44, 'prefill 1x4 + decode 5x8')
    """
    if _is_true(flat.get("disagg")):
        return _disaggregated(flat)
    tensor = count_of(flat.get("tp")) or count_of(flat.get("decode_tp"))
    if tensor is None:
        raise RefusedEntryError("no tensor parallelism (`tp`): the number of GPUs is not stated")
    expert = count_of(flat.get("ep")) or count_of(flat.get("decode_ep")) or 1
    pipeline, context = count_of(flat.get("pp")) or 1, count_of(flat.get("pcp_size")) or 1
    data = count_of(flat.get("dp")) or 1
    gpus = tensor * pipeline * context * data
    flags: tuple[str, ...] = ()
    stated = count_of(flat.get("num_gpus")) or count_of(flat.get("num_decode_gpu"))
    if stated is not None and stated != gpus:
        if stated != gpus * expert:
            raise RefusedEntryError(f"{stated} GPUs stated, {gpus} by the parallel factors")
        flags = ("gpu_count_repaired(tp and ep multiplied in the source)",)
    if tensor > _MOST_TENSOR and (tensor & (tensor - 1) or not _is_true(flat.get("is_multinode"))):
        flags = (*flags, "source_says_agg_but_gpu_total_of_a_disaggregated_run")
        return Deployment(gpus, gpus, gpus, f"total{gpus}", False, flags)
    attention = _is_true(flat.get("dp_attention")) or _is_true(flat.get("decode_dp_attention"))
    label = f"tp{tensor}"
    for name, factor in (("pp", pipeline), ("cp", context), ("dp", data), ("ep", expert)):
        label += f"-{name}{factor}" if factor > 1 else ""
    return Deployment(gpus, gpus, gpus, label + ("-dpattn" if attention else ""), False, flags)


def _disaggregated(flat: Mapping[str, Any]) -> Deployment:
    pools = []
    for pool in ("prefill", "decode"):
        workers, each = count_of(flat.get(f"{pool}_num_workers")), count_of(flat.get(f"{pool}_tp"))
        if each is not None:
            each *= (count_of(flat.get(f"{pool}_pp")) or 1) * (count_of(flat.get(f"{pool}_pcp_size")) or 1)
        stated = count_of(flat.get(f"num_{pool}_gpu"))
        if workers is not None and each is not None and stated is not None and workers * each != stated:
            raise RefusedEntryError(f"{stated} GPUs stated for {pool}, {workers * each} by its workers and factors")
        if workers is None and each is not None and stated is not None and stated % each == 0:
            workers = stated // each
        total = stated if stated is not None else None if each is None else each * (workers or 1)
        if total is None:
            raise RefusedEntryError(f"neither GPUs nor parallel factors of the {pool} pool are stated")
        pools.append((workers, each or total, total))
    (prefill_workers, prefill_each, prefill), (decode_workers, decode_each, decode) = pools
    if prefill_workers is None or decode_workers is None:
        flags = ("worker_counts_missing_gpu_count_uncertain",)
        return Deployment(prefill + decode, prefill, decode, f"prefill {prefill} + decode {decode}", True, flags)
    label = f"prefill {prefill_workers}x{prefill_each} + decode {decode_workers}x{decode_each}"
    return Deployment(prefill + decode, prefill, decode, label, True)


def output_tokens_per_s(flat: Mapping[str, Any], deployment: Deployment) -> tuple[float, str]:
    """Output tokens a second of the whole system, and how the source gave them.

    `tput_per_gpu` is input and output together and is never taken for output. Of disaggregated runs the parts are divided by
    their own pool: output per decode GPU, input per prefill GPU; older rows divide both by all GPUs. Which it was is seen from
    the total, which is divided by all.

    Raises:
        RefusedEntryError: if there is no output figure, or the three figures fit neither reading.

    >>> four = Deployment(12, 4, 8, "", True)
    >>> output_tokens_per_s({"output_tput_per_gpu": 300, "input_tput_per_gpu": 600, "tput_per_gpu": 400}, four)[0]
    2400.0
    >>> output_tokens_per_s({"output_tput_per_gpu": 200, "input_tput_per_gpu": 200, "tput_per_gpu": 400}, four)[0]
    2400.0
    """
    output = number_of(flat.get("output_tput_per_gpu"))
    if output is None:
        raise RefusedEntryError(
            "no output tokens/s: `tput_per_gpu` adds the input, and what is output of it is not stated"
        )
    total, given = number_of(flat.get("tput_per_gpu")), number_of(flat.get("input_tput_per_gpu"))
    kind = "measured (output tokens only); source gives per-GPU"
    if not deployment.disaggregated:
        if total is not None and output > total * (1 + _AGREE):
            raise RefusedEntryError("more output tokens than tokens in all")
        if None not in (total, given) and not _near((given or 0.0) + output, total or 0.0):
            raise RefusedEntryError("input and output tokens/s do not add up to the total")
        return output * deployment.gpus, kind
    if total is None or given is None:
        raise RefusedEntryError(
            "without total and input it is not seen whether output is per decode GPU or per GPU of all"
        )
    by_pool = output * deployment.decode + given * deployment.prefill
    if _near(by_pool, total * deployment.gpus):
        return output * deployment.decode, kind.replace("per-GPU", "per decode GPU")
    if _near(output + given, total):
        return output * deployment.gpus, kind
    raise RefusedEntryError("output, input and total per GPU agree neither by pool nor over all GPUs")


def _near(left: float, right: float) -> bool:
    return right > 0 and abs(left / right - 1) <= _AGREE


def _is_true(value: object) -> bool:
    return value is True or str(value).lower() in ("true", "1", "yes", "on")

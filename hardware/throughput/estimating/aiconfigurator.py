"""Cross-check with NVIDIA's aiconfigurator (Apache-2.0): optional, slow (3 to 13 s an estimate), no AMD.

It is installed by whoever wants it (`pip install aiconfigurator`, about 730 MB with its measured kernel tables; Linux x86-64, Python
3.11 to 3.13). Written against `cli_estimate` of version 0.12.0; for a model whose
configuration it does not bundle it asks Hugging Face, and without a network it refuses.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from economics.errors import PermillionError
from hardware.throughput.estimating.residuals.bands import Band, around
from hardware.throughput.question import Parallelism, Range, ThroughputEstimate, ThroughputQuestion

#: Its names of systems.
SYSTEMS: Final = {
    "a100-sxm-80": "a100_sxm",
    "h100-sxm": "h100_sxm",
    "h200-sxm": "h200_sxm",
    "b200-sxm": "b200_sxm",
    "b300-sxm": "b300_sxm",
    "gb200-nvl72": "gb200",
    "gb300-nvl72": "gb300",
    "h100-pcie": "h100_pcie",
    "l40s": "l40s",
    "l4": "l4",
    "rtx-pro-6000-server": "rtx_pro_6000_server",
}
#: Its names of models whose configuration it bundles under another one.
MODELS: Final = {
    "llama-3.1-8b": "meta-llama/Meta-Llama-3.1-8B",
    "llama-3.1-70b": "meta-llama/Meta-Llama-3.1-70B",
    "llama-3.3-70b": "meta-llama/Meta-Llama-3.1-70B",
    "llama-3.1-405b": "meta-llama/Meta-Llama-3.1-405B",
}
#: Its names of weight formats; what is not here is its default for the model.
QUANTIZATION: Final = {"bf16": "bfloat16", "fp16": "bfloat16", "fp8": "fp8", "fp4": "nvfp4", "nvfp4": "nvfp4"}
BACKENDS: Final = ("trtllm", "vllm", "sglang")
#: On 152 held-out rows its median error was 18.8 % (tokens a second), 17.2 % (TPOT), 56 % (TTFT): logarithmic half-widths of an 80 %
#: band of a normal error with those medians (× 1.9).
BANDS: Final = {"throughput": 0.36, "tpot": 0.33, "ttft": 1.06}


class AiconfiguratorEstimator:
    """Asks aiconfigurator for one operating point of aggregated serving at a stated concurrency."""

    @property
    def estimator(self) -> str:
        """Short name."""
        return "aiconfigurator"

    def estimate(self, question: ThroughputQuestion) -> ThroughputEstimate:
        """The answer of aiconfigurator, as physics of grade C with the band of its published errors.

        Raises:
            PermillionError: `invalid-settings` where it is not installed; `unsupported-format` for systems and engines that it does
                not know; `invalid-fields` without a concurrency; `infeasible` where it refuses.
        """
        try:
            estimate = import_module("aiconfigurator.cli.api").cli_estimate
        except (ImportError, AttributeError):
            raise PermillionError(
                "invalid-settings", "aiconfigurator is not installed: pip install aiconfigurator==0.12.0"
            ) from None
        system = SYSTEMS.get(question.accelerator.id)
        if system is None or question.engine not in BACKENDS:
            raise PermillionError("unsupported-format", "aiconfigurator knows no such accelerator or engine")
        shape = question.parallelism or Parallelism(tensor=question.accelerator_count)
        if question.concurrency is None or question.scenario != "closed_loop" or shape.disaggregated:
            raise PermillionError("invalid-fields", "aiconfigurator is asked for a closed loop of stated concurrency")
        replicas = question.accelerator_count / shape.accelerators
        batch = max(round(question.concurrency / replicas), 1)
        try:
            found = estimate(**arguments(question, system, shape, batch))
        except Exception:  # noqa: BLE001 - whatever that package raises is its refusal, and its text may hold the caller's paths
            raise PermillionError("infeasible", "aiconfigurator refuses this configuration") from None
        return _answer(question, shape, found, replicas, batch)


def arguments(question: ThroughputQuestion, system: str, shape: Parallelism, batch: int) -> dict[str, Any]:
    """Keyword arguments of `cli_estimate`: ranks of experts and of tensor-parallel experts multiply to those of attention."""
    ranks = shape.tensor
    expert = min(max(shape.expert, 1), ranks) if question.architecture.is_moe else 1
    kv = question.kv_precision
    return {
        "model_path": MODELS.get(question.architecture.id, question.architecture.hf_id),
        "system_name": system,
        "backend_name": question.engine,
        "isl": round(question.isl_tokens),
        "osl": round(question.osl_tokens),
        "batch_size": max(round(batch / ranks), 1) if shape.attention_data else batch,
        "tp_size": 1 if shape.attention_data else ranks,
        "pp_size": shape.pipeline,
        "attention_dp_size": ranks if shape.attention_data else 1,
        "moe_tp_size": ranks // expert if question.architecture.is_moe else None,
        "moe_ep_size": expert if question.architecture.is_moe else None,
        "kvcache_quant_mode": QUANTIZATION.get(kv) if kv else None,
        "gemm_quant_mode": QUANTIZATION.get(question.weight_precision or "bf16"),
        "moe_quant_mode": QUANTIZATION.get(question.weight_precision or "bf16")
        if question.architecture.is_moe
        else None,
    }


def _answer(
    question: ThroughputQuestion, shape: Parallelism, found: Any, replicas: float, batch: int
) -> ThroughputEstimate:
    output = float(found.tokens_per_second_per_gpu) * question.accelerator_count
    return ThroughputEstimate(
        output_tokens_per_s=_banded(output, "throughput"),
        ttft_ms=_banded(float(found.ttft), "ttft"),
        tpot_ms=_banded(float(found.tpot), "tpot"),
        concurrency=batch * replicas,
        max_concurrency=batch * replicas,
        prefill_share=0.0,
        prefill_s=float(found.ttft) / 1e3,
        decode_step_s=float(found.tpot) / 1e3,
        replicas=max(round(replicas), 1),
        accelerators_per_replica=shape.accelerators,
        weight_precision=question.weight_precision or "bf16",
        kv_precision=question.kv_precision or "bf16",
        bound_tokens_per_s_per_accelerator=None,
        method="physics",
        grade="C",
        assumptions=(
            "aiconfigurator 0.12 with its newest kernel tables; KV precision its default; largest batch not computed",
        ),
    )


def _banded(value: float, quantity: str) -> Range:
    return around(value, Band(-1.0, 1.0, 152), BANDS[quantity])

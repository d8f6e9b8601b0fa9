"""What each round of MLPerf Inference means by its figures: dates, lengths, limits, and where its labels are wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hardware.throughput.sources.imported import RefusedEntryError, Terms

TERMS: Final = Terms(
    "MLPerf Inference, MLCommons Association",
    "MLPerf is a trademark of the MLCommons Association. Name the round (`source`) and the result id or path (`source_ref`).",
    "no license file at the root of the results; MLCommons's rules for the use of results apply (https://mlcommons.org/policies)",
    "Whatever is computed from these rows, per-accelerator figures among it, is not verified by MLCommons.",
)
ROUND_DATES: Final = {"v4.0": "2024-03-27", "v4.1": "2024-08-28", "v5.0": "2025-04-02", "v5.1": "2025-09-09"}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark of the suite.

    Attributes:
        isl: mean prompt tokens of its data set, None where the results do not say.
        osl: mean output tokens of other runs, used where a row has none of its own; None: none is known.
        fixed_osl: the output length is prescribed.
        limits: p99 TTFT and TPOT in ms by scenario.
    """

    architecture: str
    isl: float | None
    osl: float | None
    note: str
    limits: dict[str, tuple[int, int]]
    fixed_osl: bool = False


#: By the benchmark's name without accuracy suffix. Limits: MLPerf Inference rules v5.1; means: run logs.
BENCHMARKS: Final = {
    "llama2-70b": Benchmark(
        "llama-2-70b",
        294.45,
        None,
        "OpenOrca subset, mean prompt about 294 tokens (MLCommons)",
        {"Server": (2000, 200), "Interactive": (450, 40)},
    ),
    "llama3.1-405b": Benchmark(
        "llama-3.1-405b",
        9428.0,
        654.0,
        "mean prompt about 9,428 tokens (MLCommons LongBench/RULER/GovReport mix)",
        {"Server": (6000, 175), "Interactive": (4500, 80)},
    ),
    "llama3.1-8b": Benchmark(
        "llama-3.1-8b",
        778.0,
        128.0,
        "CNN/DailyMail, mean prompt about 778 tokens; output fixed at 128",
        {"Server": (2000, 100), "Interactive": (500, 30)},
        fixed_osl=True,
    ),
    "mixtral-8x7b": Benchmark(
        "mixtral-8x7b",
        None,
        144.0,
        "OpenOrca+GSM8K+MBXP; mean prompt not stated in the results",
        {"Server": (2000, 200)},
    ),
    "deepseek-r1": Benchmark(
        "deepseek-r1",
        None,
        None,
        "reasoning mix, 4,388 samples; prompt max 3,140; mean prompt not stated in the results",
        {"Server": (2000, 80)},
    ),
}
#: `TOKENS_PER_SAMPLE` of these values is the accuracy target (0.9 × the reference's mean), printed on every v5.0 page.
ACCURACY_TARGETS: Final = (265.005, 616.212)
_TOKENS_PER_SAMPLE: Final = re.compile(r"TOKENS_PER_SAMPLE: ([0-9.]+)")
_SUFFIX: Final = re.compile(r"-99(\.9)?$")


def benchmark_name(model: str) -> str:
    """The benchmark without its accuracy suffix; `interactive` of v5.0 is part of a model name there.

    >>> benchmark_name("llama2-70b-99.9"), benchmark_name("llama2-70b-interactive-99")
    ('llama2-70b', 'llama2-70b')
    """
    return _SUFFIX.sub("", model).removesuffix("-interactive").removesuffix("-edge")


def measured_tokens_per_sample(accuracy: str) -> float | None:
    """The mean output length that an accuracy line states, unless it is the accuracy target; `GEN_LEN` is characters.

    >>> measured_tokens_per_sample("ROUGE1: 44.4542 TOKENS_PER_SAMPLE: 301.1")
    301.1
    >>> measured_tokens_per_sample("TOKENS_PER_SAMPLE: 265.005"), measured_tokens_per_sample("GEN_LEN: 8167644")
    (None, None)
    """
    found = _TOKENS_PER_SAMPLE.search(accuracy)
    if found is None:
        return None
    tokens = float(found[1])
    return None if tokens in ACCURACY_TARGETS else tokens


def output_tokens_per_s(
    value: float, unit: str, version: str, model: str, scenario: str, division: str, tokens_per_sample: float | None
) -> tuple[float, str | None]:
    """Output tokens a second of the system, and the flag where the label of the unit is wrong.

    MLPerf counts output tokens only. Labels that the run logs disprove: Llama 3.1 8B Interactive of v5.1 ("Queries/s"), Offline
    of v4.0 ("Samples/s") and the open LLM rows of v4.1 (both) are tokens/s; Server of v4.0 "Queries/s" is queries/s indeed.

    Raises:
        RefusedEntryError: for a unit that is no rate of tokens, and for queries whose output length is not stated.

    >>> output_tokens_per_s(102907.0, "Queries/s", "v5.1", "llama3.1-8b", "Interactive", "closed", None)
    (102907.0, 'source_unit_label_wrong(Queries/s means tokens/s)')
    >>> output_tokens_per_s(10.0, "Queries/s", "v4.0", "llama2-70b", "Server", "closed", 292.0)
    (2920.0, None)
    """
    label = unit.strip().lower()
    if label == "tokens/s":
        return value, None
    if label not in ("queries/s", "samples/s"):
        raise RefusedEntryError(f"the unit is no rate of tokens ({_latency_or_power(label)})")
    wrong = (
        (version == "v5.1" and model == "llama3.1-8b" and scenario == "Interactive")
        or (version == "v4.0" and scenario == "Offline")
        or (version == "v4.1" and division == "open")
    )
    if wrong:
        return value, f"source_unit_label_wrong({unit.strip()} means tokens/s)"
    if version == "v4.0" and scenario == "Server":
        if tokens_per_sample is None:
            raise RefusedEntryError("queries a second, and the output length of the run is not stated")
        return value * tokens_per_sample, None
    raise RefusedEntryError(f"{label} on a benchmark that is counted in tokens: without the run log it may mean either")


def _latency_or_power(label: str) -> str:
    if "latency" in label or label.endswith("ms)"):
        return "a latency of one stream"
    return "power or energy" if "watt" in label or "joule" in label else "not stated or unknown"


def precision_of(label: str, version: str, accelerator: str, software: str) -> tuple[str, list[str]]:
    """The weight precision that ran, and flags: v4.1 says fp16 of runs whose configuration says FP8, or FP4 on B200.

    >>> precision_of("fp16", "v4.1", "h200-sxm", "TensorRT 10.2.0")
    ('fp8', ['source_precision_label_wrong(fp16 names the starting weights)'])
    >>> precision_of("fp32", "v5.1", "h100-sxm", "vLLM")
    ('', ['precision_not_stated'])
    """
    lowered = label.lower()
    if version == "v4.1" and "fp16" in lowered and "fp8" not in lowered and "tensorrt" in software.lower():
        ran = "fp4" if accelerator == "b200-sxm" else "fp8"
        return ran, ["source_precision_label_wrong(fp16 names the starting weights)"]
    for name in ("mxfp4", "nvfp4", "fp4", "fp8", "uint4", "int4", "int8", "bf16", "fp16"):
        if re.search(rf"(?<![a-z]){name}(?![0-9])", lowered):
            return name, []
    return "", ["precision_not_stated"]

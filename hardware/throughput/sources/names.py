"""Names of models and accelerators in benchmark tables, as ids of our tables. Unknown names are refused, never guessed."""

from __future__ import annotations

import re
from typing import Final

from hardware.architectures.architecture import shipped_architectures

_CHECKPOINT_WORDS: Final = frozenset(
    [
        "instruct",
        "chat",
        "hf",
        "it",
        "fp8",
        "fp4",
        "nvfp4",
        "mxfp4",
        "int4",
        "int8",
        "bf16",
        "fp16",
        "kv",
        "preview",
        "dynamic",
        "quantized",
        "w8a8",
        "w4a16",
        "awq",
        "gptq",
        "v2",
    ]
)
#: Short names of InferenceX and of MLPerf benchmarks.
_SHORT: Final = {
    "dsr1": "deepseek-r1",
    "dsv3": "deepseek-v3",
    "gptoss120b": "gpt-oss-120b",
    "gptoss": "gpt-oss-120b",
    "llama70b": "llama-3.3-70b",
    "kimik2.5": "kimi-k2.5",
    "kimik3": "kimi-k3",
    "minimaxm2.5": "minimax-m2.5",
    "minimaxm3": "minimax-m3",
    "glm5": "glm-5",
    "qwen3.5": "qwen3.5-397b-a17b",
}
_RUNNERS: Final = {
    "h100": "h100-sxm",
    "h200": "h200-sxm",
    "b200": "b200-sxm",
    "b300": "b300-sxm",
    "gb200": "gb200-nvl72",
    "gb300": "gb300-nvl72",
    "mi300x": "mi300x",
    "mi325x": "mi325x",
    "mi355x": "mi355x",
}
#: What MLPerf's `Accelerator` contains, the most special first.
_ACCELERATORS: Final = (
    ("gb300", "gb300-nvl72"),
    ("gb200", "gb200-nvl72"),
    ("b300", "b300-sxm"),
    ("b200", "b200-sxm"),
    ("gh200.*144", "gh200-144"),
    ("gh200.*96", "gh200-96"),
    ("h200.*nvl", "h200-nvl"),
    ("h200", "h200-sxm"),
    ("h100.*nvl", "h100-nvl"),
    ("h100.*pcie", "h100-pcie"),
    ("h100", "h100-sxm"),
    ("a100.*sxm.*80", "a100-sxm-80"),
    ("l40s", "l40s"),
    ("rtx pro 6000.*server|rtx pro 6000 blackwell|rtx pro 6000", "rtx-pro-6000-server"),
    ("rtx 4090", "rtx-4090"),
    ("mi355x", "mi355x"),
    ("mi325x", "mi325x"),
    ("mi300x", "mi300x"),
    ("gaudi.?3", "gaudi3-oam"),
    ("gaudi.?2", "gaudi2"),
)


def architecture_of(model: str) -> str | None:
    """The architecture of a checkpoint's name, by its words; marks of a precision or a fine-tuning date are left out.

    >>> architecture_of("nvidia/DeepSeek-R1-0528-FP4-v2"), architecture_of("amd/Llama-3.3-70B-Instruct-FP8-KV")
    ('deepseek-r1', 'llama-3.3-70b')
    >>> architecture_of("dsr1"), architecture_of("Llama-Unknown-9B") is None
    ('deepseek-r1', True)
    """
    name = model.rsplit("/", 1)[-1].lower()
    if name in _SHORT:
        return _SHORT[name]
    wanted = _words(name)
    for architecture in shipped_architectures().values():
        if wanted in (_words(architecture.id), _words(architecture.hf_id.rsplit("/", 1)[-1].lower())):
            return architecture.id
    return None


def _words(name: str) -> tuple[str, ...]:
    words = re.split(r"[-_]", name.removeprefix("meta-").removeprefix("neuralmagic_"))
    return tuple(
        word for word in words if word not in _CHECKPOINT_WORDS and not re.fullmatch(r"\d{4}|v0\.\d|\d+e", word)
    )


def accelerator_of_runner(name: str) -> str | None:
    """The accelerator of an InferenceX runner: its first word.

    >>> accelerator_of_runner("b200-trt"), accelerator_of_runner("h100-sxm"), accelerator_of_runner("gb200-nv_0")
    ('b200-sxm', 'h100-sxm', 'gb200-nvl72')
    """
    return _RUNNERS.get(re.split(r"[-_ ]", name.strip().lower())[0])


def accelerators_of_mlperf(name: str) -> list[str]:
    """The accelerators that a cell of MLPerf names; several are a mixed system, none is one that no table has.

    >>> accelerators_of_mlperf("AMD Instinct MI300X 192GB HBM3"), accelerators_of_mlperf("NVIDIA H200-NVL-141GB")
    (['mi300x'], ['h200-nvl'])
    >>> accelerators_of_mlperf("MI325X 256GB; MI300X 192GB"), accelerators_of_mlperf("N/A")
    (['mi325x', 'mi300x'], [])
    """
    found: list[str] = []
    for part in re.split(r"[;,+&/]| and ", name.lower()):
        text = part.replace("-", " ")
        match = next((identifier for pattern, identifier in _ACCELERATORS if re.search(pattern, text)), None)
        if match is not None and match not in found:
            found.append(match)
    return found

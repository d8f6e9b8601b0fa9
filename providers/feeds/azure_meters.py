"""Azure's meter names, read word by word: `5.6 luna ShortCo Cd Inp Std DZ 1M Tokens` and its older spellings.

Azure abbreviates one thing in half a dozen ways. Every word must be in one of the lists below; a meter with another word is
refused and the word named, because a word that is skipped is a batch price taken for the standard one. Spellings: the
retail meters of 2026-08-11 (azure-genai-prices 0.2.0) for products `Azure OpenAI…`, read 2026-12-01.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from economics.prices import BASE_TIER, Tier

LONG_CONTEXT: Final = 272_000
"""Input tokens above which `LongCo` meters charge, on GPT-5.6 and later (providers/azure/sheet.yaml, OpenAI's rule)."""

MODELS: Final = {
    "6.1 sol": "gpt-6.1-sol", "6.1 terra": "gpt-6.1-terra",
    "6 astra": "gpt-6-astra", "6 sol": "gpt-6-sol", "6 luna": "gpt-6-luna",
    "5.6 sol": "gpt-5.6-sol", "5.6 terra": "gpt-5.6-terra", "5.6 luna": "gpt-5.6-luna",
    "5": "gpt-5", "5 mini": "gpt-5-mini",
    "4.1": "gpt-4.1",
    "4o 0806": "gpt-4o", "4o 1120": "gpt-4o",
    "4o mini 0718": "gpt-4o-mini", "4o mini0718": "gpt-4o-mini",
    "o3 0416": "o3-2025-04-16", "o3 mini 0131": "o3-mini", "o4 mini 0416": "o4-mini",
    "text embedding 3 large": "text-embedding-3-large", "text embedding 3 small": "text-embedding-3-small",
}  # fmt: skip
"""Words of the model, without a leading `gpt` → its id in providers/azure/sheet.yaml. Month and day name the snapshot."""

_TIERED: Final = frozenset(model for words, model in MODELS.items() if words.startswith(("5.6 ", "6 ", "6.1 ")))
_MODEL_WORDS: Final = frozenset(word for words in MODELS for word in words.split())

_DEPLOYMENT: Final = {
    "glbl": "global", "global": "global", "gl": "global", "glb": "global",
    "dz": "data_zone", "dzn": "data_zone", "dzone": "data_zone", "datazone": "data_zone",
    "regnl": "regional", "rgnl": "regional", "regional": "regional",
}  # fmt: skip
_DIRECTION: Final = {
    "inp": "input", "inpt": "input", "input": "input", "in": "input",
    "outp": "output", "outpt": "output", "output": "output", "opt": "output", "out": "output",
    "wr": "write",
}  # fmt: skip
_CACHED: Final = frozenset({"cd", "cchd", "cached"})
_MODE: Final = {
    "std": {}, "batch": {"processing": ("batch",)}, "pp": {"service_tier": ("priority",)},
}  # fmt: skip
_LENGTH: Final = frozenset({"shortco", "longco"})
_UNIT: Final = {"tokens": None, "token": None, "1k": "1K", "1m": "1M"}
_GLUED: Final = {"batchinp": "batch inp", "batchoutp": "batch outp", "data zone": "datazone"}
_ELSEWHERE: Final = {
    **dict.fromkeys(("ft", "rft", "dev", "training", "trng", "hosting", "hstng"), "fine-tuning"),
    **dict.fromkeys(("grader", "grdr", "mdl", "mdel"), "grading of fine-tuning"),
    **dict.fromkeys(("provisioned", "ptu", "throughput", "managed"), "provisioned throughput"),
    **dict.fromkeys(("spot", "devtest"), "spot and test prices"),
}
_METER: Final = {
    ("input", False): "input_tokens",
    ("input", True): "cache_read_tokens",
    ("write", True): "cache_write_tokens",
    ("output", False): "output_tokens",
}


class UnreadMeter(Exception):  # noqa: N818 - a refusal of one item, not an error of the program
    """Reason (of `REASONS`) and detail why a meter's name is not understood."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class AzureMeter:
    """What a meter's name says.

    Args:
        model: id in the sheet of Azure.
        meter: name in `METERS`.
        deployment: global, data_zone or regional.
        mode: conditions of processing and service tier.
        tier: `ShortCo` ends where `LongCo` begins.
        unit: `1K` or `1M` where the name says it.
    """

    model: str
    meter: str
    deployment: str
    mode: dict[str, tuple[str, ...]]
    tier: Tier
    unit: str | None


def read_meter(name: str) -> AzureMeter:
    """The meaning of a meter's name.

    Raises:
        UnreadMeter: `unknown-key` for a word that is in no list, `invalid-name` for a model that is not in the sheet,
            `not-expressible` for fine-tuning and provisioned throughput, `unknown-context` without a deployment.

    >>> found = read_meter("5.6 luna LongCo Cd Wr Std DZ 1M Tokens")
    >>> found.model, found.meter, found.deployment, found.tier.min_input_tokens
    ('gpt-5.6-luna', 'cache_write_tokens', 'data_zone', 272000)
    >>> read_meter("gpt-4o-mini-0718-Batch-Outp-glbl Tokens").mode
    {'processing': ('batch',)}
    """
    words = _words(name)
    for word in words:
        if word in _ELSEWHERE:
            raise UnreadMeter("not-expressible", f"{word}: {_ELSEWHERE[word]} is not priced by these rows")
    deployments = [_DEPLOYMENT[word] for word in words if word in _DEPLOYMENT]
    directions = [_DIRECTION[word] for word in words if word in _DIRECTION]
    modes = [word for word in words if word in _MODE]
    lengths = [word for word in words if word in _LENGTH]
    units = [word for word in words if _UNIT.get(word)]
    for said in (deployments, directions, modes, lengths, units):
        if len(said) > 1:
            raise UnreadMeter("unknown-key", f"says {' and '.join(said)}")
    known = {*_DEPLOYMENT, *_DIRECTION, *_CACHED, *_MODE, *_LENGTH, *_UNIT}
    model = _model([word for word in words if word not in known])
    if not deployments:
        raise UnreadMeter("unknown-context", "no word for the deployment: global, data zone or regional")
    return AzureMeter(
        model=model,
        meter=_meter(model, directions, cached=any(word in _CACHED for word in words)),
        deployment=deployments[0],
        mode=dict(_MODE[modes[0]]) if modes else {},
        tier=_tier(model, lengths),
        unit=_UNIT[units[0]] if units else None,
    )


def _words(name: str) -> list[str]:
    text = " ".join(re.split(r"[\s-]+", name.strip().lower()))
    for glued, apart in _GLUED.items():
        text = re.sub(rf"\b{glued}\b", apart, text)
    return text.split()


def _model(words: list[str]) -> str:
    bare = words[1:] if words[:1] == ["gpt"] else words
    for word in bare:
        if word not in _MODEL_WORDS:
            raise UnreadMeter("unknown-key", f"unknown word {_shown(word)}")
    model = MODELS.get(" ".join(bare))
    if model is None:
        raise UnreadMeter("invalid-name", f"no model of the sheet is called {_shown(' '.join(bare))}")
    return model


def _meter(model: str, directions: list[str], *, cached: bool) -> str:
    if not directions and model.startswith("text-embedding"):
        directions = ["input"]  # an embedding has one meter and no word for its direction
    if not directions:
        raise UnreadMeter("unknown-key", "no word for input or output")
    meter = _METER.get((directions[0], cached))
    if meter is None:
        raise UnreadMeter("unknown-key", f"cached says nothing of {directions[0]}")
    return meter


def _tier(model: str, lengths: list[str]) -> Tier:
    if not lengths:
        return BASE_TIER
    if model not in _TIERED:
        raise UnreadMeter("not-expressible", f"{lengths[0]}: where long context begins on {model} is not known")
    return Tier(LONG_CONTEXT) if lengths[0] == "longco" else Tier(max_input_tokens=LONG_CONTEXT)


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:60]) or "(none)"

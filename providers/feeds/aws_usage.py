"""AWS's usage types, read word by word, and the names under which its price list sells a model.

`USE1-NovaPro-input-tokens-priority-cross-region-global` and `USE1-MP:USE1_CacheWrite1hInputTokenCount_Global-Units` say the
same kind of thing in two ways. Every word after the model must be in one of the lists below, or the product is refused and
the word named. Spellings: AWS price list of 2026 as public readers of it quote it, read 2026-12-01.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from economics.prices import BASE_TIER, Tier

MODELS: Final = {
    "Claude Opus 5.5": "anthropic.claude-opus-5-5",
    "Claude Opus 5": "anthropic.claude-opus-5",
    "Claude Sonnet 5.5": "anthropic.claude-sonnet-5-5",
    "Claude Sonnet 5": "anthropic.claude-sonnet-5",
    "Claude Haiku 5.5": "anthropic.claude-haiku-5-5",
    "Claude Opus 4.8": "anthropic.claude-opus-4-8",
    "Claude Opus 4.7": "anthropic.claude-opus-4-7",
    "Claude Sonnet 4.6": "anthropic.claude-sonnet-4-6",
    "Claude Opus 4.6": "anthropic.claude-opus-4-6-v1",
    "Claude Opus 4.5": "anthropic.claude-opus-4-5-20251101-v1:0",
    "Claude Sonnet 4.5": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "Claude Haiku 4.5": "anthropic.claude-haiku-4-5-20251001-v1:0",
    "Claude Sonnet 4": "anthropic.claude-sonnet-4-20250514-v1:0",
    "Claude Opus 4.1": "anthropic.claude-opus-4-1-20250805-v1:0",
    "Claude 3.7 Sonnet": "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "Claude 3.5 Sonnet v2": "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "Claude 3.5 Sonnet": "anthropic.claude-3-5-sonnet-20240620-v1:0",
    "Claude 3.5 Haiku": "anthropic.claude-3-5-haiku-20241022-v1:0",
    "OpenAI GPT-6.1 Sol": "openai.gpt-6.1-sol",
    "OpenAI GPT-6.1 Terra": "openai.gpt-6.1-terra",
    "OpenAI GPT-6 Astra": "openai.gpt-6-astra",
    "OpenAI GPT-6 Sol": "openai.gpt-6-sol",
    "OpenAI GPT-6 Luna": "openai.gpt-6-luna",
    "Nova 2.0 Lite": "amazon.nova-2-lite-v1:0",
    "Nova Pro": "amazon.nova-pro-v1:0",
    "Nova Lite": "amazon.nova-lite-v1:0",
    "Nova Micro": "amazon.nova-micro-v1:0",
    "Llama 3 70B": "meta.llama3-70b-instruct-v1:0",
}
"""Attribute `model`, or `servicename` without ` (Amazon Bedrock Edition)` → AWS's id, of those in providers/aws/sheet.yaml."""

LONG_CONTEXT: Final = {
    "anthropic.claude-haiku-5-5": 100_000,
    "openai.gpt-6.1-sol": 272_000, "openai.gpt-6.1-terra": 272_000, "openai.gpt-6-astra": 272_000,
    "openai.gpt-6-sol": 272_000, "openai.gpt-6-luna": 272_000,
}  # fmt: skip
"""Input tokens above which the long-context price of a model holds, as in providers/aws/sheet.yaml."""

_EDITION: Final = " (Amazon Bedrock Edition)"
_LATENCY: Final = " Latency Optimized"
_MARKETPLACE: Final = re.compile(r"[A-Z0-9]{2,8}-MP:[A-Z0-9]{2,8}_(?P<what>.+)-Units", re.ASCII)
_FIRST: Final = frozenset(
    {"input", "output", "cache", "text", "speech", "audio", "image", "video", "reserved", "customization"}
)
_MODALITIES: Final = frozenset({"text", "speech", "audio", "image", "video"})
_ELSEWHERE: Final = {
    "reserved": "reserved capacity",
    "tpm": "reserved capacity",
    "provisioned": "provisioned throughput",
    "customization": "fine-tuning",
    "custom": "use of a fine-tuned model",
    "training": "fine-tuning",
    "storage": "storage of a model",
    "mantle": "the Mantle endpoint, which is priced apart under the same id,",
}
_MODES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "standard": {},
    "batch": {"processing": ("batch",)},
    "flex": {"service_tier": ("flex",)},
    "priority": {"service_tier": ("priority",)},
    "latency": {"service_tier": ("latency-optimized",)},
}
_PLAIN: Final = frozenset(
    {"input", "output", "cache", "cached", "read", "write", "writes", "tokens", "token", "count", "1h", "30m"}
    | {"cross", "region", "global", "optimized", "long", "ctx", "context", "lctx"}
)


class UnreadProduct(Exception):  # noqa: N818 - a refusal of one product, not an error of the program
    """Reason (of `REASONS`) and detail why a product is not understood."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class AwsUsage:
    """What a usage type says.

    Args:
        meter: name in `METERS`.
        is_global: a global inference profile, whose id begins with `global.`; otherwise the in-region id.
        mode: `standard`, `batch`, `flex`, `priority` or `latency`.
        is_long: the long-context price.
    """

    meter: str
    is_global: bool
    mode: str
    is_long: bool

    @property
    def conditions(self) -> dict[str, tuple[str, ...]]:
        """Of a row at this mode."""
        return dict(_MODES[self.mode])


def read_model(name: str) -> tuple[str, bool]:
    """AWS's id and whether the name says latency-optimized.

    Raises:
        UnreadProduct: `invalid-name` with the name, for one that is not in `MODELS`.

    >>> read_model("Claude Haiku 4.5 (Amazon Bedrock Edition)")
    ('anthropic.claude-haiku-4-5-20251001-v1:0', False)
    """
    bare = name.strip().removesuffix(_EDITION)
    found = MODELS.get(bare.removesuffix(_LATENCY))
    if found is None:
        raise UnreadProduct("invalid-name", f"no id is known for {_shown(bare)}")
    return found, bare.endswith(_LATENCY)


def read_usage(usage_type: str) -> AwsUsage:
    """The meaning of a usage type.

    Raises:
        UnreadProduct: `unknown-key` for a word that is in no list, `not-expressible` for capacity, fine-tuning, single
            modalities and the Mantle endpoint, `unknown-context` for two modes at once.

    >>> read_usage("USE1-Nova2.0Lite-input-tokens-cross-region-global-batch")
    AwsUsage(meter='input_tokens', is_global=True, mode='batch', is_long=False)
    >>> read_usage("USE1-MP:USE1_CacheWrite1hInputTokenCount-Units").meter
    'cache_write_1h_tokens'
    """
    words = _words(usage_type)
    for word in words:
        if word in _ELSEWHERE:
            raise UnreadProduct("not-expressible", f"{word}: {_ELSEWHERE[word]} is not priced by these rows")
        if word in _MODALITIES:
            raise UnreadProduct("not-expressible", f"{word}: the price of one modality")
        if word not in _PLAIN and word not in _MODES:
            raise UnreadProduct("unknown-key", f"unknown word {_shown(word)}")
    said = set(words)
    modes = sorted((said & _MODES.keys()) - {"standard"})
    if len(modes) > 1:
        raise UnreadProduct("unknown-context", f"says {' and '.join(modes)}")
    if ("optimized" in said) != ("latency" in said) or ("cross" in said and "global" not in said):
        raise UnreadProduct("unknown-key", "half of latency-optimized or of cross-region-global")
    is_long = bool(said & {"long", "lctx"})
    if is_long != bool(said & {"ctx", "context", "lctx"}):
        raise UnreadProduct("unknown-key", "half of long-context")
    return AwsUsage(_meter(said), "global" in said, modes[0] if modes else "standard", is_long)


def tier_of(model: str, usage: AwsUsage) -> Tier:
    """The whole-request tier of a price of `model`.

    Raises:
        UnreadProduct: `not-expressible` for a long-context price that begins nobody knows where.
    """
    if not usage.is_long:
        return BASE_TIER
    if model not in LONG_CONTEXT:
        raise UnreadProduct("not-expressible", f"where the long context of {model} begins is not known")
    return Tier(LONG_CONTEXT[model])


def _words(usage_type: str) -> list[str]:
    """The words after region and model."""
    marketplace = _MARKETPLACE.fullmatch(usage_type)
    if marketplace is not None:
        snake = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", marketplace["what"])
        return re.sub(r"write(?=1h)", "write_", snake.lower()).split("_")
    words = usage_type.lower().split("-")[1:]
    first = next((index for index, word in enumerate(words) if word in _FIRST), len(words))
    named = [word for word in words[:first] if word in _ELSEWHERE]
    if first == len(words) and not named:
        raise UnreadProduct("unknown-key", f"no tokens in {_shown(usage_type)}")
    return named + words[first:]


def _meter(said: set[str]) -> str:
    cached, writes = bool(said & {"cache", "cached"}), bool(said & {"write", "writes"})
    if cached and writes and "output" not in said:
        return "cache_write_1h_tokens" if "1h" in said else "cache_write_tokens"
    if cached and "output" not in said and not said & {"1h", "30m"}:
        return "cache_read_tokens"
    if not cached and not writes and len(said & {"input", "output"}) == 1 and not said & {"1h", "30m"}:
        return "input_tokens" if "input" in said else "output_tokens"
    raise UnreadProduct("unknown-key", "neither input, output nor cache")


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:100]) or "(none)"

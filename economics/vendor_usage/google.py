"""Google's `usageMetadata`, whose thoughts stand beside the candidates; in camel case, or in snake case as its SDK has it."""

from __future__ import annotations

from functools import cache

from economics.vendor_usage.counts import Meters, VendorUsage, any_count, objects, refusal, stated_count


def google(given: VendorUsage) -> Meters:
    """Prompts of tools are input beside the prompt, which includes the cache; thoughts are output.

    The total counts both: 27 prompt, 10,309 of tools, 45 candidates and 31 thoughts are 10,412 (Gemini API, page on URL
    context, read 2026-12-01).
    """
    prompt = stated_count(given, "promptTokenCount", "prompt_token_count") + _count(given, "toolUsePromptTokenCount")
    # the Live API calls its candidates a response
    candidates = _count(given, "candidatesTokenCount", "responseTokenCount")
    thoughts = _count(given, "thoughtsTokenCount")
    return {
        "input_tokens": prompt,
        "cache_read_tokens": _count(given, "cachedContentTokenCount"),
        "cache_read_audio_tokens": _audio(given, "cacheTokensDetails"),
        "input_audio_tokens": _audio(given, "promptTokensDetails"),
        "output_tokens": _output(given, prompt, candidates, thoughts),
        "reasoning_tokens": thoughts,
        "output_audio_tokens": _audio(given, "candidatesTokensDetails", "responseTokensDetails"),
    }


def _output(given: VendorUsage, prompt: int, candidates: int, thoughts: int) -> int:
    total = any_count(given, *_spellings("totalTokenCount"))
    if total == prompt + candidates:
        return candidates  # some responses already count the thoughts as candidates
    if total not in (None, prompt + candidates + thoughts):
        named = next(name for (name,) in _spellings("totalTokenCount") if given.get(name) is not None)
        raise refusal("total_token_count is not the sum of its parts", named)
    return candidates + thoughts


def _count(given: VendorUsage, *names: str) -> int:
    return any_count(given, *_spellings(*names)) or 0


def _audio(given: VendorUsage, *names: str) -> int:
    """Tokens of audio in lists of `{modality, tokenCount}`: audio has a price of its own."""
    found: int | None = None
    for (name,) in _spellings(*names):
        if given.get(name) is None:
            continue
        audio = sum(
            any_count(detail, *_spellings("tokenCount"), at=(name, str(index))) or 0
            for index, detail in enumerate(objects(given, name))
            if str(detail.get("modality")).upper() == "AUDIO"
        )
        if found is not None and audio != found:
            raise refusal(f"{name} is given in two spellings, which differ", name)
        found = audio
    return found or 0


@cache
def _spellings(*names: str) -> tuple[tuple[str], ...]:
    """`names` in camel case, each followed by itself in snake case."""
    return tuple((spelling,) for name in names for spelling in (name, snake(name)))


def snake(name: str) -> str:
    """A name in camel case as SDKs for Python spell it.

    >>> snake("promptTokenCount")
    'prompt_token_count'
    """
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)

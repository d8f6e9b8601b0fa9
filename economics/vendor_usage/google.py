"""Google's `usageMetadata`, whose thoughts stand beside the candidates; in camel case, or in snake case as its SDK has it."""

from __future__ import annotations

from economics.errors import PermillionError
from economics.vendor_usage.counts import Meters, VendorUsage, count, first_count, objects, snake


def google(given: VendorUsage) -> Meters:
    """Prompts of tools are input beside the prompt, which includes the cache; thoughts are output."""
    plain = {snake(name): value for name, value in given.items()}
    prompt = first_count(plain, "prompt_token_count") + count(plain, "tool_use_prompt_token_count")
    candidates, thoughts = count(plain, "candidates_token_count"), count(plain, "thoughts_token_count")
    output = candidates + thoughts
    if plain.get("total_token_count") is not None:
        total = count(plain, "total_token_count")
        if total == prompt + candidates:
            output = candidates  # some responses already count the thoughts as candidates
        elif total != prompt + output:
            raise PermillionError(
                "invalid-usage", "total_token_count is not the sum of its parts", pointer="/vendor_usage"
            )
    return {
        "input_tokens": prompt,
        "cache_read_tokens": count(plain, "cached_content_token_count"),
        "cache_read_audio_tokens": _of_modality(plain, "cache_tokens_details", "AUDIO"),
        "input_audio_tokens": _of_modality(plain, "prompt_tokens_details", "AUDIO"),
        "output_tokens": output,
        "reasoning_tokens": thoughts,
        "output_audio_tokens": _of_modality(plain, "candidates_tokens_details", "AUDIO"),
    }


def _of_modality(given: VendorUsage, name: str, modality: str) -> int:
    """Tokens of one modality in a list of `{modality, tokenCount}`: audio has a price of its own."""
    plain = [{snake(key): value for key, value in detail.items()} for detail in objects(given, name)]
    return sum(count(detail, "token_count") for detail in plain if detail.get("modality") == modality)

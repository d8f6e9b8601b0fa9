"""Our names of the vendors that feeds name otherwise, and whose figures a feed repeats.

A vendor with a price sheet goes by the sheet's name; any other keeps the feed's own id in lower case. A feed's entry for
a vendor's other market (`zhipuai`, `alibaba-cn`: prices in CNY, converted) keeps its own id: it is another price, not the
vendor's price in USD.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GENAI_PRICES: Final = {"x-ai": "xai", "moonshotai": "moonshot", "zai": "zhipu"}

LITELLM: Final = {
    "text-completion-openai": "openai",
    "gemini": "google",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "bedrock_mantle": "aws",
    "azure_ai": "azure",
    "azure_text": "azure",
    "dashscope": "alibaba",
    "zai": "zhipu",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "fireworks_ai-embedding-models": "fireworks",
    "cohere_chat": "cohere",
    "vertex_ai": "vertex",
}

MODELS_DEV: Final = {
    "amazon-bedrock": "aws",
    "google-vertex": "vertex",
    "google-vertex-anthropic": "vertex",
    "moonshotai": "moonshot",
    "togetherai": "together",
    "fireworks-ai": "fireworks",
    "zai": "zhipu",
}

MODELS_DEV_CONVERTED: Final = frozenset({
    "alibaba-cn", "minimax-cn", "minimax-cn-coding-plan", "moonshotai-cn", "siliconflow-cn", "tencent-coding-plan",
    "zhipuai", "zhipuai-coding-plan",
})  # fmt: skip
"""Providers of models.dev that bill in CNY: its figures in USD are conversions or another market's prices."""


def our_name(names: Mapping[str, str], theirs: str) -> str:
    """Our name of a feed's provider.

    >>> our_name(GENAI_PRICES, "x-ai"), our_name(GENAI_PRICES, "Novita")
    ('xai', 'novita')
    """
    key = theirs.lower()
    return names.get(key, key)


def litellm_name(theirs: str) -> str:
    """As `our_name`, for LiteLLM, which makes providers of Vertex by publisher and kind of model.

    >>> litellm_name("vertex_ai-anthropic_models"), litellm_name("bedrock_converse")
    ('vertex', 'aws')
    """
    return "vertex" if theirs.lower().startswith("vertex_ai-") else our_name(LITELLM, theirs)


def genai_lineage(provider: str, comment: str) -> str | None:
    """Whose feed an entry of genai-prices was imported from; None where it was read from the vendor.

    OpenRouter, Hugging Face, OVHcloud and AWS are imported by that project's own tools (its repository, 2026-08-21).
    Other entries say it in their comment; one that was verified against the vendor since is a witness of its own.

    >>> genai_lineage("huggingface_nebius", ""), genai_lineage("openai", "Seen on OpenRouter before OpenAI")
    ('huggingface', 'openrouter')
    >>> genai_lineage("openai", "Imported from OpenRouter pricing; verify. Verified against OpenAI on 2026-10-15") is None
    True
    """
    if provider in ("openrouter", "ovhcloud", "aws"):
        return provider
    if provider.startswith("huggingface_"):
        return "huggingface"
    imported = comment.lstrip().startswith(("Imported from OpenRouter", "Seen on OpenRouter"))
    return "openrouter" if imported and "Verified against" not in comment else None

"""Which tokenizer counts which model, and how honestly it says how it knows."""

from datetime import UTC, date, datetime

import pytest

from tokenizers_registry.assignments import all_assignments, assign, checked_on
from tokenizers_registry.family_table import BUILT_IN

NOVEMBER = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("provider", "model", "tokenizer", "method", "warning"),
    [
        ("openai", "gpt-4o", "o200k_base", "exact", None),
        ("openai", "gpt-4.1-nano", "o200k_base", "exact", None),
        ("openai", "o3", "o200k_base", "exact", None),
        ("openai", "gpt-5.6-sol", "o200k_base", "exact", None),
        ("openai", "gpt-6-sol", "o200k_base", "estimate", "tokenizer_assumed"),
        ("openai", "gpt-6.1-terra", "o200k_base", "estimate", "tokenizer_assumed"),
        ("openai", "text-embedding-3-small", "cl100k_base", "exact", None),
        ("azure", "gpt-6.1-sol", "o200k_base", "estimate", "tokenizer_assumed"),
        ("azure", "o4-mini", "o200k_base", "exact", None),
        ("anthropic", "claude-sonnet-4-6", "claude_v3", "estimate", None),
        ("anthropic", "claude-opus-4-7", "claude_v47", "estimate", None),
        ("anthropic", "claude-opus-4-8", "claude_v48", "estimate", None),
        ("anthropic", "claude-opus-5-5", "claude_v48", "estimate", "tokenizer_assumed"),
        ("anthropic", "claude-haiku-5-5", "claude_v48", "estimate", "tokenizer_assumed"),
        ("google", "gemini-2.5-pro", "gemma3", "exact", None),
        ("google", "gemini-3-flash-preview", "gemma3", "exact", None),
        ("google", "gemini-3.5-flash", "gemma4", "exact", None),
        ("google", "gemini-3.8-flash", "gemma4", "estimate", "tokenizer_assumed"),
        ("google", "gemini-4-argon", "gemma4", "estimate", "tokenizer_assumed"),
        ("vertex", "gemini-2.5-flash", "gemma3", "exact", None),
        ("deepseek", "deepseek-v4-pro", "deepseek_v4", "exact", None),
        ("deepseek", "deepseek-flash", "deepseek_v4", "estimate", "tokenizer_assumed"),
        ("alibaba", "qwen-plus", "qwen2_qwen3", "estimate", "tokenizer_assumed"),
        ("alibaba", "qwen3-max", "qwen2_qwen3", "estimate", "tokenizer_assumed"),
        ("alibaba", "qwen3-coder-plus", "qwen2_qwen3", "estimate", "tokenizer_assumed"),
        ("alibaba", "qwen-flash", "qwen2_qwen3", "estimate", "tokenizer_assumed"),
        ("alibaba", "qwen3.6-27b", "qwen3_5", "exact", None),
        ("alibaba", "qwen3.8-max", "qwen3_5", "estimate", "tokenizer_assumed"),
        ("mistral", "mistral-large-2512", "mistral_tekken", "exact", None),
        ("mistral", "mistral-large-4", "mistral_tekken", "estimate", "tokenizer_assumed"),
        ("mistral", "mistral-large-2411", "mistral_v3", "exact", None),
        ("mistral", "open-mixtral-8x7b", "mistral_v1", "exact", None),
        ("moonshot", "kimi-k3", "kimi_k2", "exact", None),
        ("moonshot", "kimi-k3.1-pro", "kimi_k2", "estimate", "tokenizer_assumed"),
        ("zhipu", "GLM-5.2", "glm5", "exact", None),
        ("zhipu", "GLM-5.3", "glm5", "estimate", "tokenizer_assumed"),
        ("zhipu", "GLM-4.6", "glm4", "exact", None),
        ("zhipu", "GLM-4.7", "glm4", "estimate", "tokenizer_assumed"),
        ("zhipu", "glm-4.7-flash", "glm5", "exact", None),
        ("minimax", "minimax-m3", "minimax_m2", "exact", None),
        ("minimax", "MiniMax-M3.1-Flash", "minimax_m2", "estimate", "tokenizer_assumed"),
        ("xai", "grok-4.7", "o200k_base", "estimate", "tokenizer_unrelated"),
        ("perplexity", "sonar", "o200k_base", "estimate", "tokenizer_unrelated"),
        ("groq", "openai/gpt-oss-120b", "o200k_harmony", "exact", None),
        ("groq", "qwen/qwen3-32b", "qwen2_qwen3", "exact", None),
        ("groq", "qwen/qwen3.8-27b", "qwen3_5", "estimate", "tokenizer_assumed"),
        ("cerebras", "gpt-oss-120b", "o200k_harmony", "exact", None),
        ("cerebras", "llama-3.3-70b", "llama3", "exact", None),
        ("cerebras", "gemma-4-31b", "gemma4", "exact", None),
        ("together", "deepseek-ai/DeepSeek-V4.1-Flash", "deepseek_v4", "estimate", "tokenizer_assumed"),
        ("fireworks", "kimi-k3-us", "kimi_k2", "exact", None),
        ("fireworks", "glm-5p3", "glm5", "estimate", "tokenizer_assumed"),
        ("aws", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude_v3", "estimate", None),
        ("aws", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude_v3", "estimate", None),
        ("aws", "global.anthropic.claude-sonnet-4-6", "claude_v3", "estimate", None),
        ("aws", "anthropic.claude-opus-4-1-20250805-v1:0", "claude_v3", "estimate", None),
        ("aws", "jp.anthropic.claude-opus-5-5", "claude_v48", "estimate", "tokenizer_assumed"),
        ("aws", "amazon.nova-pro-v1:0", "o200k_base", "estimate", "tokenizer_unrelated"),
        ("aws", "us.meta.llama4-scout-17b-instruct-v1:0", "llama4", "exact", None),
    ],
)
def test_assignments(provider: str, model: str, tokenizer: str, method: str, warning: str | None) -> None:
    found = assign(provider, model, NOVEMBER)
    assert found is not None
    assert (found.tokenizer, found.method, found.warning) == (tokenizer, method, warning)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "tts-1"),
        ("openai", "whisper-1"),
        ("groq", "whisper-large-v3"),
        ("mistral", "mistral-ocr-latest"),
        ("cohere", "command-a"),
        ("cohere", "command-r-plus"),
    ],
)
def test_what_cannot_be_counted_says_why(provider: str, model: str) -> None:
    found = assign(provider, model)
    assert found is not None
    assert (found.tokenizer, found.method) == (None, "unavailable")
    assert found.reason


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-7"),
        ("openai", "gpt-4o-2030-01-01"),
        ("openai", "gpt-4"[:-1]),
        ("nobody", "gpt-4o"),
        ("openai", "openai/gpt-4o"),
        ("anthropic", "claude"),
        ("openai", ""),
    ],
)
def test_an_unknown_model_has_no_assignment(provider: str, model: str) -> None:
    assert assign(provider, model) is None


def test_ids_are_matched_without_regard_to_case() -> None:
    assert assign("Zhipu", "glm-5.3") == assign("zhipu", "GLM-5.3")


def test_an_assignment_changes_on_its_day_in_utc() -> None:
    before = assign("deepseek", "deepseek-v4-flash", datetime(2026, 9, 9, 23, 59, tzinfo=UTC))
    after = assign("deepseek", "deepseek-v4-flash", datetime.fromisoformat("2026-09-10T02:00:00+02:00"))
    assert before is not None
    assert after is not None
    assert (before.method, after.method) == ("exact", "estimate")
    assert after.valid_from == date(2026, 9, 10)
    rerouted = assign("google", "gemini-2.5-pro", datetime(2026, 12, 1, tzinfo=UTC))
    assert rerouted is not None
    assert (rerouted.tokenizer, rerouted.method) == ("gemma4", "estimate")


def test_without_an_instant_the_tables_own_day_holds() -> None:
    assert checked_on() == date(2026, 11, 30)
    assert assign("google", "gemini-2.5-pro") == assign("google", "gemini-2.5-pro", NOVEMBER)


def test_every_assignment_names_a_known_tokenizer_and_its_source() -> None:
    kinds = {family.tokenizer: family.kind for family in BUILT_IN}
    for each in all_assignments():
        assert each.source, each.model
        if each.tokenizer is None:
            assert each.reason
            continue
        assert each.method == "estimate" or kinds[each.tokenizer] == "exact", each.model
        assert (each.warning is None) or each.method == "estimate"
        assert (each.range_method is None) == (each.method == "exact"), each.model


def test_the_frame_of_a_chat_message_is_given_where_the_vendor_documents_it() -> None:
    chat, embedding = assign("openai", "gpt-5-nano"), assign("openai", "text-embedding-3-small")
    assert chat is not None
    assert embedding is not None
    assert (chat.frame_tokens, embedding.frame_tokens) == (7, None)  # one user "Hello" = 8: tokencost#235

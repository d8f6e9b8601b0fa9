"""Frames, tools and images against what vendors publish and bill. Cookbook figures are what OpenAI's API answered."""

from __future__ import annotations

import pytest

from tokenizers_registry.assignments import assign
from tokenizers_registry.counting import count_now
from tokenizers_registry.images import Image
from tokenizers_registry.overheads import frame_named, image_rule, tool_rule
from tokenizers_registry.tools import Property, Tool

# OpenAI cookbook, How to count tokens with tiktoken (read 2026-12-01), section 6: 124 prompt tokens for gpt-4o, 129 for gpt-4.
MESSAGES = [
    "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    "New synergies will help drive top-line growth.",
    "Things working well together will increase revenue.",
    "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    "Let's talk later when we're less busy about how to do better.",
    "This late pivot means we don't have time to boil the ocean for the client deliverable.",
]
NAMES = ["example_user", "example_assistant", "example_user", "example_assistant"]
# Section 7: 101 prompt tokens for gpt-4o and gpt-4o-mini, 105 for gpt-4 and gpt-3.5-turbo, the two messages included.
WEATHER = Tool(
    "get_current_weather",
    "Get the current weather in a given location",
    (
        Property("location", "string", "The city and state, e.g. San Francisco, CA"),
        Property("unit", "string", "The unit of temperature to return", ("celsius", "fahrenheit")),
    ),
)
QUESTION = [
    "You are a helpful assistant that can answer to questions about the weather.",
    "What's the weather like in San Francisco?",
]


def counted(texts: list[str], tokenizer: str) -> int:
    return sum(int(row[tokenizer]) for row in count_now(texts, [tokenizer]))  # type: ignore[call-overload]


@pytest.mark.parametrize(("tokenizer", "billed"), [("o200k_base", 124), ("cl100k_base", 129)])
def test_the_frame_of_the_vendor_s_example(tokenizer: str, billed: int) -> None:
    frame = frame_named("openai_chat")
    # the name of an author is content too: its text, and 1
    assert counted([*MESSAGES, *NAMES], tokenizer) + frame.tokens(users=6, names=4) == billed


@pytest.mark.parametrize(
    ("model", "tokenizer", "billed"),
    [
        ("gpt-4o", "o200k_base", 101),
        ("gpt-4o-mini", "o200k_base", 101),
        ("gpt-4", "cl100k_base", 105),
        ("gpt-3.5-turbo", "cl100k_base", 105),
    ],
)
def test_the_tools_of_the_vendor_s_example(model: str, tokenizer: str, billed: int) -> None:
    rule = tool_rule("openai", model)
    assert rule is not None
    tools = rule.tokens([WEATHER], lambda text: counted([text], tokenizer))
    assert tools + counted(QUESTION, tokenizer) + frame_named("openai_chat").tokens(users=1, system=True) == billed


def test_a_function_without_parameters_has_no_start_of_properties() -> None:
    rule = tool_rule("openai", "gpt-4o")
    assert rule is not None
    assert rule.tokens([Tool("now", "The time.")], len) == 7 + len("now:The time") + 12
    assert rule.tokens([], len) == 0


@pytest.mark.parametrize(
    ("model", "width", "height", "detail", "tokens"),
    [
        # OpenAI guide, Images and vision, Calculating costs
        ("gpt-4o", 1024, 1024, "high", 765),
        ("gpt-4o", 2048, 4096, "high", 1105),
        ("gpt-4o", 4096, 8192, "low", 85),
        # billed beside a text, OpenAI community, topic 1262691 (2025-05): what 128 x 64 adds
        ("gpt-4.1-2025-04-14", 128, 64, "high", 267 - 97 + 85),
        ("gpt-4o-mini-2024-07-18", 128, 64, "low", 2845 - 12),
        ("gpt-4o-mini-2024-07-18", 128, 64, "high", 8512 - 12),
        ("o3-2025-04-16", 128, 64, "high", 236 - 86 + 75),
        # 1,024 and 1,452 patches in the guide, times 1.62, 2.46 and 1.72, up
        ("gpt-4.1-mini", 1024, 1024, "high", 1659),
        ("gpt-4.1-nano", 1800, 2400, "high", 3572),
        ("o4-mini", 1800, 2400, "high", 2498),
        ("gpt-4.1-mini", 1, 1, "high", 2),
        ("gpt-4.1-mini", 100_000, 1, "high", 2489),  # 1,536 patches in a row
        ("gpt-4.1-nano", 1536 * 32, 32, "low", 3779),  # 1,536 patches are not too many
    ],
)
def test_images_of_openai(model: str, width: int, height: int, detail: str, tokens: int) -> None:
    rule = image_rule("openai", model, "o200k_base")
    assert rule is not None
    image = Image(width, height, detail)  # type: ignore[arg-type]
    assert (rule.tokens(image), rule.basis_of(image)) == (tokens, "documented")


def test_images_of_others() -> None:
    gemini, claude, gpt_5 = (
        image_rule("google", "gemini-2.0-flash", "gemma3"),
        image_rule("anthropic", "claude-sonnet-4-6", "claude_v3"),
        image_rule("openai", "gpt-5", "o200k_base"),
    )
    assert gemini is not None
    assert claude is not None
    assert gpt_5 is not None
    assert (gemini.tokens(Image(384, 384)), gemini.basis_of(Image(384, 384))) == (258, "documented")
    assert (gemini.tokens(Image(385, 100)), gemini.basis_of(Image(385, 100))) == (258, "estimated")
    assert gemini.tokens(Image(1537, 769)) == 258 * 3 * 2
    assert (claude.tokens(Image(1000, 1000)), claude.basis) == (1334, "estimated")  # 1333.3…
    assert claude.tokens(Image(3000, 3000)) == 1600
    assert claude.tokens(Image(1568, 480)) == claude.tokens(Image(3136, 960)) == 1004  # 1003.52 after the cut
    assert (gpt_5.tokens(Image(512, 512)), gpt_5.basis) == (210, "estimated")


@pytest.mark.parametrize(
    ("provider", "model", "tokenizer"),
    [
        ("openai", "gpt-5-mini", "o200k_base"),  # the guide and the bills contradict each other
        ("openai", "o1", "o200k_base"),
        ("google", "gemini-3.8-flash", "gemma4"),
        ("anthropic", "claude-opus-5-5", "claude_v48"),
        ("xai", "grok-4.7", "o200k_base"),
    ],
)
def test_what_is_not_documented_is_not_known(provider: str, model: str, tokenizer: str) -> None:
    assert image_rule(provider, model, tokenizer) is None
    assert tool_rule(provider, model) is None


def test_rules_are_of_models_that_are_assigned() -> None:
    for provider, model in [
        ("openai", "gpt-4o-2024-08-06"),
        ("openai", "o4-mini-2025-04-16"),
        ("vertex", "gemini-2.5-pro"),
    ]:
        assert assign(provider, model) is not None
        assert image_rule(provider, model, None) is not None

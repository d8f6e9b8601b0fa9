"""What the request of a sample adds to its texts: the frame of its messages, definitions of tools, images."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from api.services.comparing.question import Sample
from api.services.comparing.tokens import ChosenTokenizer
from api.services.comparing.turns import Conversation
from catalog.snapshot import ModelFacts
from tokenizers_registry.overheads import image_rule, tool_rule


class Overhead(NamedTuple):
    """Tokens beside the texts; None where nobody documents them for the model (`warnings` says so).

    Attributes:
        frame: of the messages: what stands once, what each new message and each answer sent again adds.
        tools, images: 0 where the sample has none.
    """

    frame: Conversation | None
    tools: int | None
    images: int | None
    warnings: tuple[str, ...] = ()


NO_OVERHEAD = Overhead(None, None, None)


def overhead_of(
    sample: Sample, tokenizer: ChosenTokenizer | None, model: ModelFacts, turns: int, count: Callable[[str], int]
) -> Overhead:
    """The overhead of one request of `sample`; `count` counts the texts of its tools."""
    warnings: list[str] = []
    tools: int | None = 0
    if sample.tools:
        rule = tool_rule(model.provider, model.model)
        choice = sample.tool_choice
        if rule is None:
            tools = None
            warnings.append("tool_tokens_unknown")
        else:
            tools = rule.tokens(sample.tools, count) + (0 if choice is None else rule.choice_tokens(choice, count))
            if choice is not None or not all(tool.plain for tool in sample.tools):
                warnings.append("tool_tokens_estimated")
    images: int | None = 0
    if sample.images:
        image = image_rule(model.provider, model.model, None if tokenizer is None else tokenizer.tokenizer)
        images = None if image is None else sum(map(image.tokens, sample.images))
        if image is None:
            warnings.append("image_tokens_unknown")
        elif any(image.basis_of(each) == "estimated" for each in sample.images):
            warnings.append("image_tokens_estimated")
    return Overhead(_frame(sample, tokenizer, turns), tools, images, tuple(warnings))


def _frame(sample: Sample, tokenizer: ChosenTokenizer | None, turns: int) -> Conversation | None:
    """The frame as the tokens of a conversation without words."""
    chat = None if tokenizer is None else tokenizer.frame
    if chat is not None:
        return Conversation(chat.standing(system=sample.system_text is not None), chat.user, None, chat.answer)
    if tokenizer is None or tokenizer.frame_tokens is None or sample.system_text is not None or turns > 1:
        return None
    return Conversation(tokenizer.frame_tokens, 0, None)

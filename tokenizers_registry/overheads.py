"""What a request adds to its text, model by model: the table `overheads.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tokenizers_registry.images import ImageRule
from tokenizers_registry.tools import ToolRule

TABLE = Path(__file__).with_name("overheads.yaml")


@dataclass(frozen=True, slots=True)
class Frame:
    """Tokens around messages.

    Attributes:
        per_message: for each message, the token of its role included.
        reply: once a request, to prime the answer.
        name: for each message that names its author.
        source: what says so.
    """

    per_message: int
    reply: int
    name: int
    source: str

    def tokens(self, messages: int = 1, names: int = 0) -> int:
        """Tokens of the frame of a request.

        >>> frame_named("openai_chat").tokens(), frame_named("openai_chat").tokens(messages=6, names=4)
        (7, 31)
        """
        return messages * self.per_message + names * self.name + self.reply


def frame_named(name: str) -> Frame:
    """The frame with that name in the table."""
    return _frames()[name]


def tool_rule(provider: str, model: str) -> ToolRule | None:
    """How the tools of a model are counted, None where its vendor does not say.

    >>> tool_rule("openai", "GPT-4o").function_start, tool_rule("openai", "gpt-5")
    (7, None)
    """
    return _tool_rules().get((provider.casefold(), model.casefold()))


def image_rule(provider: str, model: str, tokenizer: str | None) -> ImageRule | None:
    """How the images of a model are counted: by its id, else by its tokenizer; None where nobody says.

    >>> image_rule("openai", "gpt-4.1", "o200k_base").per_tile, image_rule("openai", "gpt-5-mini", "o200k_base")
    (170, None)
    """
    rules = _image_rules()
    return rules.get((provider.casefold(), model.casefold())) or rules.get(("tokenizer", tokenizer or ""))


@cache
def _document() -> dict[str, Any]:
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    with TABLE.open(encoding="utf-8") as file:
        document: dict[str, Any] = yaml.load(file, Loader=loader)  # noqa: S506 - text only
    return document


@cache
def _frames() -> Mapping[str, Frame]:
    return {
        name: Frame(int(f["per_message"]) + int(f["role"]), int(f["reply"]), int(f["name"]), f["source"])
        for name, f in _document()["frames"].items()
    }


_CONSTANTS = (
    "function_start", "properties_start", "property", "enum_start", "enum_item", "function_end", "choice_none", "choice_named"
)  # fmt: skip


@cache
def _tool_rules() -> Mapping[tuple[str, str], ToolRule]:
    found: dict[tuple[str, str], ToolRule] = {}
    for entry in _document()["tools"]:
        rule = ToolRule(entry["source"], *(int(entry[name]) for name in _CONSTANTS))
        found |= dict.fromkeys(_models(entry), rule)
    return found


@cache
def _image_rules() -> Mapping[tuple[str, str], ImageRule]:
    found: dict[tuple[str, str], ImageRule] = {}
    for entry in _document()["images"]:
        constants = int(entry.get("base", 0)), int(entry.get("per_tile", 0)), Fraction(entry.get("multiplier", 1))
        rule = ImageRule(entry["formula"], entry["basis"], entry["source"], *constants)
        found |= dict.fromkeys(_models(entry), rule)
    return found


def _models(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for provider, models in (entry["models"] or {}).items():
        for model in models:
            yield provider.casefold(), model.casefold()
    if "tokenizer" in entry:
        yield "tokenizer", entry["tokenizer"]

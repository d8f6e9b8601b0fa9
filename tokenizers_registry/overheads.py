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
        request: once, for its beginning and to prime the answer.
        user, answer: for each message of the user, and for each answer that is sent again.
        system: around a system text.
        no_system: where there is none: what stands in its place.
        name: for each message that names its author.
        source: what says so.
    """

    request: int
    user: int
    answer: int
    system: int
    no_system: int
    name: int
    source: str

    def standing(self, *, system: bool) -> int:
        """Tokens that stand once in a request, with a system text or without."""
        return self.request + (self.system if system else self.no_system)

    def tokens(self, users: int = 1, answers: int = 0, names: int = 0, *, system: bool = False) -> int:
        """Tokens of the frame of a request.

        >>> frame_named("openai_chat").tokens(), frame_named("openai_chat").tokens(users=6, names=4)
        (7, 31)
        >>> frame_named("qwen_2_5").tokens(), frame_named("qwen_2_5").tokens(system=True)
        (29, 13)
        """
        return self.standing(system=system) + users * self.user + answers * self.answer + names * self.name


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
        name: Frame(
            int(f["request"]),
            int(f["user"]),
            int(f["answer"]),
            int(f["system"]),
            int(f.get("no_system", 0)),
            int(f.get("name", 0)),
            f["source"],
        )
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

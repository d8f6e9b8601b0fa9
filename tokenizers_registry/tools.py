"""How many tokens the definitions of tools are: OpenAI's example, the only documented count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Property:
    """One parameter of a function."""

    name: str
    kind: str
    description: str
    values: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call.

    `plain`: nothing but what the vendor's example has, flat properties with type, description and listed texts.
    """

    name: str
    description: str
    properties: tuple[Property, ...] = ()
    plain: bool = True

    def lines(self) -> Iterator[str]:
        """The texts whose tokens are counted."""
        yield f"{self.name}:{self.description.removesuffix('.')}"
        for each in self.properties:
            yield from each.values or ()
            yield f"{each.name}:{each.kind}:{each.description.removesuffix('.')}"


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """What a request says of its tools: call none (`name` is None), or the function named."""

    name: str | None = None


@dataclass(frozen=True, slots=True)
class ToolRule:
    """Tokens around the texts of a definition, and of a choice among tools."""

    source: str
    function_start: int
    properties_start: int
    property: int
    enum_start: int
    enum_item: int
    function_end: int
    choice_none: int
    choice_named: int

    def tokens(self, tools: Sequence[Tool], count: Callable[[str], int]) -> int:
        """Tokens of the definitions, their texts counted by `count`.

        Worked number (OpenAI's example, gpt-4o): one function with two properties, one of them a choice of two, is
        7 + 3 + 2·3 − 3 + 2·3 + 12 = 31 and the tokens of its five texts.

        >>> unit = Property("unit", "string", "Unit", ("celsius", "fahrenheit"))
        >>> tool = Tool("get_weather", "Get the weather", (Property("location", "string", "City"), unit))
        >>> ToolRule("", 7, 3, 3, -3, 3, 12, 1, 4).tokens([tool], lambda text: 0)
        31
        """
        total = 0
        for tool in tools:
            total += self.function_start + self.function_end + sum(map(count, tool.lines()))
            if tool.properties:
                total += self.properties_start
            for each in tool.properties:
                total += self.property
                if each.values is not None:
                    total += self.enum_start + self.enum_item * len(each.values)
        return total

    def choice_tokens(self, choice: ToolChoice, count: Callable[[str], int]) -> int:
        """Tokens of a choice among the tools; to leave it to the model has none.

        >>> rule = ToolRule("", 7, 3, 3, -3, 3, 12, 1, 4)
        >>> rule.choice_tokens(ToolChoice(), len), rule.choice_tokens(ToolChoice("now"), len)
        (1, 7)
        """
        return self.choice_none if choice.name is None else self.choice_named + count(choice.name)

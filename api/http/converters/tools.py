"""Definitions of tools."""

from __future__ import annotations

import json

from api.http.schemas.tools import ToolChoiceIn, ToolIn, ToolProperty
from tokenizers_registry.tools import Property, Tool, ToolChoice

_PLAIN_TYPES = ("string", "number", "integer", "boolean")


def from_api_tool(tool: ToolIn) -> Tool:
    """A tool; `plain` where it has nothing that the vendor's example does not count."""
    function = tool.function
    properties = function.parameters.properties
    plain = function.description is not None and all(map(_is_plain, properties.values()))
    extra = set(function.model_extra or ()) | (set(function.parameters.model_extra or ()) - {"type", "required"})
    return Tool(
        function.name,
        function.description or "",
        tuple(_property(name, each) for name, each in properties.items()),
        plain and not extra,
    )


def from_api_tool_choice(choice: ToolChoiceIn) -> ToolChoice | None:
    """The choice; None where it is left to the model."""
    if isinstance(choice, str):
        return ToolChoice() if choice == "none" else None
    return ToolChoice(choice.function.name)


def _is_plain(each: ToolProperty) -> bool:
    texts = each.enum is None or all(isinstance(value, str) for value in each.enum)
    return each.type in _PLAIN_TYPES and each.description is not None and texts and not each.model_extra


def _property(name: str, each: ToolProperty) -> Property:
    values = None if each.enum is None else tuple(v if isinstance(v, str) else json.dumps(v) for v in each.enum)
    kind = each.type if isinstance(each.type, str) else "" if each.type is None else json.dumps(each.type)
    return Property(name, kind, each.description or "", values)

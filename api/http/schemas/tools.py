"""Definitions of tools as chat interfaces take them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, StringConstraints, Tag

from api.http.schemas.fields import Wire, unicode_text

Text = Annotated[str, BeforeValidator(lambda value: unicode_text(value) if isinstance(value, str) else value)]
ToolName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ToolProperty(BaseModel):
    """One parameter: JSON schema, of which type, description and enum are read."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    type: str | list[Any] | None = None
    description: Text | None = None
    enum: Annotated[list[Any], Field(max_length=1_000)] | None = None


class ToolParameters(BaseModel):
    """The parameters of a function: JSON schema of an object."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    properties: Annotated[dict[Text, ToolProperty], Field(max_length=1_000)] = {}


class FunctionIn(BaseModel):
    """A function."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    name: ToolName
    description: Text | None = None
    parameters: ToolParameters = Field(default_factory=ToolParameters)


class ToolIn(Wire):
    """A tool as OpenAI's chat completions take it."""

    type: Literal["function"] = "function"
    function: FunctionIn


class FunctionNameIn(Wire):
    """A function by its name."""

    name: ToolName


class NamedToolIn(Wire):
    """The tool that the model must call."""

    type: Literal["function"] = "function"
    function: FunctionNameIn


def _form(value: object) -> str:
    return "form:named" if isinstance(value, (dict, NamedToolIn)) else "form:word"


ToolChoiceIn = Annotated[
    Annotated[Literal["auto", "none"], Tag("form:word")] | Annotated[NamedToolIn, Tag("form:named")],
    Discriminator(_form),
]

"""Schemas made from the dataclasses of `economics`: the same names, in the types of the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Final, Literal

from pydantic import Field, WithJsonSchema

from api.http.schemas.fields import CountIn, Currency, PriceIn

_KINDS: Final[Mapping[str, Any]] = {
    "Decimal": PriceIn,
    "int": CountIn,
    "bool": Annotated[bool, Field(strict=True)],
}


def stated_fields(kind: type, meanings: Mapping[str, str], choices: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Fields for `pydantic.create_model`, each optional: what is required is said by the dataclass, which knows why."""
    found: dict[str, Any] = {}
    for field in fields(kind):
        name, described = field.name, str(field.type).removesuffix(" | None")
        if name == "currency":
            wire: Any = Currency
        elif name in choices:
            wire = Annotated[Literal[choices[name]], WithJsonSchema({"type": "string", "enum": list(choices[name])})]
        elif described in _KINDS:
            wire = _KINDS[described]
        else:
            continue  # a list has a schema of its own
        found[name] = (wire | None, Field(default=None, description=meanings.get(name) or name.replace("_", " ")))
    return found


def stated(row: Any, kind: type) -> dict[str, Any]:
    """What a row says of the fields of `kind`; null is "not stated"."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in row.__dict__.items() if name in names and value is not None}

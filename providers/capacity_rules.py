"""Published rules of reserved capacity: `capacity.yaml` in a provider's folder, dated and sourced, without prices.

Prices of capacity are negotiated or differ by region and are the caller's to state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from economics.errors import PermillionError
from economics.money import parse_decimal
from providers.sheet_file import read_yaml

Measure = Literal["tokens", "characters", "images"]
Window = Literal["second", "minute"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Rule(_Strict):
    measure: Measure | None = None
    per_unit: str
    input_weight: str
    cached_input_weight: str | None = None
    output_weight: str
    minimum_units: str
    unit_increment: str
    note: str = ""


class _File(_Strict):
    source: str
    url: str
    checked_on: date
    note: str
    unit: str
    measure: Measure
    window: Window
    rules: Mapping[str, _Rule]


class CapacityRule(_Strict):
    """How one offer of capacity is sized.

    Attributes:
        id: `azure/gpt-4.1/global`: provider, model and where deployments differ the deployment.
        per_unit: of `measure` a `window` that one unit carries, after weighing.
        cached_input_weight: None where the page names none: cached input then counts like the rest.
    """

    id: str
    unit: str
    measure: Measure
    window: Window
    per_unit: Decimal
    input_weight: Decimal
    cached_input_weight: Decimal | None
    output_weight: Decimal
    minimum_units: Decimal
    unit_increment: Decimal
    source: str
    url: str
    checked_on: date
    note: str


@cache
def capacity_rules() -> Mapping[str, CapacityRule]:
    """All rules by id.

    >>> rule = capacity_rules()["azure/gpt-4.1/global"]
    >>> rule.per_unit, rule.output_weight, rule.minimum_units, rule.unit_increment
    (Decimal('3000'), Decimal('4'), Decimal('15'), Decimal('5'))
    """
    found: dict[str, CapacityRule] = {}
    for path in sorted(Path(__file__).parent.glob("*/capacity.yaml")):
        found |= {rule.id: rule for rule in _rules(path)}
    return MappingProxyType(found)


def _rules(path: Path) -> Iterator[CapacityRule]:
    try:
        file = _File.model_validate(read_yaml(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PermillionError("invalid-sheet", f"{path.parent.name}/{path.name}: {where}: {first['msg']}") from None
    for name, rule in file.rules.items():
        cached = rule.cached_input_weight
        yield CapacityRule(
            id=f"{path.parent.name}/{name}",
            unit=file.unit,
            measure=rule.measure or file.measure,
            window=file.window,
            per_unit=parse_decimal(rule.per_unit),
            input_weight=parse_decimal(rule.input_weight),
            cached_input_weight=None if cached is None else parse_decimal(cached),
            output_weight=parse_decimal(rule.output_weight),
            minimum_units=parse_decimal(rule.minimum_units),
            unit_increment=parse_decimal(rule.unit_increment),
            source=file.source,
            url=file.url,
            checked_on=file.checked_on,
            note="; ".join(part for part in (rule.note, file.note) if part),
        )


def capacity_rule(name: str) -> CapacityRule:
    """One rule.

    Raises:
        PermillionError: `unknown-capacity-rule`.
    """
    found = capacity_rules().get(name.casefold())
    if found is None:
        raise PermillionError(
            "unknown-capacity-rule", "no such published rule; GET /capacity-rules lists them", pointer="/rule"
        )
    return found

"""One serving engine and the names others write it with."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

TABLE: Final = Path(__file__).with_name("engines.csv")


@dataclass(frozen=True, slots=True)
class Engine:
    """What serves a model.

    Attributes:
        id: as measured rows and questions name it, e.g. `trtllm`.
        aliases: other spellings; compared without regard to case.
        license: SPDX id, or what is known of it.
        homepage: None where there is none.
        source, as_of: where license and names were read, and when.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    license: str
    homepage: str | None
    source: str
    as_of: str
    note: str


def _engine(row: Mapping[str, str]) -> Engine:
    return Engine(
        id=row["id"],
        name=row["name"],
        aliases=tuple(filter(None, row["aliases"].split(";"))),
        license=row["license"],
        homepage=row["homepage"] or None,
        source=row["source"],
        as_of=row["as_of"],
        note=row["note"],
    )


@cache
def shipped_engines() -> Mapping[str, Engine]:
    """The engines of this package by id."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return MappingProxyType({row["id"]: _engine(row) for row in csv.DictReader(lines)})


def engine_named(name: str, engines: Iterable[Engine]) -> Engine | None:
    """The engine of that id, name or alias, None where there is none.

    >>> engine_named("vLLM (see source)", shipped_engines().values()).id
    'vllm'
    """
    key = name.strip().casefold()
    for engine in engines:
        if key in (engine.id.casefold(), engine.name.casefold(), *map(str.casefold, engine.aliases)):
            return engine
    return None

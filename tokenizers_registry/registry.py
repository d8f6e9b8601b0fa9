"""The families a process knows: the built-in ones and those of installed plug-ins.

A third party adds a family with the entry point group `permillion.tokenizers`; each entry is a `Family`, or a
sequence of them, in a module that imports no engine (its loader, `module:function`, may).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module

from economics.errors import PermillionError
from tokenizers_registry import vocabularies
from tokenizers_registry.families import Family
from tokenizers_registry.family_table import BUILT_IN
from tokenizers_registry.registered.files import RegisteredFile

ENTRY_POINT_GROUP = "permillion.tokenizers"


@dataclass(frozen=True, slots=True)
class ListedFamily:
    """A family as this machine has it: `unavailable_reason` is None where it can be counted."""

    family: Family
    installed_version: str | None
    unavailable_reason: str | None

    @property
    def available(self) -> bool:
        """Whether it can be counted here."""
        return self.unavailable_reason is None


class Registry:
    """Families by id.

    Args:
        plug_ins: `module:attribute` of further families. Workers are given the same strings, so that both sides of the
            pipe know the same families.
        files: registered ones of a tenant, whose ids no built-in family has.

    >>> Registry()["llama3"].kind
    'exact'
    """

    def __init__(self, plug_ins: Iterable[str] = (), files: Iterable[RegisteredFile] = ()) -> None:
        self.plug_ins = tuple(plug_ins)
        self._families = {family.tokenizer: family for family in BUILT_IN}
        for plug_in in self.plug_ins:
            for family in _families_of(plug_in):
                if family.tokenizer in self._families:
                    raise ValueError(f"{plug_in}: tokenizer {family.tokenizer!r} is already registered")
                self._families[family.tokenizer] = family
        self._missing: dict[str, str | None] = {}
        for file in files:
            self._families[file.tokenizer] = file.family
            if file.withdrawal is not None:
                self._missing[file.tokenizer] = file.withdrawal

    def __getitem__(self, tokenizer: str) -> Family:
        """The family of an id.

        Raises:
            PermillionError: `unknown-tokenizer`, naming up to three near ids.
        """
        family = self._families.get(tokenizer)
        if family is None:
            near = import_module("difflib").get_close_matches(tokenizer, self._families, n=3)
            hint = f"; near ones: {', '.join(near)}" if near else "; GET /tokenizers lists those that are"
            raise PermillionError("unknown-tokenizer", f"no such tokenizer is known{hint}")
        return family

    def with_files(self, files: Iterable[RegisteredFile]) -> Registry:
        """These families and those of registered files; one that was withdrawn is known and says so."""
        return Registry(self.plug_ins, files)

    def in_use(self) -> frozenset[str]:
        """The ids a model may be given: all but the withdrawn ones; what is not installed here may be elsewhere."""
        return frozenset(
            family.tokenizer for family in self if not family.is_registered or self.unavailable_reason(family) is None
        )

    def __iter__(self) -> Iterator[Family]:
        return iter(self._families.values())

    def __contains__(self, tokenizer: object) -> bool:
        return tokenizer in self._families

    def unavailable_reason(self, family: Family) -> str | None:
        """Why this machine cannot count the family, None where it can. Found once for each family."""
        if family.tokenizer not in self._missing:
            self._missing[family.tokenizer] = vocabularies.missing(family)
        return self._missing[family.tokenizer]

    def listing(self) -> list[ListedFamily]:
        """Every family with what is installed here, in the order of registration."""
        return [
            ListedFamily(
                family,
                vocabularies.installed_version(family.package) if family.package else None,
                self.unavailable_reason(family),
            )
            for family in self
        ]


def discovered_plug_ins() -> tuple[str, ...]:
    """`module:attribute` of every installed plug-in, sorted by name."""
    metadata = import_module("importlib.metadata")  # here, not above: workers are told their plug-ins (4 MB)
    return tuple(entry.value for entry in sorted(metadata.entry_points(group=ENTRY_POINT_GROUP)))


def _families_of(plug_in: str) -> tuple[Family, ...]:
    module, _, attribute = plug_in.partition(":")
    found = getattr(import_module(module), attribute)
    return (found,) if isinstance(found, Family) else tuple(found)

"""The context of a request: processing mode, service tier, region, …: a closed vocabulary per provider.

Two kinds of key. A **mode** key (batch, priority, data residency) sells the same tokens under another price: a token rate
that does not mention it holds for the default value only, so that a mode a model is not sold in is `not-offered` and
never the standard price. A **detail** key (thinking mode, search context, kind of cache) only matters where a row
mentions it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from economics.errors import PermillionError

MODE_KEYS: Final = (
    "processing", "service_tier", "speed", "data_residency", "zone", "inference_geo", "region", "deployment",
)  # fmt: skip
DETAIL_KEYS: Final = ("thinking_mode", "search_context", "cache_kind")
CONTEXT_KEYS: Final = MODE_KEYS + DETAIL_KEYS

Context = Mapping[str, str]
"""Resolved values by key; keys without a value and without a default are absent."""


class ResolvedContext(dict[str, str]):
    """A context with synonyms replaced and defaults filled in, not changed any more; `text` is its canonical form."""

    @cached_property
    def text(self) -> str:
        """As `format_context`."""
        return format_context(self)


@dataclass(frozen=True, slots=True)
class ContextKey:
    """One key a provider knows: its values, the default the vendor states (or None), other spellings of values.

    `undecided` are values that a request may have and that leave the choice to the vendor (OpenAI's `auto`): only what was
    served says the price.
    """

    values: tuple[str, ...]
    default: str | None = None
    synonyms: Mapping[str, str] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """All context keys of one provider and the combinations the vendor does not sell.

    Args:
        keys: by name, each of `CONTEXT_KEYS`.
        contradictions: mappings key → values that cannot stand together.
    """

    keys: Mapping[str, ContextKey]
    contradictions: tuple[Mapping[str, tuple[str, ...]], ...] = ()

    @cached_property
    def defaults(self) -> dict[str, str]:
        """The stated default of each key that has one."""
        return {name: key.default for name, key in self.keys.items() if key.default is not None}

    def resolve(self, given: Mapping[str, str]) -> ResolvedContext:
        """`given` with synonyms replaced and defaults filled in.

        Raises:
            PermillionError: `unknown-context` for a key or value outside the vocabulary (names the allowed ones),
                `context-required` for a value that leaves the choice to the vendor, `contradictory-context` for values that
                the vendor does not sell together.

        >>> v = Vocabulary({"service_tier": ContextKey(("standard", "priority"), "standard", {"fast": "priority"})})
        >>> v.resolve({"service_tier": "fast"})
        {'service_tier': 'priority'}
        """
        resolved = ResolvedContext(self.defaults)
        for name, value in given.items():
            key = self.keys.get(name)
            if key is None:
                allowed = ", ".join(self.keys) or "none"
                raise PermillionError(
                    "unknown-context", f"this provider has no such context key; allowed: {allowed}", pointer="/context"
                )
            canonical = key.synonyms.get(value, value)
            if canonical in key.undecided:
                raise PermillionError(
                    "context-required",
                    f"{name}={canonical} leaves the price to the vendor; say in served_context what was served",
                    pointer=f"/context/{name}",
                )
            if canonical not in key.values:
                raise PermillionError(
                    "unknown-context",
                    f"unknown value for {name}; allowed: {', '.join([*key.values, *key.synonyms, *key.undecided])}",
                    pointer=f"/context/{name}",
                )
            resolved[name] = canonical
        for combination in self.contradictions:
            if all(resolved.get(name) in values for name, values in combination.items()):
                named = " and ".join(f"{name}={resolved[name]}" for name in combination)
                raise PermillionError(
                    "contradictory-context", f"{named} are not sold together; choose one", pointer="/context"
                )
        return resolved

    def served(self, requested: Mapping[str, str], served: Mapping[str, str]) -> tuple[ResolvedContext, bool]:
        """The context that is billed, what was `served` in place of what was `requested`, and whether the two differ.

        A vendor may serve another tier than was asked for, and bills the one it served (OpenAI's priority falls back to
        default, BerriAI/litellm#31837). A requested value that left the choice to the vendor differs from nothing,
        nor does a key without default that was not requested.

        Raises:
            PermillionError: as `resolve`; a key or value of `served` points into `/served_context`.

        >>> v = Vocabulary({"service_tier": ContextKey(("standard", "priority"), "standard", {"default": "standard"})})
        >>> v.served({"service_tier": "priority"}, {"service_tier": "default"})
        ({'service_tier': 'standard'}, True)
        """
        try:
            said = Vocabulary(self.keys).resolve(served)
        except PermillionError as error:
            pointer = error.pointer.replace("/context", "/served_context", 1)
            raise PermillionError(error.slug, error.detail, pointer=pointer) from None
        open_keys = {n for n, value in requested.items() if n in served and value in self.keys[n].undecided}
        wanted = Vocabulary(self.keys).resolve({n: v for n, v in requested.items() if n not in open_keys})
        differs = any(wanted[name] != said[name] for name in served if name in wanted and name not in open_keys)
        return self.resolve({**requested, **{name: said[name] for name in served}}), differs


def format_context(context: Mapping[str, str]) -> str:
    """Canonical text `key=value;…`, keys in alphabetical order.

    >>> format_context({"service_tier": "flex", "processing": "standard"})
    'processing=standard;service_tier=flex'
    """
    return ";".join(f"{name}={context[name]}" for name in sorted(context))

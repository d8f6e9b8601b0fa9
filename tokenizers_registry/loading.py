"""From a family to a function that counts: load, normalize, prove with the probes, keep within a memory bound."""

from __future__ import annotations

from collections import OrderedDict
from importlib import import_module

from economics.errors import PermillionError
from tokenizers_registry import probes, vocabularies
from tokenizers_registry.boundary import Count, guarded
from tokenizers_registry.engines.pieces import with_whole_pieces
from tokenizers_registry.families import Family
from tokenizers_registry.normalization import nfc

# Built-in loaders; a plug-in names its own as `module:function`.
_LOADERS = {
    "bundled": "tokenizers_registry.engines.bundled:load",
    "rank_file": "tokenizers_registry.engines.rank_file:load",
    "tokenizer_json": "tokenizers_registry.engines.tokenizer_json:load",
    "registered_json": "tokenizers_registry.registered.reading:load",
    "registered_sentencepiece": "tokenizers_registry.registered.reading:load",
    "registered_ranks": "tokenizers_registry.registered.reading:load",
    "ctok": "tokenizers_registry.engines.claude:load",
}


def load_counter(family: Family) -> Count:
    """Load a vocabulary and prove it: sha256 of its file, and the counts of the probe texts.

    Returns:
        A function from text to content tokens, by the literal policy: no control tokens, no template, the model's own
        normalization.

    Raises:
        PermillionError: `tokenizer-unavailable` where the package is absent or the vocabulary is not the checked one.
    """
    reason = vocabularies.missing(family)
    if reason is not None:
        raise PermillionError("tokenizer-unavailable", reason)
    return guarded(lambda: _load(family), "tokenizer-unavailable", f"loading {family.tokenizer}")


def _load(family: Family) -> Count:
    module, _, function = _LOADERS.get(family.loader, family.loader).partition(":")
    count: Count = getattr(import_module(module), function)(family)
    if family.whole_pieces:
        count = with_whole_pieces(count, family.whole_pieces, prefix_blank=family.prefix_blank)
    if family.normalization == "NFC":
        count = _composed(count)
    expected = family.probe_counts or probes.COUNTS.get(family.tokenizer)
    texts = probes.REGISTERED_TEXTS if family.is_registered else probes.TEXTS
    if expected is not None and tuple(count(text) for text in texts) != expected:
        of_package = f" of {family.package}" if family.package else ""
        raise PermillionError(
            "tokenizer-unavailable",
            f"{family.tokenizer}{of_package} does not count the probe texts as it was checked to do",
        )
    return count


def _composed(count: Count) -> Count:
    def counted(text: str) -> int:
        return count(nfc(text))

    return counted


class LoadedTokenizers:
    """The counters a process holds: least recently used ones are dropped when their estimated memory is too much.

    Families with one fingerprint share one counter.
    """

    def __init__(self, memory_mib: int) -> None:
        self._memory_mib = memory_mib
        self._held: OrderedDict[str, tuple[Count, int]] = OrderedDict()

    def holds(self, family: Family) -> bool:
        """Whether the family can be counted without loading."""
        return family.fingerprint in self._held

    def clear(self) -> None:
        """Give all of them back."""
        self._held.clear()

    def counter(self, family: Family) -> Count:
        """The family's counter, loaded now if it is not held."""
        held = self._held.get(family.fingerprint)
        if held is not None:
            self._held.move_to_end(family.fingerprint)
            return held[0]
        room = self._memory_mib - family.memory_mib
        while self._held and sum(size for _, size in self._held.values()) > room:
            self._held.popitem(last=False)
        count = load_counter(family)
        self._held[family.fingerprint] = (count, family.memory_mib)
        return count

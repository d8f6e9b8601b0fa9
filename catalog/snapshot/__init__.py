"""The immutable catalog in memory, which the hot path reads without SQL."""

from catalog.snapshot.facts import AliasFacts, BookFacts, ModelFacts, Offer, ProviderFacts, Witness
from catalog.snapshot.lookup import Snapshot
from catalog.snapshot.reading import read_snapshot, read_snapshot_at, refresh

__all__ = [
    "AliasFacts",
    "BookFacts",
    "ModelFacts",
    "Offer",
    "ProviderFacts",
    "Snapshot",
    "Witness",
    "read_snapshot",
    "read_snapshot_at",
    "refresh",
]

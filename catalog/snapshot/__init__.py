"""The immutable catalog in memory, which the hot path reads without SQL."""

from catalog.snapshot.facts import AliasFacts, BookFacts, ModelFacts, Offer, ProviderFacts
from catalog.snapshot.lookup import Snapshot
from catalog.snapshot.reading import read_snapshot, read_snapshot_at, refresh
from catalog.snapshot.witnesses import Witness, Witnesses

__all__ = [
    "AliasFacts",
    "BookFacts",
    "ModelFacts",
    "Offer",
    "ProviderFacts",
    "Snapshot",
    "Witness",
    "Witnesses",
    "read_snapshot",
    "read_snapshot_at",
    "refresh",
]

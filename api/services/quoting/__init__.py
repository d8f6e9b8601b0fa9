"""Use cases: a comparison kept as a quote, replayed to the same bytes, and held against what a fresh one would say."""

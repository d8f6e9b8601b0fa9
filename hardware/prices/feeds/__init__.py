"""Feeds of rental prices: other people's collections, read into records of ours. Nothing here writes, fetches or knows a database."""

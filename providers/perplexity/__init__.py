"""Perplexity: the price sheet and where its figures come from."""

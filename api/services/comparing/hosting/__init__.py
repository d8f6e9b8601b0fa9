"""Hosted models among the offers of a comparison."""

"""Accelerators: what one device can do at most, in one convention, each figure with its source."""

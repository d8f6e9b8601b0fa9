"""Use case: reserved capacity for a stated load."""

"""Ownership profiles as records: the stated inputs of a cost of ownership, with source and date."""

"""Profiles of owned hardware: inputs of the cost of ownership, each with source and date."""

"""Routes about machines."""

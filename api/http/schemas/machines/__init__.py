"""Shapes of the routes about machines."""

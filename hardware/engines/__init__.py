"""Serving engines: their names as others write them, with license and source."""

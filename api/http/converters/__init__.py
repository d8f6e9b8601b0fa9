"""Between wire schemas and domain values; each function says its direction."""

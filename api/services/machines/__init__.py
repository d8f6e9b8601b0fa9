"""Use cases about what is known of machines: list it, add to it, import it."""

"""The shapes of JSON that travel."""

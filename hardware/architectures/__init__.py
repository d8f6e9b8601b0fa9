"""Model architectures: the numbers of a model that decide how fast it can run."""

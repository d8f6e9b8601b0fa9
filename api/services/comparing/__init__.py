"""Use case: what a caller's own text costs at each offer, ranked."""

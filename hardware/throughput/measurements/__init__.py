"""Published measurements of throughput and latency, each with its conditions, flags and source."""

"""What machines can do: accelerators, model architectures, ownership, measured and estimated throughput."""

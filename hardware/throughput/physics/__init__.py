"""What limits a deployment: weights, caches, arithmetic, links and queues, as equations on floats or NumPy arrays."""

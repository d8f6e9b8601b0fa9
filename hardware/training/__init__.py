"""Training: floating-point operations, how long accelerators take for them, and the energy."""

"""The arithmetic: exact, pure, standard library only. Time, FX, prices and randomness come in as arguments."""

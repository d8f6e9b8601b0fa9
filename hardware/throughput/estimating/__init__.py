"""Estimates: measured rows first, then measured neighbors moved by physics, then physics with a learned residual."""

"""Tokens per second: measured, checked against physics, and estimated."""

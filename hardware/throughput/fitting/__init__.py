"""Fitting constants, residuals and bands from measured rows; needs the extra `fit`."""

"""What a fit leaves to be read: learned residuals, bands, and how far they reach."""

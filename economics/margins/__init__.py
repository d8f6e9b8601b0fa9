"""What is left of a price: margin and mark-up, target prices, break-even, and which input moves the margin most."""

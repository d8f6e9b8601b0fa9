"""Between the wire and reference records of machines."""

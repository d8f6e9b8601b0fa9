"""Use cases: domain values in, domain values out. No request, no JSON, no clock of their own."""

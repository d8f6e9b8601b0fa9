"""Who sells what: one folder per provider with its dated price sheet and its sources, found as plug-ins."""

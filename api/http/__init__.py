"""HTTP: controllers, wire schemas, converters, problems, content negotiation. No arithmetic."""

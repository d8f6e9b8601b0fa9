"""How people ask: HTTP, the command line, and the use cases behind both."""

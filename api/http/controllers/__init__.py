"""One controller a resource: read the request, call a use case, write the rows."""

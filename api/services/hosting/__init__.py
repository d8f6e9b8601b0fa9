"""Use case: what a query costs on accelerators of one's own or rented ones."""

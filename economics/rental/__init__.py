"""What rented accelerators cost: what is billed, what is paid when idle, and what an hour of use comes to."""

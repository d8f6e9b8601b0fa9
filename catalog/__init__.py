"""What is remembered: sources, price books, dated price rows and what was believed when, on SQLite or PostgreSQL."""

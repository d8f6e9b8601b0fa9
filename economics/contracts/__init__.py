"""What a contract adds to rates: dated terms, and the bill of a month under them."""

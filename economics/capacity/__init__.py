"""Reserved capacity: how many units a load needs, what they cost by term, what overflows, and when they pay."""

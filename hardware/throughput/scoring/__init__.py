"""How good estimates are: measured rows asked back, compared as the field compares them."""

"""How long a step takes: matrix products, collectives, decode, prefill, drafts."""

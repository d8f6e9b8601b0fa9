"""Alibaba Model Studio: the price sheet and where its figures come from."""

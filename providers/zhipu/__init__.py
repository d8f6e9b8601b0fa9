"""Zhipu AI (z.ai and BigModel): the price sheet and where its figures come from."""

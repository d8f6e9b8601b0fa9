"""Azure OpenAI: the price sheet and where its figures come from."""

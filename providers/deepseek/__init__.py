"""DeepSeek: the price sheet, its peak hours, and where its figures come from."""

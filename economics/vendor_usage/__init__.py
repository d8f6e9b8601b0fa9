"""Vendors' own usage objects, decomposed into meters.

The same word counts different things: Anthropic's and Bedrock's `input_tokens` exclude the cache, everybody else's include
it; Google's thoughts and Perplexity's reasoning and citations stand outside the completion, OpenAI's inside. Mixing these
up is the most frequent defect of open calculators (cached tokens charged twice, reasoning lost).
"""

from economics.vendor_usage.counts import MAX_COUNT, VendorUsage
from economics.vendor_usage.formats import USAGE_FORMATS, recognise_format, usage_from_vendor
from economics.vendor_usage.served import served_by_vendor

__all__ = ["MAX_COUNT", "USAGE_FORMATS", "VendorUsage", "recognise_format", "served_by_vendor", "usage_from_vendor"]

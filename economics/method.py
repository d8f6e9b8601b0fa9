"""The version of the arithmetic. It changes whenever the same question on the same catalog could give another figure.

2 (2026-12-01), in vendors' usage objects: cached audio is no longer charged twice, as a cache read and as audio; the details of
OpenAI's Realtime usage count; Bedrock's writes are charged by their time to live; Google's `trafficType` decides the tier.

3 (2026-12-01): estimated counts have ranges where their error was measured (`tokens_low`, `cost_per_query_low`, …), and stated
output tokens are no longer widened with the input's.
"""

METHOD_VERSION = "3"

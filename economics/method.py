"""The version of the arithmetic. It changes whenever the same question on the same catalog could give another figure.

2 (2026-12-01), in vendors' usage objects: cached audio is no longer charged twice, as a cache read and as audio; the details of
OpenAI's Realtime usage count; Bedrock's writes are charged by their time to live; Google's `trafficType` decides the tier.
"""

METHOD_VERSION = "2"

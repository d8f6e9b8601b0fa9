"""The version of the arithmetic. It changes whenever the same question on the same catalog could give another figure.

2 (2026-12-01): cached audio in a vendor's usage object is no longer charged twice, as a cache read and as audio.
"""

METHOD_VERSION = "2"

"""Property tests draw the same examples on every run: a red test is a change of ours, never of the dice."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "permillion",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("permillion")

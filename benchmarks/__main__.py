"""All measurements, one after the other, in one run so that ratios hold on a noisy machine."""

from __future__ import annotations

from benchmarks import serving

if __name__ == "__main__":
    for line in serving.measurements():
        print(line, flush=True)

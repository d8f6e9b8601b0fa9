"""All measurements, one after the other, in one run so that ratios hold on a noisy machine."""

from __future__ import annotations

from benchmarks import pricing, serving

if __name__ == "__main__":
    for part in (pricing, serving):
        for line in part.measurements():
            print(line, flush=True)

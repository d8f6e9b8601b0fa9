"""All measurements, one after the other, in one run so that ratios hold on a noisy machine."""

from __future__ import annotations

from benchmarks import counting, loop, pricing, serving, sheets, throughput

if __name__ == "__main__":
    for room in (pricing, throughput, serving, sheets, counting, loop):
        for line in room.measurements():
            print(line, flush=True)

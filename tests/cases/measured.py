"""The collected measurements that are here: the sample, and the shipped file."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from hardware.accelerators.accelerator import shipped_accelerators
from hardware.architectures.architecture import shipped_architectures
from hardware.throughput.trust.measurement import Measurement
from hardware.throughput.trust.published import measurement_of

SAMPLE: Final = Path(__file__).parent / "data" / "throughput_sample.csv"
SHIPPED: Final = Path(__file__).parents[2] / "hardware" / "throughput" / "measurements"
FILES: Final = [SAMPLE, *sorted(SHIPPED.glob("*.csv.gz"))]

#: The peaks with which the collection's column was computed where they are not those of our table (its description, section 6).
_B200_GB_PER_S: Final = 7700.0
_RTX_PRO_TFLOPS: Final = {"fp8": 1008.0, "mxfp4w-fp8": 1008.0, "fp4": 2015.0, "nvfp4": 2015.0, "mxfp4": 2015.0}


def rows_of(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def measured(row: Mapping[str, str]) -> Measurement:
    return measurement_of(row, shipped_architectures(), shipped_accelerators())


def with_the_peaks_of_the_column(row: Mapping[str, str], value: Measurement) -> Measurement:
    if row["hardware"] == "b200-sxm":
        return replace(value, bandwidth_gb_per_s=_B200_GB_PER_S)
    if row["hardware"] == "rtx-pro-6000-server":
        return replace(value, peak_tflops=_RTX_PRO_TFLOPS.get(row["weight_precision"], 504.0))
    return value

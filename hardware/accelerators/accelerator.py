"""One accelerator: dense peaks, memory, links and power, each null where the format or the figure does not exist."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from economics.errors import PermillionError

TABLE: Final = Path(__file__).with_name("accelerators.csv")

AS_OF: Final = "2026-11-30"
"""The day the evidence of the table was collected."""

#: Column of the table for each arithmetic format. FP4 stands for NVFP4 and MXFP4 units alike.
_PEAK_COLUMNS: Final = {
    "fp16": "fp16_dense_tflops",
    "bf16": "bf16_dense_tflops",
    "fp8": "fp8_dense_tflops",
    "fp4": "fp4_dense_tflops",
    "int8": "int8_dense_tops",
}


@dataclass(frozen=True, slots=True)
class Accelerator:
    """What one device can do at most.

    Attributes:
        id: `h100-sxm`: one row per form factor, since PCIe, SXM and NVL of one name differ by up to 1.7 in bandwidth.
        memory_gb_marketed, memory_gib: as sold (10^9 or 2^30 bytes, vendors differ), and as the driver reports it in GiB;
            a fit test on the wrong unit is off by 7.4 %.
        bandwidth_gb_per_s: memory bandwidth in 10^9 bytes a second.
        dense_tflops: peak by format in 10^12 operations a second, dense, never "with sparsity"; a format the device has no
            units for is absent, never 0.
        tdp_w: thermal design power of the device, not of its share of a server.
        link_gb_per_s: scale-up link, 10^9 bytes a second per direction, summed over the links of the device.
        scale_up_domain: accelerators that reach each other over that link.
        confidence: `high` two sources agree, `medium` one source or a recalled sheet, `low` press or disputed.
        gaps: why a format or a figure is missing, by format (`fp8`) or field (`tdp_w`).
        not_for_cost: why no cost may be worked out with it, None where one may.
        as_of: the day the evidence was collected.

    Dense peak of an H100 SXM in BF16 is 989: NVIDIA prints 1,979, which is with sparsity.
    """

    id: str
    name: str
    vendor: str
    form_factor: str
    memory_gb_marketed: float | None
    memory_gib: float | None
    memory_type: str
    bandwidth_gb_per_s: float | None
    dense_tflops: Mapping[str, float]
    tdp_w: float | None
    link: str
    link_gb_per_s: float | None
    scale_up_domain: int | None
    released: str
    status: str
    confidence: str
    source: str
    notes: str
    gaps: Mapping[str, str] = field(default_factory=dict)
    not_for_cost: str | None = None
    as_of: str = AS_OF

    @property
    def memory_bytes(self) -> float | None:
        """Bytes of memory: what the driver reports, else the marketed figure as 10^9 bytes (the cautious reading)."""
        if self.memory_gib is not None:
            return self.memory_gib * 2**30
        return None if self.memory_gb_marketed is None else self.memory_gb_marketed * 1e9


def _accelerator(row: Mapping[str, str]) -> Accelerator:
    return Accelerator(
        id=row["id"],
        name=row["name"],
        vendor=row["vendor"],
        form_factor=row["form_factor"],
        memory_gb_marketed=_number(row["memory_gb_marketed"]),
        memory_gib=_number(row["memory_gib_reported"]),
        memory_type=row["memory_type"],
        bandwidth_gb_per_s=_scaled(row["memory_bw_tb_s"], 1e3),
        dense_tflops=MappingProxyType(
            {kind: float(row[column]) for kind, column in _PEAK_COLUMNS.items() if row[column]}
        ),
        tdp_w=_number(row["tdp_w"]),
        link=row["interconnect"],
        link_gb_per_s=_number(row["interconnect_gb_s_per_direction"]),
        scale_up_domain=int(row["scale_up_domain"]) if row["scale_up_domain"] else None,
        released=row["release_date"],
        status=row["status"],
        confidence=row["confidence"],
        source=row["source"],
        notes=row["notes"],
        gaps=MappingProxyType(dict(gap.split(": ", 1) for gap in row["gaps"].split("; ") if gap)),
        not_for_cost=row["not_for_cost"] or None,
    )


def _number(text: str) -> float | None:
    return float(text) if text else None


def _scaled(text: str, factor: float) -> float | None:
    return round(float(text) * factor, 6) if text else None


@cache
def shipped_accelerators() -> Mapping[str, Accelerator]:
    """The accelerators of this package by id."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return MappingProxyType({row["id"]: _accelerator(row) for row in csv.DictReader(lines)})


def shipped_accelerator(name: str) -> Accelerator:
    """One accelerator of this package.

    Raises:
        PermillionError: `unknown-accelerator`.

    >>> h100 = shipped_accelerator("h100-sxm")
    >>> h100.dense_tflops["bf16"], h100.bandwidth_gb_per_s, h100.link_gb_per_s
    (989.0, 3350.0, 450.0)
    """
    found = shipped_accelerators().get(name)
    if found is None:
        raise PermillionError("unknown-accelerator", "no such accelerator; GET /accelerators lists them")
    return found

"""`/accelerators`."""

from __future__ import annotations

from pydantic import Field

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, Wire, numeric_columns
from api.http.schemas.machines.fields import AsOf, Confidence, FigureIn, Note, Origin, RecordId, Source, WholeIn, Word


class AcceleratorIn(Wire):
    """What one device can do at most; dense peaks, links per direction, never totals of a pair, server or rack."""

    accelerator: RecordId = Field(description="its id, no shipped one")
    name: Word
    vendor: Word
    form_factor: Word = Field("unknown", description="PCIe, SXM and NVL of one name are different accelerators")
    memory_gib: FigureIn = Field(description="as the driver reports it, 2^30 bytes")
    memory_gb_marketed: FigureIn | None = None
    memory_type: Word = "unknown"
    memory_bandwidth_gb_per_s: FigureIn = Field(description="10^9 bytes a second")
    fp16_dense_tflops: FigureIn | None = Field(None, description="left out where there are no units for the format")
    bf16_dense_tflops: FigureIn | None = None
    fp8_dense_tflops: FigureIn | None = None
    fp4_dense_tflops: FigureIn | None = None
    int8_dense_tops: FigureIn | None = None
    tdp_w: FigureIn | None = Field(None, description="of the device alone")
    link: Word = "unknown"
    link_gb_per_s_per_direction: FigureIn | None = Field(None, description="summed over the links of the device")
    scale_up_domain: WholeIn | None = None
    not_for_cost: Word | None = Field(None, description="why no cost may be worked out with it")
    confidence: Confidence = "medium"
    as_of: AsOf
    source: Source
    note: Note = ""


class AcceleratorsRequest(Wire):
    """Accelerators of your own, all recorded or none."""

    rows: list[AcceleratorIn] = Field(min_length=1)


class AcceleratorOut(Answer):
    """One accelerator; `gaps` says why a figure is null."""

    accelerator: str
    name: str
    vendor: str
    form_factor: str
    memory_gib: DecimalOut | None
    memory_gb_marketed: DecimalOut | None
    memory_type: str
    memory_bandwidth_gb_per_s: DecimalOut | None
    fp16_dense_tflops: DecimalOut | None
    bf16_dense_tflops: DecimalOut | None
    fp8_dense_tflops: DecimalOut | None
    fp4_dense_tflops: DecimalOut | None
    int8_dense_tops: DecimalOut | None
    tdp_w: DecimalOut | None
    link: str
    link_gb_per_s_per_direction: DecimalOut | None
    scale_up_domain: int | None
    released: str
    status: str
    gaps: str
    not_for_cost: str | None
    confidence: str
    as_of: str
    source: str
    note: str
    origin: Origin
    recorded_at: str


class AcceleratorsAnswer(Answer):
    """Accelerators by id."""

    rows: list[AcceleratorOut]
    meta: Meta
    next: str | None


ACCELERATOR_NUMBERS = numeric_columns(AcceleratorOut)

"""Measurements as they are listed: those of the package, read from its file when asked for, and the tenant's own."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from api.services.machines.listing import Page
from catalog.reference import Hardware, Reference
from catalog.reference.kinds import MEASUREMENT, Measurement
from hardware.throughput.measurements.reading import SHIPPED
from hardware.throughput.measurements.row import engine_family

TERMS: Final[Mapping[str, str]] = {
    "MLPerf": "(c) MLCommons; used under its result-use rules; what is computed from it is not verified by MLCommons Association",
    "InferenceX": "results by SemiAnalysis, bundled by ai-dynamo/aiconfigurator under Apache-2.0; facts with attribution",
    "NVIDIA": "Apache-2.0; facts with attribution",
    "silybench": "facts with attribution",
    "publication": "facts with attribution; see source_ref",
}
"""Terms of the package's rows by the beginning of their source; NOTICE.md beside the file has them in full."""


@dataclass(frozen=True, slots=True)
class MeasurementFilter:
    """Which measurements: None is any."""

    architecture: str | None = None
    accelerator: str | None = None
    engine: str | None = None
    scenario: str | None = None

    def fits(self, cells: Mapping[str, str]) -> bool:
        """Whether the conditions of a row fit; an engine by any of its spellings."""
        return (
            self.architecture in (None, cells.get("arch_key"))
            and self.accelerator in (None, cells.get("hardware"))
            and self.scenario in (None, cells.get("scenario"))
            and (self.engine is None or engine_family(self.engine) == engine_family(cells.get("engine", "")))
        )


def list_measurements(hardware: Hardware, asked: MeasurementFilter, limit: int, after: str | None) -> Page:
    """A page of measurements by id; of shipped ones `recorded_at` is not known apart from the file's."""
    own = [(reference, record) for reference, record in hardware.shelf(MEASUREMENT).all() if asked.fits(record.cells)]
    shipped = (
        (None, Measurement(cells["row_id"], cells, cells["source"], cells["measured_date"] or None))
        for cells in shipped_cells()
        if asked.fits(cells)
    )
    rows: list[tuple[Reference | None, Measurement]] = [*own, *shipped]
    found = sorted((row for row in rows if after is None or row[1].id > after), key=lambda row: row[1].id)
    page = found[:limit]
    return Page(page, page[-1][1].id if len(found) > limit else None)


def shipped_cells() -> Iterator[dict[str, str]]:
    """The rows of the package's file, cell by cell: 0.2 s for all, and no memory kept."""
    with gzip.open(SHIPPED, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def terms_of(source: str) -> str | None:
    """Under which terms a row of the package may be used.

    >>> terms_of("NVIDIA TensorRT-LLM perf overview")
    'Apache-2.0; facts with attribution'
    """
    return next((terms for start, terms in TERMS.items() if source.startswith(start)), None)

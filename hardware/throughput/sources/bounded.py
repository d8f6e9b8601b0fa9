"""The bound of an imported row, and what is held against it before it is taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.accelerators.accelerator import shipped_accelerators
from hardware.architectures.architecture import shipped_architectures
from hardware.throughput.sources.imported import ImportedRow, RefusedEntryError, imported_row
from hardware.throughput.trust.assessment import assess
from hardware.throughput.trust.published import measurement_of


def with_bound(cells: Mapping[str, Any]) -> ImportedRow:
    """The row with its bound, its share of it and the parameters of its model.

    Raises:
        RefusedEntryError: if the row contradicts physics or itself: it is quarantined, not imported.
    """
    row = imported_row(cells)
    (answer,) = assess([measurement_of(row.cells, shipped_architectures(), shipped_accelerators())])
    fatal = [each.text for each in answer.findings if each.ceiling == "F"]
    if fatal:
        raise RefusedEntryError("quarantined: " + "; ".join(fatal))
    filled: dict[str, Any] = dict(cells)
    architecture = answer.measured.conditions.architecture
    if architecture is not None:
        filled["params_total_b"] = round(architecture.total_params / 1e9, 2)
        filled["params_active_b"] = round(architecture.active_params / 1e9, 2)
    ceilings = answer.ceilings
    if ceilings.strict is not None and ceilings.roofline_ratio is not None:
        filled["bound_output_tok_s_per_gpu"] = float(f"{ceilings.strict.tokens_per_s:.5g}")
        filled["roofline_fraction"] = float(f"{ceilings.roofline_ratio:.4g}")
    return imported_row(filled)

"""Scores of a file as text and as rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from economics.errors import PermillionError
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.estimating.residuals.learned import Learned
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.scoring.figures import Figures, figures_of
from hardware.throughput.scoring.scoring import Outcome, outcomes
from hardware.throughput.scoring.selecting import ROW_SCENARIOS, SWEEP_SCENARIOS

SCENARIOS: Final = (*ROW_SCENARIOS[:3], *SWEEP_SCENARIOS, *ROW_SCENARIOS[3:])
PASSES: Final = ("anchored", "physics")


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of a scenario in one pass."""

    passed: str
    figures: Figures


def score(
    rows: Sequence[MeasuredRow], learned: Learned, stored: Sequence[MeasuredRow] | None = None
) -> dict[str, list[Outcome]]:
    """Outcomes of both passes: `anchored` with stored measured rows (the shipped ones where left out), `physics` without any."""
    anchors = shipped_measurements() if stored is None else stored
    return {
        "anchored": outcomes(PermillionEstimator(learned, anchors), rows, SCENARIOS),
        "physics": outcomes(PermillionEstimator(learned), rows, SCENARIOS),
    }


def scores(found: dict[str, list[Outcome]]) -> list[Score]:
    """Figures of every scenario that has a measured row, both passes side by side."""
    return [
        Score(passed, figures)
        for scenario in SCENARIOS
        for passed in PASSES
        if (figures := figures_of(scenario, found[passed])) is not None
    ]


HEADER: Final = (
    f"{'scenario':25}{'pass':9}{'rows':>6}{'votes':>6}{'refused':>8}{'anchored':>9}{'error':>8}{'bias':>8}{'within':>7}"
    f"{'covered':>8}   by row"
)


def lines(found: Sequence[Score]) -> Iterator[str]:
    """The table: medians over votes (cells in MLPerf and Poisson, sweeps at a limit, else rows), coverage over rows."""
    yield HEADER
    for each in found:
        f = each.figures
        by_row = "" if f.votes == f.rows else f"{f.row_median_error:.1%} {f.row_bias:+.1%} {f.row_within:.0%}"
        yield (
            f"{f.scenario:25}{each.passed:9}{f.rows:6}{f.votes:6}{f.refused:8}{f.anchored:9}{f.median_error:8.1%}{f.bias:+8.1%}"
            f"{f.within:7.0%}{f.coverage:8.0%}   {by_row}"
        ).rstrip()


def write_rows(found: dict[str, list[Outcome]], path: Path) -> None:
    """One line per estimate, those without a measured value too.

    Raises:
        PermillionError: `unreadable-file` where the file cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(("row_id", "scenario", "pass", "method", "estimate", "low", "high"))
            for passed in PASSES:
                for each in found[passed]:
                    figures = (
                        "" if figure is None else f"{figure:.6g}" for figure in (each.estimate, each.low, each.high)
                    )
                    table.writerow((each.row_id, each.scenario, passed, each.method, *figures))
    except OSError:
        raise PermillionError("unreadable-file", f"{path.name} cannot be written") from None

"""One fit: constants, residuals, and bands from folds that a fit has not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.estimating.points import kind_of
from hardware.throughput.estimating.residuals.bands import UNIT, Band, band_of
from hardware.throughput.estimating.residuals.kinship import COVERED
from hardware.throughput.estimating.residuals.learned import Learned
from hardware.throughput.fitting.constants_fit import fit_constants
from hardware.throughput.fitting.examples import examples_of
from hardware.throughput.fitting.residuals_fit import fit_forest, fit_kernels
from hardware.throughput.fitting.splitting import sides
from hardware.throughput.measurements.counting import counting
from hardware.throughput.measurements.joins import joined_groups
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.physics.constants import Constants
from hardware.throughput.scoring.figures import figures_of
from hardware.throughput.scoring.scoring import Outcome, outcomes
from hardware.throughput.scoring.selecting import BY_CELL, ROW_SCENARIOS, SWEEP_SCENARIOS

FOLDS = 10
SCENARIOS = (*ROW_SCENARIOS, *SWEEP_SCENARIOS)
#: Scenarios whose bands are one: both are the most that p99 limits allow.
POOLED = {"mlperf_server": "mlperf_served", "mlperf_interactive": "mlperf_served"}
#: Scenarios whose residuals, of rows that the fit had not seen, anchor a quantity. In closed loops the trees have learned all that
#: the rows of a fit can say of their neighbors: adding their residuals again made estimates of unseen groups worse (5.1 against 4.6 %),
#: and so did kernels for MLPerf interactive (15.0 against 10.3 %).
RESIDUALS = {
    "offline_max": "throughput",
    "static_batch": "throughput",
}


def learn(rows: Sequence[MeasuredRow], constants: Constants | None = None) -> Learned:
    """Constants and residuals of rows, without bands."""
    start = Constants()
    if constants is None:
        constants = fit_constants(examples_of(rows, start), start)
    examples = examples_of(rows, constants)
    return Learned(
        constants=constants,
        forest=fit_forest(examples, constants),
        kernels=fit_kernels(examples, constants),
        bands={f"{passed}.{name}": UNIT for passed in ("physics", "anchored") for name in _BANDED},
        accelerators=frozenset(
            f"{COVERED[kind_of(plan)]}:{row.hardware}"
            for each in examples.values()
            for row, plan in zip(each.rows, each.plans, strict=True)
        ),
        fitted_rows=frozenset(row.row_id for each in examples.values() for row in each.rows),
        residuals={},
        about={},
    )


def fit(rows: Sequence[MeasuredRow], about: dict[str, Any]) -> Learned:
    """A fit of all rows that count, with bands and anchors' residuals from folds by joined group."""
    counted = counting(rows)
    whole = learn(counted)
    folds = sides(counted, FOLDS, "fold ")
    of_folds = []
    for number in range(FOLDS):
        kept = [row for row, fold in zip(counted, folds, strict=True) if fold != number]
        asked = [row for row, fold in zip(counted, folds, strict=True) if fold == number]
        of_folds.append((learn(kept, whole.constants), kept, asked))
    unseen = [
        outcome for part, _, asked in of_folds for outcome in outcomes(PermillionEstimator(part), asked, SCENARIOS)
    ]
    residuals = residuals_of(unseen)
    anchored = [
        outcome
        for part, kept, asked in of_folds
        for outcome in outcomes(PermillionEstimator(replace(part, residuals=residuals), kept), asked, SCENARIOS)
    ]
    bands = {f"physics.{name}": band for name, band in bands_of(unseen).items()}
    bands |= {f"anchored.{name}": band for name, band in bands_of(anchored).items()}
    report = {"physics": _report(unseen), "anchored": _report(anchored)}
    return replace(
        whole,
        bands=bands,
        residuals=residuals,
        about=about
        | {"rows": len(counted), "groups": len(set(joined_groups(counted))), "folds": FOLDS, "unseen": report},
    )


def _report(unseen: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Figures of rows that each fold's fit had not seen, rounded for reading."""
    return {
        scenario: {
            name: round(figure, 4)
            for name, figure in asdict(figures).items()
            # The folds' bands are not yet calibrated.
            if not isinstance(figure, str) and name != "coverage"
        }
        for scenario in SCENARIOS
        if (figures := figures_of(scenario, unseen)) is not None
    }


def residuals_of(unseen: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """By quantity and row, ln(measured/estimate) of estimates that had not seen the row's group."""
    found: dict[str, dict[str, float]] = {"throughput": {}}
    for each in unseen:
        quantity = RESIDUALS.get(each.scenario)
        if quantity and each.estimate and each.measured:
            found[quantity][each.row_id] = math.log(each.measured / each.estimate)
    return found


def bands_of(unseen: Sequence[Outcome]) -> dict[str, Band]:
    """The band of each scenario: quantiles of errors in units of each estimate's own scale, by cell where cells vote."""
    scores: dict[str, list[float]] = {}
    cells: dict[str, list[str]] = {}
    for each in unseen:
        if each.estimate and each.measured and each.high and each.high > each.estimate:
            name = POOLED.get(each.scenario, each.scenario)
            scores.setdefault(name, []).append(
                math.log(each.measured / each.estimate) / math.log(each.high / each.estimate)
            )
            cells.setdefault(name, []).append(each.cell if each.scenario in BY_CELL else each.row_id)
    return {name: band_of(each, cells[name]) for name, each in scores.items()}


_BANDED = {POOLED.get(name, name) for name in SCENARIOS}

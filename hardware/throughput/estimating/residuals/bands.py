"""80 % bands: how far measurements of rows that a fit had not seen lay from its estimates."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hardware.throughput.estimating.residuals.kinship import Kinship
from hardware.throughput.question import Range

#: Least standard deviation of a log-estimate: the same configuration under the same engine version, measured again.
NOISE = 0.02
#: Factor on the logarithm of a band for an accelerator that was not measured, and what is added for one without kin.
KIN = 2.0
UNSEEN = 0.1
#: Until a scenario has that many rows or cells of its own, its band reaches to the uncalibrated one at least.
FEW = 10


@dataclass(frozen=True, slots=True)
class Band:
    """Quantiles of (ln measured − ln estimate) / scale over rows that the fit had not seen.

    Attributes:
        low, high: the 10 % and 90 % quantiles.
        rows: how many rows they come from.
    """

    low: float
    high: float
    rows: int


#: Where nothing was calibrated: half to double of a typical scale.
UNCALIBRATED = Band(-3.0, 3.0, 0)
#: Used while calibrating: the band is the scale itself.
UNIT = Band(-1.0, 1.0, 0)


def scale_of(spread: float, kinship: Kinship) -> float:
    """Scale of a log-error: noise and half of what the trees disagree by; doubled for kin, wide for an unseen accelerator."""
    scale = NOISE + 0.5 * spread
    if kinship == "seen":
        return scale
    return KIN * scale if kinship == "kin" else KIN * scale + UNSEEN


def around(value: float, band: Band, scale: float) -> Range:
    """The estimate with its band, which always holds the value itself.

    >>> found = around(100.0, Band(-1.0, 2.0, 50), 0.1)
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (100.0, 90.48, 122.14)
    """
    return Range(value, value * math.exp(min(band.low * scale, 0.0)), value * math.exp(max(band.high * scale, 0.0)))


def band_of(scores: Sequence[float], cells: Sequence[str] | None = None) -> Band:
    """The band that holds 80 % of such scores: conformal quantiles, the (n + 1)·0.1-th score from either end.

    Where scores come from cells that stand or fall together, n counts cells and each cell weighs as one: a new row is of a new cell.

    >>> band_of([float(score) for score in range(-9, 10)])
    Band(low=-8.0, high=8.0, rows=19)
    >>> band_of([*map(float, range(-9, 10)), *[9.0] * 10], [*map(str, range(19)), *["18"] * 10])
    Band(low=-8.0, high=8.0, rows=29)
    """
    names = list(cells) if cells is not None else [str(number) for number in range(len(scores))]
    sizes = Counter(names)
    if len(sizes) < FEW:
        return Band(min([*scores, UNCALIBRATED.low]), max([*scores, UNCALIBRATED.high]), len(scores))
    place = (len(sizes) + 1) * 0.1 - 0.5
    weighted = [(score, 1.0 / sizes[name]) for score, name in zip(scores, names, strict=True)]
    return Band(_quantile(weighted, place), _quantile(weighted, len(sizes) - place), len(scores))


def _quantile(weighted: Sequence[tuple[float, float]], place: float) -> float:
    """The score at a place on the axis of weights, each score standing in the middle of its own, linear between."""
    ordered = sorted(weighted)
    middles, total = [], 0.0
    for _, weight in ordered:
        middles.append(total + weight / 2.0)
        total += weight
    number = bisect_left(middles, place - 1e-9)
    if number == 0 or number == len(middles):
        return ordered[min(number, len(middles) - 1)][0]
    share = (place - middles[number - 1]) / (middles[number] - middles[number - 1])
    return ordered[number - 1][0] + min(max(share, 0.0), 1.0) * (ordered[number][0] - ordered[number - 1][0])

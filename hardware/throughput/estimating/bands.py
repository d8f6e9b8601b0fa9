"""80 % bands: how far measurements of rows that a fit had not seen lay from its estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hardware.throughput.estimating.kinship import Kinship
from hardware.throughput.question import Range

#: Least standard deviation of a log-estimate: the same configuration under the same engine version, measured again.
NOISE = 0.02
#: Factor on the logarithm of a band for an accelerator that was not measured, and what is added for one without kin.
KIN = 2.0
UNSEEN = 0.1
#: Until a scenario has that many rows of its own, its band is widened towards this half-width of the logarithm.
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


def band_of(scores: Sequence[float]) -> Band:
    """The band that holds 80 % of such scores: conformal quantiles, (n + 1)·0.1 from either end.

    >>> band_of([float(score) for score in range(-9, 10)])
    Band(low=-8.0, high=8.0, rows=19)
    """
    ordered = sorted(scores)
    count = len(ordered)
    if count < FEW:
        return Band(min([*ordered, UNCALIBRATED.low]), max([*ordered, UNCALIBRATED.high]), count)
    place = (count + 1) * 0.1 - 1.0
    return Band(_at(ordered, place), _at(ordered, count - 1 - place), count)


def _at(ordered: Sequence[float], place: float) -> float:
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])

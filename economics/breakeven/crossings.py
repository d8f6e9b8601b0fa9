"""Every volume at which the cheaper side changes, in closed form for each step of a replica.

Within a step of k replicas both sides are straight lines: with `D_k(q) = A(q) − H_k(q) = (a − v)·q − (F_H − F_A) − k·C`
the crossing is `q* = (F_H − F_A + k·C) / (a − v)` if it lies in the step; at the end of a step H jumps by C, which can
change the cheaper side back. So there can be several crossings, and the last one is the one that a single
`fixed / (price − variable)` does not show (`users.md` §2: "check capacity steps").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Final, Literal

from economics.breakeven.sides import SteppedSide, UseSide
from economics.errors import PermillionError
from economics.money import Exact

MAX_STEPS: Final = 2_000
Cheaper = Literal["use", "stepped", "equal"]
Kind = Literal["within_step", "at_step", "touch", "capacity"]


@dataclass(frozen=True, slots=True)
class Step:
    """Volumes above `volume_from` up to and with `volume_to` that so many replicas hold, and what both sides cost there."""

    replicas: int
    volume_from: Exact
    volume_to: Exact
    stepped_cost_from: Exact
    stepped_cost_to: Exact
    use_cost_from: Exact
    use_cost_to: Exact


@dataclass(frozen=True, slots=True)
class Interval:
    """Volumes between which one side is cheaper throughout; `possible` is False beyond what the replicas can hold."""

    volume_from: Exact
    volume_to: Exact
    cheaper: Cheaper
    possible: bool = True


@dataclass(frozen=True, slots=True)
class Crossing:
    """A volume at which the cheaper side changes, or (`touch`) both cost the same and it does not.

    Attributes:
        kind: `within_step` costs are equal there; `at_step` the next replica makes the jump, just above the volume; `capacity`
            above it the replicas hold no more.
        stepped_cost, stepped_cost_above: at the volume, and just above it; None where there is no above.
        first_whole_volume: the least whole volume above at which `after` is the cheaper one; None where there is none before
            the next change.
    """

    volume: Exact
    kind: Kind
    before: Cheaper
    after: Cheaper
    replicas: int
    use_cost: Exact
    stepped_cost: Exact
    stepped_cost_above: Exact | None
    first_whole_volume: int | None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Curve, intervals and crossings over a range of volumes."""

    steps: tuple[Step, ...]
    intervals: tuple[Interval, ...]
    crossings: tuple[Crossing, ...]


def count_steps(side: SteppedSide, low: Exact, high: Exact) -> int:
    """Steps of a replica in the range, without working any of them out."""
    first, last = _first_replicas(side, _fraction(low)), side.replicas(_within(side, high))
    return max(last - first + 1, 0)


def break_even(use: UseSide, side: SteppedSide, low: Exact, high: Exact) -> BreakEven:
    """Both sides over volumes above `low` up to and with `high`.

    Raises:
        PermillionError: `invalid-fields` for an empty range, or one with more than `MAX_STEPS` steps.

    0.01 a query against 9,000 a replica of a million queries: one replica pays above 900,000 and until the second one is
    needed at a million; two pay above 1,800,000.

    >>> d = lambda text: Exact(Decimal(text))
    >>> found = break_even(UseSide(d("0.01")), SteppedSide(cost_per_replica=d(9000), capacity=d(1_000_000)), d(0), d(2_000_000))
    >>> [(crossing.volume.to_text(), crossing.kind, crossing.after) for crossing in found.crossings]
    [('900000', 'within_step', 'stepped'), ('1000000', 'at_step', 'use'), ('1800000', 'within_step', 'stepped')]
    >>> [interval.cheaper for interval in found.intervals]
    ['use', 'stepped', 'use', 'stepped']
    """
    if not low < high:
        raise PermillionError("invalid-fields", "volume_to is above volume_from", pointer="/volume_to_per_month")
    steps = count_steps(side, low, high)
    if steps > MAX_STEPS:
        raise PermillionError(
            "invalid-fields",
            f"the range has more steps of a replica than {MAX_STEPS}: narrow it, or take larger replicas",
            pointer="/volume_to_per_month",
        )
    lines = _Lines.of(use, side, low, high)
    first = _first_replicas(side, lines.low)
    pieces = [lines.piece(replicas, replicas <= side.minimum_replicas) for replicas in range(first, first + steps)]
    segments = [segment for piece in pieces for segment in piece.segments()]
    end = _within(side, high)
    return BreakEven(
        tuple(piece.step(use, side) for piece in pieces),
        tuple(_intervals(segments, low, end, high)),
        tuple(_crossings(segments, use, side, high)),
    )


@dataclass(frozen=True, slots=True)
class _Segment:
    """An open interval without a change; `equal_at_end` where both sides cost the same at its upper end."""

    low: Fraction
    high: Fraction
    replicas: int
    sign: int
    equal_at_end: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    """One step: `D(q) = slope · q − offset` over (low, high]."""

    low: Fraction
    high: Fraction
    replicas: int
    slope: Fraction
    offset: Fraction

    def segments(self) -> list[_Segment]:
        start, end = self.slope * self.low - self.offset, self.slope * self.high - self.offset
        if start * end < 0:
            zero = self.offset / self.slope
            return [
                _Segment(self.low, zero, self.replicas, _sign(start), True),
                _Segment(zero, self.high, self.replicas, _sign(end), False),
            ]
        return [_Segment(self.low, self.high, self.replicas, _sign(start) or _sign(end), not end)]

    def step(self, use: UseSide, side: SteppedSide) -> Step:
        low, high = _exact(self.low), _exact(self.high)
        costs = (side.cost_with(self.replicas, low), side.cost_with(self.replicas, high), use.cost(low), use.cost(high))
        return Step(self.replicas, low, high, *costs)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The terms of `D_k(q) = slope · q − (fixed + replica · k)` and the range, as fractions, once for all steps."""

    capacity: Fraction
    slope: Fraction
    fixed: Fraction
    replica: Fraction
    low: Fraction
    high: Fraction

    @staticmethod
    def of(use: UseSide, side: SteppedSide, low: Exact, high: Exact) -> _Lines:
        return _Lines(
            _fraction(side.capacity),
            _fraction(use.price - side.variable),
            _fraction(side.fixed_per_month - use.fixed_per_month),
            _fraction(side.cost_per_replica),
            _fraction(low),
            _fraction(high),
        )

    def piece(self, replicas: int, first: bool) -> _Piece:
        """The step of so many replicas, as far as it lies in the range; the first one begins at 0."""
        start = self.low if first else max(self.low, self.capacity * (replicas - 1))
        end = min(self.high, self.capacity * replicas)
        return _Piece(start, end, replicas, self.slope, self.fixed + self.replica * replicas)


def _intervals(segments: list[_Segment], low: Exact, end: Exact, high: Exact) -> list[Interval]:
    found: list[Interval] = []
    for segment in segments:
        cheaper = _CHEAPER[segment.sign]
        if found and found[-1].cheaper == cheaper:
            found[-1] = Interval(found[-1].volume_from, _exact(segment.high), cheaper)
        else:
            found.append(Interval(_exact(segment.low), _exact(segment.high), cheaper))
    if end < high:
        found.append(Interval(max(end, low), high, "use", possible=False))
    return found


def _crossings(segments: list[_Segment], use: UseSide, side: SteppedSide, high: Exact) -> list[Crossing]:
    found: list[Crossing] = []
    for index, segment in enumerate(segments, 1):
        after = segments[index] if index < len(segments) else None
        volume = _exact(segment.high)
        sign = segment.sign if after is None else after.sign
        if after is None and volume < high and (segment.sign >= 0 or segment.equal_at_end):
            kind: Kind = "capacity"
            sign = -1
        elif sign != segment.sign:
            kind = "within_step" if after is not None and after.replicas == segment.replicas else "at_step"
        elif segment.equal_at_end and sign:
            kind = "touch"
        else:
            continue
        found.append(
            Crossing(
                volume=volume,
                kind=kind,
                before=_CHEAPER[segment.sign],
                after=_CHEAPER[sign],
                replicas=segment.replicas,
                use_cost=use.cost(volume),
                stepped_cost=side.cost_with(segment.replicas, volume),
                stepped_cost_above=None if after is None else side.cost_with(after.replicas, volume),
                first_whole_volume=None,
            )
        )
    changes = [crossing for crossing in found if crossing.kind != "touch"]
    whole = {
        id(crossing): _first_whole(crossing, following, high)
        for crossing, following in zip(changes, [*changes[1:], None], strict=False)
    }
    return [replace(crossing, first_whole_volume=whole.get(id(crossing))) for crossing in found]


def _first_whole(crossing: Crossing, following: Crossing | None, high: Exact) -> int | None:
    """The least whole volume above the crossing at which nothing has changed yet; where lines cross the costs are equal."""
    first = floor(_fraction(crossing.volume)) + 1
    end = _fraction(high if following is None else following.volume)
    unchanged = first < end or (first == end and (following is None or following.kind != "within_step"))
    return first if unchanged else None


_CHEAPER: Final[dict[int, Cheaper]] = {-1: "use", 0: "equal", 1: "stepped"}


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _fraction(value: Exact) -> Fraction:
    return Fraction(value.numerator) / Fraction(value.denominator)


def _exact(value: Fraction) -> Exact:
    return Exact(Decimal(value.numerator), Decimal(value.denominator))


def _within(side: SteppedSide, volume: Exact) -> Exact:
    return volume if side.most is None else min(volume, side.most)


def _first_replicas(side: SteppedSide, low: Fraction) -> int:
    """Just above `low`."""
    return max(side.minimum_replicas, floor(low / _fraction(side.capacity)) + 1)

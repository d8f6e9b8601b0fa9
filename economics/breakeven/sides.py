"""The two sides of a break-even: one paid by use, one paid in whole replicas (or whole systems that are owned).

    by use:   A(q) = fixed + price · q
    stepped:  H(q) = fixed + replicas(q) · cost + variable · q       replicas(q) = max(minimum, ceil(q / capacity))

q is a volume a month: queries, or accelerator-hours where renting is set against owning.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Final

from economics.money import ZERO, Exact
from economics.ownership.profile import refused

MAX_REPLICAS: Final = 10_000_000
_NONE: Final = Exact(ZERO)


@dataclass(frozen=True, slots=True)
class UseSide:
    """Paid by use: an API, or hours that are rented only while they are used."""

    price: Exact
    fixed_per_month: Exact = _NONE

    def cost(self, volume: Exact) -> Exact:
        """Of a month at `volume`."""
        return self.fixed_per_month + self.price * volume


@dataclass(frozen=True, slots=True, kw_only=True)
class SteppedSide:
    """Paid in whole replicas.

    Attributes:
        cost_per_replica: a month, busy or not.
        capacity: volume a month that one replica holds, at the utilization that is usable.
        minimum_replicas: kept even when nothing is asked.
        maximum_replicas: None: as many as are needed.
        variable: a unit of volume, such as energy or traffic.
    """

    cost_per_replica: Exact
    capacity: Exact
    minimum_replicas: int = 1
    maximum_replicas: int | None = None
    fixed_per_month: Exact = _NONE
    variable: Exact = _NONE

    def __post_init__(self) -> None:
        """Refuse what holds nothing.

        Raises:
            PermillionError: `invalid-fields`.
        """
        if self.capacity == _NONE or self.capacity < _NONE:
            raise refused("capacity", "of a replica is above 0")
        if self.maximum_replicas is not None and self.maximum_replicas < max(self.minimum_replicas, 1):
            raise refused("maximum_replicas", "is at least minimum_replicas, and 1")
        if max(self.minimum_replicas, self.maximum_replicas or 0) > MAX_REPLICAS:
            raise refused("minimum_replicas", f"and maximum_replicas are at most {MAX_REPLICAS}")

    @property
    def most(self) -> Exact | None:
        """The largest volume that it can hold; None: no limit."""
        return None if self.maximum_replicas is None else self.capacity * Decimal(self.maximum_replicas)

    def replicas(self, volume: Exact) -> int:
        """Whole replicas that hold `volume`.

        >>> side = SteppedSide(cost_per_replica=Exact(Decimal(9000)), capacity=Exact(Decimal(1000)))
        >>> [side.replicas(Exact(Decimal(volume))) for volume in (0, 1, 1000, 1001)]
        [1, 1, 1, 2]
        """
        ratio = volume / self.capacity
        return max(self.minimum_replicas, ceil(Fraction(ratio.numerator) / Fraction(ratio.denominator)))

    def cost_with(self, replicas: int, volume: Exact) -> Exact:
        """Of a month at `volume` with so many replicas."""
        return self.fixed_per_month + self.cost_per_replica * Decimal(replicas) + self.variable * volume

    def cost(self, volume: Exact) -> Exact:
        """Of a month at `volume` with the replicas it needs.

        >>> side = SteppedSide(cost_per_replica=Exact(Decimal(9000)), capacity=Exact(Decimal(1000)), minimum_replicas=2)
        >>> side.cost(Exact(Decimal(10))).to_decimal(), side.cost(Exact(Decimal(2500))).to_decimal()
        (Decimal('18000'), Decimal('27000'))
        """
        return self.cost_with(self.replicas(volume), volume)

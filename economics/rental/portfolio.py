"""Several rentals together: a fleet is bought on demand, reserved and spot at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from economics.money import Exact
from economics.ownership.precision import sum_of


@dataclass(frozen=True, slots=True)
class RentedTotal:
    """Rentals in one currency.

    Attributes:
        total: machines and extras a month.
        machine_cost: machines alone.
        accelerator_hours: paid for a month.
    """

    total: Exact
    machine_cost: Exact
    accelerator_hours: Exact

    @property
    def per_billed_accelerator_hour(self) -> Exact | None:
        """Machines over what is paid for: the mean price, weighted by hours; None where nothing is.

        Half of 16,000 at 12.29, 0.3 at 7.20, 0.2 at 5.40 (T25):

        >>> from decimal import Decimal as D
        >>> parts = [(D(8000), D("12.29")), (D(4800), D("7.2")), (D(3200), D("5.4"))]
        >>> costs = [Exact(price) * count for count, price in parts]
        >>> whole = together([RentedTotal(cost, cost, Exact(part[0])) for cost, part in zip(costs, parts, strict=True)])
        >>> whole.per_billed_accelerator_hour.to_decimal()
        Decimal('9.385')
        """
        return self.machine_cost / self.accelerator_hours if self.accelerator_hours else None


def together(parts: Sequence[RentedTotal]) -> RentedTotal:
    """Their sums."""
    return RentedTotal(
        sum_of(part.total for part in parts),
        sum_of(part.machine_cost for part in parts),
        sum_of(part.accelerator_hours for part in parts),
    )

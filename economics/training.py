"""What a training run costs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from economics.money import Exact


@dataclass(frozen=True, slots=True)
class TrainingCost:
    """Money of a run; None where a price or a count is not known.

    Attributes:
        accelerators: hours × price. `per_mtok`: by million tokens trained.
        energy: kWh × tariff, beside the former: rent has energy in it already, an owner's hourly cost may not.
    """

    accelerators: Exact | None
    per_mtok: Exact | None
    energy: Exact | None


def training_cost(
    accelerator_hours: Exact,
    price_per_hour: Exact | None,
    tokens: Exact | None,
    energy_kwh: Exact | None,
    price_per_kwh: Exact | None,
) -> TrainingCost:
    """`accelerator-hours · price`; every accelerator is paid for every hour, goodput or not.

    Worked number (DeepSeek-V3 technical report): 2.788 million H800 hours at 2 USD are 5,576,000 USD.

    >>> from economics.money import exact
    >>> training_cost(exact(2_788_000), exact(2), None, None, None).accelerators.to_text()
    '5576000'
    """
    cost = None if price_per_hour is None else accelerator_hours * price_per_hour
    per_mtok = cost * Decimal(1_000_000) / tokens if cost is not None and tokens is not None else None
    energy = None if energy_kwh is None or price_per_kwh is None else energy_kwh * price_per_kwh
    return TrainingCost(cost, per_mtok, energy)

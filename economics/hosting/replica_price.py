"""What an hour of one replica costs, accelerators of its instances that stay unused included."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from economics.errors import PermillionError
from economics.money import Exact

SECONDS_PER_HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class ReplicaPrice:
    """The price of one replica-hour.

    A replica is the unit that is rented and scaled: all accelerators that must be there for the stated throughput.

    Attributes:
        per_hour: of a replica alone, unused accelerators of its instances included.
        accelerators: that serve.
        paid_accelerators: that are on the bill.
        in_an_instance: replicas that fit into one instance: several share its price, one alone pays all of it.
    """

    per_hour: Exact
    accelerators: int
    paid_accelerators: int
    in_an_instance: int = 1

    @property
    def per_second(self) -> Exact:
        """`per_hour / 3600`."""
        return self.per_hour / SECONDS_PER_HOUR

    @property
    def per_accelerator_hour(self) -> Exact:
        """Per accelerator that serves: above the list price where some stay unused."""
        return self.per_hour / Decimal(self.accelerators)


def price_of_accelerators(
    per_accelerator_hour: Exact, accelerators: int, sold_in_sets_of: int | None = None
) -> ReplicaPrice:
    """`per_accelerator_hour · ⌈accelerators / set⌉ · set`.

    Args:
        per_accelerator_hour: above 0.
        accelerators: of the replica, 1 or more.
        sold_in_sets_of: accelerators of the instance they are in, None where each is rented alone.

    Raises:
        PermillionError: `invalid-fields` for a price or a count that is not above 0.

    Worked number (AWS, p5en, 2026): 5 of the 8 accelerators of a p5en at 7.912 each cost 8 · 7.912 = 63.296 an
    hour, 12.6592 per accelerator that serves.

    >>> from economics.money import exact
    >>> price = price_of_accelerators(exact(Decimal("7.912")), 5, 8)
    >>> price.per_hour.to_text(), price.per_accelerator_hour.to_text(), price.paid_accelerators
    ('63.296', '12.6592', 8)
    """
    if not Exact(Decimal(0)) < per_accelerator_hour:
        raise PermillionError("invalid-fields", "an hourly price is above 0: an unknown one is left out, never 0")
    sold = sold_in_sets_of or 1
    if accelerators < 1 or sold < 1:
        raise PermillionError("invalid-fields", "a replica has 1 accelerator or more", pointer="/accelerator_count")
    paid = -(-accelerators // sold) * sold
    return ReplicaPrice(per_accelerator_hour * Decimal(paid), accelerators, paid, max(sold // accelerators, 1))


def price_of_instances(per_instance_hour: Exact, instance_accelerators: int, accelerators: int) -> ReplicaPrice:
    """The same from the price of a whole instance of `instance_accelerators`.

    >>> from economics.money import exact
    >>> price_of_instances(exact(Decimal("55.04")), 8, 8).per_accelerator_hour.to_text()
    '6.88'
    """
    if instance_accelerators < 1:
        raise PermillionError("invalid-fields", "an instance has 1 accelerator or more")
    return price_of_accelerators(
        per_instance_hour / Decimal(instance_accelerators), accelerators, instance_accelerators
    )

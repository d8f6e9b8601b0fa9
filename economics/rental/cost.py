"""The bill of a rental over a month, line by line, and what an hour of use comes to.

    billed cost = whole units · billed hours · price           (a commitment: all hours of the month, used or not)
    per busy hour = total / (accelerators used · hours of work)
    per used hour = per busy hour / (availability · utilization)

Using 5 of 8 accelerators pays 8: p5en at 7.91 an accelerator becomes 12.66 (`hardware.md` §6, 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from economics.money import ZERO, Exact, multiply
from economics.ownership.precision import sum_of
from economics.ownership.profile import refused
from economics.ownership.sanity import price_warning
from economics.rental.billing import accelerators_per_unit, billed_hours, busy_hours, units_billed
from economics.rental.commitment import commitment_of, implied_price
from economics.rental.extras import addresses_per_month, egress_per_month, storage_per_month
from economics.rental.figures import simple_cost_per_mtok
from economics.rental.spot import spot_price
from economics.rental.terms import RentalTerms


@dataclass(frozen=True, slots=True)
class RentalCost:
    """A month's bill.

    Attributes:
        units: whole units that are billed while something runs; `committed_units` are paid all month.
        machine: lines of the machines by name, those that belong to the way of buying; `discount` negative.
        extras: lines of what comes on top by name, None where not stated.
        tax: where the price is without and the rate is stated.
    """

    terms: RentalTerms
    units: int
    billed_hours: Exact
    busy_hours: Exact
    machine: Mapping[str, Exact]
    extras: Mapping[str, Exact | None]
    tax: Exact | None

    @property
    def machine_cost(self) -> Exact:
        """All lines of the machines."""
        return sum_of(self.machine.values())

    @property
    def total(self) -> Exact:
        """Machines and extras, as listed: with tax only where the prices include it."""
        return self.machine_cost + sum_of(self.extras.values())

    @property
    def total_with_tax(self) -> Exact | None:
        """Total and tax; None where it is not said whether the prices include it, or at which rate it comes on top."""
        if self.terms.tax_included:
            return self.total
        return None if self.tax is None else self.total + self.tax

    @property
    def accelerators_billed(self) -> Exact:
        """In the units that are billed: on demand those that are needed, of a commitment at least those committed."""
        units = max(self.units, self.terms.committed_units or 0)
        per_unit = accelerators_per_unit(self.terms)
        return Exact(Decimal(units * per_unit.numerator), Decimal(per_unit.denominator))

    @property
    def accelerator_hours_billed(self) -> Exact:
        """A month: of a commitment all hours, of what exceeds it and of all else the billed ones."""
        per_unit = accelerators_per_unit(self.terms)
        committed = self.terms.committed_units or 0
        extra = max(self.units - committed, 0)
        unit_hours = Exact(self.terms.hours_per_month) * Decimal(committed) + self.billed_hours * Decimal(extra)
        return unit_hours * Decimal(per_unit.numerator) / Decimal(per_unit.denominator)

    @property
    def per_billed_accelerator_hour(self) -> Exact | None:
        """Cost of the machines over accelerator-hours paid for; None where nothing is billed."""
        hours = self.accelerator_hours_billed
        return self.machine_cost / hours if hours else None

    @property
    def per_busy_accelerator_hour(self) -> Exact | None:
        """Total over the hours that accelerators are asked to work; None where none is."""
        hours = self.busy_hours * Decimal(self.terms.accelerators_used)
        return self.total / hours if hours else None

    @property
    def per_used_accelerator_hour(self) -> Exact | None:
        """Over the hours that do paid work; None where none is, or availability or utilization is not stated."""
        busy, terms = self.per_busy_accelerator_hour, self.terms
        if busy is None or terms.availability_ratio is None or terms.utilization_ratio is None:
            return None
        return busy / terms.availability_ratio / terms.utilization_ratio

    @property
    def simple_per_mtok(self) -> Exact | None:
        """Cost of a million tokens at the stated rate of them, see `simple_cost_per_mtok`; None where a part is not stated."""
        terms = self.terms
        shares = (terms.availability_ratio, terms.utilization_ratio)
        if terms.tokens_per_s is None or shares[0] is None or shares[1] is None or not self.busy_hours:
            return None
        return simple_cost_per_mtok(self.total / self.busy_hours, terms.tokens_per_s, multiply(shares[0], shares[1]))

    @property
    def commitment_price(self) -> Exact | None:
        """Price an hour of a committed unit, without interest; None without a commitment."""
        if not self.terms.committed:
            return None
        return commitment_of(self.terms).paid_per_month / self.terms.hours_per_month

    @property
    def break_even_utilization(self) -> Exact | None:
        """Committed over on-demand price: above this share of hours in use the commitment is cheaper."""
        committed, on_demand = self.commitment_price, self.terms.on_demand_price_per_unit_hour
        return None if committed is None or on_demand is None else committed / on_demand

    @property
    def implied_extra_price(self) -> Exact | None:
        """Price an hour of what the term has beyond the shorter one, see `implied_price`."""
        terms, committed = self.terms, self.commitment_price
        shorter = (terms.shorter_price_per_unit_hour, terms.shorter_term_months)
        if shorter == (None, None):
            return None
        if committed is None or terms.term_months is None or shorter[0] is None or shorter[1] is None:
            raise refused(
                "shorter_term_months", "belongs with shorter_price_per_unit_hour and a commitment with term_months"
            )
        return implied_price(Exact(shorter[0]), shorter[1], committed, terms.term_months)

    @property
    def accelerator_part(self) -> Exact | None:
        """Share of the machines' cost that is the accelerators'; the rest of it is the host's, to the last digit."""
        share = self.terms.accelerator_share_ratio
        return None if share is None else self.machine_cost * share

    @property
    def warnings(self) -> list[str]:
        """What a reader should look at twice."""
        terms, codes = self.terms, []
        on_demand = terms.on_demand_price_per_unit_hour
        if terms.purchase_model == "spot" and on_demand is not None and terms.price_per_unit_hour is not None:
            codes += ["spot_not_below_on_demand"] if terms.price_per_unit_hour >= on_demand else []
        if not self.busy_hours or not terms.accelerators_used:
            codes.append("nothing_used")
        elif Exact(Decimal(terms.accelerators_used)) < self.accelerators_billed:
            codes.append("unused_accelerators_paid")
        price = self.per_billed_accelerator_hour
        if price is not None:
            codes += price_warning(price, terms.reference_price_per_accelerator_hour)
        if terms.availability_ratio is None:
            codes.append("availability_not_stated")
        if terms.utilization_ratio is None:
            codes.append("utilization_not_stated")
        if terms.tax_included is None:
            codes.append("tax_not_stated")
        return codes


def rental_cost(terms: RentalTerms) -> RentalCost:
    """The bill of `terms` over a month.

    Raises:
        PermillionError: `invalid-fields` naming the field that is missing or contradicts another.

    A savings plan of 0.90 an hour beside 1.00 on demand: none, one and two instances pay 0.90, 0.90, 1.90 (T29).

    >>> from decimal import Decimal as D
    >>> def hour(instances: int) -> Decimal:
    ...     return rental_cost(RentalTerms(unit="instance", accelerators_per_unit=D(1), purchase_model="commit",
    ...         price_per_unit_hour=D("0.9"), on_demand_price_per_unit_hour=D("1.0"), committed_units=1, hours_per_month=D(1),
    ...         rented_hours_per_month=D(1), accelerators_used=instances)).total.to_decimal()
    >>> [str(round(hour(instances), 2)) for instances in (0, 1, 2)]
    ['0.90', '0.90', '1.90']
    """
    units = units_billed(terms.accelerators_used, accelerators_per_unit(terms), terms.accelerators_per_instance)
    hours = billed_hours(terms)
    machine = _machine(terms, units, hours)
    machine["discount"] = -(sum_of(machine.values()) * terms.discount_ratio)
    extras: dict[str, Exact | None] = {
        "storage": storage_per_month(terms, hours),
        "egress": egress_per_month(terms),
        "public_ip": addresses_per_month(terms),
    }
    before = sum_of([*machine.values(), *extras.values()])
    extras["support"] = None if terms.support_ratio is None else before * terms.support_ratio
    tax = None
    if terms.tax_ratio is not None and terms.tax_included is None:
        raise refused("tax_included", "required with tax_ratio")
    if terms.tax_ratio is not None and terms.tax_included is False:
        tax = sum_of([*machine.values(), *extras.values()]) * terms.tax_ratio
    return RentalCost(terms, units, hours, busy_hours(terms), machine, extras, tax)


def _machine(terms: RentalTerms, units: int, hours: Exact) -> dict[str, Exact]:
    lines: dict[str, Exact] = {}
    unit_hours = hours * Decimal(units)
    if terms.committed:
        assert terms.committed_units is not None  # checked with the terms
        commitment, count = commitment_of(terms), Decimal(terms.committed_units)
        lines["commitment"] = commitment.paid_per_month * count
        lines["upfront_interest"] = commitment.upfront_interest_per_month * count
        lines["on_demand"] = Exact(ZERO)  # of what exceeds the commitment
        over = units - terms.committed_units
        if over > 0 and hours:
            if terms.on_demand_price_per_unit_hour is None:
                raise refused("on_demand_price_per_unit_hour", "required: more units are used than are committed")
            lines["on_demand"] = hours * Decimal(over) * terms.on_demand_price_per_unit_hour
    elif terms.purchase_model == "spot":
        price = spot_price(terms)
        lines["spot"], lines["fallback"] = unit_hours * price.spot, unit_hours * price.fallback
        lines["standby"] = unit_hours * price.standby
    else:
        assert terms.price_per_unit_hour is not None  # checked with the terms
        lines["on_demand"] = unit_hours * terms.price_per_unit_hour
    return lines

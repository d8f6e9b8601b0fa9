"""What is stated of a rental: the price and its unit, how it is bought and billed, what is used, what comes on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Final

from economics.errors import PermillionError
from economics.money import ONE, ZERO
from economics.ownership.profile import DEFAULT_CURRENCY, HOURS_PER_MONTH, refused

UNITS: Final = ("instance", "accelerator", "slice")
PURCHASE_MODELS: Final = ("on_demand", "spot", "commit", "block", "reserved_rental")
COMMITTED: Final = frozenset({"commit", "reserved_rental"})
"""Paid for every hour of the term, used or not. A block is on-demand in steps of a day, paid in advance."""

_BELOW_ONE: Final = frozenset({"downtime_ratio", "discount_ratio"})
_SHARES: Final = frozenset(
    {"fallback_ratio", "availability_ratio", "utilization_ratio", "accelerator_share_ratio", "upfront_ratio"}
)
_ABOVE_ZERO: Final = frozenset(
    {
        "price_per_unit_hour", "on_demand_price_per_unit_hour", "accelerators_per_unit", "units_per_accelerator",
        "accelerators_per_instance", "billing_increment_s", "hours_per_month", "term_months", "availability_ratio",
        "utilization_ratio", "shorter_price_per_unit_hour", "shorter_term_months", "reference_price_per_accelerator_hour",
        "tokens_per_s",
    }
)  # fmt: skip
_AT_MOST: Final = {
    "accelerators_used": Decimal(10_000_000),
    "committed_units": Decimal(10_000_000),
    "hours_per_month": Decimal(744),
    "storage_hours_per_month": Decimal(744),
    "runs_per_month": Decimal(10**12),
    "seconds_per_run": Decimal(10**9),
    "idle_seconds_per_run": Decimal(10**9),
    "minimum_s": Decimal(10**9),
    "billing_increment_s": Decimal(10**9),
    "term_months": Decimal(600),
    "shorter_term_months": Decimal(600),
    "wacc_ratio": Decimal(10),
    "rework_ratio": Decimal(10),
    "support_ratio": Decimal(10),
    "tax_ratio": Decimal(10),
}


@dataclass(frozen=True, slots=True)
class EgressTier:
    """Traffic up to a total of so many GB a month (None: all of the rest) at a price a GB."""

    up_to_gb: Decimal | None
    price_per_gb: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalTerms:
    """One rental over one month. None is "not stated"; money is in one currency; ratios are 0–1.

    Attributes:
        unit: what the price is of: an `instance` with all its accelerators, one `accelerator`, a `slice` (a part of one, or
            several sold as one). A price whose unit is guessed is wrong by 8.
        price_per_unit_hour: at `purchase_model`; for a commitment instead `upfront_per_unit` and `monthly_price_per_unit`.
        upfront_ratio: share of a commitment's hourly price that is paid in advance for the whole term.
        accelerators_per_unit, units_per_accelerator: 8 an instance, or 7 slices an accelerator.
        accelerators_per_instance: where accelerators are priced one by one and rented in whole instances.
        on_demand_price_per_unit_hour: for what exceeds a commitment, for the fall-back of spot, and for the break-even.
        accelerators_used: that do work; what is billed is whole units.
        rented_hours_per_month: one stretch; or `runs_per_month` of `seconds_per_run`, each rounded by itself.
        idle_seconds_per_run: kept warm after a run, and billed.
        minimum_s, billing_increment_s: `billed = max(minimum, ceil(t / increment) · increment)`.
        rework_ratio, downtime_ratio, fallback_ratio, standby_price_per_unit_hour: of spot, see `economics.rental.spot`.
        tokens_per_s: of all accelerators that do work together, for the simple figure alone.
        shorter_price_per_unit_hour, shorter_term_months: a shorter commitment of the same, for the implied price of the rest.
    """

    currency: str = DEFAULT_CURRENCY
    unit: str
    purchase_model: str
    price_per_unit_hour: Decimal | None = None
    accelerators_per_unit: Decimal | None = None
    units_per_accelerator: Decimal | None = None
    accelerators_per_instance: int | None = None
    on_demand_price_per_unit_hour: Decimal | None = None
    discount_ratio: Decimal = ZERO
    accelerators_used: int
    rented_hours_per_month: Decimal | None = None
    runs_per_month: int | None = None
    seconds_per_run: Decimal | None = None
    idle_seconds_per_run: Decimal = ZERO
    minimum_s: Decimal = ZERO
    billing_increment_s: Decimal = ONE
    hours_per_month: Decimal = HOURS_PER_MONTH
    committed_units: int | None = None
    term_months: int | None = None
    upfront_per_unit: Decimal | None = None
    upfront_ratio: Decimal | None = None
    monthly_price_per_unit: Decimal | None = None
    wacc_ratio: Decimal | None = None
    shorter_price_per_unit_hour: Decimal | None = None
    shorter_term_months: int | None = None
    rework_ratio: Decimal = ZERO
    downtime_ratio: Decimal = ZERO
    fallback_ratio: Decimal = ZERO
    standby_price_per_unit_hour: Decimal = ZERO
    availability_ratio: Decimal | None = None
    utilization_ratio: Decimal | None = None
    accelerator_share_ratio: Decimal | None = None
    tokens_per_s: Decimal | None = None
    storage_gb: Decimal | None = None
    storage_price_per_gb_hour: Decimal | None = None
    storage_price_per_gb_month: Decimal | None = None
    storage_hours_per_month: Decimal | None = None
    egress_gb: Decimal | None = None
    egress_tiers: Sequence[EgressTier] = ()
    public_ips: int | None = None
    public_ip_price_per_hour: Decimal | None = None
    support_ratio: Decimal | None = None
    tax_included: bool | None = None
    tax_ratio: Decimal | None = None
    reference_price_per_accelerator_hour: Decimal | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be billed.

        Raises:
            PermillionError: `invalid-fields` with the field's pointer.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Decimal | int) and not isinstance(value, bool):
                _check_number(field.name, Decimal(value))
        if self.unit not in UNITS:
            raise refused("unit", f"is {', '.join(UNITS)}: what the price is of")
        if self.purchase_model not in PURCHASE_MODELS:
            raise refused("purchase_model", f"is {', '.join(PURCHASE_MODELS)}")
        _check_unit(self)
        _check_use(self)
        if not self.committed and self.price_per_unit_hour is None:
            raise refused("price_per_unit_hour", "required")
        _check_commitment(self)
        if self.purchase_model != "spot" and (self.rework_ratio or self.downtime_ratio or self.fallback_ratio):
            raise refused("purchase_model", "rework, downtime and fall-back belong to spot")
        if self.fallback_ratio and self.on_demand_price_per_unit_hour is None:
            raise refused("on_demand_price_per_unit_hour", "required by fallback_ratio")

    @property
    def committed(self) -> bool:
        """Whether it is paid when idle."""
        return self.purchase_model in COMMITTED


def _check_unit(terms: RentalTerms) -> None:
    stated = [terms.accelerators_per_unit, terms.units_per_accelerator]
    if terms.unit == "accelerator":
        if stated != [None, None]:
            raise refused(
                "accelerators_per_unit", "an accelerator is one; say accelerators_per_instance if sold in whole ones"
            )
        return
    if stated.count(None) != 1:
        raise refused("accelerators_per_unit", f"required of an {terms.unit}, or units_per_accelerator instead")
    if terms.accelerators_per_instance is not None:
        raise refused("accelerators_per_instance", "belongs to unit accelerator")


def _check_commitment(terms: RentalTerms) -> None:
    if terms.committed and terms.committed_units is None:
        raise refused("committed_units", f"required by {terms.purchase_model}: they are paid when idle, too")
    for name in ("committed_units", "upfront_per_unit", "monthly_price_per_unit", "upfront_ratio"):
        if not terms.committed and getattr(terms, name) is not None:
            raise refused(name, "belongs to purchase_model commit or reserved_rental")


def _check_use(terms: RentalTerms) -> None:
    runs = (terms.runs_per_month, terms.seconds_per_run)
    if terms.rented_hours_per_month is not None:
        if runs != (None, None) or terms.idle_seconds_per_run:
            raise refused("rented_hours_per_month", "give it, or runs_per_month with seconds_per_run")
        if terms.rented_hours_per_month > terms.hours_per_month:
            raise refused("rented_hours_per_month", "is at most hours_per_month")
    elif None in runs:
        raise refused("rented_hours_per_month", "required, or runs_per_month with seconds_per_run")


def _check_number(name: str, value: Decimal) -> None:
    if not value.is_finite():
        raise refused(name, "is a finite number")
    if value < 0 or (not value and name in _ABOVE_ZERO):
        raise refused(name, "is above 0" if name in _ABOVE_ZERO else "is 0 or more")
    if name in _BELOW_ONE and value >= 1:
        raise refused(name, "is below 1")
    most = ONE if name in _SHARES else _AT_MOST.get(name)
    if most is not None and value > most:
        raise refused(name, f"is at most {most:f}")


def check_tiers(tiers: Sequence[EgressTier]) -> None:
    """Bounds rise, only the last may be open, no price is negative.

    Raises:
        PermillionError: `invalid-fields` at the tier.
    """
    before = ZERO
    for index, tier in enumerate(tiers):
        pointer = f"/egress_tiers/{index}"
        if tier.price_per_gb < 0:
            raise PermillionError("invalid-fields", "a price is 0 or more", pointer=pointer)
        if tier.up_to_gb is None:
            if index != len(tiers) - 1:
                raise PermillionError("invalid-fields", "only the last tier is without up_to_gb", pointer=pointer)
        elif tier.up_to_gb <= before:
            raise PermillionError("invalid-fields", "up_to_gb rises from tier to tier", pointer=pointer)
        else:
            before = tier.up_to_gb

"""Use case: at which volumes an API or hosting, renting or owning is cheaper.

The sides are plain figures: a cost per query may be stated or come from a comparison of offers, a cost per replica may be
stated, be accelerators at an hourly cost, or come from an ownership profile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal

from api.services.owning import HardwareToOwn, ProfileLookup, own
from api.services.pricing import RowId
from economics.breakeven.crossings import BreakEven, break_even
from economics.breakeven.sides import SteppedSide, UseSide
from economics.errors import PermillionError
from economics.money import ONE, ZERO, Exact, format_decimal
from economics.ownership.profile import DEFAULT_CURRENCY, HOURS_PER_MONTH, refused
from hardware.ownership.profiles import shipped_profile

Compare = Literal["api_or_hosting", "rent_or_own"]
COMPARISONS: Final = ("api_or_hosting", "rent_or_own")
SIDES: Final = {"api_or_hosting": ("api", "hosting"), "rent_or_own": ("rent", "own")}
UNITS: Final = {"api_or_hosting": "queries", "rent_or_own": "accelerator_hours"}
SECONDS_PER_HOUR: Final = Decimal(3600)


@dataclass(frozen=True, slots=True)
class VolumeQuestion:
    """Two sides and a range of volumes, as stated by field name, or (with `error`) why the caller's entry is none."""

    row_id: RowId
    compare: str = "api_or_hosting"
    stated: Mapping[str, Any] = field(default_factory=dict)
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """Curve, intervals and crossings, or why there are none."""

    asked: VolumeQuestion
    use: UseSide | None = None
    stepped: SteppedSide | None = None
    low: Exact | None = None
    high: Exact | None = None
    found: BreakEven | None = None
    capital_method: str | None = None
    currency: str | None = None
    assumptions: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: PermillionError | None = None

    @property
    def full_step_cost_per_unit(self) -> Exact | None:
        """Cost of a unit at full use of a replica, without what is fixed: the floor of the stepped side."""
        side = self.stepped
        return None if side is None else side.cost_per_replica / side.capacity + side.variable

    @property
    def break_even_utilization(self) -> Exact | None:
        """Use of its capacity above which a replica is cheaper, what is fixed left out: `C / (capacity · (a − v))`."""
        if self.stepped is None or self.use is None or not self.stepped.variable < self.use.price:
            return None
        return self.stepped.cost_per_replica / self.stepped.capacity / (self.use.price - self.stepped.variable)


def answer_volumes(asked: VolumeQuestion, lookup: ProfileLookup = shipped_profile) -> Answered:
    """Every crossing in the range; an error becomes part of the answer."""
    if asked.error is not None:
        return Answered(asked, error=asked.error)
    stated = _Stated(asked.stated)
    try:
        low, high = stated.take("volume_from_per_month", ZERO), stated.need("volume_to_per_month")
        if asked.compare == "api_or_hosting":
            use, side = _api(stated), _hosting(stated)
            method, currency = stated.text("capital_method"), stated.text("currency", DEFAULT_CURRENCY)
        else:
            use, (side, method, currency) = _rent(stated), _own(stated, lookup)
        stated.refuse_the_rest(asked.compare)
        found = break_even(use, side, Exact(low), Exact(high))
    except PermillionError as error:
        return Answered(asked, error=error)
    warnings = [] if method else ["capital_method_not_stated"]
    warnings += [] if found.crossings else ["no_crossing"]
    warnings += [] if all(interval.possible for interval in found.intervals) else ["beyond_capacity"]
    return Answered(asked, use, side, Exact(low), Exact(high), found, method, currency, stated.assumed, warnings)


class _Stated:
    """What was stated, each asked for once; defaults that stood in are noted."""

    def __init__(self, stated: Mapping[str, Any]) -> None:
        self._left = dict(stated)
        self.assumed: list[str] = []

    def has(self, name: str) -> bool:
        return name in self._left

    def optional(self, name: str) -> Any:
        return self._left.pop(name, None)

    def need(self, name: str) -> Decimal:
        """A positive figure.

        Raises:
            PermillionError: `invalid-fields` where it is missing or 0.
        """
        value = self._left.pop(name, None)
        if value is None or not value:
            raise refused(name, "required" if value is None else "is above 0")
        return value  # type: ignore[no-any-return]  # the schema made it a Decimal or an int

    def take(self, name: str, default: Decimal) -> Decimal:
        value = self._left.pop(name, None)
        if value is None:
            self.assumed.append(f"{name}={format_decimal(default)}")
            return default
        return value  # type: ignore[no-any-return]  # the schema made it a Decimal or an int

    def share(self, name: str) -> Decimal:
        """A share above 0, default 1."""
        value = self.take(name, ONE)
        if not 0 < value <= 1:
            raise refused(name, "is above 0 and at most 1")
        return value

    def hours(self) -> Decimal:
        value = self.take("hours_per_month", HOURS_PER_MONTH)
        if not 0 < value <= 744:
            raise refused("hours_per_month", "is above 0 and at most 744")
        return value

    def text(self, name: str, default: str | None = None) -> str | None:
        value = self._left.pop(name, None)
        if value is None and default is not None:
            self.assumed.append(f"{name}={default}")
        return value or default

    def refuse_the_rest(self, compare: str) -> None:
        if self._left:
            name = min(self._left)
            raise refused(name, f"does not belong to {compare}, or says twice what another field says")


def _api(stated: _Stated) -> UseSide:
    return UseSide(Exact(stated.need("api_cost_per_query")), Exact(stated.optional("api_fixed_cost_per_month") or ZERO))


def _hosting(stated: _Stated) -> SteppedSide:
    uses_hours = stated.has("cost_per_accelerator_hour") or stated.has("queries_per_s_per_replica")
    hours = stated.hours() if uses_hours or stated.has("hours_per_month") else HOURS_PER_MONTH
    if stated.has("hosting_cost_per_replica_month"):
        replica = Exact(stated.need("hosting_cost_per_replica_month"))
    elif stated.has("cost_per_accelerator_hour"):
        # rent and capital run all month: utilization lowers what a replica holds, never what it costs
        count = Decimal(stated.need("accelerators_per_replica"))
        replica = Exact(stated.need("cost_per_accelerator_hour")) * count * hours
    else:
        raise refused(
            "hosting_cost_per_replica_month", "required, or cost_per_accelerator_hour with accelerators_per_replica"
        )
    if stated.has("queries_per_replica_month"):
        holds = Exact(stated.need("queries_per_replica_month"))
    elif stated.has("queries_per_s_per_replica"):
        holds = Exact(stated.need("queries_per_s_per_replica")) * SECONDS_PER_HOUR * hours
    else:
        raise refused("queries_per_replica_month", "required, or queries_per_s_per_replica")
    return SteppedSide(
        cost_per_replica=replica,
        capacity=holds * stated.share("usable_utilization_ratio"),
        minimum_replicas=int(stated.take("minimum_replicas", ONE)),
        maximum_replicas=stated.optional("maximum_replicas"),
        fixed_per_month=Exact(stated.optional("hosting_fixed_cost_per_month") or ZERO),
        variable=Exact(stated.optional("hosting_cost_per_query") or ZERO),
    )


def _rent(stated: _Stated) -> UseSide:
    return UseSide(
        Exact(stated.need("rent_price_per_accelerator_hour")),
        Exact(stated.optional("rent_fixed_cost_per_month") or ZERO),
    )


def _own(stated: _Stated, lookup: ProfileLookup) -> tuple[SteppedSide, str | None, str | None]:
    """One system as stated, or as a profile says, with its capital method."""
    name = stated.optional("profile")
    if name is None:
        cost = Exact(stated.need("own_cost_per_system_month"))
        count = Decimal(stated.need("accelerators_per_system"))
        available, hours = stated.share("availability_ratio"), stated.hours()
        method, currency = stated.text("capital_method"), stated.text("currency", DEFAULT_CURRENCY)
    else:
        owned = own(HardwareToOwn(0, name), lookup)
        if owned.error is not None or owned.cost is None:
            raise owned.error or refused("profile", "has no cost")
        cost, profile = owned.cost.total_per_month, owned.cost.profile
        count, hours = profile.accelerators, profile.hours_per_month
        available = (
            stated.share("availability_ratio") if profile.availability_ratio is None else profile.availability_ratio
        )
        method, currency = profile.capital_method, profile.currency
        stated.assumed.append(f"own_cost_per_system_month={cost.to_text()}")
    side = SteppedSide(
        cost_per_replica=cost,
        capacity=Exact(count) * hours * available,
        minimum_replicas=int(stated.take("minimum_systems", ONE)),
        maximum_replicas=stated.optional("maximum_systems"),
    )
    return side, method, currency

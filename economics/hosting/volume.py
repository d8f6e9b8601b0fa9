"""A month at a volume: whole replicas, and what they and the fixed costs make of a query."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from economics.errors import PermillionError
from economics.hosting.query_cost import check_utilization
from economics.hosting.query_time import NONE, QueryTime
from economics.hosting.replica_price import SECONDS_PER_HOUR, ReplicaPrice
from economics.money import ZERO, Exact

HOURS_PER_MONTH = Decimal(730)
"""8,760 / 12; calculators use 720, 730 and 744, so answers print the one used."""


@dataclass(frozen=True, slots=True)
class Staffing:
    """What is paid each month whatever the volume.

    Attributes:
        staff_share: full-time people, 0 or more.
        staff_cost_per_month: of one of them, all charges included.
        platform_cost_per_month: licences, gateways, monitoring.
    """

    staff_share: Decimal = ZERO
    staff_cost_per_month: Decimal = ZERO
    platform_cost_per_month: Decimal = ZERO

    @property
    def per_month(self) -> Exact:
        """`staff_share · staff_cost + platform`.

        >>> Staffing(Decimal("0.25"), Decimal(15000), Decimal(900)).per_month.to_text()
        '4650'
        """
        return Exact(self.staff_cost_per_month) * self.staff_share + Exact(self.platform_cost_per_month)


@dataclass(frozen=True, slots=True)
class Scaling:
    """How replicas are added.

    Attributes:
        usable_utilization_ratio: the most of a month that a replica is planned to be busy: headroom for peaks and failures.
        minimum_replicas: that run whatever the volume.
        hours_per_month: that are paid.
    """

    usable_utilization_ratio: Exact
    minimum_replicas: int = 1
    hours_per_month: Decimal = HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Month:
    """The bill of a month; `prefill + decode + idle + fixed = per_query`, each per query.

    Attributes:
        utilization_ratio: of the paid time, at this volume; 0 where nothing is asked.
        per_query: None at a volume of 0: a bill over no query.
    """

    replicas: int
    utilization_ratio: Exact
    rent: Exact
    fixed: Exact
    total: Exact
    per_query: Exact | None
    prefill: Exact | None
    decode: Exact | None
    idle: Exact | None
    fixed_per_query: Exact | None


def month_at(price: ReplicaPrice, time: QueryTime, queries: Exact, scaling: Scaling, fixed: Exact = NONE) -> Month:
    """The bill of a month with `queries` and `fixed` monthly costs, by whole replicas.

    Formula: `replicas = max(minimum, ⌈queries·t / (hours·3600·usable)⌉)`; `rent = ⌈replicas / in an instance⌉·hours·price`: utilization
    limits what a replica serves and never lowers the rent. `prefill = rent·t_pre / (replicas·hours·3600)`, decode likewise.

    Raises:
        PermillionError: `invalid-fields` for hours or replicas that are not above 0, or a usable utilization of 0 or above 1.

    Worked number: 0.5 s a query and 60 % usable of 730 h · 3,600 s serve 3,153,600 queries a month on one replica;
    3,153,601 need two.

    >>> from economics.money import exact
    >>> price, time = ReplicaPrice(exact(10), 1, 1), QueryTime(Exact(Decimal("0.5")))
    >>> scaling = Scaling(Exact(Decimal("0.6")))
    >>> [(m.replicas, m.total.to_text()) for m in (month_at(price, time, exact(n), scaling) for n in (3_153_600, 3_153_601))]
    [(1, '7300'), (2, '14600')]
    """
    check_utilization(scaling.usable_utilization_ratio)
    if scaling.hours_per_month <= 0 or scaling.minimum_replicas < 1:
        raise PermillionError(
            "invalid-fields", "a month has hours and at least one replica", pointer="/hours_per_month"
        )
    seconds = Exact(scaling.hours_per_month) * SECONDS_PER_HOUR
    need = queries * time.total
    replicas = max(scaling.minimum_replicas, _whole(need / (seconds * scaling.usable_utilization_ratio)))
    rent = price.per_hour * scaling.hours_per_month * Decimal(-(-replicas // price.in_an_instance))
    total = rent + fixed
    utilization = need / (seconds * Decimal(replicas))
    if not queries > NONE:
        return Month(replicas, utilization, rent, fixed, total, None, None, None, None, None)
    per_second = rent / (seconds * Decimal(replicas))
    return Month(
        replicas,
        utilization,
        rent,
        fixed,
        total,
        total / queries,
        None if time.prefill is None else per_second * time.prefill,
        None if time.decode is None else per_second * time.decode,
        rent / queries - per_second * time.total,
        fixed / queries,
    )


def _whole(value: Exact) -> int:
    return ceil(Fraction(value.numerator) / Fraction(value.denominator))

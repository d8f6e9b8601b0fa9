"""The bill of one query in three lines: prefill, decode, idle."""

from __future__ import annotations

from dataclasses import dataclass

from economics.errors import PermillionError
from economics.hosting.query_time import QueryTime
from economics.hosting.replica_price import ReplicaPrice
from economics.money import ONE, ZERO, Exact

FULL = Exact(ONE)


@dataclass(frozen=True, slots=True)
class QueryCost:
    """Lines of a query's cost; `floor + idle = total`, and `prefill + decode = floor` where they are known apart.

    Attributes:
        floor: at 100 % utilization, which nobody sustains: a lower bound and no forecast.
    """

    prefill: Exact | None
    decode: Exact | None
    idle: Exact
    floor: Exact
    total: Exact


def check_utilization(ratio: Exact) -> None:
    """Refuse a utilization that is none.

    Raises:
        PermillionError: `invalid-fields` unless `0 < ratio ≤ 1`.

    >>> from economics.money import exact
    >>> check_utilization(exact(50))
    Traceback (most recent call last):
    ...
    economics.errors.PermillionError: a utilization is above 0 and at most 1, such as "0.5": the busy share of the paid time
    """
    if not ratio > Exact(ZERO) or ratio > FULL:
        raise PermillionError(
            "invalid-fields",
            'a utilization is above 0 and at most 1, such as "0.5": the busy share of the paid time',
            pointer="/utilization_ratio",
        )


def query_cost(price: ReplicaPrice, time: QueryTime, utilization_ratio: Exact) -> QueryCost:
    """The cost of a query on replicas that are busy for `utilization_ratio` of the paid time.

    Formula: `prefill = c·t_pre`, `decode = c·t_dec`, `idle = c·(t_pre + t_dec)·(1 − U)/U`, together `c·t/U`, with c the price of a
    replica-second and t in replica-seconds at full load (equation 15 of docs/hosting-cost.md).

    Raises:
        PermillionError: `invalid-fields` for a utilization of 0 or above 1.

    Worked number: a replica at 36 an hour is 0.01 a second; 2 s of prefill, 3 s of decode and a utilization of 0.5 are
    0.02 + 0.03 + 0.05 = 0.10.

    >>> from decimal import Decimal
    >>> from economics.money import exact
    >>> price = ReplicaPrice(exact(36), 1, 1)
    >>> cost = query_cost(price, QueryTime(exact(5), exact(2), exact(3)), Exact(Decimal("0.5")))
    >>> [line.to_text() for line in (cost.prefill, cost.decode, cost.idle, cost.total, cost.floor)]
    ['0.02', '0.03', '0.05', '0.1', '0.05']
    """
    check_utilization(utilization_ratio)
    per_second = price.per_second
    floor = per_second * time.total
    total = floor / utilization_ratio
    return QueryCost(
        None if time.prefill is None else per_second * time.prefill,
        None if time.decode is None else per_second * time.decode,
        total - floor,
        floor,
        total,
    )

"""From a machine's price and throughput to the cost of a query: lines, splits, a month, a band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from api.services.hosting.deployment import Deployment, HostedLoad
from api.services.hosting.serving.throughput import HostedThroughput, to_exact
from economics.errors import PermillionError
from economics.hosting.energy import energy_kwh_per_mtok, energy_wh_per_query
from economics.hosting.query_cost import FULL, QueryCost, query_cost
from economics.hosting.query_time import NONE, QueryTime
from economics.hosting.replica_price import ReplicaPrice
from economics.hosting.token_costs import (
    MILLION,
    TokenCosts,
    all_to_output_per_mtok,
    all_to_total_per_mtok,
    by_fixed_ratio,
    by_resource_time,
    cost_per_mtok,
)
from economics.hosting.volume import Month, Scaling, month_at
from economics.money import ONE, Exact, add, exact
from hardware.accelerators.accelerator import Accelerator


@dataclass(frozen=True, slots=True)
class Energy:
    """Of a query and of a million output tokens; `basis` names the power."""

    power_w: Exact
    basis: str
    wh_per_query: Exact
    kwh_per_mtok_output: Exact | None


@dataclass(frozen=True, slots=True)
class HostingCost:
    """What a query costs; every amount is in the currency of the price that was handed in, and costs per query hold its retries; costs per token do not need to.

    Attributes:
        cost: lines at `utilization_ratio`; None where neither a utilization nor a volume was given.
        utilization_basis: `stated`, or `at_volume` where it follows from whole replicas.
        floor: of a query at 100 % utilization.
        low, high: of `cost.total` at the high and the low end of the throughput's band.
        split: by resource time; None where the throughput does not tell prefill from decode.
        fixed_ratio: cost per million input and output tokens where an output token counts as several input tokens.
        month: bill of the month at a volume, retries served.
        prefill_pool, decode_pool: of disaggregated serving: each pool's bill over its tokens, at full load.
    """

    price: ReplicaPrice
    throughput: HostedThroughput
    utilization_ratio: Exact | None
    utilization_basis: str | None
    cost: QueryCost | None
    floor: Exact
    low: Exact | None
    high: Exact | None
    split: TokenCosts | None
    fixed_ratio: tuple[Exact, Exact] | None
    all_to_output: Exact | None
    all_to_total: Exact | None
    floor_all_to_output: Exact | None
    prefill_pool: Exact | None
    decode_pool: Exact | None
    month: Month | None
    month_low: Month | None
    month_high: Month | None
    usable_queries_per_s: Exact
    energy: Energy | None
    warnings: Sequence[str] = ()


def hosting_cost(
    deployment: Deployment,
    load: HostedLoad,
    price: ReplicaPrice,
    throughput: HostedThroughput,
    accelerator: Accelerator | None,
    fixed: Exact,
) -> HostingCost:
    """The cost of a query of `load`.

    Args:
        price: of a replica-hour; `fixed` monthly costs in the same currency.

    Raises:
        PermillionError: `invalid-fields` for a utilization of 0 or above 1, and for fixed costs without a volume.
    """
    tokens = load.tokens
    time = with_retries(throughput.time, load.retry_share)
    volume = None if load.queries_per_month is None else exact(load.queries_per_month)
    if volume is None and fixed:
        raise PermillionError(
            "invalid-fields",
            "monthly costs need queries_per_month to be a cost per query",
            pointer="/queries_per_month",
        )
    scaling = scaling_of(deployment)
    month = month_low = month_high = None
    if volume is not None:
        month = month_at(price, time, volume, scaling, fixed)
        month_low = _month(price, time, throughput.fast, volume, scaling, fixed)
        month_high = _month(price, time, throughput.slow, volume, scaling, fixed)
    utilization, basis = _utilization(deployment, month)
    cost = None if utilization is None else query_cost(price, time, utilization)
    once = None if utilization is None else query_cost(price, throughput.time, utilization).total
    split = None if once is None or throughput.times is None else by_resource_time(once, tokens, throughput.times)
    floor_once = query_cost(price, throughput.time, FULL).floor
    return HostingCost(
        price,
        throughput,
        utilization,
        basis,
        cost,
        query_cost(price, time, FULL).floor,
        None if cost is None or throughput.fast is None else cost.total * throughput.fast,
        None if cost is None or throughput.slow is None else cost.total * throughput.slow,
        split,
        _fixed_ratio(deployment, load, price, throughput, utilization),
        None if once is None else all_to_output_per_mtok(once, tokens),
        None if once is None else all_to_total_per_mtok(once, tokens),
        all_to_output_per_mtok(floor_once, tokens),
        _pool(price, throughput.prefill_accelerators, throughput.input_tokens_per_s(tokens)),
        _pool(price, throughput.decode_accelerators, throughput.output_tokens_per_s(tokens)),
        month,
        month_low,
        month_high,
        throughput.time.queries_per_s * scaling.usable_utilization_ratio,
        energy_of(deployment, load, throughput, accelerator),
        tuple(_warnings(deployment, utilization, month)),
    )


def scaling_of(deployment: Deployment) -> Scaling:
    """How many replicas a volume needs: the usable utilization, else the sustained one, else all of the time."""
    usable = deployment.usable_utilization_ratio or deployment.utilization_ratio or ONE
    return Scaling(exact(usable), deployment.minimum_replicas, deployment.hours_per_month)


def _month(
    price: ReplicaPrice, time: QueryTime, factor: Exact | None, served: Exact, scaling: Scaling, fixed: Exact
) -> Month | None:
    return None if factor is None else month_at(price, time.times(factor), served, scaling, fixed)


def _utilization(deployment: Deployment, month: Month | None) -> tuple[Exact | None, str | None]:
    stated, usable = deployment.utilization_ratio, deployment.usable_utilization_ratio
    if stated is not None:
        if usable is not None and stated > usable:
            raise PermillionError(
                "invalid-fields", "utilization_ratio is above usable_utilization_ratio", pointer="/utilization_ratio"
            )
        return exact(stated), "stated"
    if month is not None and month.utilization_ratio:
        return month.utilization_ratio, "at_volume"
    return None, None


def _fixed_ratio(
    deployment: Deployment,
    load: HostedLoad,
    price: ReplicaPrice,
    throughput: HostedThroughput,
    utilization: Exact | None,
) -> tuple[Exact, Exact] | None:
    tokens = load.tokens
    if utilization is None or not tokens.total:
        return None
    return by_fixed_ratio(
        price.per_second / utilization,
        throughput.input_tokens_per_s(tokens),
        throughput.output_tokens_per_s(tokens),
        deployment.output_ratio,
    )


def _pool(price: ReplicaPrice, accelerators: int | None, tokens_per_s: Exact) -> Exact | None:
    if accelerators is None or not tokens_per_s > NONE:
        return None
    return cost_per_mtok(price.per_accelerator_hour * Decimal(accelerators), tokens_per_s)


def energy_of(
    deployment: Deployment, load: HostedLoad, throughput: HostedThroughput, accelerator: Accelerator | None
) -> Energy | None:
    """Energy from the stated power, else from the thermal design power of the accelerators; None where neither is known."""
    if deployment.power_w_per_accelerator is not None:
        each, basis = exact(deployment.power_w_per_accelerator), deployment.power_basis or "stated"
    elif accelerator is not None and accelerator.tdp_w is not None:
        each, basis = to_exact(accelerator.tdp_w), "accelerator_tdp"
    else:
        return None
    power = each * Decimal(deployment.accelerator_count)
    output = throughput.output_tokens_per_s(load.tokens)
    per_mtok = energy_kwh_per_mtok(power, output) if output else None
    return Energy(power, basis, energy_wh_per_query(power, with_retries(throughput.time, load.retry_share)), per_mtok)


def _warnings(deployment: Deployment, utilization: Exact | None, month: Month | None) -> list[str]:
    found: list[str] = []
    if deployment.utilization_ratio == ONE:
        found.append("utilization_is_floor")
    elif deployment.utilization_ratio is not None and deployment.utilization_ratio > Decimal("0.9"):
        found.append("utilization_over_0.9")
    if utilization is None:
        found.append("utilization_not_given")
    if (
        month is not None
        and deployment.utilization_ratio is not None
        and month.utilization_ratio < exact(deployment.utilization_ratio)
    ):
        found.append(f"utilization_at_volume={_short(month.utilization_ratio)}")
    if deployment.usable_utilization_ratio is None and deployment.utilization_ratio is None and month is not None:
        found.append("no_headroom_planned")
    return found


def _short(value: Exact) -> str:
    return f"{value.to_decimal():.4f}"


def with_retries(time: QueryTime, retry_share: Decimal) -> QueryTime:
    """The time of a query with those that are sent again: `time · (1 + r)`."""
    return time.times(exact(add(ONE, retry_share))) if retry_share else time


def cost_of_time(
    price: ReplicaPrice, time: QueryTime, deployment: Deployment, load: HostedLoad, fixed: Exact
) -> tuple[Exact | None, Month | None]:
    """The cost of a query with its retries and, at a volume, the month that it is a part of.

    At a volume it is the month's bill over its queries: whole replicas and monthly costs. Otherwise it is what `utilization_ratio`
    makes of it; None where that is not given either.
    """
    asked = with_retries(time, load.retry_share)
    if load.queries_per_month:
        month = month_at(price, asked, exact(load.queries_per_month), scaling_of(deployment), fixed)
        return month.per_query, month
    if deployment.utilization_ratio is None:
        return None, None
    return query_cost(price, asked, exact(deployment.utilization_ratio)).total, None


def split_costs(cost: HostingCost, load: HostedLoad) -> tuple[Exact | None, Exact | None]:
    """The input's and the output's part of the cost of a query without retries; None where they are not told apart."""
    if cost.split is None:
        return None, None
    tokens = load.tokens
    inputs, outputs = cost.split.input, cost.split.output
    return (
        None if inputs is None else inputs * tokens.input / MILLION,
        None if outputs is None else outputs * tokens.output / MILLION,
    )

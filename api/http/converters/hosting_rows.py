"""`POST /hosting-cost`: the answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from api.http.converters.common import text_or_none
from api.http.schemas.hosting_rows import HOSTING_COLUMNS
from api.services.hosting.answering import HostedAnswer, per_mchar
from api.services.hosting.costs import HostingCost, scaling_of, split_costs
from api.services.hosting.deployment import Deployment, HostedLoad, OwnershipAsked, RentalAsked
from api.services.hosting.prices import HourlyPrice
from api.services.hosting.serving.throughput import HostedThroughput, to_exact
from economics.hosting.volume import Month
from economics.method import METHOD_VERSION
from economics.money import Exact, exact
from economics.periods import format_instant
from hardware.throughput.question import Range


def to_api_hosting(answer: HostedAnswer, currency: str | None, catalog_version: str) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(HOSTING_COLUMNS)
    asked = answer.asked
    row["row_id"], row["model"] = asked.row_id, asked.model or None
    row["as_of"] = format_instant(asked.as_of)
    row["catalog_version"], row["method_version"] = catalog_version, METHOD_VERSION
    row["warnings"], row["assumptions"] = ";".join(answer.warnings), ""
    if asked.deployment is not None:
        row |= _asked(asked.deployment)
    if answer.price is not None:
        row |= _price(answer.price)
        row["currency"] = currency or answer.price.currency
    if answer.conversion is not None:
        row["fx_rate"], row["fx_as_of"] = answer.conversion.factor.to_text(), answer.conversion.as_of
    if answer.error is not None:
        row["error_code"], row["error_detail"] = answer.error.slug, answer.error.detail
        return row
    if answer.cost is not None and asked.load is not None and asked.deployment is not None:
        row |= _throughput(answer.cost.throughput, asked.load)
        row |= _cost(answer.cost)
        row |= _load(asked.load, asked.deployment)
        row |= _month(answer.cost)
        inputs, outputs = split_costs(answer.cost, asked.load)
        row["input_cost_per_mchar"] = text_or_none(per_mchar(inputs, asked.input_characters))
        row["output_cost_per_mchar"] = text_or_none(per_mchar(outputs, asked.output_characters))
    return row


def _asked(deployment: Deployment) -> dict[str, Any]:
    price, serving = deployment.price, deployment.serving
    return {
        "accelerator": deployment.accelerator,
        "accelerator_count": deployment.accelerator_count,
        "rental": price.rental if isinstance(price, RentalAsked) else None,
        "region": price.region if isinstance(price, RentalAsked) else None,
        "purchase_model": price.purchase_model if isinstance(price, RentalAsked) else None,
        "ownership_profile": price.profile if isinstance(price, OwnershipAsked) else None,
        "engine": serving.engine if deployment.throughput is None else None,
        "scenario": serving.scenario if deployment.throughput is None else None,
        "tpot_limit_ms": _decimal(serving.tpot_limit_ms),
        "ttft_limit_ms": _decimal(serving.ttft_limit_ms),
    }


def _price(price: HourlyPrice) -> dict[str, Any]:
    found = {
        "accelerators_paid": price.replica.paid_accelerators,
        "price_basis": price.basis,
        "native_price_per_replica_hour": price.replica.per_hour.to_text(),
        "native_currency": price.currency,
        "price_source": price.source,
        "price_checked_on": None if price.checked_on is None else price.checked_on.isoformat(),
        "price_status": price.status.value,
    }
    named = {"rental": price.record, "region": price.region, "purchase_model": price.purchase_model}
    return found | {name: value for name, value in named.items() if value is not None}


def _throughput(found: HostedThroughput, load: HostedLoad) -> dict[str, Any]:
    tokens = load.tokens
    output = found.output_tokens_per_s(tokens)
    return {
        "throughput_method": found.method,
        "throughput_grade": found.grade,
        "throughput_source": found.source,
        "throughput_checked_on": None if found.checked_on is None else found.checked_on.isoformat(),
        "weight_precision": found.weight_precision,
        "kv_precision": found.kv_precision,
        "input_tokens_per_s": found.input_tokens_per_s(tokens).to_text(),
        "output_tokens_per_s": output.to_text(),
        "output_low": text_or_none(None if found.slow is None else output / found.slow),
        "output_high": text_or_none(None if found.fast is None else output / found.fast),
        "prefill_share": text_or_none(found.time.prefill_share),
        **_range("ttft", found.ttft_ms),
        **_range("tpot", found.tpot_ms),
        "concurrency": text_or_none(found.concurrency),
        "max_concurrency": text_or_none(found.max_concurrency),
        "bound_tokens_per_s_per_accelerator": text_or_none(found.bound_tokens_per_s_per_accelerator),
        "queries_per_s": found.time.queries_per_s.to_text(),
        "assumptions": "; ".join(found.assumptions),
    }


def _range(name: str, band: Range | None) -> dict[str, Any]:
    if band is None:
        return {}
    values = {f"{name}_ms": band.value, f"{name}_low_ms": band.low, f"{name}_high_ms": band.high}
    return {column: to_exact(value).to_text() for column, value in values.items()}


def _cost(cost: HostingCost) -> dict[str, Any]:
    lines, split, ratio = cost.cost, cost.split, cost.fixed_ratio
    found = {
        "price_per_accelerator_hour": cost.price.per_accelerator_hour,
        "price_per_replica_hour": cost.price.per_hour,
        "usable_queries_per_s": cost.usable_queries_per_s,
        "utilization_ratio": cost.utilization_ratio,
        "floor_cost_per_query": cost.floor,
        "cost_per_query_low": cost.low,
        "cost_per_query_high": cost.high,
        "all_to_output_cost_per_mtok": cost.all_to_output,
        "all_to_total_cost_per_mtok": cost.all_to_total,
        "floor_all_to_output_cost_per_mtok": cost.floor_all_to_output,
        "prefill_pool_cost_per_mtok_input": cost.prefill_pool,
        "decode_pool_cost_per_mtok_output": cost.decode_pool,
        "fixed_ratio_input_cost_per_mtok": None if ratio is None else ratio[0],
        "fixed_ratio_output_cost_per_mtok": None if ratio is None else ratio[1],
    }
    if lines is not None:
        found |= {
            "prefill_cost_per_query": lines.prefill,
            "decode_cost_per_query": lines.decode,
            "idle_cost_per_query": lines.idle,
            "cost_per_query": lines.total,
        }
    if split is not None:
        found |= {
            "input_cost_per_mtok": split.input,
            "uncached_input_cost_per_mtok": split.uncached_input,
            "cached_input_cost_per_mtok": split.cached_input,
            "output_cost_per_mtok": split.output,
        }
    if cost.energy is not None:
        found |= {
            "power_w": cost.energy.power_w,
            "energy_wh_per_query": cost.energy.wh_per_query,
            "energy_kwh_per_mtok_output": cost.energy.kwh_per_mtok_output,
        }
    return {
        **{name: text_or_none(value) for name, value in found.items()},
        "utilization_basis": cost.utilization_basis,
        "power_basis": None if cost.energy is None else cost.energy.basis,
    }


def _load(load: HostedLoad, deployment: Deployment) -> dict[str, Any]:
    scaling = scaling_of(deployment)
    return {
        "isl_tokens": load.input_tokens.to_text(),
        "osl_tokens": load.output_tokens.to_text(),
        "cached_input_share": _decimal(load.cached_input_share),
        "retry_share": _decimal(load.retry_share),
        "queries_per_month": _decimal(load.queries_per_month),
        "hours_per_month": _decimal(scaling.hours_per_month),
        "usable_utilization_ratio": scaling.usable_utilization_ratio.to_text(),
        "fixed_ratio": _decimal(deployment.output_ratio),
    }


def _month(cost: HostingCost) -> dict[str, Any]:
    month = cost.month
    if month is None:
        return {}
    figures = {
        "utilization_at_volume_ratio": month.utilization_ratio,
        "rent_per_month": month.rent,
        "fixed_cost_per_month": month.fixed,
        "cost_per_month": month.total,
        "cost_per_month_low": _total(cost.month_low),
        "cost_per_month_high": _total(cost.month_high),
        "prefill_cost_per_query_at_volume": month.prefill,
        "decode_cost_per_query_at_volume": month.decode,
        "idle_cost_per_query_at_volume": month.idle,
        "fixed_cost_per_query_at_volume": month.fixed_per_query,
        "cost_per_query_at_volume": month.per_query,
    }
    return {"replicas": month.replicas, **{name: text_or_none(value) for name, value in figures.items()}}


def _total(month: Month | None) -> Exact | None:
    return None if month is None else month.total


def _decimal(value: Decimal | None) -> str | None:
    return None if value is None else exact(value).to_text()

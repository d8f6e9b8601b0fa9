"""The answer of `POST /hosting-cost`: one flat row a deployment."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, numeric_columns


class HostingRow(Answer):
    """The cost of a query; costs per query hold its retries, costs per million tokens idle time."""

    row_id: str | int
    model: str | None
    accelerator: str | None
    accelerator_count: int | None
    accelerators_paid: int | None
    as_of: str
    price_basis: Literal["stated", "rental", "ownership"] | None
    rental: str | None
    ownership_profile: str | None
    region: str | None
    purchase_model: str | None
    price_per_accelerator_hour: DecimalOut | None
    price_per_replica_hour: DecimalOut | None
    currency: str | None
    native_price_per_replica_hour: DecimalOut | None
    native_currency: str | None
    fx_rate: DecimalOut | None
    fx_as_of: str | None
    price_source: str | None
    price_checked_on: str | None
    price_status: Literal["ok", "unconfirmed_start", "stale", "disputed", "suspect"] | None
    throughput_method: Literal["stated", "measured", "anchored", "physics"] | None
    throughput_grade: Literal["A", "B", "C", "D", "F"] | None
    throughput_source: str | None
    throughput_checked_on: str | None
    weight_precision: str | None
    kv_precision: str | None
    engine: str | None
    scenario: str | None
    tpot_limit_ms: DecimalOut | None
    ttft_limit_ms: DecimalOut | None
    isl_tokens: DecimalOut | None
    osl_tokens: DecimalOut | None
    cached_input_share: DecimalOut | None
    input_tokens_per_s: DecimalOut | None
    output_tokens_per_s: DecimalOut | None
    output_low: DecimalOut | None
    output_high: DecimalOut | None
    prefill_share: DecimalOut | None
    ttft_ms: DecimalOut | None
    ttft_low_ms: DecimalOut | None
    ttft_high_ms: DecimalOut | None
    tpot_ms: DecimalOut | None
    tpot_low_ms: DecimalOut | None
    tpot_high_ms: DecimalOut | None
    concurrency: DecimalOut | None
    max_concurrency: DecimalOut | None
    bound_tokens_per_s_per_accelerator: DecimalOut | None
    queries_per_s: DecimalOut | None
    usable_queries_per_s: DecimalOut | None
    utilization_ratio: DecimalOut | None
    utilization_basis: Literal["stated", "at_volume"] | None
    prefill_cost_per_query: DecimalOut | None
    decode_cost_per_query: DecimalOut | None
    idle_cost_per_query: DecimalOut | None
    cost_per_query: DecimalOut | None
    cost_per_query_low: DecimalOut | None
    cost_per_query_high: DecimalOut | None
    floor_cost_per_query: DecimalOut | None
    input_cost_per_mtok: DecimalOut | None
    uncached_input_cost_per_mtok: DecimalOut | None
    cached_input_cost_per_mtok: DecimalOut | None
    output_cost_per_mtok: DecimalOut | None
    fixed_ratio: DecimalOut | None
    fixed_ratio_input_cost_per_mtok: DecimalOut | None
    fixed_ratio_output_cost_per_mtok: DecimalOut | None
    all_to_output_cost_per_mtok: DecimalOut | None
    all_to_total_cost_per_mtok: DecimalOut | None
    floor_all_to_output_cost_per_mtok: DecimalOut | None
    prefill_pool_cost_per_mtok_input: DecimalOut | None
    decode_pool_cost_per_mtok_output: DecimalOut | None
    input_cost_per_mchar: DecimalOut | None
    output_cost_per_mchar: DecimalOut | None
    queries_per_month: DecimalOut | None
    retry_share: DecimalOut | None
    hours_per_month: DecimalOut | None
    usable_utilization_ratio: DecimalOut | None
    replicas: int | None
    utilization_at_volume_ratio: DecimalOut | None
    rent_per_month: DecimalOut | None
    fixed_cost_per_month: DecimalOut | None
    cost_per_month: DecimalOut | None
    cost_per_month_low: DecimalOut | None
    cost_per_month_high: DecimalOut | None
    prefill_cost_per_query_at_volume: DecimalOut | None
    decode_cost_per_query_at_volume: DecimalOut | None
    idle_cost_per_query_at_volume: DecimalOut | None
    fixed_cost_per_query_at_volume: DecimalOut | None
    cost_per_query_at_volume: DecimalOut | None
    power_w: DecimalOut | None
    power_basis: str | None
    energy_wh_per_query: DecimalOut | None
    energy_kwh_per_mtok_output: DecimalOut | None
    catalog_version: str
    method_version: str
    assumptions: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class HostingAnswer(Answer):
    """Row i answers row i."""

    rows: list[HostingRow]
    meta: Meta


HOSTING_COLUMNS = tuple(HostingRow.model_fields)
HOSTING_NUMBERS = numeric_columns(HostingRow)

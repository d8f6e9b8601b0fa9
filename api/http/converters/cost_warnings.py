"""Warnings of the costs of owning, renting and break-even, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

COST_WARNING_TEXTS: Final[Mapping[str, str]] = {
    "energy_share_over_40_percent": "power is over 40 % of the total: check units; studies find 2 to 20 %",
    "life_over_6_years": "a useful life over 6 years: owners underwrite 4 or 5",
    "utilization_over_0.9": "a utilization over 0.9: 0.3 to 0.6 is usual in production",
    "price_far_from_reference": "the price of an accelerator is outside of 0.3 to 3 times the usual one: check unit and count",
    "accelerator_without_reference": "no usual price of this accelerator is known here: the price was not checked",
    "availability_not_stated": "availability_ratio was not stated: there is no cost per available or used hour",
    "utilization_not_stated": "utilization_ratio was not stated: there is no cost per used hour",
    "residual_not_used": "declining_value has no residual: residual_ratio enters ROI, NPV and IRR alone",
    "no_saving": "cash opex is not below the cloud's cost: nothing pays the hardware back",
    "lives_differ": "network or building live longer than the servers: payback, NPV, ROI and IRR set all that was paid against "
    "the servers' life",
    "npv_needs_wacc": "wacc_ratio was not stated: there is no npv",
    "npv_needs_whole_years": "npv and irr are of whole years: the useful life is none",
    "break_even_utilization_above_1": "owning costs more than renting even at full use",
    "spot_not_below_on_demand": "the spot price is not below the on-demand price: check both",
    "unused_accelerators_paid": "more accelerators are billed than used: whole units, or the commitment",
    "nothing_used": "nothing is used: there is no cost per used hour",
    "tax_not_stated": "whether the price includes tax was not stated: nothing was added or removed",
    "source_not_stated": "source and day of the price were not stated",
    "capital_method_not_stated": "how capital entered the stated cost was not stated",
    "no_crossing": "one side is cheaper at all volumes of the range",
    "beyond_capacity": "the range goes beyond what the replicas can hold",
}

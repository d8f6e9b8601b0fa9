"""What a vendor's usage object says was served."""

from __future__ import annotations

from economics.errors import PermillionError
from economics.vendor_usage.counts import VendorUsage

_TRAFFIC_TYPES = {"ON_DEMAND": "standard", "ON_DEMAND_PRIORITY": "priority", "ON_DEMAND_FLEX": "flex"}


def served_by_vendor(usage_format: str, given: VendorUsage) -> dict[str, str]:
    """What a vendor's usage object says was served, as context; empty where it says nothing.

    Google's `trafficType` is the service tier (Vertex AI reference of `UsageMetadata`); other vendors say it outside of the
    usage, if at all.

    Raises:
        PermillionError: `not-offered` for provisioned throughput, which is paid for by the hour and not by the token,
            `invalid-usage` for a type that nobody knows.

    >>> served_by_vendor("google", {"promptTokenCount": 7, "trafficType": "ON_DEMAND_FLEX"})
    {'service_tier': 'flex'}
    """
    traffic = given.get("trafficType", given.get("traffic_type")) if usage_format == "google" else None
    if traffic in (None, "TRAFFIC_TYPE_UNSPECIFIED"):
        return {}
    if traffic == "PROVISIONED_THROUGHPUT":
        raise PermillionError(
            "not-offered", "provisioned throughput is not paid for by the token", pointer="/vendor_usage/trafficType"
        )
    tier = _TRAFFIC_TYPES.get(traffic) if isinstance(traffic, str) else None
    if tier is None:
        named = ", ".join(_TRAFFIC_TYPES)
        raise PermillionError("invalid-usage", f"trafficType is one of {named}", pointer="/vendor_usage/trafficType")
    return {"service_tier": tier}

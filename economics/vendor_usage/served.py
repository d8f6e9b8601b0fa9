"""What a vendor's usage object says was served."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from economics.errors import PermillionError
from economics.vendor_usage.counts import VendorUsage, refusal


@dataclass(frozen=True, slots=True)
class _Statement:
    """One key of a usage object that decides one key of the context.

    Args:
        names: its spellings.
        key: of the context.
        values: the context's value by the vendor's.
        silent: values that say nothing.
        bought: values of capacity that is paid for in advance.
    """

    names: tuple[str, ...]
    key: str
    values: Mapping[str, str]
    silent: tuple[str, ...] = ()
    bought: tuple[str, ...] = ()

    def read(self, given: VendorUsage) -> str | None:
        """The value of the context, None where nothing is said."""
        spelled = [name for name in self.names if given.get(name) is not None]
        if not spelled:
            return None
        name, said = spelled[0], given[spelled[0]]
        if any(given[other] != said for other in spelled):
            raise refusal(f"{' and '.join(spelled)} differ", spelled[-1])
        if said in self.silent:
            return None
        if said in self.bought:
            raise PermillionError(
                "not-offered",
                f"{name} {said} is capacity bought in advance, which is not paid for by the token",
                pointer=f"/vendor_usage/{name}",
            )
        value = self.values.get(said) if isinstance(said, str) else None
        if value is None:
            known = ", ".join(filter(None, (*self.values, *self.silent, *self.bought)))
            raise refusal(f"{name} is one of {known}; anything else is said in served_context", name)
        return value


_STATEMENTS: Mapping[str, tuple[_Statement, ...]] = {
    # Anthropic, Messages API: `usage` of the response, pages on service tiers, fast mode and data residency, read 2026-12-01.
    # Responses that were published have "not_available" or "" as the place, too: not said.
    "anthropic": (
        _Statement(("service_tier",), "processing", {"batch": "batch"}, silent=("standard",), bought=("priority",)),
        _Statement(("speed",), "speed", {"standard": "standard", "fast": "fast"}),
        _Statement(("inference_geo",), "inference_geo", {"global": "global", "us": "us"}, silent=("", "not_available")),
    ),
    # Vertex AI says the type of traffic (reference of `UsageMetadata`), the Gemini API the tier that its header names too.
    "google": (
        _Statement(
            ("trafficType", "traffic_type"),
            "service_tier",
            {"ON_DEMAND": "standard", "ON_DEMAND_PRIORITY": "priority", "ON_DEMAND_FLEX": "flex"},
            silent=("TRAFFIC_TYPE_UNSPECIFIED",),
            bought=("PROVISIONED_THROUGHPUT",),
        ),
        _Statement(
            ("serviceTier", "service_tier"),
            "service_tier",
            {"standard": "standard", "flex": "flex", "priority": "priority"},
            silent=("unspecified",),
        ),
    ),
    # OpenAI's and xAI's stands beside the usage; who copies it inside means the same. "fast" is priority since 2026.
    "openai": (
        _Statement(
            ("service_tier",),
            "service_tier",
            {"default": "standard", "standard": "standard", "flex": "flex", "priority": "priority", "fast": "priority"},
            bought=("scale",),
        ),
    ),
    "xai": (_Statement(("service_tier",), "service_tier", {"default": "standard", "priority": "priority"}),),
    # Perplexity, Sonar API: `usage` of the response; the fee of a request depends on it.
    "perplexity": (
        _Statement(("search_context_size",), "search_context", {size: size for size in ("low", "medium", "high")}),
    ),
}


def served_by_vendor(usage_format: str, given: VendorUsage, overruled: Collection[str] = ()) -> dict[str, str]:
    """What a vendor's usage object says was served, as context; empty where it says nothing.

    Args:
        usage_format: whose usage object it is; most vendors say outside of it what they served, if at all.
        given: the usage object.
        overruled: keys of the context that the caller states; what the vendor says of them is not read.

    Raises:
        PermillionError: `not-offered` for capacity that is paid for in advance and not by the token (Google's provisioned
            throughput, Anthropic's priority tier, OpenAI's scale tier), `invalid-usage` for a value that nobody knows and
            for two statements that differ.

    >>> served_by_vendor("google", {"promptTokenCount": 7, "trafficType": "ON_DEMAND_FLEX"})
    {'service_tier': 'flex'}
    >>> served_by_vendor("anthropic", {"service_tier": "batch", "inference_geo": "us"}, {"inference_geo": "global"})
    {'processing': 'batch'}
    """
    served: dict[str, str] = {}
    for statement in _STATEMENTS.get(usage_format, ()):
        value = None if statement.key in overruled else statement.read(given)
        if value is not None and served.setdefault(statement.key, value) != value:
            raise refusal(f"what is said of {statement.key} differs", statement.names[0])
    return served

"""Whose model an entry of LiteLLM is: its keys put the provider, a region or an image's size before the vendor's id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from providers.feeds.names import litellm_name

_AWS_REGION: Final = re.compile(r"[a-z]{2}(?:-gov)?-[a-z]+-[0-9]", re.ASCII)
_IMAGE_SIZE: Final = re.compile(r"(?:(?:low|medium|high|standard|hd|auto)/)?(?:[0-9]+-x-[0-9]+|max-x-max)/", re.ASCII)
_FIREWORKS_PATH: Final = "accounts/fireworks/models/"
_AZURE_DEPLOYMENTS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "global": {},
    "global-standard": {},
    **{zone: {"deployment": ("data_zone",), "zone": (zone,)} for zone in ("us", "eu", "apac")},
}


@dataclass(frozen=True, slots=True)
class Named:
    """Vendor, the vendor's id, and what else the key says; `fault` is reason and detail where it names no model."""

    provider: str
    model: str
    conditions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fault: tuple[str, str] | None = None


def named(key: str, litellm_provider: str) -> Named:
    """Read an entry's key.

    >>> named("bedrock/eu-west-1/meta.llama3-70b-instruct-v1:0", "bedrock")
    Named(provider='aws', model='meta.llama3-70b-instruct-v1:0', conditions={'region': ('eu-west-1',)}, fault=None)
    >>> named("azure/eu/gpt-5", "azure").conditions
    {'deployment': ('data_zone',), 'zone': ('eu',)}
    """
    provider = litellm_name(litellm_provider)
    model = _without_prefix(key, litellm_provider)
    if _IMAGE_SIZE.match(model):
        return Named(provider, model, fault=("alias-entry", "LiteLLM's key of an image size, no id of the vendor"))
    first, slash, rest = model.partition("/")
    if provider == "aws" and slash and _AWS_REGION.fullmatch(first):
        return Named(provider, rest, {"region": (first,)})
    if provider == "azure" and slash and first in _AZURE_DEPLOYMENTS:
        return Named(provider, rest, _AZURE_DEPLOYMENTS[first])
    if provider == "azure" and slash and first == "us-gov":
        return Named(provider, rest, fault=("unknown-context", "no context says Azure Government"))
    if provider == "fireworks":
        return Named(provider, model.removeprefix(_FIREWORKS_PATH))
    return Named(provider, model)


def _without_prefix(key: str, litellm_provider: str) -> str:
    """The key without its first segment where that repeats the provider (`vertex_ai` of `vertex_ai-llama_models`)."""
    first, slash, rest = key.partition("/")
    if slash and rest and (first == litellm_provider or litellm_name(first) == litellm_name(litellm_provider)):
        return rest
    return key

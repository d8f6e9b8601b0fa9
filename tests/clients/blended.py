"""The blended price of an offer."""

from __future__ import annotations

from permillion_client import Client
from permillion_client.api.price import blend_prices
from permillion_client.models import BlendedAnswer, BlendedOfferIn, BlendedRequest, BlendedRequestMixType0


def last_figure(client: Client) -> str | None:
    asked = BlendedRequest(
        rows=[BlendedOfferIn(offer="openai/gpt-6-sol")],
        mix=BlendedRequestMixType0.VALUE_0,
        as_of="2026-11-30T12:00:00Z",
    )
    answer = blend_prices.sync(client=client, body=asked)
    assert isinstance(answer, BlendedAnswer), answer
    return answer.rows[0].blended_price_per_mtok

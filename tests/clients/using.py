"""A compare, a price and a last figure by the generated client; prints them as JSON. Money is a string all the way."""

from __future__ import annotations

import json
import sys

from last_figure import last_figure
from permillion_client import Client
from permillion_client.api.compare import compare_offers
from permillion_client.api.price import price_usage
from permillion_client.models import (
    CompareAnswer,
    CompareOfferIn,
    CompareRequest,
    PriceAnswer,
    PriceRequest,
    PriceRowIn,
    Problem,
    SampleIn,
    UsageIn,
    WorkloadIn,
)

AS_OF = "2026-11-30T12:00:00Z"


def main(url: str) -> None:
    with Client(base_url=url) as client:
        show(client)


def show(client: Client) -> None:
    compared = compare_offers.sync(
        client=client,
        body=CompareRequest(
            samples=[SampleIn(input_tokens=1000)],
            workload=WorkloadIn(output_tokens_per_query=500),
            offers=["openai/gpt-6-sol", CompareOfferIn("openai/gpt-6-sol", row_id="cut", discount_share="0.10")],
            as_of=AS_OF,
        ),
    )
    usage = UsageIn(input_tokens=1000, output_tokens=500)
    asked = PriceRequest(rows=[PriceRowIn(offer="openai/gpt-6-sol", usage=usage)], as_of=AS_OF)
    priced = price_usage.sync(client=client, body=asked)
    refused = price_usage.sync(client=client, body=PriceRequest(rows=[], as_of=AS_OF))
    assert isinstance(compared, CompareAnswer), compared
    assert isinstance(priced, PriceAnswer), priced
    assert isinstance(refused, Problem), refused
    costs: list[str | None] = [row.cost_per_query for row in compared.rows]
    total: str | None = priced.rows[0].total
    print(json.dumps({"costs": costs, "total": total, "refused": refused.error_code, "last": last_figure(client)}))  # noqa: T201 - a command


if __name__ == "__main__":
    main(sys.argv[1])

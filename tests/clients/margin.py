"""The gross margin of an offer at a price of one's own."""

from __future__ import annotations

from permillion_client import Client
from permillion_client.api.margin import work_out_margin
from permillion_client.models import MarginAnswer, MarginRequest, MarginRowIn, MeanUsageIn


def last_figure(client: Client) -> str | None:
    usage = MeanUsageIn(input_tokens=1000, output_tokens=500)
    row = MarginRowIn(price_per_query="0.02", offer="openai/gpt-6-sol", usage=usage)
    answer = work_out_margin.sync(client=client, body=MarginRequest(rows=[row], as_of="2026-11-30T12:00:00Z"))
    assert isinstance(answer, MarginAnswer), answer
    return answer.rows[0].gross_margin_ratio

"""`POST /blended-price`: the mixes the market quotes, by hand from the list prices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx

from tests.http.asking import refused

AS_OF = "2026-11-30T12:00:00Z"


def blended(client: httpx.Client, rows: list[Any], **more: Any) -> list[dict[str, Any]]:
    answer = client.post("/blended-price", json={"rows": rows, "as_of": AS_OF, **more})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["rows"]
    return found


def test_quoted_mixes(client: httpx.Client) -> None:
    """gpt-6-sol: 2 in, 0.2 cached, 10 out (OpenAI's table in the pricing note)."""
    offer = [{"offer": "openai/gpt-6-sol"}]
    for mix, expected in (("3:1", "4"), ("1:3", "8"), ("7:2:1", "1.54")):
        (row,) = blended(client, offer, mix=mix)
        assert (row["blended_price_per_mtok"], row["mix"], row["currency"]) == (expected, mix, "USD")
    (row,) = blended(client, offer)
    assert row["mix"] == "3:1"


def test_own_weights_and_the_tier_of_the_prompt(client: httpx.Client) -> None:
    """Above 272,000 tokens 4 in and 15 out: (4 + 2·15) / 3."""
    (row,) = blended(
        client,
        [{"offer": "openai/gpt-6-sol"}],
        weights={"input_tokens": "1", "output_tokens": "2"},
        input_tokens=272_001,
    )
    assert abs(Fraction(row["blended_price_per_mtok"]) - Fraction(34, 3)) < Fraction(1, 10**25)
    assert row["mix"] == "input_tokens=1;output_tokens=2"


def test_a_missing_cached_price_is_the_input_price_and_said(client: httpx.Client) -> None:
    """gpt-oss-120b at Cerebras: 0.35 in, 0.75 out, no cached price: (7·0.35 + 2·0.35 + 0.75) / 10."""
    (row,) = blended(client, [{"offer": "cerebras/gpt-oss-120b"}], mix="7:2:1")
    assert row["blended_price_per_mtok"] == "0.39"
    assert "cache_read_not_priced" in row["warnings"].split(";")


def test_currency_and_row_errors(client: httpx.Client) -> None:
    """DeepSeek's CNY book off-peak: 4.5 in, 13.5 out: 6.75 at 3:1; at 0.1408 dollars 0.9504."""
    fx = [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30"}]
    rows = [{"offer": "deepseek/deepseek-v4-pro", "price_book": "cn"}, {"offer": "openai/nope"}, 5]
    yuan, unknown, number = blended(client, rows, currency="USD", fx=fx)
    assert (yuan["native_blended_price_per_mtok"], yuan["blended_price_per_mtok"]) == ("6.75", "0.9504")
    assert (yuan["native_currency"], yuan["currency"], yuan["fx_rate"]) == ("CNY", "USD", "0.1408")
    assert (unknown["error_code"], number["error_code"]) == ("unknown-model", "invalid-fields")


def test_bad_mixes(client: httpx.Client) -> None:
    rows = [{"offer": "openai/gpt-6-sol"}]
    refused(client.post("/blended-price", json={"rows": rows, "mix": "2:1"}), 422, "invalid-fields", "/mix")
    refused(client.post("/blended-price", json={"rows": rows, "mix": "3:1", "weights": {}}), 422, "invalid-fields")
    (row,) = blended(client, rows, weights={"input_tokens": "0"})
    assert row["error_code"] == "invalid-fields"

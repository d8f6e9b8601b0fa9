"""Rules of billing that a private row can state, from `POST /prices` to the bill."""

from __future__ import annotations

import httpx

from tests.http.asking import AS_OF, compared, priced, private_row, publish, refused


def test_a_private_row_may_have_a_least_quantity(client: httpx.Client) -> None:
    """0.36 an hour, 12.5 s at least: 5 s cost 12.5 x 0.36 / 3600 = 0.00125."""
    row = private_row("ears", "audio_seconds", "0.36", per=3_600, min_quantity="12.5", tokenizer=None)
    assert publish(client, "least", [row]).status_code == 201
    usage = {"offer": "acme/ears", "price_book": "least", "usage": {"audio_seconds": "5"}}
    (answer,) = priced(client, usage, query="?lines=1")
    assert (answer["total"], answer["lines"][0]["quantity"]) == ("0.00125", "12.5")
    assert "minimum_charged" in answer["warnings"].split(";")
    (listed,) = client.get("/prices", params={"price_book": "least", "as_of": AS_OF}).json()["rows"]
    assert listed["min_quantity"] == "12.5"


def test_a_private_tier_may_start_at_a_length_of_the_answer(client: httpx.Client) -> None:
    """1 below 200 tokens of output, 3 from there on."""
    rows = [
        private_row("talker", "output_tokens", "1"),
        private_row(
            "talker", "output_tokens", "3", min_output_tokens=200, output_inclusive=True, max_input_tokens=1_000
        ),
    ]
    assert publish(client, "answers", rows).status_code == 201
    asked = [
        {"offer": "acme/talker", "price_book": "answers", "usage": {"output_tokens": n, "input_tokens": 0}}
        for n in (199, 200)
    ]
    assert [row["total"] for row in priced(client, *asked)] == ["0.000199", "0.0006"]
    listed = client.get("/prices", params={"price_book": "answers", "as_of": AS_OF}).json()["rows"]
    bounds = {(row["min_output_tokens"], row["output_inclusive"], row["max_input_tokens"]) for row in listed}
    assert bounds == {(None, False, None), (200, True, 1_000)}


def test_the_served_tier_is_billed_and_both_are_kept(client: httpx.Client) -> None:
    """gpt-5.6-sol: 1,000 x 4 per M as served, 1,000 x 8 as asked for."""
    asked = {"offer": "openai/gpt-5.6-sol", "context": {"service_tier": "priority"}, "usage": {"input_tokens": 1_000}}
    served, plain, unknown = priced(
        client,
        {**asked, "served_context": {"service_tier": "default"}},
        asked,
        {**asked, "served_context": {"service_tier": "slow"}},
    )
    assert list(served)[-1] == "served_context"
    assert (served["total"], served["context"], served["served_context"]) == (
        "0.004", "service_tier=priority", "service_tier=default",
    )  # fmt: skip
    assert "served_tier_differs" in served["warnings"].split(";")
    assert (plain["total"], plain["served_context"]) == ("0.008", "")
    assert (unknown["total"], unknown["error_code"]) == (None, "unknown-context")


def test_vertex_traffic_types_say_what_was_served(client: httpx.Client) -> None:
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 205, "trafficType": "ON_DEMAND_FLEX"}
    asked = {"offer": "vertex/gemini-3.5-flash", "usage_format": "google", "vendor_usage": usage}
    flex, bought, overruled, no_tiers = priced(
        client,
        asked,
        {**asked, "vendor_usage": {**usage, "trafficType": "PROVISIONED_THROUGHPUT"}},
        {**asked, "served_context": {"service_tier": "standard"}},
        {**asked, "offer": "xai/grok-4.7", "vendor_usage": {**usage, "trafficType": "ON_DEMAND"}},
    )
    assert (flex["total"], flex["served_context"]) == ("0.00092775", "service_tier=flex")
    assert (bought["total"], bought["error_code"]) == (None, "not-offered")
    assert overruled["total"] == "0.0018555"  # 7 x 1.5 + 205 x 9 per M: the caller knows better
    assert (no_tiers["error_code"], no_tiers["served_context"]) == (None, "")


def test_a_spreadsheet_has_columns_for_what_was_served(client: httpx.Client) -> None:
    body = (
        f"offer,as_of,input_tokens,service_tier,served_service_tier\nopenai/gpt-5.6-sol,{AS_OF},1000,priority,default\n"
    )
    answer = client.post("/price.csv?format=json", content=body, headers={"Content-Type": "text/csv"}).json()
    assert (answer["rows"][0]["total"], answer["rows"][0]["served_context"]) == ("0.004", "service_tier=default")


def test_a_model_is_listed_with_the_limits_of_its_time(client: httpx.Client) -> None:
    """The beta of 1M tokens on Sonnet 4.5 ended on 2026-04-30; 200,000 since."""
    for day, longest in (("2026-04-29T23:59:59Z", 1_000_000), ("2026-04-30", 200_000), ("2026-11-30", 200_000)):
        listed = client.get("/models", params={"provider": "anthropic", "as_of": day}).json()["rows"]
        (sonnet,) = [row for row in listed if row["model"] == "claude-sonnet-4-5"]
        assert (sonnet["max_input_tokens"], sonnet["max_output_tokens"]) == (longest, 64_000)
    today = client.get("/models", params={"provider": "anthropic"}).json()["rows"]
    assert [row["max_input_tokens"] for row in today if row["model"] == "claude-sonnet-4-5"] == [200_000]
    refused(client.get("/models?as_of=yesterday"), 422, "invalid-fields", "/as_of")


def test_a_prompt_is_too_long_by_the_limit_of_its_time(client: httpx.Client) -> None:
    """250,000 tokens at 6 per M in April; since May no price answers for them, and no model takes them."""
    asked = {"text": None, "offers": ["anthropic/claude-sonnet-4-5"], "samples": [{"input_tokens": 250_000}]}
    (april,) = compared(client, **asked, as_of="2026-04-01")
    assert (april["error_code"], april["cost_per_query"]) == (None, "1.5")
    (may,) = compared(client, **asked, as_of="2026-05-01")
    assert may["error_code"] == "exceeds-context"


def test_tiers_of_one_request_must_not_reach_into_each_other(client: httpx.Client) -> None:
    low = private_row("stairs", "input_tokens", "1", max_input_tokens=1_001)
    high = private_row("stairs", "input_tokens", "2", min_input_tokens=1_000)
    refused(publish(client, "stairs", [low, high]), 422, "invalid-fields", "/rows/0/max_input_tokens")
    assert publish(client, "stairs", [{**low, "max_input_tokens": 1_000}, high]).status_code == 201
    other = private_row("stairs", "output_tokens", "2", min_input_tokens=1_000)
    assert publish(client, "stairs-2", [low, other]).status_code == 201

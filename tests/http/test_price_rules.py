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


def test_anthropic_says_in_its_usage_what_was_served(client: httpx.Client) -> None:
    """claude-opus-5, 10 in and 5 out: 10 x 5 + 5 x 25 = 175 per M; fast 10 x 10 + 5 x 50, us 1.1 times, batch the half."""
    usage = {"input_tokens": 10, "output_tokens": 5}

    def said(**what: str) -> dict[str, object]:
        return {"offer": "anthropic/claude-opus-5", "usage_format": "anthropic", "vendor_usage": {**usage, **what}}

    plain = priced(
        client,
        said(),
        said(service_tier="standard", speed="standard", inference_geo="global"),
        said(inference_geo="not_available"),
    )
    assert [row["total"] for row in plain] == ["0.000175"] * 3
    fast, us, batch, us_batch = priced(
        client,
        said(speed="fast"),
        said(inference_geo="us"),
        said(service_tier="batch"),
        said(service_tier="batch", inference_geo="us"),
    )
    assert (fast["total"], fast["served_context"]) == ("0.00035", "speed=fast")
    assert (us["total"], us["served_context"]) == ("0.0001925", "inference_geo=us")
    assert (batch["total"], batch["served_context"]) == ("0.0000875", "processing=batch")
    assert us_batch["total"] == "0.00009625"  # 175 x 1.1 / 2
    assert "served_tier_differs" in fast["warnings"].split(";")
    bought, unknown, both = priced(
        client, said(service_tier="priority"), said(speed="warp"), said(service_tier="batch", speed="fast")
    )
    assert [row["error_code"] for row in (bought, unknown, both)] == [
        "not-offered", "invalid-usage", "contradictory-context",
    ]  # fmt: skip
    assert [row["total"] for row in (bought, unknown, both)] == [None] * 3


def test_the_caller_knows_better_than_anthropics_usage(client: httpx.Client) -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "service_tier": "priority", "speed": "fast", "inference_geo": "us"}
    asked = {"offer": "anthropic/claude-opus-5", "usage_format": "anthropic", "vendor_usage": usage}
    slow, all_of_it = priced(
        client,
        {**asked, "served_context": {"processing": "standard", "speed": "standard"}},
        {**asked, "served_context": {"processing": "batch", "speed": "standard", "inference_geo": "global"}},
    )
    assert [slow["total"], all_of_it["total"]] == ["0.0001925", "0.0000875"]


def test_served_fast_is_not_billed_where_standard_was_served(client: httpx.Client) -> None:
    """Asked for at 10 / 50, served at 5 / 25."""
    usage = {"input_tokens": 10, "output_tokens": 5, "speed": "standard"}
    asked = {"offer": "anthropic/claude-opus-5", "usage_format": "anthropic", "context": {"speed": "fast"}}
    (row,) = priced(client, {**asked, "vendor_usage": usage})
    assert (row["total"], row["served_context"]) == ("0.000175", "speed=standard")
    assert "served_tier_differs" in row["warnings"].split(";")


def test_a_default_is_no_news_where_nothing_else_is_sold(client: httpx.Client) -> None:
    """Anthropic's object for an offer of AWS, which has no such keys: 1,000 in at 3.00 per M; fast is refused."""
    usage = {"input_tokens": 1_000, "output_tokens": 0, "speed": "standard", "inference_geo": "global"}
    asked = {"offer": "aws/global.anthropic.claude-sonnet-4-6", "usage_format": "anthropic", "vendor_usage": usage}
    plain, fast = priced(client, asked, {**asked, "vendor_usage": {**usage, "speed": "fast"}})
    assert (plain["total"], plain["served_context"]) == ("0.003", "")
    assert (fast["total"], fast["error_code"]) == (None, "unknown-context")


def test_perplexity_says_how_much_it_searched(client: httpx.Client) -> None:
    """sonar: 5, 8 or 12 per 1,000 requests, and 100 + 50 tokens at 1 per M."""
    usage = {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
    asked = {"offer": "perplexity/sonar", "as_of": "2026-09-01T00:00:00Z", "usage_format": "perplexity"}
    low, medium, high = priced(
        client,
        *({**asked, "vendor_usage": {**usage, "search_context_size": size}} for size in ("low", "medium", "high")),
    )
    assert [row["total"] for row in (low, medium, high)] == ["0.00515", "0.00815", "0.01215"]
    assert low["served_context"] == "search_context=low"
    assert "served_tier_differs" not in low["warnings"].split(";")  # nothing else was asked for
    (other,) = priced(
        client,
        {**asked, "context": {"search_context": "low"}, "vendor_usage": {**usage, "search_context_size": "high"}},
    )
    assert other["total"] == "0.01215"
    assert "served_tier_differs" in other["warnings"].split(";")


def test_a_service_tier_inside_of_openais_usage_is_what_was_served(client: httpx.Client) -> None:
    """gpt-5.6-sol: 1,000 x 4 per M as default, x 8 as priority."""
    usage = {"prompt_tokens": 1_000, "completion_tokens": 0, "total_tokens": 1_000}
    asked = {"offer": "openai/gpt-5.6-sol", "context": {"service_tier": "priority"}, "usage_format": "openai"}
    default, priority, auto = priced(
        client,
        *({**asked, "vendor_usage": {**usage, "service_tier": tier}} for tier in ("default", "priority", "auto")),
    )
    assert (default["total"], default["served_context"]) == ("0.004", "service_tier=standard")
    assert priority["total"] == "0.008"
    assert (auto["total"], auto["error_code"]) == (None, "invalid-usage")


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

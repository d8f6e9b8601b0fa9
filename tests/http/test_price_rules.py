"""Rules of billing that a private row can state, from `POST /prices` to the bill."""

from __future__ import annotations

import httpx

from tests.http.asking import AS_OF, priced, private_row, publish


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

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

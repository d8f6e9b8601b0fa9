"""`POST /price-change`: a price that rises without the list price moving."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.asking import refused

STORY = json.loads((Path(__file__).parent.parent / "cases" / "data" / "story_1.json").read_text(encoding="utf-8"))
CHINESE = STORY["inputs"]["texts"]["zh_in"]  # 101 tokens by o200k_base, 133 by cl100k_base (story 1)
AS_OF = "2026-11-30T12:00:00Z"


def measure(client: httpx.Client, changes: list[Any], **more: Any) -> list[dict[str, Any]]:
    answer = client.post("/price-change", json={"text": CHINESE, "changes": changes, **more})
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["rows"]
    return rows


@pytest.fixture(scope="module")
def versions(client: httpx.Client) -> None:
    rows = [
        {
            "provider": "acme",
            "model": model,
            "tokenizer": tokenizer,
            "meter": "input_tokens",
            "rate": "2",
            "source": "x",
        }
        for model, tokenizer in (("v1", "o200k_base"), ("v2", "cl100k_base"))
    ]
    body = {"price_book": {"id": "change", "currency": "USD"}, "rows": rows}
    assert client.post("/prices", json=body).status_code == 201


def test_a_new_tokenizer_at_the_same_list_price(client: httpx.Client, versions: None) -> None:
    side = {"price_book": "change", "as_of": AS_OF}
    (row,) = measure(client, [{"before": {"offer": "acme/v1", **side}, "after": {"offer": "acme/v2", **side}}])
    expected = Fraction(133, 101) - 1  # 31.7 % more for the same text
    assert row["input_price_change_ratio"] == "0"
    for ratio in ("input_tokens_change_ratio", "cost_change_ratio"):
        assert abs(Fraction(row[ratio]) - expected) < Fraction(1, 10**27)
    assert (row["before_tokenizer"], row["after_tokenizer"]) == ("o200k_base", "cl100k_base")
    assert Fraction(row["before_cost_per_query"]) == Fraction(101 * 2, 10**6)
    assert row["output_tokens_change_ratio"] is None


def test_a_price_cut_between_two_days(client: httpx.Client) -> None:
    """gpt-5.6-luna: 1 in and 6 out until 2026-07-30, 0.2 and 1.2 from then: 80 % less."""
    change = {
        "row_id": "luna",
        "before": {"offer": "openai/gpt-5.6-luna", "as_of": "2026-07-29"},
        "after": {"offer": "openai/gpt-5.6-luna", "as_of": "2026-07-30"},
    }
    (row,) = measure(client, [change], workload={"output_tokens_per_query": 50})
    changes = {name: row[f"{name}_change_ratio"] for name in ("cost", "input_tokens", "output_tokens", "input_price")}
    assert changes == {"cost": "-0.8", "input_tokens": "0", "output_tokens": "0", "input_price": "-0.8"}
    assert (row["row_id"], row["before_as_of"]) == ("luna", "2026-07-29T00:00:00Z")


def test_a_bad_change_is_a_row_and_the_others_are_answered(client: httpx.Client) -> None:
    good = {"offer": "openai/gpt-6-sol", "as_of": AS_OF}
    rows = measure(
        client,
        [
            {"before": good, "after": {"offer": "openai/nope", "as_of": AS_OF}},
            {"before": good},
            {"before": good, "after": good},
        ],
    )
    assert [row["error_code"] for row in rows] == ["unknown-model", "invalid-fields", None]
    assert (rows[2]["cost_change_ratio"], rows[0]["cost_change_ratio"]) == ("0", None)
    body = {"text": "a", "changes": [{"before": good}]}
    refused(client.post("/price-change?on_error=fail", json=body), 422, "invalid-fields")
    refused(client.post("/price-change", json={"text": "a", "changes": []}), 422, "invalid-fields", "/changes")


def test_as_csv(client: httpx.Client) -> None:
    good = {"offer": "openai/gpt-6-sol", "as_of": AS_OF}
    body = {"text": "a", "changes": [{"before": good, "after": good}]}
    head, row = client.post("/price-change?format=csv&decimal=comma&delimiter=;", json=body).text.splitlines()
    assert head.startswith("row_id;before_offer;")
    assert row.startswith("0;openai/gpt-6-sol;2026-11-30T12:00:00Z;")

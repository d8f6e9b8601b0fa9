"""Units in the words of price pages, in `POST /prices`: what was written is kept."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.http.asking import AS_OF, private_row, publish, refused

UNITS = [  # as written, meter, rate of the page, usage, what it costs by hand
    ("元/百万tokens", "input_tokens", "2.5", 1_000_000, "2.5"),
    ("元/千tokens", "input_tokens", "0.0025", 1_000_000, "2.5"),
    ("元/1千tokens", "output_tokens", "0.01", 2_000, "0.02"),
    ("人民币/万tokens", "output_tokens", "0.1", 20_000, "0.2"),
    ("CNY per 1M tokens", "input_tokens", "4", 500_000, "2"),
    ("per 1K tokens", "input_tokens", "0.004", 500_000, "2"),
    ("元/千次", "web_searches", "30", 10, "0.3"),
    ("元/张", "images", "0.2", 3, "0.6"),
]


def row(unit: str, meter: str, rate: str, **more: Any) -> dict[str, Any]:
    kept = private_row("m", meter, rate, **more)
    return {name: value for name, value in kept.items() if name != "per"} | {"unit": unit}


@pytest.mark.parametrize(("unit", "meter", "rate", "used", "cost"), UNITS, ids=[case[0] for case in UNITS])
def test_a_unit_is_read_and_kept(client: httpx.Client, unit: str, meter: str, rate: str, used: int, cost: str) -> None:
    book = f"unit-{UNITS.index((unit, meter, rate, used, cost))}"
    answer = publish(client, book, [row(unit, meter, rate)], currency="CNY")
    assert answer.status_code == 201, answer.text
    (listed,) = client.get("/prices", params={"price_book": book, "as_of": AS_OF}).json()["rows"]
    assert (listed["rate"], listed["currency"], listed["note"]) == (rate, "CNY", f"unit: {unit}")
    asked = {"as_of": AS_OF, "rows": [{"offer": "acme/m", "price_book": book, "usage": {meter: used}}]}
    (priced,) = client.post("/price", json=asked).json()["rows"]
    assert (priced["total"], priced["currency"]) == (cost, "CNY")


@pytest.mark.parametrize(("unit", "meter", "more", "says"), [
    ("元/bushel", "input_tokens", {}, "write a unit as"), ("¥/百万tokens", "input_tokens", {}, "write a unit as"),
    ("元/千次", "input_tokens", {}, "cannot be said of input_tokens"), ("USD per 1M tokens", "input_tokens", {}, "the book in CNY"),
    ("元/千tokens", "input_tokens", {"per": 1_000_000}, "leave per out"), ("", "input_tokens", {}, ""),
])  # fmt: skip
def test_units_that_are_refused(client: httpx.Client, unit: str, meter: str, more: dict[str, Any], says: str) -> None:
    refused(
        publish(client, "refused", [row(unit, meter, "1") | more], currency="CNY"), 422, "invalid-fields", says=says
    )

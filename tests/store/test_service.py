"""The whole service on each database: start, a private price, a comparison, and the same again after a restart."""

from __future__ import annotations

from pathlib import Path

from tests.running import running_service

ROW = {
    "provider": "vendor", "model": "m", "tokenizer": "o200k_base", "meter": "input_tokens", "rate": "0.30",
    "valid_from": "2026-11-01", "source": "contract",
}  # fmt: skip
QUESTION = {
    "text": "Where is my parcel?",  # 5 tokens by o200k_base
    "offers": [{"offer": "vendor/m", "price_book": "ours"}, "openai/gpt-5.4"],
    "as_of": "2026-11-30T12:00:00Z",
}


def test_a_private_price_survives_a_restart(store_url: str, tmp_path: Path) -> None:
    environment = {"PERMILLION_DATABASE_URL": store_url}
    with running_service(tmp_path, environment) as service, service.client() as client:
        published = client.post("/prices", json={"price_book": {"id": "ours", "currency": "USD"}, "rows": [ROW]})
        assert published.status_code == 201
        before = client.post("/compare", json=QUESTION).json()
    with running_service(tmp_path, environment) as service, service.client() as client:
        assert client.get("/readyz").json()["status"] == "ready"
        after = client.post("/compare", json=QUESTION).json()
    assert after == before
    ours, listed = after["rows"]
    assert (ours["offer"], ours["input_tokens"], ours["cost_per_query"]) == ("vendor/m", 5, "0.0000015")
    assert (listed["offer"], listed["cost_per_query"]) == ("openai/gpt-5.4", "0.0000125")  # 5 at 2.50 per Mtok

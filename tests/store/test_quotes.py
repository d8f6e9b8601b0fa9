"""Quotes on each database: replayed after everything has changed, and whole or absent after a kill."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from catalog.catalog import Catalog
from catalog.quotes import list_quotes
from catalog.snapshot.lookup import DEFAULT_TENANT
from tests.altered_service import KILLED_AT
from tests.running import ROOT, Service, running_service

AS_OF = "2026-11-30T12:00:00Z"
TEXT = "Where is my parcel? It was to come on Friday. 我的包裹到哪里了？"
ROW = {
    "provider": "vendor", "model": "m", "tokenizer": "o200k_base", "meter": "input_tokens", "rate": "0.30",
    "valid_from": "2026-11-01", "source": "contract 1",
}  # fmt: skip
QUESTION = {
    "title": "Renewal",
    "text": TEXT,
    "offers": [
        {"offer": "vendor/m", "price_book": "ours", "row_id": "ours"},
        {"offer": "openai/gpt-6-sol", "row_id": "sol"},
        {"offer": "alibaba/qwen3.5-flash", "price_book": "cn", "row_id": "qwen"},
    ],
    "workload": {"queries_per_month": 1000},
    "fx": [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30", "source": "treasury"}],
    "as_of": AS_OF,
}


def publish(client: httpx.Client, **changes: Any) -> None:
    body = {"price_book": {"id": "ours", "currency": "USD"}, "rows": [ROW | changes]}
    response = client.post("/prices", json=body)
    assert response.status_code == 201, response.text


def upgraded_sheets(folder: Path) -> Path:
    """A copy of the sheets in which GPT-6 Sol costs a quarter more, from the start and by another source."""
    shutil.copytree(ROOT / "providers", folder, ignore=lambda _, names: [n for n in names if n == "feeds"])
    sheet = folder / "openai" / "sheet.yaml"
    head, found, rest = sheet.read_text(encoding="utf-8").partition("  gpt-6-sol:\n")
    assert found
    old = 'rates: {input_tokens: "2", cache_read_tokens: "0.2", cache_write_tokens: "2.5", output_tokens: "10"}}'
    assert old in rest
    new = old.replace('input_tokens: "2"', 'input_tokens: "2.5"')
    sheet.write_text(head + found + rest.replace(old, new, 1), encoding="utf-8")
    return folder


def report(client: httpx.Client, quote: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    response = client.post(f"/quotes/{quote}/replay", params={"as_of": AS_OF})
    assert response.status_code == 200, response.text
    return response.json(), response.json()["rows"]


def of(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    """The one difference that is so."""
    found = [row for row in rows if wanted.items() <= row.items()]
    assert len(found) == 1, (wanted, found)
    return found[0]


def test_a_replay_gives_the_same_bytes_whatever_changed_and_names_each_cause(store_url: str, tmp_path: Path) -> None:
    environment = {"PERMILLION_DATABASE_URL": store_url}
    with running_service(tmp_path, environment) as service, service.client() as client:
        publish(client)
        compared = {name: value for name, value in QUESTION.items() if name != "title"}
        answered = client.post("/compare", json=compared).content
        forgetting = client.post("/quotes", json=QUESTION).json()["quote"]
        keeping = client.post("/quotes", json=QUESTION | {"retain_text_until": "2099-01-01"})
        assert keeping.status_code == 422, "at most a year"
        keeping = client.post("/quotes", json=QUESTION | {"retain_text_until": year_from_now()})
        kept = keeping.json()["quote"]
        assert client.get(f"/quotes/{forgetting['quote_id']}/answer").content == answered, "as POST /compare answers it"
        whole, rows = report(client, forgetting["quote_id"])
        assert [row["cause"] for row in rows] == ["fx"], "nothing else has changed"
        assert whole["replay"]["recomputed"] == "same"
        publish(client, rate="0.36", source="contract 2", tokenizer="cl100k_base")
    altered = {"method": "4", "sheets": str(upgraded_sheets(tmp_path / "sheets"))}
    later = {**environment, "ALTERED": json.dumps(altered)}
    with running_service(tmp_path, later, module="tests.altered_service") as service, service.client() as client:
        for quote, counts in ((forgetting, "kept"), (kept, "recounted")):
            path = f"/quotes/{quote['quote_id']}"
            assert client.post(f"{path}/replay?part=answer").content == answered
            whole, rows = report(client, quote["quote_id"])
            assert f'"answer":{answered.decode()}' in client.post(f"{path}/replay").text
            assert whole["replay"]["same_bytes"] is True
            assert whole["replay"]["counts"] == counts
            check_causes(rows, quote)
        # the text was not kept: what another tokenizer would count cannot be known
        _, rows = report(client, forgetting["quote_id"])
        assert of(rows, row_id="ours", field="error_code")["after_text"] == "tokenizer-unavailable"
        # it was kept: 0.36 per million of what cl100k_base counts
        _, rows = report(client, kept["quote_id"])
        tokens = client.post("/tokenize", json={"texts": [{"text": TEXT}], "tokenizers": ["cl100k_base"]}).json()
        assert of(rows, row_id="ours", field="input_tokens")["after"] == str(tokens["rows"][0]["tokens"])
        report_csv = client.post(f"/quotes/{kept['quote_id']}/replay?format=csv").text
        assert report_csv.startswith("row_id,offer,price_book,cause,field,meter,before,after,before_text,after_text,")


def check_causes(rows: list[dict[str, Any]], quote: Mapping[str, Any]) -> None:
    price = of(rows, row_id="ours", cause="price_change", field="rate")
    assert (price["meter"], price["before"], price["after"]) == ("input_tokens", "0.3", "0.36")
    assert (price["source_before"], price["source_after"]) == ("contract 1", "contract 2")
    method = of(rows, cause="method_version")
    assert (method["before_text"], method["after_text"], method["offer"]) == ("3", "4", None)
    sheet = of(rows, cause="sheet_upgrade", field="sheet")
    assert (sheet["before_text"], "openai" in sheet["detail"]) == (quote["catalog_version"], True)
    rate = of(rows, cause="sheet_upgrade", row_id="sol", field="rate")
    assert (rate["meter"], rate["before"], rate["after"], rate["per_after"]) == ("input_tokens", "2", "2.5", 1_000_000)
    cost = of(rows, cause="sheet_upgrade", row_id="sol", field="cost_per_query")
    assert float(cost["after"]) / float(cost["before"]) == pytest.approx(1.25)
    tokenizer = of(rows, row_id="ours", field="tokenizer")
    assert tokenizer["cause"] == "tokenizer_change"
    assert (tokenizer["before_text"].split()[0], tokenizer["after_text"].split()[0]) == ("o200k_base", "cl100k_base")
    fx = of(rows, cause="fx")
    assert (fx["field"], fx["before"], fx["after"]) == ("CNY/USD", "0.1408", "0.1408")
    assert not [row for row in rows if row["cause"] == "unexplained"]
    assert not [row for row in rows if row["row_id"] == "qwen"], "nothing of it changed"


def year_from_now() -> str:
    from datetime import UTC, datetime, timedelta

    return (datetime.now(UTC) + timedelta(days=300)).isoformat()


def one_sheet(folder: Path) -> Path:
    """A folder with one provider's sheet: a catalog that is loaded in no time."""
    (folder / "openai").mkdir(parents=True)
    shutil.copy(ROOT / "providers" / "openai" / "sheet.yaml", folder / "openai")
    return folder


def served(tmp_path: Path, url: str, **altered: str) -> AbstractContextManager[Service]:
    """The service on that database, with one sheet, and as altered."""
    sheets = tmp_path / "one"
    altered |= {"sheets": str(sheets if sheets.exists() else one_sheet(sheets))}
    environment = {"PERMILLION_DATABASE_URL": url, "ALTERED": json.dumps(altered)}
    return running_service(tmp_path, environment, module="tests.altered_service")


def kept_in(url: str) -> list[str]:
    catalog = Catalog.open(url)
    quotes, _ = list_quotes(catalog.engine, DEFAULT_TENANT, limit=100)
    catalog.close()
    return [quote.quote for quote in quotes]


def test_a_kill_leaves_a_quote_whole_or_absent_and_its_key_gives_one(store_url: str, tmp_path: Path) -> None:
    question = QUESTION | {"offers": ["openai/gpt-6-sol"], "fx": []}
    there: dict[str, list[str]] = {}
    for place in KILLED_AT:
        before = kept_in(store_url)
        with served(tmp_path, store_url, kill=place) as service, service.client() as client:
            with pytest.raises(httpx.TransportError):
                client.post("/quotes", json=question, headers={"Idempotency-Key": place.replace(" ", "-")})
            service.process.wait(20)
        there[place] = [quote for quote in kept_in(store_url) if quote not in before]
    assert {place: len(quotes) for place, quotes in there.items()} == {
        place: int(place == "after the commit") for place in KILLED_AT
    }
    with served(tmp_path, store_url) as service, service.client() as client:
        for place in KILLED_AT:
            key = {"Idempotency-Key": place.replace(" ", "-")}
            made = [client.post("/quotes", json=question, headers=key) for _ in range(2)]
            assert [answer.status_code for answer in made] == [201, 201]
            assert made[0].content == made[1].content
            assert made[1].headers["idempotency-replayed"] == "true"
            assert ("idempotency-replayed" in made[0].headers) == (place == "after the commit")
            if there[place]:
                assert [made[0].json()["quote"]["quote_id"]] == there[place]
        assert len(client.get("/quotes").json()["rows"]) == len(KILLED_AT)
    assert len(kept_in(store_url)) == len(KILLED_AT)


@pytest.mark.parametrize("place", ["before the commit", "after the commit"])
def test_a_kill_leaves_prices_whole_or_absent_and_their_key_publishes_once(
    place: str, store_url: str, tmp_path: Path
) -> None:
    body = {"price_book": {"id": "ours", "currency": "USD"}, "rows": [ROW]}
    key = {"Idempotency-Key": "prices-1"}
    with served(tmp_path, store_url, kill=place) as service, service.client() as client:
        with pytest.raises(httpx.TransportError):
            client.post("/prices", json=body, headers=key)
        service.process.wait(20)
    with served(tmp_path, store_url) as service, service.client() as client:
        history = "/prices/history?price_book=ours"
        assert len(client.get(history).json()["rows"]) == int(place == "after the commit")
        again = client.post("/prices", json=body, headers=key)
        assert again.status_code == 201
        assert again.json()["rows"][0]["added"] == 1, "the answer of the effect, not of a second try"
        assert ("idempotency-replayed" in again.headers) == (place == "after the commit")
        assert len(client.get(history).json()["rows"]) == 1

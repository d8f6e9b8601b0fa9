"""`GET /changes` and its feed: what changed, what will, what became doubtful, what that does to a quote."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest

from tests.http.asking import private_row, publish, refused
from tests.running import running_service

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "<script>&\"']]> =1+1"
NOW = datetime.now(UTC).replace(microsecond=0)


def day(days: int) -> str:
    """That many days from now, at midnight."""
    return (NOW + timedelta(days=days)).date().isoformat()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("watch")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder) as running, running.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def told(client: httpx.Client) -> dict[str, Any]:
    """A catalog in which one thing of each kind happened: the version before, the quote, the answer."""
    first = [
        private_row("m", "input_tokens", "2", valid_from=day(-60), checked_on=day(-50), source=HOSTILE),
        private_row("m", "output_tokens", "8", valid_from=day(-60), checked_on=day(-50)),
        private_row("gone", "input_tokens", "1", valid_from=day(-60), checked_on=day(-50)),
    ]
    assert publish(client, "ours", first).status_code == 201
    asked = {"samples": [{"input_tokens": 1000}], "offers": [{"offer": "acme/m", "price_book": "ours"}]}
    asked |= {"workload": {"output_tokens_per_query": 0}, "as_of": day(-1)}
    quote = client.post("/quotes", json=asked).json()["quote"]
    version = client.get("/readyz").json()["catalog_version"]
    later = [
        private_row(
            "m", "input_tokens", "2.5", valid_from=day(-2), valid_to=day(10), checked_on=day(-1), source=HOSTILE
        ),
        private_row("m", "input_tokens", "3", valid_from=day(10), checked_on=day(-1), source=HOSTILE),
        private_row("m", "output_tokens", "8", valid_from=day(-60), checked_on=day(-1)),
        private_row("gone", "input_tokens", "1", valid_from=day(-60)) | {"rate": None},
        private_row("old", "input_tokens", "1", valid_from=day(-200), checked_on=day(-91)),
    ]
    del later[3]["checked_on"]
    response = publish(client, "ours", later)
    assert response.status_code == 201, response.text
    asked_for = {"since": version, "quote": quote["quote_id"]}
    return {"version": version, "quote": quote["quote_id"], "asked": asked_for}


def changes(
    client: httpx.Client, asked: dict[str, Any], book: str = "ours"
) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = client.get("/changes", params=asked).json()["rows"]
    return {(row["change"], row["offer"], row["meter"]): row for row in rows if row["price_book"] == book}


def test_each_kind_of_change_is_told(client: httpx.Client, told: dict[str, Any]) -> None:
    found = changes(client, told["asked"])
    changed = [
        row
        for row in client.get("/changes", params=told["asked"]).json()["rows"]
        if (row["change"], row["offer"]) == ("price_changed", "acme/m")
    ]
    assert sorted((row["before"], row["after"], row["change_ratio"], row["at"]) for row in changed) == [
        ("2", "2.5", "0.25", f"{day(-2)}T00:00:00Z"),
        ("2.5", "3", "0.2", f"{day(10)}T00:00:00Z"),
    ]
    assert {row["source"] for row in changed} == {HOSTILE}
    will = found["price_will_change", "acme/m", "input_tokens"]
    assert (will["before"], will["after"], will["at"]) == ("2.5", "3", f"{day(10)}T00:00:00Z")
    assert (
        found["price_rechecked", "acme/m", "output_tokens"]["detail"] == f"the price is the same; checked on {day(-1)}"
    )
    gone = found["price_removed", "acme/gone", "input_tokens"]
    assert (gone["before"], gone["after"], gone["detail"]) == ("1", None, "the source has it no more")
    assert found["price_added", "acme/old", "input_tokens"]["after"] == "1"
    # checked 91 days ago: over 90 since today, and recorded after the watch began
    stale = found["price_became_stale", "acme/old", "input_tokens"]
    assert stale["detail"] == f"last checked on {day(-91)}"
    # 1,000 tokens at 2 per million were quoted; 2.5 now, 3 in ten days
    now = found["quote_cost_changed", "acme/m", "cost_per_query"]
    assert (now["before"], now["after"], now["change_ratio"]) == ("0.002", "0.0025", "0.25")
    soon = found["quote_cost_will_change", "acme/m", "cost_per_query"]
    assert (soon["before"], soon["after"], soon["at"]) == ("0.0025", "0.003", f"{day(10)}T00:00:00Z")
    near = changes(client, told["asked"] | {"within_days": 5})
    assert not [key for key in near if "will" in key[0]]


def test_a_watch_may_begin_at_an_instant_or_a_version(client: httpx.Client, told: dict[str, Any]) -> None:
    by_number = client.get("/changes", params={"since": told["version"].partition("-")[0]}).json()
    assert by_number["since_catalog_version"] == told["version"]
    by_instant = client.get("/changes", params={"since": by_number["since"]}).json()
    assert by_instant["rows"] == by_number["rows"]
    tomorrow = client.get("/changes", params={"since": (NOW + timedelta(days=1)).isoformat(), "within_days": 0}).json()
    assert tomorrow["rows"] == []
    beginning = client.get("/changes", params={"since": "2020-01-01", "within_days": 0}).json()
    assert not [r for r in beginning["rows"] if r["change"] == "price_added" and r["price_book"] == "default"]
    for wrong in ("yesterday", "99", "1-00000000", "2026-13-01", "2026-11-30T12:00:00", "-1", ""):
        refused(client.get("/changes", params={"since": wrong}), 422, "invalid-fields", "/since")
    refused(client.get("/changes?quote=q-0"), 404, "unknown-quote")
    refused(client.get("/changes?cursor=x"), 422, "invalid-fields", "/cursor")
    refused(client.get("/changes?within_days=-1"), 422, "invalid-fields", "/within_days")


def test_pages_join_to_the_whole(client: httpx.Client, told: dict[str, Any]) -> None:
    whole = client.get("/changes", params=told["asked"]).json()["rows"]
    assert len(whole) >= 9
    noticed = [datetime.fromisoformat(row["noticed_at"]) for row in whole]
    assert noticed == sorted(noticed, reverse=True)
    assert len({row["change_id"] for row in whole}) == len(whole)
    found: list[Any] = []
    cursor = None
    for _ in range(len(whole)):
        page = client.get(
            "/changes", params=told["asked"] | {"limit": 4} | ({"cursor": cursor} if cursor else {})
        ).json()
        found += page["rows"]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == whole


def test_csv_keeps_text_from_becoming_a_formula(client: httpx.Client, told: dict[str, Any]) -> None:
    assert publish(client, "ours", [private_row("eq", "input_tokens", "1", source="=HYPERLINK(1)")]).status_code == 201
    rows = list(csv.DictReader(io.StringIO(client.get("/changes", params={**told["asked"], "format": "csv"}).text)))
    assert "'=HYPERLINK(1)" in {row["source"] for row in rows}


def test_the_feed_is_atom(client: httpx.Client, told: dict[str, Any]) -> None:
    """RFC 4287, section 4.1: what a feed and an entry must have, once each; ids and dates that stay."""
    response = client.get("/changes.atom", params=told["asked"])
    assert response.headers["content-type"].partition(";")[0] == "application/atom+xml"
    feed = ET.fromstring(response.content)
    assert feed.tag == f"{ATOM}feed"
    for parent, names in (
        (feed, ("id", "title", "updated")),
        *((e, ("id", "title", "updated", "content")) for e in feed.iter(f"{ATOM}entry")),
    ):
        for name in names:
            assert len(parent.findall(f"{ATOM}{name}")) == 1, name
            assert (parent.findtext(f"{ATOM}{name}") or "").strip()
    for stamp in feed.iter(f"{ATOM}updated"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", stamp.text or "")
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "permillion"
    links = {link.get("rel"): link.get("href", "") for link in feed.findall(f"{ATOM}link")}
    assert httpx.URL(links["self"]).params["since"] == told["version"]
    assert client.get(links["self"]).content == response.content
    ids = [element.text or "" for element in feed.iter(f"{ATOM}id")]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in ids)
    rows = client.get("/changes", params=told["asked"]).json()["rows"]
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == len(rows)
    assert [entry.findtext(f"{ATOM}updated") for entry in entries] == [row["noticed_at"] for row in rows]
    assert feed.findtext(f"{ATOM}updated") == rows[0]["noticed_at"]
    contents = [entry.findtext(f"{ATOM}content") or "" for entry in entries]
    assert f"source: {HOSTILE}" in "\n".join(contents), "escaped, and the same once read"
    assert "<script>" not in response.text
    again = client.get("/changes.atom", params=told["asked"], headers={"If-None-Match": response.headers["etag"]})
    assert again.status_code == 304


def test_a_model_that_will_be_retired_and_one_that_was(client: httpx.Client) -> None:
    models = client.get("/models").json()["rows"]
    ahead = {row["offer"] for row in models if row["retired_on"] and row["retired_on"] > NOW.isoformat()}
    rows = client.get("/changes", params={"within_days": 3_660, "limit": 10_000}).json()["rows"]
    assert {row["offer"] for row in rows if row["change"] == "model_will_retire"} == ahead


def test_records_of_machines_are_watched_and_written_once(client: httpx.Client) -> None:
    """Shipped machines were there from the first start: no news. A row of one's own is, and a key records it once."""
    version = client.get("/readyz").json()["catalog_version"]
    price = {
        "provider": "own", "sku": "box", "accelerator": "h100-sxm", "accelerator_count": 8, "unit": "instance",
        "coverage": "whole_instance", "purchase_model": "on_demand", "amount": "40", "currency": "USD",
        "region": "here", "as_of": day(-3), "source": "offer of a day",
    }  # fmt: skip
    key = {"Idempotency-Key": "rent-1"}
    made = [client.post("/rental-prices", json={"rows": [price]}, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in made] == [201, 201], made[0].text
    assert made[0].content == made[1].content
    assert (made[0].headers.get("idempotency-replayed"), made[1].headers["idempotency-replayed"]) == (None, "true")
    other = client.post("/rental-prices", json={"rows": [price | {"amount": "41"}]}, headers=key)
    refused(other, 422, "idempotency-key-reused")
    assert client.post("/rental-prices", json={"rows": [price | {"amount": "41"}]}).status_code == 201
    rows = client.get("/changes", params={"since": version}).json()["rows"]
    found = [row for row in rows if row["change"].startswith("rental_price")]
    assert [row["change"] for row in found][:2] == ["rental_price_changed", "rental_price_added"], found
    assert all("own/box" in row["detail"] and "private" in row["detail"] for row in found[:2])
    first = client.get("/changes", params={"since": "2020-01-01T00:00:00Z"}).json()["rows"]
    assert not [row for row in first if row["change"].startswith("accelerator")]

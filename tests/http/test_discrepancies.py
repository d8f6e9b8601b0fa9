"""`GET /discrepancies` of a service whose database holds an imported feed, and what that feed does to other answers."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from api.cli.opening import open_catalog
from api.settings import Settings
from catalog.publishing import NewBook, NewRow, Publication
from economics.prices import PriceRow, Provenance
from providers.sheet import Source
from tests.http.conftest import never_a_server_error
from tests.running import running_service

AT = "2026-11-30T12:00:00Z"
# the vendor's list: gpt-6-sol 2 in, 10 out; gpt-5.4 2.50 in (domain note, OpenAI)
PRICES = {
    ("gpt-6-sol", "input_tokens"): "2.50",
    ("gpt-6-sol", "output_tokens"): "10",
    ("gpt-5.4", "input_tokens"): "2500",
    ("only-here", "input_tokens"): "7",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("feed")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    catalog = open_catalog(Settings(database_url=f"sqlite:///{folder / 'permillion.sqlite3'}"))
    title = "Aggregator, file of 2026-11-20"
    source = Source(
        title=title,
        kind="third_party",
        retrieved_on=date(2026, 11, 20),
        version="7",
        license="MIT",
        lineage="openrouter",
    )
    rows = [
        NewRow("openai", model, None, PriceRow(
            meter, Decimal(rate), 1_000_000, "USD", Provenance(title, date(2026, 11, 20)), start_known=False
        ))
        for (model, meter), rate in PRICES.items()
    ]  # fmt: skip
    catalog.publish_all([Publication(NewBook("aggregator", None, "USD"), rows, {title: source})])
    catalog.close()
    with running_service(folder) as running, running.client() as opened:
        opened.event_hooks = {"response": [never_a_server_error]}
        yield opened


def test_each_source_has_its_price_age_and_lineage(client: httpx.Client) -> None:
    answer = client.get("/discrepancies", params={"as_of": AT, "provider": "openai", "model": "gpt-6-sol"}).json()
    ours, theirs = answer["rows"]
    assert (ours["chosen"], ours["rate"], ours["price_book"], ours["ratio_to_chosen"]) == (True, "2", "default", "1")
    assert (theirs["chosen"], theirs["rate"], theirs["ratio_to_chosen"]) == (False, "2.5", "1.25")
    assert (theirs["status"], theirs["lineage"], theirs["source_license"], theirs["age_days"]) == (
        "disputed", "openrouter", "MIT", 10,
    )  # fmt: skip
    assert (answer["meta"]["as_of"], answer["next"]) == (AT, None)


def test_a_unit_slip_is_suspect_and_agreement_is_left_out(client: httpx.Client) -> None:
    rows = client.get("/discrepancies", params={"as_of": AT}).json()["rows"]
    assert {(r["offer"], r["meter"]) for r in rows} == {
        ("openai/gpt-6-sol", "input_tokens"),
        ("openai/gpt-5.4", "input_tokens"),
    }
    slip = next(r for r in rows if r["offer"] == "openai/gpt-5.4" and not r["chosen"])
    assert (slip["status"], slip["finding"], slip["ratio_to_chosen"]) == ("suspect", "unit_slip", "1000")
    agreed = client.get("/discrepancies", params={"as_of": AT, "agreed": "true"}).json()["rows"]
    assert ("openai/gpt-6-sol", "output_tokens", "ok") in {(r["offer"], r["meter"], r["status"]) for r in agreed}


def test_the_price_stays_and_its_status_says_disputed(client: httpx.Client) -> None:
    rows = [
        {"offer": "openai/gpt-6-sol", "usage": {"input_tokens": 100_000}},
        {"offer": "openai/gpt-6-sol", "usage": {"output_tokens": 1_000_000, "input_tokens": 0}},
        {"offer": "openai/gpt-5.4", "usage": {"input_tokens": 1_000}},
        {"offer": "openai/only-here", "price_book": "aggregator", "usage": {"input_tokens": 1_000_000}},
        {"offer": "openai/only-here", "usage": {"input_tokens": 1}},
    ]
    answer = client.post("/price", json={"rows": rows, "as_of": AT}).json()["rows"]
    assert [(r["total"], r["price_status"]) for r in answer[:3]] == [
        ("0.2", "disputed"), ("10", "ok"), ("0.0025", "suspect"),
    ]  # fmt: skip
    assert "price_disputed" in answer[0]["warnings"]
    assert (answer[3]["total"], answer[3]["price_status"]) == ("7", "ok")
    assert (answer[4]["error_code"], "aggregator" in answer[4]["error_detail"]) == ("unknown-model", True)
    compared = client.post("/compare", json={"text": "hello", "offers": ["openai/gpt-6-sol"], "as_of": AT}).json()
    assert compared["rows"][0]["price_status"] == "disputed"


def test_pages_formats_and_conditional_reads(client: httpx.Client) -> None:
    asked = {"as_of": AT, "limit": 3}
    first = client.get("/discrepancies", params=asked)
    second = client.get("/discrepancies", params={**asked, "cursor": first.json()["next"]})
    whole = client.get("/discrepancies", params={"as_of": AT})
    assert first.json()["rows"] + second.json()["rows"] == whole.json()["rows"]
    assert 'rel="next"' in first.headers["link"]
    table = client.get("/discrepancies", params={"as_of": AT, "format": "csv"})
    assert [row["rate"] for row in csv.DictReader(io.StringIO(table.text))] == [r["rate"] for r in whole.json()["rows"]]
    again = client.get("/discrepancies", params={"as_of": AT}, headers={"If-None-Match": whole.headers["etag"]})
    assert again.status_code == 304
    assert client.head("/discrepancies", params={"as_of": AT}).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "x"},
        {"cursor": "d9999999999"},
        {"as_of": "soon"},
        {"limit": "0"},
        {"agreed": "perhaps"},
        {"modle": "x"},
    ],
)
def test_bad_questions_are_refused(client: httpx.Client, query: dict[str, str]) -> None:
    assert client.get("/discrepancies", params=query).status_code == 422


def test_nobody_of_that_name_is_an_empty_list(client: httpx.Client) -> None:
    assert client.get("/discrepancies", params={"provider": "nobody"}).json()["rows"] == []

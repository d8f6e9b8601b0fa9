"""Public reports about price collections, tried with the readers: figures are those of the reports or of the domain note."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from api.services.discrepancies import Asked, find_discrepancies
from api.services.importing import ImportPlan, plan_import, publish_import
from catalog.catalog import Catalog
from catalog.publishing import NewBook
from providers.feeds import feed_named
from providers.registry import all_providers

SEEN = date(2026, 11, 20)
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    catalog = Catalog.open(f"sqlite:///{tmp_path / 'catalog.sqlite3'}")
    catalog.prepare([provider.content() for provider in all_providers()])
    yield catalog
    catalog.close()


def imported(catalog: Catalog, feed: str, document: object) -> ImportPlan:
    reading = feed_named(feed).read(json.dumps(document).encode(), SEEN)
    plan = plan_import(catalog, reading, NewBook(feed, None, "USD"), SEEN)
    publish_import(catalog, plan)
    return plan


def openrouter(model: str, prompt: str, completion: str) -> dict[str, object]:
    return {"data": [{"id": model, "pricing": {"prompt": prompt, "completion": completion}}]}


def test_litellm_39501_a_row_that_contradicts_the_page_it_cites_is_disputed(catalog: Catalog) -> None:
    """41 of 85 OpenRouter rows of LiteLLM contradicted OpenRouter's own API; the vendor's answer is chosen, and both show."""
    entry = {
        "litellm_provider": "openrouter",
        "mode": "chat",
        "input_cost_per_token": 1.8e-07,  # figures chosen for the test: more than twice the other
        "output_cost_per_token": 8e-07,
    }
    imported(catalog, "litellm", {"openrouter/openai/gpt-oss-120b": entry})
    imported(catalog, "openrouter", openrouter("openai/gpt-oss-120b", "0.00000005", "0.00000025"))
    found = find_discrepancies(catalog.snapshot, Asked(AT, "openrouter", "openai/gpt-oss-120b"))
    told = [(s.about[0], s.voice.price_book, f"{s.voice.row.rate:f}", s.chosen, s.status.value) for s in found]
    assert told == [
        ("input_tokens", "openrouter", "0.05", True, "suspect"),
        ("input_tokens", "litellm", "0.18", False, "suspect"),
        ("output_tokens", "openrouter", "0.25", True, "suspect"),
        ("output_tokens", "litellm", "0.8", False, "suspect"),
    ]


def test_two_collections_that_differ_by_rounding_of_a_currency_are_disputed(catalog: Catalog) -> None:
    """The note's row 15: ovhcloud gpt-oss-120b is 0.09 / 0.47 in genai-prices and 0.08 / 0.40 in LiteLLM."""
    entry = {
        "litellm_provider": "ovhcloud",
        "mode": "chat",
        "input_cost_per_token": 8e-08,
        "output_cost_per_token": 4e-07,
    }
    imported(catalog, "litellm", {"ovhcloud/gpt-oss-120b": entry})
    prices = {"input_mtok": 0.09, "output_mtok": 0.47}
    model = {"id": "gpt-oss-120b", "match": {"equals": "gpt-oss-120b"}, "prices": prices}
    imported(catalog, "genai-prices", [{"id": "ovhcloud", "name": "OVHcloud", "models": [model]}])
    found = find_discrepancies(catalog.snapshot, Asked(AT, "ovhcloud"))
    assert [(s.voice.price_book, s.chosen, s.status.value) for s in found] == [
        ("genai-prices", True, "disputed"), ("litellm", False, "disputed"),
    ] * 2  # fmt: skip


def test_codeburn_457_the_sentinel_of_openrouter_is_refused_and_reported(catalog: Catalog) -> None:
    plan = imported(catalog, "openrouter", openrouter("openrouter/auto", "-1", "-1"))
    assert {(refused.upstream_id, refused.reason) for refused in plan.refused} == {("openrouter/auto", "sentinel")}
    stub = imported(catalog, "openrouter", openrouter("some/stub", "0", "0"))
    assert {refused.reason for refused in stub.refused} == {"zero-price"}
    free = imported(catalog, "openrouter", openrouter("some/model:free", "0", "0"))
    assert free.counts()["added"] == 2


def test_mission_control_164_a_slip_of_a_thousand_is_quarantined_and_named(catalog: Catalog) -> None:
    """gpt-5.4 is 2.50 per million; a file that says 2.50 per thousand is 1,000 times too dear."""
    entry = {
        "litellm_provider": "openai",
        "mode": "chat",
        "input_cost_per_token": 0.0025,
        "output_cost_per_token": 1.5e-05,
    }
    plan = imported(catalog, "litellm", {"gpt-5.4": entry})
    assert [(q.upstream_id, "2.5 per 1000000" in q.detail) for q in plan.quarantined] == [("gpt-5.4", True)]
    assert plan.counts()["added"] == 1


def test_genai_prices_703_a_stale_file_replaces_nothing(catalog: Catalog) -> None:
    """An updater put an old file in the place of good data; here what was checked later stays believed."""
    imported(catalog, "openrouter", openrouter("a/b", "0.000002", "0.000004"))
    old = feed_named("openrouter").read(
        json.dumps(openrouter("a/b", "0.000003", "0.000006")).encode(), date(2026, 1, 5)
    )
    plan = plan_import(catalog, old, NewBook("openrouter", None, "USD"), date(2026, 1, 5))
    assert {refused.reason for refused in plan.refused} == {"older"}
    assert plan.counts()["changed"] == 0

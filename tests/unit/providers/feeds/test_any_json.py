"""Whatever stands anywhere in a feed's file ends as a row, a refusal or `invalid-feed`; and long files are read in time."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.publishing.checks import NewBook, NewRow, check_rows
from economics.errors import PermillionError
from providers.feeds import feed_named
from providers.feeds.reading import REASONS

HERE = Path(__file__).parent
DAY = date(2026, 11, 30)
FILES = {
    "genai-prices": "genai_prices.json",
    "litellm": "litellm.json",
    "models.dev": "models_dev.json",
    "openrouter": "openrouter.json",
}
DATA = {name: json.loads((HERE / file).read_text(encoding="utf-8")) for name, file in FILES.items()}

nasty = st.sampled_from([
    None, True, False, 0, -1, 1, 10**40, 1e308, float("nan"), float("inf"), -0.0, 5e-324, "", " ", "-1", "0", "1e999999",
    "NaN", "1_000", " 1", "１", "\ud800", "\x00", "x" * 3_000, "2026-13-45", "9999-12-31", "0001-01-01", [], {}, [[]],
    [None], {"": None}, {"start_date": "1969-12-31"}, {"start_time": 1}, {"base": "1", "tiers": []},
    {"base": 1, "tiers": [{"start": 10**16, "price": 1}]}, {"or": {"or": []}}, {"prompt": [], "min_prompt_tokens": True},
])  # fmt: skip
values = nasty | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(node: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value under `node`."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*above, key)
        yield from places(value, (*above, key))


PLACES = {name: list(places(data)) for name, data in DATA.items()}


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_value_anywhere_ends_as_a_row_or_a_refusal(name: str, data: st.DataObject) -> None:
    document: Any = copy.deepcopy(DATA[name])
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(PLACES[name]))
        value = data.draw(values)
        try:
            inner = document
            for key in path[:-1]:
                inner = inner[key]
            if data.draw(st.booleans()):
                inner[path[-1]] = value
            elif isinstance(inner, dict):
                inner[str(value)[:300]] = inner.pop(path[-1])
        except (KeyError, IndexError, TypeError):  # an earlier change took the place away
            continue
    try:
        reading = feed_named(name).read(json.dumps(document).encode(), DAY)
    except PermillionError as error:
        assert error.slug == "invalid-feed"
        return
    assert all(row.row.rate >= 0 for row in reading.rows)
    assert [*reading.rows, *reading.refused]
    for refused in reading.refused:
        assert refused.reason in REASONS
        f"{refused.upstream_id}{refused.where}{refused.detail}".encode()
    check_rows(NewBook("any", None, "USD"), [NewRow(r.provider, r.model, None, r.row) for r in reading.rows], {})


@pytest.mark.parametrize("name", FILES)
def test_a_value_of_another_kind_in_every_kind_of_place(name: str) -> None:
    kinds: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for path in PLACES[name]:
        inner = DATA[name]
        for key in path[:-1]:
            inner = inner[key]
        beside = frozenset(inner) if isinstance(inner, dict) else len(inner)
        kinds.setdefault((beside, path[-1]), path)
    for path in kinds.values():
        for value in ([], {}, True):
            document: Any = copy.deepcopy(DATA[name])
            inner = document
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            try:
                reading = feed_named(name).read(json.dumps(document).encode(), DAY)
            except PermillionError as error:
                assert error.slug == "invalid-feed"
                continue
            assert all(row.row.rate >= 0 for row in reading.rows)


def test_conditions_nested_without_end_do_not_end_the_reading() -> None:
    match, same = '{"equals": "b"}', '{"input": 1}'
    for _ in range(450):
        match, same = f'{{"or": [{match}]}}', f'{{"x": [{same}]}}'
    genai = f'[{{"id": "a", "models": [{{"id": "b", "match": {match}, "prices": {{"input_mtok": 1}}}}]}}]'
    assert len(feed_named("genai-prices").read(genai.encode(), DAY).rows) == 1
    tier = f'{{"tier": {{"size": 1, "type": "context"}}, "x": {same}}}'
    cost = f'{{"input": 1, "tiers": [{tier}], "context_over_200k": {{"x": {same}}}}}'
    content = f'{{"a": {{"models": {{"b": {{"cost": {cost}}}}}}}}}'
    assert len(feed_named("models.dev").read(content.encode(), DAY).rows) == 1


@pytest.mark.parametrize("name", FILES)
@given(document=values)
def test_any_document_is_read_or_invalid(name: str, document: Any) -> None:
    with pytest.raises(PermillionError) as caught:
        feed_named(name).read(json.dumps(document).encode(), DAY)
    assert caught.value.slug == "invalid-feed"


def test_5000_entries_are_read_in_a_few_seconds() -> None:
    many = {
        "genai-prices": [
            {"id": "openai", "models": [copy.deepcopy(DATA["genai-prices"][0]["models"][0]) | {"id": f"gpt-{n}", "match": None}
                                        for n in range(5_000)]}],
        "litellm": {f"gpt-{n}": DATA["litellm"]["claude-sonnet-5"] for n in range(5_000)},
        "models.dev": {"openai": {"models": {f"gpt-{n}": DATA["models.dev"]["openai"]["models"]["gpt-5.4"] for n in range(5_000)}}},
        "openrouter": {"data": [DATA["openrouter"]["data"][3] | {"id": f"acme/{n}"} for n in range(5_000)]},
    }  # fmt: skip
    for name, document in many.items():
        content = json.dumps(document).encode()
        reading = feed_named(name).read(content, DAY)
        assert reading.entries == 5_000
        assert len(reading.rows) >= 5_000


def test_5000_prices_of_one_model_are_read() -> None:
    sheets = [{"constraint": {"start_date": f"{1_980 + n // 300}-{n % 12 + 1:02}-{n // 12 % 25 + 1:02}"},
               "prices": {"input_mtok": n + 1}} for n in range(5_000)]  # fmt: skip
    tiers = [{"range": [n, n + 1], "input_cost_per_token": n + 1} for n in range(5_000)]
    overrides = [{"min_prompt_tokens": n, "prompt": str(n)} for n in range(5_000)]
    many = {
        "genai-prices": [{"id": "a", "models": [{"id": "b", "prices": sheets}]}],
        "litellm": {"a": {"litellm_provider": "a", "tiered_pricing": tiers}},
        "openrouter": {"data": [{"id": "a", "pricing": {"prompt": "1", "overrides": overrides}}]},
    }
    for name, document in many.items():
        content = json.dumps(document).encode()
        assert feed_named(name).read(content, DAY).rows

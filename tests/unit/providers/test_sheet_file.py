"""Sheet files: what YAML comes in, that only text comes out, and which sheets are refused with which words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from economics.errors import PermillionError
from providers.registry import parse_sheet
from providers.sheet_file import MAX_DEPTH, MAX_SHEET_BYTES, read_yaml

MINIMAL: dict[str, Any] = {
    "provider": "acme",
    "name": "Acme",
    "price_books": {"default": {"currency": "USD"}},
    "sources": {"page": {"title": "Acme prices", "kind": "vendor_page", "retrieved_on": "2026-11-01"}},
    "context": {"processing": {"values": ["standard", "batch"], "default": "standard"}},
    "models": {
        "rocket": {
            "prices": [
                {"from": "2026-11-01", "source": "page", "checked": "2026-11-02", "rates": {"input_tokens": "1.20"}}
            ]
        }
    },
}


def refused(text: str) -> str:
    with pytest.raises(PermillionError) as caught:
        read_yaml(text)
    assert caught.value.slug == "invalid-sheet"
    return caught.value.detail


@pytest.mark.parametrize(
    "scalar",
    ["1.20", "no", "yes", "1_000", "12:30", "0x1F", "0o17", "1e3", ".inf", ".nan", "~", "null", "true", "2026-11-30"],
)
def test_every_scalar_stays_text(scalar: str) -> None:
    assert read_yaml(f"{scalar}: {scalar}\nlist: [{scalar}]") == {scalar: scalar, "list": [scalar]}


def test_quoted_folded_and_empty_scalars_are_text() -> None:
    assert read_yaml("a: '1.20'\nb: \"é\\u4f60\"\nc: |\n  x\n  y\nd:\ne: ''") == {
        "a": "1.20", "b": "é你", "c": "x\ny\n", "d": "", "e": "",
    }  # fmt: skip


def test_mappings_and_lists_keep_order() -> None:
    found = read_yaml("b: {z: 1, y: [2, {x: 3}]}\na: 4")
    assert json.dumps(found) == '{"b": {"z": "1", "y": ["2", {"x": "3"}]}, "a": "4"}'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: &x 1", "line 1, column 4"),
        ("a: 1\nb: &x [1]", "line 2, column 4"),
        ("a: &x {b: 1}", "line 1, column 4"),
        ("a: 1\n\nb: *x", "line 3, column 4"),
        ("a: {<<: *x}", "line 1, column 9"),
    ],
)
def test_anchors_and_aliases_are_refused_with_their_place(text: str, place: str) -> None:
    assert refused(text) == f"{place}: anchors and aliases are not allowed; write the value out"


@pytest.mark.parametrize(
    "tagged",
    ["!!float 1.20", "!!str 1", "!price 1", "!!python/object/apply:os.system [id]", "!!binary aGk=", "!!set {a}"],
)
def test_tags_are_refused_with_their_place(tagged: str) -> None:
    assert refused(f"a: 1\nb: {tagged}") == "line 2, column 4: tags are not allowed; every scalar is text"


@pytest.mark.parametrize(
    ("text", "key", "place"),
    [
        ("a: 1\nb: 2\na: 1", "a", "line 3, column 1"),
        ("x: {a: 1, 'a': 2}", "a", "line 1, column 11"),
        ("- {b: 1}\n- {c: 1, c: 1}", "c", "line 2, column 10"),
    ],
)
def test_a_repeated_key_is_refused_with_its_place(text: str, key: str, place: str) -> None:
    assert refused(text) == f"{place}: the key '{key}' stands twice"


def test_keys_that_differ_only_in_notation_of_a_number_are_two() -> None:
    assert read_yaml("1: a\n01: b\n1.0: c") == {"1": "a", "01": "b", "1.0": "c"}


def test_a_key_that_is_no_text_is_refused() -> None:
    assert refused("a: 1\n? [b, c]\n: 2").endswith("a key must be text")


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_depth_is_bounded(opening: str, closing: str) -> None:
    read_yaml(opening * MAX_DEPTH + closing * MAX_DEPTH)
    too_deep = opening * (MAX_DEPTH + 1) + closing * (MAX_DEPTH + 1)
    assert refused(too_deep).endswith(f"nested deeper than {MAX_DEPTH}")


def test_depth_counts_levels_and_not_collections() -> None:
    assert read_yaml("[" + ", ".join(["[a]"] * 100) + "]") == [["a"]] * 100


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000])
def test_a_hundred_thousand_levels_are_refused_at_once(text: str) -> None:
    started = time.process_time()
    assert "nest" in refused(text), "ours, or the parser's own bound if that comes first"
    assert time.process_time() - started < 5


def test_fifty_thousand_aliases_are_refused_at_once() -> None:
    bomb = "a: &a [" + "x, " * 10 + "x]\nb: [" + ", ".join(["*a"] * 50_000) + "]"
    started = time.process_time()
    assert refused(bomb).startswith("line 1, column 4: anchors")
    assert refused("b: [" + ", ".join(["*a"] * 50_000) + "]").startswith("line 1, column 5: anchors")
    assert time.process_time() - started < 5


def test_nested_aliases_are_not_expanded() -> None:
    levels = ["l0: &l0 [lol]"] + [f"l{n}: &l{n} [" + ", ".join([f"*l{n - 1}"] * 9) + "]" for n in range(1, 15)]
    assert refused("\n".join(levels)).startswith("line 1, column 5: anchors")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\nb: [1, 2\nc: 3", "line 3"),
        ("a: 1\n\tb: 2", "line 2"),
        ('a: 1\nb: 2\nc: "open', "line 3"),
        ("a: b: c", "line 1"),
        ("a: 1\n---\nb: 2", "line 2"),
    ],
)
def test_broken_yaml_says_the_line(text: str, place: str) -> None:
    assert refused(text).startswith(f"{place}, column ")


@pytest.mark.parametrize("text", ["a: \x00", "a: \x07", "a: \ud800", "\ufffe"])
def test_characters_yaml_does_not_know_are_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize("text", ["", "   \n\n", "# only a comment\n"])
def test_an_empty_sheet_is_refused(text: str) -> None:
    assert refused(text) == "the sheet is empty"


def test_size_is_bounded_in_bytes() -> None:
    fits = "a: '" + "x" * (MAX_SHEET_BYTES - 5) + "'"
    assert len(fits) == MAX_SHEET_BYTES
    assert read_yaml(fits) == {"a": "x" * (MAX_SHEET_BYTES - 5)}
    assert refused(fits + "#") == "a sheet may hold 4 MiB at most; split it"
    assert refused("a: " + "é" * (MAX_SHEET_BYTES // 2)) == "a sheet may hold 4 MiB at most; split it"


def sheet_text(change: Callable[[dict[str, Any]], object] | None = None) -> str:
    """The minimal sheet, changed; JSON is YAML."""
    sheet = deepcopy(MINIMAL)
    if change is not None:
        change(sheet)
    return json.dumps(sheet)


def block(sheet: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = sheet["models"]["rocket"]["prices"][0]
    return found


def test_the_minimal_sheet_is_read_exactly() -> None:
    sheet = parse_sheet(sheet_text(), "acme.yaml")
    (price,) = sheet.models["rocket"].prices
    assert price.rates["input_tokens"].rate.as_tuple() == Decimal("1.20").as_tuple()
    assert price.valid_from == datetime(2026, 11, 1, tzinfo=UTC)
    assert (price.valid_to, price.checked, price.unconfirmed_start) == (None, date(2026, 11, 2), False)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda s: s.update(extra="1"), "extra"),
        (lambda s: s["models"]["rocket"].update(price="1"), "models.rocket.price"),
        (lambda s: block(s).update(cached_input="1"), "models.rocket.prices.0.cached_input"),
        (lambda s: block(s).update(valid_from="2026-11-01"), "models.rocket.prices.0.valid_from"),
        (lambda s: s["sources"]["page"].update(href="x"), "sources.page.href"),
        (lambda s: s["price_books"]["default"].update(vat="1"), "price_books.default.vat"),
        (lambda s: s["context"]["processing"].update(value="x"), "context.processing.value"),
        (
            lambda s: block(s)["rates"].update(input_tokens={"rate": "1", "unit_of": "1"}),
            "models.rocket.prices.0.rates.input_tokens.unit_of",
        ),
    ],
)
def test_an_unknown_key_is_refused_with_its_place(change: Callable[[dict[str, Any]], object], where: str) -> None:
    with pytest.raises(PermillionError) as caught:
        parse_sheet(sheet_text(change), "acme.yaml")
    assert caught.value.slug == "invalid-sheet"
    assert caught.value.detail.startswith(f"acme.yaml: {where}: ")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s: block(s)["rates"].update(cached_input="1"), id="unknown meter"),
        pytest.param(lambda s: block(s)["rates"].update(Input_tokens="1"), id="meter in another case"),
        pytest.param(lambda s: block(s).update(rates={}), id="no rate"),
        pytest.param(lambda s: block(s).update(when={"colour": "red"}), id="unknown context key in a condition"),
        pytest.param(lambda s: s["context"].update(colour={"values": ["red"]}), id="context key unknown"),
        pytest.param(lambda s: s.update(contradictions=[{"colour": ["red"]}]), id="unknown key in a contradiction"),
        pytest.param(lambda s: block(s).update(status="fine"), id="unknown status"),
        pytest.param(lambda s: block(s).update(unconfirmed_start="yes please"), id="a flag that is none"),
        pytest.param(lambda s: block(s).update(above="-1"), id="negative bound"),
        pytest.param(lambda s: block(s).update(above="1.5"), id="half a token"),
        pytest.param(lambda s: block(s).pop("source"), id="no source"),
        pytest.param(lambda s: block(s)["rates"].update(input_tokens={"per": "1"}), id="a rate without a rate"),
        pytest.param(lambda s: block(s)["rates"].update(input_tokens={"rate": "1", "per": "0"}), id="per 0"),
        pytest.param(lambda s: block(s)["rates"].update(input_tokens=["1"]), id="a list as a rate"),
        pytest.param(lambda s: s.update(models={}), id="no model"),
        pytest.param(lambda s: s.update(price_books={}), id="no book"),
        pytest.param(lambda s: s["price_books"]["default"].update(currency="usd"), id="currency in lower case"),
        pytest.param(lambda s: s.update(provider="Acme Corp"), id="provider with a blank"),
        pytest.param(lambda s: s.update(provider="a/b"), id="provider with a slash"),
        pytest.param(lambda s: s["sources"]["page"].update(kind="rumour"), id="unknown kind of source"),
        pytest.param(
            lambda s: s.update(uplifts=[{"when": {}, "factor": "1.1", "source": "page"}]), id="uplift without context"
        ),
    ],
)
def test_a_sheet_that_says_nonsense_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(PermillionError, match=r"^acme\.yaml: ") as caught:
        parse_sheet(sheet_text(change), "acme.yaml")
    assert caught.value.slug == "invalid-sheet"


@pytest.mark.parametrize(
    "rate",
    ["1e3", "1E-6", "1,20", "1_000", "0x10", ".5", "5.", "+1", " 1", "1 ", "nan", "NaN", "inf", "-inf", "", "$1", "1/3",
     "١", "１", "1.2.3", "1" * 19, "0." + "1" * 31],
)  # fmt: skip
def test_text_that_is_no_plain_decimal_is_no_rate(rate: str) -> None:
    with pytest.raises(PermillionError, match=r"models\.rocket\.prices\.0\.rates\.input_tokens"):
        parse_sheet(sheet_text(lambda s: block(s)["rates"].update(input_tokens=rate)), "acme.yaml")


@pytest.mark.parametrize("rate", ["0", "0.0", "0.003625", "1.20", "9" * 18, "0." + "1" * 30])
def test_a_plain_decimal_keeps_every_digit(rate: str) -> None:
    sheet = parse_sheet(sheet_text(lambda s: block(s)["rates"].update(input_tokens=rate)), "acme.yaml")
    assert f"{sheet.models['rocket'].prices[0].rates['input_tokens'].rate:f}" == rate


@pytest.mark.parametrize(
    "instant",
    ["2026-13-01", "2026-02-30", "2026-1-1", "01/11/2026", "2026-11-01T00:00:00", "2026-11-01 00:00:00Z", "1793491200",
     "2026-11-01T25:00:00Z", "tomorrow", ""],
)  # fmt: skip
@pytest.mark.parametrize("key", ["from", "to"])
def test_a_bad_instant_is_refused(key: str, instant: str) -> None:
    with pytest.raises(PermillionError, match=rf"models\.rocket\.prices\.0\.{key}: "):
        parse_sheet(sheet_text(lambda s: block(s).update({key: instant})), "acme.yaml")


@pytest.mark.parametrize("day", ["2026-02-30", "30.11.2026", "2026-11", "soon", "", "2026-11-01T12:00:00Z"])
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(PermillionError, match=r"models\.rocket\.prices\.0\.checked: "):
        parse_sheet(sheet_text(lambda s: block(s).update(checked=day)), "acme.yaml")


def test_an_unquoted_number_of_seconds_is_no_date() -> None:
    with pytest.raises(PermillionError, match=r"models\.rocket\.prices\.0\.checked: "):
        parse_sheet(sheet_text(lambda s: block(s).update(checked="20261102")), "acme.yaml")


def test_broken_yaml_names_file_and_line() -> None:
    with pytest.raises(PermillionError, match=r"^acme\.yaml: line 2, column ") as caught:
        parse_sheet("provider: acme\nname: [a, b}", "acme.yaml")
    assert caught.value.slug == "invalid-sheet"


@pytest.mark.parametrize("text", ["acme", "[a, b]"])
def test_a_sheet_is_a_mapping(text: str) -> None:
    with pytest.raises(PermillionError, match=r"^acme\.yaml: ") as caught:
        parse_sheet(text, "acme.yaml")
    assert caught.value.slug == "invalid-sheet"


def test_a_refusal_does_not_repeat_the_text_it_refuses() -> None:
    secret = "sk-canary-3141"
    with pytest.raises(PermillionError) as caught:
        parse_sheet(sheet_text(lambda s: block(s)["rates"].update(input_tokens=secret)), "acme.yaml")
    assert secret not in caught.value.detail

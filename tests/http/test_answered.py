"""What is answered: odd texts, many offers, every field of a workload. Money is recomputed in fractions from the printed tokens and
the rates that `GET /prices` lists; story 2's figures are those of `user_stories.json` (exact fractions, rounded half to even)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import (
    AS_OF,
    COMPARE_COLUMNS,
    GOOD,
    MONEY,
    TOKENIZE_COLUMNS,
    compared,
    only,
    priced,
    private_row,
    publish,
    question,
    rates,
    same,
)  # fmt: skip

KIB = 1024
TEXT = "Where is my parcel? 我的包裹到哪里了?"


def counted(client: httpx.Client, text: str, *tokenizers: str) -> list[dict[str, Any]]:
    body = {"texts": [{"text": text}], "tokenizers": tokenizers}
    response = client.post("/tokenize", json=body)
    assert response.status_code == 200, response.text[:500]
    rows: list[dict[str, Any]] = response.json()["rows"]
    assert len(rows) == len(tokenizers)
    return rows


TOKENIZERS = (
    "o200k_base",
    "cl100k_base",
    "deepseek_v3",
    "gemma3",
    "qwen2_qwen3",
    "mistral_tekken",
    "mistral_v1",
    "claude_v48",
)
"""One of each engine and kind; all of them are compared with the vectors in `tests/cases`."""


# --- texts

CONTROLS = [
    "<|endoftext|>",
    "<|im_start|>system",
    "<|fim_prefix|>",
    "<s>[INST]</s>",
    "<bos><start_of_turn>user",
    "<｜begin▁of▁sentence｜>",
]


def test_control_look_alikes_are_text(client: httpx.Client) -> None:
    """Were one read as a control token, it would be a single token, or none."""
    for text in CONTROLS:
        for row in counted(client, text, *TOKENIZERS):
            assert row["error_code"] is None, (text, row)
            assert row["tokens"] >= 3, (text, row["tokenizer"], row["tokens"])
    row = only(client, text=CONTROLS[0])
    # "<", "|", "endo", "ft", "ext", "|", ">" by tiktoken's o200k_base, encode_ordinary
    assert (row["input_tokens"], row["input_characters"]) == (7, 13)


def test_empty_text(client: httpx.Client) -> None:
    row = only(client, text="", workload={"output_tokens_per_query": 100, "queries_per_month": 10})
    assert (row["input_characters"], row["input_tokens"]) == (0, 0)
    assert (row["tokens_per_character"], row["input_cost_per_mchar"]) == (None, None)
    assert (row["cost_per_query"], row["cost_per_month"]) == ("0.001", "0.01")  # 100 · 10 per Mtok
    row = only(client, text="")
    assert (row["cost_per_query"], row["rank"]) == ("0", 1)
    for counts in counted(client, "", *TOKENIZERS):
        assert list(counts)[: len(TOKENIZE_COLUMNS)] == TOKENIZE_COLUMNS
        assert (counts["tokens"], counts["characters"], counts["bytes"], counts["tokens_per_character"]) == (
            0,
            0,
            0,
            None,
        )


# text: (code points, bytes, UTF-16 units, graphemes, not blank)
MEASURES = {
    "é": (1, 2, 1, 1, 1),
    "e\u0301": (2, 3, 2, 1, 2),
    "\ufeffa": (2, 4, 2, None, None),
    "a\r\nb\n": (5, 5, 5, 4, 2),
    "👩\u200d👩\u200d👧\u200d👦": (7, 25, 11, 1, 7),
    "字 字": (3, 7, 3, 3, 2),
    "𠮷": (1, 4, 2, 1, 1),
    "a\u202eb": (3, 5, 3, None, 3),
    "\0": (1, 1, 1, 1, None),
    "\ufffe\uffff": (2, 6, 2, None, None),
}


@pytest.mark.parametrize("text", MEASURES, ids=ascii)
def test_characters_are_code_points(client: httpx.Client, text: str) -> None:
    (row,) = counted(client, text, "o200k_base")
    names = ("characters", "bytes", "utf16_units", "graphemes", "non_whitespace_characters")
    for name, expected in zip(names, MEASURES[text], strict=True):
        assert expected in (None, row[name]), f"{name} is {row[name]}, not {expected}"
    assert only(client, text=text)["input_characters"] == len(text)


def test_texts_are_counted_as_they_come(client: httpx.Client) -> None:
    """No trimming, no folding of compositions."""

    def tokens(text: str) -> int:
        (row,) = counted(client, text, "cl100k_base")
        return int(row["tokens"])

    assert tokens("cafe\u0301") > tokens("café")
    assert tokens("  a  ") > tokens("a")
    assert tokens("\ufeffa") > tokens("a")


LARGE = {
    "blanks": " " * (256 * KIB),
    "letters": "a" * (256 * KIB),
    "emoji": "🙂" * (64 * KIB),
    "lines": "\n" * (256 * KIB),
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_quarter_mebibyte_without_a_word(client: httpx.Client, text: str) -> None:
    """One word without end is the worst case of a tokenizer: answered, or refused by name; never a crash."""
    for row in counted(
        client, text, "o200k_base", "cl100k_base", "deepseek_v3", "gemma3", "mistral_tekken", "claude_v48"
    ):
        if row["error_code"] is None:
            assert row["tokens"] > 0
        else:
            assert row["error_code"] in ("counting-timeout", "counting-failed"), row
    row = only(client, text=text)
    assert row["input_characters"] == len(text)


# --- columns, order, ranks


def test_a_thousand_offers(client: httpx.Client) -> None:
    listed = client.get("/models").json()["rows"]
    vendors = {"openai", "anthropic", "google", "deepseek", "mistral", "groq"}  # half a dozen tokenizers
    listed = [row for row in listed if row["provider"] in vendors]
    offers = [f"{row['offer']}@{book}" for row in listed for book in row["price_books"].split(";") if book]
    offers = [offers[i % len(offers)] for i in range(1_000)]
    fx = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-01"}]
    rows = compared(client, offers=offers, text=TEXT, fx=fx, workload={"output_tokens_per_query": 100})
    assert len(rows) == 1_000
    ranks = [row["rank"] for row in rows]
    ranked = [rank for rank in ranks if rank is not None]
    assert len(ranked) > 500
    assert ranked == sorted(ranked)
    assert ranks[len(ranked) :] == [None] * (1_000 - len(ranked)), "errors come last"
    costs = [Fraction(row["cost_per_query"]) for row in rows[: len(ranked)]]
    assert costs == sorted(costs)
    for row, cost in zip(rows, costs, strict=False):
        assert row["rank"] == 1 + sum(other < cost for other in costs)
    assert sorted(row["row_id"] for row in rows) == list(range(1_000))


def test_columns_are_the_contract_s(client: httpx.Client) -> None:
    rows = compared(client, offers=[GOOD, "a/b"], query="?detail=1")
    assert [list(row) for row in rows] == [COMPARE_COLUMNS] * 3
    lines = client.post("/compare?format=csv&detail=1", json=question(offers=[GOOD, "a/b"])).text.split("\r\n")
    assert lines[0].split(",") == COMPARE_COLUMNS
    assert len(lines) == 5


@pytest.fixture(scope="module")
def vendors(client: httpx.Client) -> None:
    """Invented models of one vendor: dear, twins, cheap, free; `tiered` doubles above 1,000 input tokens."""
    prices = {"dear": ("4", "8"), "twin-b": ("2", "4"), "twin-a": ("2", "4"), "cheap": ("1", "2"), "free": ("0", "0")}
    rows = [
        private_row(model, meter, rate)
        for model, (rate_in, rate_out) in prices.items()
        for meter, rate in (("input_tokens", rate_in), ("output_tokens", rate_out))
    ]
    for threshold, factor in ((None, 1), (1_000, 2)):
        for meter, rate in (("input_tokens", 3), ("output_tokens", 6)):
            tier = {} if threshold is None else {"min_input_tokens": threshold}
            rows.append(private_row("tiered", meter, str(rate * factor), **tier))
    assert publish(client, "ranks", rows).status_code == 201


def test_ties_share_a_rank_in_request_order(client: httpx.Client, vendors: None) -> None:
    offers = [f"acme/{model}@ranks" for model in ("twin-b", "dear", "nope", "free", "twin-a", "cheap")]
    rows = compared(client, offers=offers, text=TEXT)
    assert [(row["rank"], row["row_id"]) for row in rows] == [(1, 3), (2, 5), (3, 0), (3, 4), (5, 1), (None, 2)]
    assert (rows[0]["cost_per_query"], rows[0]["input_price_per_mtok"]) == ("0", "0")


def test_ties_are_exact_and_after_conversion(client: httpx.Client, vendors: None) -> None:
    """14.2 yuan at 7.1 is 2 dollars: equal, although neither quotient was rounded; a 1e-30 discount is not equal."""
    row = private_row("twin-y", "input_tokens", "14.2")
    body = {"price_book": {"id": "yuan", "currency": "CNY"}, "rows": [row]}
    assert client.post("/prices", json=body).status_code == 201
    fx = [{"from": "USD", "to": "CNY", "rate": "7.1", "as_of": "2026-11-01"}]
    less = {"offer": "acme/twin-b", "price_book": "ranks", "discount_share": "0." + "0" * 29 + "1"}
    rows = compared(client, offers=["acme/twin-a@ranks", "acme/twin-y@yuan", less], text=TEXT, fx=fx)
    assert [(row["rank"], row["row_id"]) for row in rows] == [(1, 2), (2, 0), (2, 1)]


def test_rows_of_samples_follow_their_offer_and_have_no_rank(client: httpx.Client, vendors: None) -> None:
    samples = [{"name": "zh", "input_text": "包裹", "weight": "3"}, {"input_text": "parcel", "output_text": "yes"}]
    offers = ["acme/dear@ranks", "acme/nope@ranks", "acme/cheap@ranks"]
    rows = compared(client, offers=offers, text=None, samples=samples, query="?detail=1")
    assert [(row["row_id"], row["rank"], row["sample"]) for row in rows] == [
        (2, 1, "*"), (2, None, "zh"), (2, None, "1"), (0, 2, "*"), (0, None, "zh"), (0, None, "1"), (1, None, "*"),
    ]  # fmt: skip


# --- weights, tiers, counts


def test_weights_need_not_sum_to_one(client: httpx.Client) -> None:
    texts = {
        "a": ("Where is my parcel?", "On its way."),
        "b": ("我的包裹到哪里了?", "已经在路上了。"),
        "c": ("", "nothing"),
    }
    weights = {"a": "0.999999", "b": 2, "c": "0"}
    samples = [
        {"name": name, "input_text": texts[name][0], "output_text": texts[name][1], "weight": weights[name]}
        for name in texts
    ]
    workload = {"queries_per_month": "1000.5"}
    rows = {
        row["sample"]: row for row in compared(client, text=None, samples=samples, workload=workload, query="?detail=1")
    }
    price = rates(client, GOOD)
    costs, total = {}, sum(Fraction(weight) for weight in weights.values())
    for name in texts:
        row = rows[name]
        assert isinstance(row["input_tokens"], int)
        assert (row["input_characters"], row["output_characters"]) == tuple(map(len, texts[name]))
        costs[name] = (row["input_tokens"] * price["input_tokens"], row["output_tokens"] * price["output_tokens"])
        same(row["cost_per_query"], sum(costs[name], Fraction(0)))
        same(row["cost_per_month"], sum(costs[name], Fraction(0)) * Fraction("1000.5"))
        if texts[name][0]:
            same(row["tokens_per_character"], Fraction(row["input_tokens"], row["input_characters"]))
            same(row["input_cost_per_mchar"], costs[name][0] / row["input_characters"] * 10**6)
        same(row["output_cost_per_mchar"], costs[name][1] / row["output_characters"] * 10**6)
    star = rows["*"]

    def mean(values: dict[str, Any]) -> Fraction:
        return sum((Fraction(weights[n]) * Fraction(values[n]) for n in texts), Fraction(0)) / total

    for count in ("input_tokens", "output_tokens", "input_characters", "output_characters"):
        assert isinstance(star[count], str), "a weighted mean of counts is a decimal string"
        same(star[count], mean({name: rows[name][count] for name in texts}))
    same(star["cost_per_query"], mean({name: sum(costs[name], Fraction(0)) for name in texts}))
    same(
        star["input_cost_per_mchar"],
        mean({n: costs[n][0] for n in texts}) / mean({n: len(texts[n][0]) for n in texts}) * 10**6,
    )
    same(
        star["output_cost_per_mchar"],
        mean({n: costs[n][1] for n in texts}) / mean({n: len(texts[n][1]) for n in texts}) * 10**6,
    )
    tokens, length = (
        mean({n: rows[n]["input_tokens"] for n in texts}),
        mean({n: rows[n]["input_characters"] for n in texts}),
    )
    same(star["tokens_per_character"], tokens / length)


def test_one_sample_has_whole_counts(client: httpx.Client) -> None:
    for body in ({"text": TEXT}, {"text": None, "samples": [{"input_text": TEXT, "weight": "0.3"}]}):
        row = only(client, **body, workload={"output_tokens_per_query": 7})
        assert [type(row[name]) for name in ("input_characters", "input_tokens", "output_tokens")] == [int, int, int]
        assert (row["input_characters"], row["output_tokens"]) == (len(TEXT), 7)


def test_a_tier_between_samples(client: httpx.Client, vendors: None) -> None:
    """Each sample is priced on its own: 1,000 tokens at 3, 1,001 at 6 (above, not at, 1,000), never 1,000.5 at one of them."""
    samples = [{"name": "small", "input_tokens": 1_000}, {"name": "large", "input_tokens": 1_001}]
    workload = {"output_tokens_per_query": 10}
    rows = compared(
        client, offers=["acme/tiered@ranks"], text=None, samples=samples, workload=workload, query="?detail=1"
    )
    star, small, large = rows
    assert (small["input_price_per_mtok"], large["input_price_per_mtok"]) == ("3", "6")
    assert (small["output_price_per_mtok"], large["output_price_per_mtok"]) == ("6", "12")
    for name in (
        "input_price_per_mtok",
        "output_price_per_mtok",
        "native_input_price_per_mtok",
        "native_output_price_per_mtok",
    ):
        assert star[name] is None, name
    assert "prices_differ_between_samples" in star["warnings"].split(";")
    same(small["cost_per_query"], Fraction(1_000 * 3 + 10 * 6, 10**6))
    same(large["cost_per_query"], Fraction(1_001 * 6 + 10 * 12, 10**6))
    same(star["cost_per_query"], Fraction(1_000 * 3 + 10 * 6 + 1_001 * 6 + 10 * 12, 2 * 10**6))
    assert star["input_tokens"] == "1000.5"


# --- output


def test_output_is_derived_from_characters(client: httpx.Client) -> None:
    row = only(client, text=TEXT, workload={"output_characters_per_query": 100})
    expected = -(-100 * row["input_tokens"] // row["input_characters"])  # rounded up
    assert (row["output_tokens"], row["output_characters"]) == (expected, 100)
    assert "output_tokens_derived" in row["warnings"].split(";")
    price = rates(client, GOOD)
    same(row["cost_per_query"], row["input_tokens"] * price["input_tokens"] + expected * price["output_tokens"])


def test_a_text_of_output_stands_above_the_workload(client: httpx.Client) -> None:
    samples = [{"input_text": TEXT, "output_text": "yes"}]
    row = only(client, text=None, samples=samples, workload={"output_tokens_per_query": 500})
    assert (row["output_tokens"], row["output_characters"]) == (1, 3)


def test_no_output_at_all(client: httpx.Client) -> None:
    row = only(client, text=TEXT)
    assert [row[name] for name in ("output_characters", "output_tokens", "output_cost_per_mchar")] == [None] * 3
    same(row["cost_per_query"], row["input_tokens"] * rates(client, GOOD)["input_tokens"])
    assert "output_not_given" in row["warnings"].split(";")


def test_characters_of_output_without_a_text(client: httpx.Client) -> None:
    samples = [{"input_tokens": 100}]
    (row,) = compared(client, text=None, samples=samples, workload={"output_characters_per_query": 10})
    assert (row["error_code"], row["cost_per_query"]) == ("tokens-underivable", None)


# --- shares


def cost_of(client: httpx.Client, row: dict[str, Any], **of: Any) -> Fraction:
    """`design/contract.md`, Shares: an independent calculation from the printed tokens and the listed prices."""
    price, batch = rates(client, GOOD), rates(client, GOOD, processing="batch")
    share = Fraction(of.get("batch", 0))
    mixed = {meter: (1 - share) * price[meter] + share * batch[meter] for meter in batch}
    tokens = row["input_tokens"] + of.get("frame", 0)
    cached = tokens * Fraction(of.get("cached", 0))
    made = row["output_tokens"] or 0
    cost = (
        (tokens - cached) * mixed["input_tokens"] + cached * mixed["cache_read_tokens"] + made * mixed["output_tokens"]
    )
    return cost * (1 + Fraction(of.get("retry", 0))) * (1 - Fraction(of.get("discount", 0)))


WORKLOADS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "plain": ({}, {}, []),
    "batch": ({"batch_share": "0.12"}, {"batch": "0.12"}, []),
    "all batch": ({"batch_share": 1}, {"batch": 1}, []),
    "cached": ({"cached_input_share": "0.7"}, {"cached": "0.7"}, ["cache_writes_not_counted"]),
    "cached to a third": (
        {"cached_input_share": "0.333333333333333333"}, {"cached": "0.333333333333333333"}, ["cache_writes_not_counted"],
    ),
    "all cached": ({"cached_input_share": "1"}, {"cached": 1}, ["cache_writes_not_counted"]),
    "retries": ({"retry_share": "0.03"}, {"retry": "0.03"}, []),
    "more retries than queries": ({"retry_share": "1.5"}, {"retry": "1.5"}, []),
    "all at once": (
        {"batch_share": "0.12", "cached_input_share": "0.7", "retry_share": "0.03", "reasoning_tokens_per_query": 900},
        {"batch": "0.12", "cached": "0.7", "retry": "0.03"}, ["cache_writes_not_counted"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("workload", "of", "warnings"), WORKLOADS.values(), ids=WORKLOADS)
def test_shares(client: httpx.Client, workload: dict[str, Any], of: dict[str, Any], warnings: list[str]) -> None:
    offer = {"offer": GOOD, "discount_share": "0.15"}
    for wanted, discount in ((GOOD, "0"), (offer, "0.15")):
        row = only(
            client,
            wanted,
            text=TEXT,
            workload={"output_tokens_per_query": 420, "queries_per_month": 360_000, **workload},
        )
        expected = cost_of(client, row, **of, discount=discount)
        same(row["cost_per_query"], expected)
        same(row["cost_per_month"], expected * 360_000)
        assert row["output_tokens"] == 420 + workload.get("reasoning_tokens_per_query", 0)
        assert set(warnings) <= set(row["warnings"].split(";"))
        # shares do not change the printed prices; a discount is what the customer pays
        price = rates(client, GOOD)
        same(row["input_price_per_mtok"], price["input_tokens"] * 10**6 * (1 - Fraction(discount)))
        same(row["output_price_per_mtok"], price["output_tokens"] * 10**6 * (1 - Fraction(discount)))


def test_the_frame_is_added(client: httpx.Client) -> None:
    offer = "anthropic/claude-sonnet-5-5"
    price = rates(client, offer)
    for include in (False, True):
        row = only(client, offer, text=TEXT, workload={"include_frame": include, "output_tokens_per_query": 10})
        assert (row["tokenizer"], row["frame_tokens"]) == ("claude_v48", 6)
        tokens = row["input_tokens"] + 6 * include
        same(row["cost_per_query"], tokens * price["input_tokens"] + 10 * price["output_tokens"])
    row = only(client, text=TEXT, workload={"include_frame": True})
    assert (row["frame_tokens"], "frame_unknown" in row["warnings"].split(";")) == (None, True)


def test_reasoning_without_output_can_be_recomputed(client: httpx.Client) -> None:
    """Either the reasoning is printed as output and charged, or the cost is the input's alone; never charged and not shown."""
    row = only(client, text=TEXT, workload={"reasoning_tokens_per_query": 900})
    price = rates(client, GOOD)
    same(
        row["cost_per_query"],
        row["input_tokens"] * price["input_tokens"] + (row["output_tokens"] or 0) * price["output_tokens"],
    )


def test_where_batch_or_caching_is_not_sold(client: httpx.Client) -> None:
    offer = "google/gemini-4-neon"  # input 3, output 15, nothing else
    workload = {"output_tokens_per_query": 10, "batch_share": "0.5", "cached_input_share": "0.5"}
    row = only(client, offer, text=TEXT, workload=workload)
    same(row["cost_per_query"], Fraction(row["input_tokens"] * 3 + 10 * 15, 10**6))
    assert {"batch_not_offered", "cache_read_not_priced", "cache_writes_not_counted"} <= set(row["warnings"].split(";"))


def test_revenue_and_margin(client: httpx.Client) -> None:
    workload = {"output_tokens_per_query": 1_000}
    for revenue in ("0.02", "0.000001", "1"):
        row = only(client, text=TEXT, workload=workload, revenue_per_query=revenue)
        assert row["revenue_per_query"] == revenue
        same(row["gross_margin_ratio"], 1 - Fraction(row["cost_per_query"]) / Fraction(revenue))
    assert only(client, text=TEXT, workload=workload, revenue_per_query="0.000001")["gross_margin_ratio"].startswith(
        "-"
    )
    row = only(client, text=TEXT, workload=workload, revenue_per_query="0")
    assert (row["revenue_per_query"], row["gross_margin_ratio"]) == ("0", None)
    row = only(client, text=TEXT, workload=workload)
    assert (row["revenue_per_query"], row["gross_margin_ratio"], row["cost_per_month"]) == (None, None, None)


# --- story 2: a finance tool's own prices


@pytest.fixture(scope="module")
def finance(client: httpx.Client) -> Iterator[str]:
    rates_of = {"input_tokens": "1.25", "cache_read_tokens": "0.125", "output_tokens": "10.00"}
    rows = [private_row("story-2", meter, rate) for meter, rate in rates_of.items()]
    rows += [
        private_row("story-2", meter, str(Decimal(rate) / 2), context={"processing": "batch"})
        for meter, rate in rates_of.items()
    ]
    assert publish(client, "finance", rows).status_code == 201
    yield "acme/story-2@finance"


# tokens in, of which cached, visible, reasoning; cost before and after 12 % batch at half price and 3 % retries
STORY_2 = {
    "base": (2_300, 1_500, 420, 900, "0.014387500", "0.013929978"),
    "tokens x 1.35": (3_105, 2_025, 567, 1_215, "0.019423125", "0.018805470"),
}


@pytest.mark.parametrize(("tokens", "cached", "visible", "reasoning", "before", "after"), STORY_2.values(), ids=STORY_2)
def test_story_2(
    client: httpx.Client, finance: str, tokens: int, cached: int, visible: int, reasoning: int, before: str, after: str
) -> None:
    # 1,500 of 2,300 do not end; cut off, not rounded up, because the exact 0.0139299775 is a tie that goes to the even 8
    share = (Decimal(cached) / Decimal(tokens)).quantize(Decimal("1e-18"), ROUND_FLOOR)
    workload: dict[str, Any] = {
        "output_tokens_per_query": visible, "reasoning_tokens_per_query": reasoning, "cached_input_share": str(share), "queries_per_month": 360_000,
    }  # fmt: skip
    places = Decimal("1e-9")
    row = only(client, finance, text=None, samples=[{"input_tokens": tokens}], workload=workload)
    assert str(Decimal(row["cost_per_query"]).quantize(places, ROUND_HALF_EVEN)) == before
    assert (row["output_tokens"], row["price_status"], row["price_book"]) == (visible + reasoning, "ok", "finance")
    workload |= {"batch_share": "0.12", "retry_share": "0.03"}
    row = only(
        client, finance, text=None, samples=[{"input_tokens": tokens}], workload=workload, revenue_per_query="0.02"
    )
    assert str(Decimal(row["cost_per_query"]).quantize(places, ROUND_HALF_EVEN)) == after
    monthly = {"base": "5014.79", "tokens x 1.35": "6769.97"}["base" if tokens == 2_300 else "tokens x 1.35"]
    assert str(Decimal(row["cost_per_month"]).quantize(Decimal("0.01"), ROUND_HALF_EVEN)) == monthly


def test_story_2_as_usage(client: httpx.Client, finance: str) -> None:
    usage = {"input_tokens": 2_300, "cache_read_tokens": 1_500, "output_tokens": 1_320, "reasoning_tokens": 900}
    rows = [
        {"offer": "acme/story-2", "price_book": "finance", "usage": usage, "context": {"processing": mode}}
        for mode in ("standard", "batch")
    ]
    standard, batch = priced(client, *rows, query="?lines=1")
    assert (standard["total"], batch["total"]) == ("0.0143875", "0.00719375")
    assert {line["meter"]: (line["quantity"], line["cost"]) for line in standard["lines"]} == {
        "input_tokens": ("800", "0.001"), "cache_read_tokens": ("1500", "0.0001875"), "output_tokens": ("1320", "0.0132"),
    }  # fmt: skip


def test_a_base_answers_where_a_private_book_has_no_rate(client: httpx.Client) -> None:
    row = {**private_row("gpt-6-sol", "input_tokens", "1.80"), "provider": "openai", "tokenizer": None}
    assert publish(client, "negotiated", [row], base="default").status_code == 201
    asked = {"offer": GOOD, "price_book": "negotiated"}
    short, long = priced(
        client, *[asked | {"usage": {"input_tokens": n, "output_tokens": n}} for n in (100_000, 1_000_000)]
    )
    assert (short["total"], short["price_book"]) == ("1.18", "negotiated")  # 0.1 · 1.80 + 0.1 · 10
    # 272,000 is the threshold of the list price: the private rate holds for any length, the base's output moves to 15
    assert long["total"] == "16.8"
    assert "base_price_used" in short["warnings"].split(";")
    assert only(client, f"{GOOD}@negotiated", text=TEXT)["input_price_per_mtok"] == "1.8"


# --- dates, status, currency


def test_a_price_that_changes_tomorrow(client: httpx.Client) -> None:
    offer = "google/gemini-4-argon"  # introductory price through 2026-11-30
    row = only(client, offer, text=TEXT, as_of="2026-11-30")
    assert (row["input_price_per_mtok"], row["as_of"]) == ("2", "2026-11-30T00:00:00Z")
    assert "price_changes_at=2026-12-01T00:00:00Z" in row["warnings"].split(";")
    row = only(client, offer, text=TEXT, as_of="2026-12-01")
    assert (row["input_price_per_mtok"], row["output_price_per_mtok"]) == ("4", "20")
    assert "price_changes_at" not in row["warnings"]
    body = client.post("/compare", json=question(offers=[offer], as_of="2026-11-30")).json()
    assert "price_changes_at" in [warning["code"] for warning in body["meta"]["warnings"]]
    assert body["meta"]["as_of"] == "2026-11-30T00:00:00Z"
    assert set(body["meta"]) >= {"as_of", "catalog_version", "method_version", "warnings"}


def test_an_old_check_is_a_warning(client: httpx.Client) -> None:
    """gpt-6-sol was checked on 2026-10-14: stale from the 91st day on, still answered."""
    fresh, stale = (only(client, text=TEXT, as_of=day) for day in ("2027-01-12", "2027-01-13"))
    assert (fresh["price_status"], stale["price_status"]) == ("ok", "stale")
    assert ("price_stale" in fresh["warnings"], "price_stale" in stale["warnings"]) == (False, True)
    assert fresh["cost_per_query"] == stale["cost_per_query"]
    assert stale["price_checked_on"] == "2026-10-14"


def test_a_start_that_nobody_confirmed(client: httpx.Client) -> None:
    offer = "google/gemini-4-argon"  # start unknown, first seen on 2026-10-14
    row = only(client, offer, text=TEXT, as_of="2026-10-01")
    assert (row["price_status"], row["price_valid_from"]) == ("unconfirmed_start", None)
    assert only(client, offer, text=TEXT, as_of="2026-10-14")["price_status"] == "ok"


def test_the_same_instant_in_other_words(client: httpx.Client) -> None:
    instants = (
        "2026-12-01T00:00:00Z",
        "2026-12-01",
        "2026-12-01T08:00:00+08:00",
        "2026-11-30T16:00:00.000-08:00",
        "2026-12-01t00:00:00z",
    )
    rows = [only(client, "google/gemini-4-argon", text=TEXT, as_of=instant) for instant in instants]
    assert {(row["as_of"], row["input_price_per_mtok"]) for row in rows} == {("2026-12-01T00:00:00Z", "4")}


def test_yuan(client: httpx.Client) -> None:
    fx = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-01", "source": "central bank"}]
    offers = [GOOD, "moonshot/kimi-k3@cn"]
    workload = {"output_tokens_per_query": 100, "queries_per_month": 1_000}
    rows = {
        row["offer"]: row
        for row in compared(client, offers=offers, text=TEXT, currency="CNY", fx=fx, workload=workload)
    }
    dollar, yuan = rows[GOOD], rows["moonshot/kimi-k3"]
    assert (dollar["currency"], dollar["native_currency"], dollar["fx_rate"], dollar["fx_as_of"]) == (
        "CNY",
        "USD",
        "7.1",
        "2026-11-01",
    )
    assert (yuan["currency"], yuan["native_currency"], yuan["fx_rate"], yuan["fx_as_of"]) == ("CNY", "CNY", None, None)
    for name in ("cost_per_query", "input_price_per_mtok", "output_price_per_mtok"):
        same(dollar[name], Fraction(dollar[f"native_{name}"]) * Fraction("7.10"))
        assert yuan[name] == yuan[f"native_{name}"]
    same(dollar["native_cost_per_query"], Fraction(dollar["input_tokens"] * 2 + 100 * 10, 10**6))
    same(dollar["cost_per_month"], Fraction(dollar["cost_per_query"]) * 1_000)
    back = [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30"}]
    row = only(client, text=TEXT, currency="CNY", fx=back)
    same(row["fx_rate"], 1 / Fraction("0.1408"))
    same(row["cost_per_query"], Fraction(row["native_cost_per_query"]) / Fraction("0.1408"))


def test_tax(client: httpx.Client) -> None:
    rows = [private_row(model, "input_tokens", "10.6", tax_included=included, tax_rate=rate) for model, included, rate in (
        ("with", True, "0.06"), ("without", False, None), ("unsaid", None, None), ("with-unknown", True, None))]  # fmt: skip
    assert publish(client, "taxed", rows).status_code == 201
    offers = [f"acme/{model}@taxed" for model in ("with", "without", "unsaid", "with-unknown")]
    listed = compared(client, offers=offers, text=TEXT)
    assert {row["input_price_per_mtok"] for row in listed} == {"10.6"}
    net = {row["row_id"]: row for row in compared(client, offers=offers, text=TEXT, tax="excluded")}
    assert [net[i]["input_price_per_mtok"] for i in range(4)] == ["10", "10.6", "10.6", None]
    assert (net[2]["warnings"].count("tax_unknown"), net[3]["error_code"]) == (1, "unknown-tax-rate")
    same(net[0]["cost_per_query"], Fraction(net[0]["input_tokens"], 100_000))


def test_money_is_a_string_in_fixed_notation(client: httpx.Client) -> None:
    fx = [
        {"from": "USD", "to": "IDR", "rate": "16543.21", "as_of": "2026-11-01"},
        {"from": "BTC", "to": "USD", "rate": "98765.4321", "as_of": "2026-11-01"},
    ]
    for currency in ("USD", "IDR", "BTC"):
        workload = {"queries_per_month": 999_999_999, "output_tokens_per_query": 1, "retry_share": "0.000000001"}
        row = only(client, text=TEXT, currency=currency, fx=fx, workload=workload, revenue_per_query=1)
        for name in [*MONEY, "gross_margin_ratio", "tokens_per_character", "revenue_per_query"]:
            if row[name] is not None:
                assert isinstance(row[name], str), name
                assert set(row[name]) <= set("0123456789.-"), f"{name}: {row[name]}"
        assert row["currency"] == currency


def test_the_smallest_request_there_is(client: httpx.Client) -> None:
    body = client.post("/compare", json={"text": "a", "offers": [GOOD]}).json()
    assert set(body) == {"rows", "premiums", "meta"}
    assert [row["rank"] for row in body["rows"]] == [1]


def test_get_says_what_post_says(client: httpx.Client) -> None:
    for offer in (GOOD, "deepseek/deepseek-flash@default", "openai/nope"):
        parameters = {"offers": offer, "text": TEXT, "output_tokens": "10", "queries_per_month": "1000", "as_of": AS_OF}
        got = client.get("/compare", params=parameters).json()
        workload = {"output_tokens_per_query": 10, "queries_per_month": 1_000}
        assert got == client.post("/compare", json=question(offers=[offer], text=TEXT, workload=workload)).json()
    parameters = {"offers": f"{GOOD}, openai/gpt-6-luna", "input_tokens": "100", "output_tokens": "10", "as_of": AS_OF}
    rows = client.get("/compare", params=parameters).json()["rows"]
    assert [(row["row_id"], row["input_tokens"], row["input_characters"]) for row in sorted(rows, key=lambda row: row["row_id"])] == [
        (0, 100, None), (1, 100, None),
    ]  # fmt: skip


def test_row_ids_come_back(client: httpx.Client) -> None:
    ids: list[Any] = ["a", "=1+1", 5, -5, "", "字", "0", 'a,b;c"d', "x" * 200]
    rows = compared(client, offers=[{"offer": GOOD, "row_id": row_id} for row_id in ids])
    assert [row["row_id"] for row in rows] == ids
    answered = priced(client, *[{"offer": GOOD, "row_id": row_id, "usage": {"input_tokens": 1}} for row_id in ids])
    assert [row["row_id"] for row in answered] == ids


def test_the_same_question_has_the_same_answer(client: httpx.Client) -> None:
    body = question(
        text=TEXT, offers=[GOOD, "anthropic/claude-sonnet-5-5", "a/b"], workload={"output_tokens_per_query": 10}
    )
    assert len({client.post("/compare?detail=1", json=body).content for _ in range(3)}) == 1


def test_names_in_another_case_and_aliases(client: httpx.Client) -> None:
    row = only(client, "OpenAI/GPT-6-SOL", text=TEXT)
    assert (row["provider"], row["model"], row["offer"]) == ("openai", "gpt-6-sol", "OpenAI/GPT-6-SOL")
    listed = client.get("/models").json()["rows"]
    aliased = next(row for row in listed if row["aliases"] and "default" in row["price_books"].split(";"))
    alias = aliased["aliases"].split(";")[0]
    (row,) = compared(client, offers=[f"{aliased['provider']}/{alias}"], text=TEXT)
    assert row["error_code"] is not None or (
        row["model"] == aliased["model"] and f"alias_of={aliased['model']}" in row["warnings"]
    )

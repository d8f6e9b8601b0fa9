"""Words, tokens per word and bytes per token of `POST /tokenize`, and the warning of a sample that is too short."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import GOOD, only, same


def row_of(client: httpx.Client, text: str, tokenizer: str = "o200k_base") -> dict[str, Any]:
    answer = client.post("/tokenize", json={"texts": [{"text": text}], "tokenizers": [tokenizer]}).json()
    (row,) = answer["rows"]
    return row | {"codes": [warning["code"] for warning in answer["meta"]["warnings"]]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Where is my parcel?", 4),
        ("one\u00a0two\u2003three\n\nfour ", 4),
        ("한글 자모 분해형", 3),
        ("सुबह साढ़े छह बजे", 4),
        ("Ärger 12 -", 3),
        ("今天的渡轮因为大雾晚点了二十分钟。", None),
        ("今天的渡轮。\n因为大雾晚点了。 是的", None),
        ("朝のフェリー乗り場は静かだ", None),
        ("ท่าเรือตอนเช้าเงียบมาก จนถึง", None),
        ("About 今天 we know nothing", 5),
        ("", 0),
        (" ", 0),
        ("12 34", 2),
    ],
)
def test_words(client: httpx.Client, text: str, words: int | None) -> None:
    row = row_of(client, text)
    assert row["words"] == words
    if words:
        same(row["tokens_per_word"], Fraction(row["tokens"], words))
    else:
        assert row["tokens_per_word"] is None


def test_bytes_per_token(client: httpx.Client) -> None:
    row = row_of(client, "a <|endoftext|>", "cl100k_base")  # 7 tokens: simonw/ttok#13
    same(row["bytes_per_token"], Fraction(15, 7))
    assert row_of(client, "")["bytes_per_token"] is None
    unknown = row_of(client, "a", "nonesuch")
    assert (unknown["words"], unknown["tokens_per_word"], unknown["bytes_per_token"]) == (1, None, None)


@pytest.mark.parametrize(("characters", "short"), [(0, False), (1, True), (199, True), (200, False)])
def test_a_sample_that_is_too_short(client: httpx.Client, characters: int, short: bool) -> None:
    text = "字" * characters  # characters, not bytes
    assert ("sample_too_short" in only(client, GOOD, text=text)["warnings"].split(";")) is short
    assert ("sample_too_short" in row_of(client, text)["codes"]) is short


def test_samples_are_short_together(client: httpx.Client) -> None:
    for length, short in ((99, True), (100, False)):
        samples = [{"input_text": "a" * length}, {"input_text": "b" * length}]
        assert ("sample_too_short" in only(client, GOOD, text=None, samples=samples)["warnings"].split(";")) is short
    stated = only(client, GOOD, text=None, samples=[{"input_tokens": 3}])
    assert "sample_too_short" not in stated["warnings"], "no figure per character"

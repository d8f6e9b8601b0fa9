"""How far an estimate may be off: the measured ratios of the tokenizer note (2026-11-30), sections 2, 3 and 8."""

from fractions import Fraction

import pytest

from tokenizers_registry.count_ranges import RangeMethod, count_range, measured_ratios
from tokenizers_registry.scripts import Script, writing_of

# Tokens per million characters in thousands, section 3: least and most of the twelve columns but Claude's, which hold its frame.
SHORT = {"latin": (278, 318, 278), "cjk": (868, 1231, 947), "indic": (275, 1029, 324), "code": (325, 379, 325)}


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("The harbour master logged nine arrivals.", {"latin"}),
        ("Buổi sáng ở bến phà rất yên tĩnh", {"latin"}),
        ("今天的渡轮因为大雾晚点了二十分钟。", {"cjk"}),
        ("朝のフェリー乗り場は六時半まで静かだ。", {"cjk"}),
        ("ㅋㅋ 한글 자모", {"cjk"}),
        ("सुबह साढ़े छह बजे तक घाट शांत रहता है", {"indic"}),
        ("நல்ல காலை", {"indic"}),
        ("Το πλοίο έφτασε αργά", {"other"}),
        ("ท่าเรือตอนเช้าเงียบมาก", {"other"}),
        ("我们用Python写了一个REST服务", {"cjk", "latin"}),
        ("今" * 96 + "abcd", {"cjk"}),  # 4 % of the letters
        ("今" * 95 + "abcde", {"cjk", "latin"}),  # 5 %
        ('{"provider": "example", "prices": [1, 2]}', {"latin", "code"}),
        ("for (i = 0; i < n; i++) { sum += a[i]; }", {"latin", "code"}),
        ("1234 5678.", set()),
        ("", set()),
        (" \n", set()),
    ],
)
def test_scripts(text: str, scripts: set[Script]) -> None:
    assert writing_of(text).scripts == scripts


@pytest.mark.parametrize(
    ("method", "script", "low", "high"),
    [
        ("next_generation", "latin", Fraction(278, 279), Fraction("1.37")),
        ("next_generation", "cjk", Fraction(947, 1231), Fraction("1.13")),
        ("next_generation", "indic", Fraction(324, 1029), Fraction(1)),
        ("next_generation", "code", Fraction(1), Fraction("1.30")),
        # v4.8 / o200k on documents is (v4.8 / v3) / (o200k / v3); on the Chinese corpus 1 / 0.65
        ("between_tokenizers", "latin", Fraction(1), Fraction("1.37") / Fraction("0.92")),
        ("between_tokenizers", "cjk", Fraction(868, 947), 1 / Fraction("0.65")),
        ("between_tokenizers", "indic", Fraction(275, 324), Fraction(1029, 324)),
        ("between_tokenizers", "code", Fraction(1), Fraction("1.28") / Fraction("0.78")),
        ("own_tests", "other", Fraction(1), Fraction(1)),
    ],
)
def test_ratios_are_those_of_the_note(method: RangeMethod, script: Script, low: Fraction, high: Fraction) -> None:
    found = count_range(method, "o200k_base", frozenset({script}))
    assert found is not None
    assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize("script", ["latin", "cjk", "indic", "code"])
def test_no_measured_tokenizer_lies_outside_of_all(script: Script) -> None:
    least, most, ours = SHORT[script]
    low, high = measured_ratios()["between_tokenizers"].ratios[script]
    assert low == Fraction(least, ours)
    assert high >= Fraction(most, ours)


def test_several_scripts_have_the_lowest_low_and_the_highest_high() -> None:
    found = count_range("next_generation", "o200k_base", frozenset({"latin", "cjk"}))
    assert found is not None
    assert (found.low, found.high) == (Fraction(947, 1231), Fraction(137, 100))
    assert found.tokens(1000) == (769, 1370)  # 769.29… and 1,370, outwards


def test_what_was_not_measured_has_no_range() -> None:
    for method in ("next_generation", "between_tokenizers"):
        assert count_range(method, "o200k_base", frozenset({"other"})) is None
        assert count_range(method, "o200k_base", frozenset({"latin", "other"})) is None
        assert count_range(method, "o200k_base", frozenset()) is None
    assert count_range("between_tokenizers", "llama3", frozenset({"latin"})) is None, "measured against o200k_base only"


def test_every_method_says_what_it_rests_on() -> None:
    for measured in measured_ratios().values():
        assert measured.source
        assert measured.limits
        assert measured.measured_on.isoformat() == "2026-11-30"
        assert all(0 < low <= 1 <= high for low, high in measured.ratios.values())

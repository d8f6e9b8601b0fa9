"""Lengths in five units, against figures from the Unicode standard and the domain note."""

import pytest

from economics.errors import PermillionError
from tokenizers_registry.text import TextMeasure, measure


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, 0, 0, 0, 0)),
        ("abc", (3, 3, 3, 3, 3)),
        ("a\r\nb\n", (5, 5, 5, 4, 2)),
        ("\r\n\r\r\n", (5, 5, 5, 3, 0)),
        ("é你", (2, 5, 2, 2, 2)),
        ("é\r\n你", (4, 7, 4, 3, 2)),
        # One family emoji is 1 grapheme, 7 code points, 25 bytes (note, trap 6.11).
        ("👩\u200d👩\u200d👧\u200d👦", (7, 25, 11, 1, 7)),
        ("\ufeffx", (2, 4, 2, 2, 2)),
        ("e\u0301", (2, 3, 2, 1, 2)),
        ("\u1112\u1161\u11ab\ud55c\uae00", (5, 15, 5, 3, 5)),  # jamo join, syllables do not
        ("🇫🇷🇯🇵", (4, 16, 8, 2, 4)),
        (" \u3000\u00a0\u2028x\u200b", (6, 13, 6, 6, 2)),
    ],
)
def test_measures(text: str, expected: tuple[int, ...]) -> None:
    assert lengths(measure(text)) == expected


def lengths(measured: TextMeasure) -> tuple[int, ...]:
    """All but the words, which have tests of their own."""
    return (
        measured.characters,
        measured.bytes,
        measured.utf16_units,
        measured.graphemes,
        measured.non_whitespace_characters,
    )


@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b", "\ude00\ud83d"])
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(PermillionError) as caught:
        measure(text)
    assert caught.value.slug == "invalid-text"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("unit", "graphemes"),
    [
        ("👩\u200d👩\u200d👧\u200d👦", 1),
        ("e\u0301", 1),
        ("é\r\n", 2),
        ("你", 1),
        ("🇫🇷", 1),
        (" é", 2),
    ],
)
def test_a_long_text_measures_as_its_parts_do(unit: str, graphemes: int) -> None:
    """Long texts are measured in steps, and no step may cut a cluster or a blank in two."""
    part = measure(unit)
    whole = measure(unit * 20_011)
    assert part.graphemes == graphemes
    assert lengths(whole) == tuple(20_011 * each for each in lengths(part))


def test_a_mark_behind_thousands_of_letters_is_found() -> None:
    for letters in (8_190, 8_191, 8_192, 8_193, 60_000):
        assert measure("é" * letters + "e\u0301").graphemes == letters + 1


def test_a_single_cluster_of_all_marks_is_one_grapheme() -> None:
    assert measure("e" + "\u0301\u0323" * 60_000).graphemes == 1


def test_a_word_that_reaches_over_a_step_is_one_word() -> None:
    for letters in (8_190, 8_191, 8_192, 8_193, 16_384):
        assert measure("a" * letters + " b").words == 2
        assert measure("é" * letters + "b c").words == 2
    assert measure("ab " * 20_000).words == 20_000
    assert measure(" " * 8_192 + "a").words == 1

from __future__ import annotations

import json
from typing import Any

import pytest

from api.http.strict_json import read_json
from economics.errors import PermillionError


@pytest.mark.parametrize(("body", "value"), [
    (b'{"a": 1, "b": [true, null, "x"]}', {"a": 1, "b": [True, None, "x"]}),
    (b" \r\n\t5 ", 5),
    ('"字 🙂"'.encode(), "字 🙂"),
    (b'"\\u5b57 \\ud83d\\ude42"', "字 🙂"),
    (b"-0", 0),
    (b"123456789012345678901234567890", 123456789012345678901234567890),
    (b'{"a": {"a": 1}, "b": {"a": 2}}', {"a": {"a": 1}, "b": {"a": 2}}),
])  # fmt: skip
def test_what_is_json(body: bytes, value: Any) -> None:
    assert read_json(body) == value


def test_numbers_with_a_point_or_exponent_become_floats_that_no_field_takes() -> None:
    for number in (b"1.0", b"1e2", b"1e999999", b"-0.0"):
        assert isinstance(read_json(number), float)


def test_an_ordinary_depth_is_read() -> None:
    depth = 200
    assert read_json(b"[" * depth + b"]" * depth) == json.loads("[" * depth + "]" * depth)


@pytest.mark.parametrize(("body", "says"), [
    (b"", "line 1, column 1"),
    (b"{", "line 1"),
    (b'{\n"a": 1,\n}', "line 3"),
    (b"NaN", "NaN"), (b"[Infinity]", "Infinity"), (b'{"a": -Infinity}', "Infinity"),
    (b'{"a": 1, "a": 1}', "twice"), (b'[{"x": {"a": 1, "a": 2}}]', "twice"), (b'{"a": 1, "\\u0061": 1}', "twice"),
    (b"[" * 100_000, "deep"), (b'{"a":' * 100_000, "deep"),
    (b"1" * 5_000, "digits"),
    (b'"\xff"', "UTF-8 at byte 1"), (b'"\xed\xa0\x80"', "UTF-8"), ('"a"'.encode("utf-16"), "UTF-8"),
    (b"'a'", "line 1"), (b"[1] [2]", "line 1"), (b'"a\x00b"', "line 1"), (b"01", "line 1"), (b"+1", "line 1"), (b".5", "line 1"),
])  # fmt: skip
def test_what_is_not(body: bytes, says: str) -> None:
    with pytest.raises(PermillionError) as caught:
        read_json(body)
    assert caught.value.slug == "malformed-json"
    assert says in caught.value.detail


def test_a_byte_order_mark_is_named() -> None:
    with pytest.raises(PermillionError, match=r"BOM|byte order mark"):
        read_json(b'\xef\xbb\xbf{"a": 1}')


def test_no_text_is_in_the_message() -> None:
    for body in (b'{"secret": 1, "secret": 2}', b'["secret', b"secret", b'{"a": "secret" "b"}', b'"secret\xff"'):
        with pytest.raises(PermillionError) as caught:
            read_json(body)
        assert "secret" not in caught.value.detail

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from api.services.corpora.reading import Reading, read_corpus, read_source
from api.services.corpora.sources import find_sources, survey
from api.services.corpora.texts import CorpusText

MAX = 100
Seen = tuple[int, str | int, str | None]


def read(path: Path, **reading: str) -> list[CorpusText]:
    asked = {"max_text_bytes": MAX, **reading}
    return list(read_corpus(find_sources([str(path)]), Reading(**asked)))  # type: ignore[arg-type]


def seen(texts: list[CorpusText]) -> list[Seen]:
    """Line, id, and the text or the code of what is wrong."""
    return [(t.line, t.text_id, t.text if t.error is None else t.error.slug) for t in texts]


def test_json_lines_that_are_bad_are_errors_with_their_line_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [
        b'\xef\xbb\xbf{"id": "a", "text": "one"}\r',  # Windows: a byte order mark and CRLF
        b"",
        b'{"text": "no id", "other": [1, {"a": null}]}',
        b'{"id": 7}',
        b'{"id": 8, "text": null}',
        b'{"id": 9, "text": "half',
        b'["text"]',
        b'{"text": "twice", "text": "over"}',
        b'{"text": NaN}',
        b"[" * 100_000,
        b'{"text": "caf\xe9"}',
        rb'{"text": "\ud83d"}',
        b'{"text": "a\\u0000b"}',
        b'{"id": true, "text": "a"}',
        b'{"id": "' + b"x" * 201 + b'", "text": "a"}',
        b'{"id": "long", "text": "' + b"a" * 101 + b'"}',
        b'{"id": "a", "text": "same id"}',
    ]
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"\n".join(lines))
    assert seen(read(path)) == [
        (1, "a", "one"),
        (3, 3, "no id"),
        (4, 7, "invalid-fields"),
        (5, 8, "invalid-fields"),
        (6, 6, "malformed-json"),
        (7, 7, "malformed-json"),
        (8, 8, "malformed-json"),
        (9, 9, "malformed-json"),
        (10, 10, "malformed-json"),
        (11, 11, "invalid-text"),
        (12, 12, "invalid-text"),
        (13, 13, "a\0b"),
        (14, 14, "invalid-fields"),
        (15, 15, "invalid-fields"),
        (16, "long", "text-too-large"),
        (17, "a", "same id"),
    ]


def test_a_line_beyond_any_text_is_passed_over_and_not_held(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"text": "' + b"a" * 3_000_000 + b'"}\n{"text": "next"}\n')
    assert seen(read(path)) == [(1, 1, "text-too-large"), (2, 2, "next")]


def test_field_and_id_field_are_the_callers(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"body": "a", "key": 5}\n{"body": "b"}\n{"text": "c", "key": 6}\n')
    assert seen(read(path, field="body", id_field="key")) == [
        (1, 5, "a"),
        (2, 2, "invalid-fields"),
        (3, 6, "invalid-fields"),
    ]


def test_csv_records_may_span_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(
        b'id;text;n\r\na;"one; ""two""\r\nthree";1\r\n;plain;2\r\nb;\xe9;3\r\nc\r\n\r\nd;a\0b;4\r\ne;last;5'
    )
    assert seen(read(path)) == [
        (2, "a", 'one; "two"\r\nthree'),
        (4, 4, "plain"),
        (5, "b", "invalid-text"),
        (6, 6, "malformed-csv"),
        (8, "d", "invalid-text"),
        (9, "e", "last"),
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "malformed-csv"),
        (b"a,b\r\n1,2\r\n", "invalid-fields"),
        (b"text,text\r\n1,2\r\n", "invalid-fields"),
        (b'"a"b,text\r\n1,2\r\n', "malformed-csv"),
        (b"\xe9,text\r\n1,2\r\n", "invalid-text"),
        ("text\r\na\r\n".encode("utf-16"), "invalid-text"),
    ],
)
def test_a_csv_file_without_the_column_is_one_error(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(content)
    assert seen(read(path)) == [(1, 1, code)]


def test_an_open_quote_swallows_no_file(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b'text\n"open\n' + b"x" * 999 + b"\n" + b"y\n" * 2_000_000)
    texts = read_source(next(find_sources([str(path)])), Reading(max_text_bytes=MAX))
    first = next(texts)
    assert first.error is not None
    assert first.after.offset < 3_000_000


def test_the_limit_of_cells_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("text\n" + "a" * 150_000 + "\n")
    before = csv.field_size_limit()
    assert seen(read(path)) == [(2, 2, "text-too-large")]
    assert csv.field_size_limit() == before


def test_plain_files_are_counted_byte_for_byte(tmp_path: Path) -> None:
    contents = {
        "bom.txt": "\ufeffa\r\nb".encode(),
        "empty.txt": b"",
        "latin.txt": b"caf\xe9",
        "long.txt": b"a" * 101,
        "nul.bin": b"a\0b",
        "utf16.txt": "a".encode("utf-16"),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    found = {Path(text.source).name: text.text if text.error is None else text.error.slug for text in read(tmp_path)}
    assert found == {
        "bom.txt": "\ufeffa\r\nb",
        "empty.txt": "",
        "latin.txt": "invalid-text",
        "long.txt": "text-too-large",
        "nul.bin": "invalid-text",
        "utf16.txt": "invalid-text",
    }


def test_parquet_by_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    texts = ["a", "", None, "x" * 101, "é", "last"]
    table = pa.table({"id": ["1", None, "3", "4", "5", "6"], "text": texts, "n": list(range(6))})
    parquet.write_table(table, path, row_group_size=2)
    expected = [
        (1, "1", "a"),
        (2, 2, ""),
        (3, "3", "invalid-fields"),
        (4, "4", "text-too-large"),
        (5, "5", "é"),
        (6, "6", "last"),
    ]
    assert seen(read(path)) == expected
    assert seen(read(path, id_field="n"))[1] == (2, 1, "")
    for code, asked in (
        ("invalid-fields", {"field": "n"}),
        ("invalid-fields", {"field": "m"}),
        ("invalid-fields", {"id_field": "m"}),
    ):
        assert seen(read(path, **asked)) == [(1, 1, code)]
    path.write_bytes(path.read_bytes()[:-9])
    assert seen(read(path)) == [(1, 1, "unreadable-file")]


def test_bytes_in_parquet_that_are_no_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    raw = pa.array([b"ok", b"\xff"], pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"text": raw}), path)
    assert seen(read(path)) == [(1, 1, "ok"), (2, 2, "invalid-text")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "b").mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"text": "1"}\n\nbroken\n{"text": "2"}')
    (folder / "b" / "t.csv").write_text('text\n3\n"4\n4"\n5\n')
    (folder / "b" / "t.txt").write_text("6")
    parquet.write_table(pa.table({"text": ["7", "8", "9"]}), folder / "c.parquet", row_group_size=2)
    (folder / ".hidden").write_text("not part of it")
    (folder / "b" / "loop").symlink_to(folder)
    (folder / "d").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "e")
    return folder


def test_a_folder_is_read_in_the_order_of_names(corpus: Path) -> None:
    texts = read(corpus)
    assert [t.text if t.error is None else t.error.slug for t in texts] == [
        "1", "malformed-json", "2", "3", "4\n4", "5", "6", "7", "8", "9", "unreadable-file",
    ]  # fmt: skip
    assert [s.name for s in find_sources([str(corpus)], ["*.csv", "a*"])] == [f"{corpus}/a.jsonl", f"{corpus}/b/t.csv"]
    assert [s.kind for s in find_sources([str(corpus / "a.jsonl")], kind="text")] == ["text"]


def test_reading_goes_on_behind_any_text(corpus: Path) -> None:
    every = read(corpus)
    for index, text in enumerate(every):
        rest = list(read_corpus(find_sources([str(corpus)]), Reading(max_text_bytes=MAX), text.after))
        assert seen(rest) == seen(every[index + 1 :]), text
        assert [t.after for t in rest] == [t.after for t in every[index + 1 :]]


def test_an_unreadable_folder_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b.txt").write_text("b")
    listing = os.listdir

    def refused(path: Path) -> list[str]:  # a test may run as root, whom no permission stops
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr("os.listdir", refused)
    assert [(t.text, t.error.slug if t.error else None) for t in read(tmp_path)] == [
        (None, "unreadable-file"),
        ("b", None),
    ]


def test_the_identity_is_of_names_sizes_times_and_settings(corpus: Path) -> None:
    def identity(**settings: str) -> str:
        return survey(find_sources([str(corpus)]), settings).identity

    first = identity(field="text")
    assert identity(field="text") == first
    assert identity(field="body") != first
    os.utime(corpus / "a.jsonl", ns=(1, 1))
    assert identity(field="text") != first


def test_a_row_of_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps({"text": "a"}).encode())))
    assert seen(list(read_corpus(find_sources(["-"]), Reading()))) == [(1, 1, "a")]
    assert survey(find_sources(["-"]), {}).bytes is None

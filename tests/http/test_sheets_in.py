"""Files as spreadsheets save them, each with the answer it must get: encodings, delimiters, odd ids, odd columns."""

from __future__ import annotations

import csv
import io

import httpx
import pytest

from tests.http.asking import AS_OF, GOOD, refused

CSV = {"content-type": "text/csv"}
HEADER = "row_id,offer,as_of,input_tokens"
LINE = f"包裹,{GOOD},{AS_OF},100000"  # 0.2 USD: 2 a million tokens


def answered(
    client: httpx.Client, body: bytes, query: str = "", content_type: str = "text/csv", path: str = "/price.csv"
) -> list[dict[str, str]]:
    response = client.post(f"{path}{query}", content=body, headers={"content-type": content_type})
    assert response.status_code == 200, response.text
    text = response.content.decode("utf-8-sig")
    header = text.split("\r\n", 1)[0]
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), strict=True))


TEXT = f"{HEADER}\r\n{LINE}\r\n"
ENCODINGS = [
    ("UTF-8", TEXT.encode(), "text/csv"),
    ("UTF-8 with a byte order mark, as Excel saves 'CSV UTF-8'", TEXT.encode("utf-8-sig"), "text/csv"),
    ("UTF-8, said", TEXT.encode(), "text/csv; charset=UTF-8"),
    ("UTF-8, said in quotes", TEXT.encode(), 'text/csv; header=present; charset="utf-8"'),
    ("UTF-16 with tabs, as Excel saves 'Unicode Text'", TEXT.replace(",", "\t").encode("utf-16"), "text/csv"),
    ("UTF-16, the other byte order", b"\xfe\xff" + TEXT.encode("utf-16-be"), "text/csv"),
    ("UTF-16 without a mark, said", TEXT.encode("utf-16-le"), "text/csv; charset=utf-16le"),
    ("GBK, as Excel saves CSV in China", TEXT.encode("gbk"), "text/csv; charset=gbk"),
    ("GB 18030", TEXT.encode("gb18030"), "text/csv;charset=GB18030"),
    ("LF", TEXT.replace("\r\n", "\n").encode(), "text/csv"),
    ("CR, as old Macs end lines", TEXT.replace("\r\n", "\r").encode(), "text/csv"),
    ("no end of the last line", TEXT.strip().encode(), "text/csv"),
    ("semicolons", TEXT.replace(",", ";").encode(), "text/csv"),
    ("tabs", TEXT.replace(",", "\t").encode(), "text/csv"),
    ("Excel's own first line", b"sep=;\r\n" + TEXT.replace(",", ";").encode(), "text/csv"),
    ("quoted cells", f'"row_id","offer","as_of","input_tokens"\r\n"包裹","{GOOD}","{AS_OF}","100000"'.encode(), "text/csv"),
    ("labels as headers", f"行号,报价项,计价时点,输入token数\n{LINE}".encode(), "text/csv"),
    ("English labels", f"Row,Offer,As of,Input tokens\n{LINE}".encode(), "text/csv"),
    ("blanks around the names of columns", f" row_id , offer,as_of ,input_tokens\n{LINE}".encode(), "text/csv"),
    ("empty lines at the end", f"{TEXT},,,\r\n,,,\r\n\r\n".encode(), "text/csv"),
    ("empty columns at the end", f"{HEADER},,\r\n{LINE},,\r\n".encode(), "text/csv"),
    ("text/plain, as some clients call it", TEXT.encode(), "text/plain; charset=utf-8"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "content_type"), [case[1:] for case in ENCODINGS], ids=[case[0] for case in ENCODINGS]
)
def test_one_line_in_every_dress(client: httpx.Client, body: bytes, content_type: str) -> None:
    (row,) = answered(client, body, content_type=content_type)
    assert (row["row_id"], row["total"], row["currency"], row["error_code"]) == ("包裹", "0.2", "USD", "")


REFUSED = [
    ("GBK, not said", TEXT.encode("gbk"), "text/csv", 400, "malformed-csv", "charset=gb18030"),
    ("UTF-16 without a mark, not said", TEXT.encode("utf-16-le"), "text/csv", 400, "malformed-csv", ""),
    ("UTF-8 cut within a character", TEXT.encode()[:37], "text/csv", 400, "malformed-csv", "at byte"),
    ("UTF-8, said to be UTF-16", b"offer\nab", "text/csv; charset=utf-16le", 422, "invalid-fields", ""),
    ("a charset nobody reads", TEXT.encode(), "text/csv; charset=ebcdic-cp-us", 415, "unsupported-media-type", "gb18030"),
    ("XLSX sent as such", b"PK\x03\x04", "application/vnd.ms-excel", 415, "unsupported-media-type", "text/csv"),
    ("nothing", b"", "text/csv", 400, "malformed-csv", "no header"),
    ("only empty lines", b"\r\n,,\r\n", "text/csv", 400, "malformed-csv", "no header"),
    ("a quote that does not end", f'{HEADER}\n"a,{LINE}'.encode(), "text/csv", 400, "malformed-csv", "line"),
    ("duplicate headers", f"offer,offer\n{GOOD},{GOOD}".encode(), "text/csv", 400, "malformed-csv", "offer stands twice"),
    ("a name and its label", f"offer,报价项\n{GOOD},{GOOD}".encode(), "text/csv", 400, "malformed-csv", "offer stands twice"),
    ("an extra column", f"offer,tokens\n{GOOD},5".encode(), "text/csv", 422, "invalid-fields", "unknown column tokens"),
    ("an extra column without a name", f"offer,,input_tokens\n{GOOD},5,5".encode(), "text/csv", 422, "invalid-fields", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "content_type", "status", "slug", "says"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
@pytest.mark.parametrize("path", ["/price.csv", "/compare.csv"])
def test_files_that_cannot_be_read(
    client: httpx.Client, path: str, body: bytes, content_type: str, status: int, slug: str, says: str
) -> None:
    refused(client.post(path, content=body, headers={"content-type": content_type}), status, slug, says=says)


IDS = [
    "12345678901234567890", "1e5", "1E5", "007", "0", "00", "1,5", "1.50", "2026-11-30", "TRUE", "#N/A", "  x ", "a;b", 'say "hi"',
    "line\r\nbreak", "😀" * 50, "﻿mark", "x" * 200,
]  # fmt: skip


@pytest.mark.parametrize("delimiter", [",", ";", "tab"])
def test_ids_come_back_as_they_were(client: httpx.Client, delimiter: str) -> None:
    """A spreadsheet would make numbers of them; here a cell is text until its field reads it."""
    sign = "\t" if delimiter == "tab" else delimiter
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=sign)
    writer.writerows([HEADER.split(","), *([name, GOOD, AS_OF, "1"] for name in IDS)])
    shown = delimiter.replace(";", "%3B")
    rows = answered(client, out.getvalue().encode(), f"?delimiter={shown}")
    assert [row["row_id"] for row in rows] == IDS
    assert {row["total"] for row in rows} == {"0.000002"}


def test_rows_without_what_they_need_keep_their_place(client: httpx.Client) -> None:
    """A wrong row in the middle is reported with its row number, and the others are answered."""
    good = f"{GOOD},{AS_OF},100000"
    lines = [
        good, "", good, ",,", f"{GOOD},{AS_OF}", f"{good},9", f"{GOOD},{AS_OF},1e5", f"{GOOD},{AS_OF},1 000", f"{GOOD},{AS_OF},-1",
        f"{GOOD},30.11.2026,1", f"1e5,{AS_OF},1", f"{'x' * 32_768},{AS_OF},1", good,
    ]  # fmt: skip
    rows = answered(client, "\n".join(["offer,as_of,input_tokens", *lines]).encode())
    bad = ["invalid-fields"] * 9
    assert len(rows) == 12, "an empty line is no row; a line of empty cells is one"
    assert [row["error_code"] for row in rows] == ["", "", *bad, ""]
    assert [row["row_id"] for row in rows] == [str(index) for index in range(12)]
    assert [row["total"] for row in rows if not row["error_code"]] == ["0.2"] * 3
    assert "2 cells; the header has 3" in rows[3]["error_detail"]


def test_a_missing_column_is_said_of_each_row(client: httpx.Client) -> None:
    rows = answered(client, b"row_id,input_tokens\na,5\nb,6")
    assert [row["error_code"] for row in rows] == ["invalid-fields"] * 2
    assert all("offer" in row["error_detail"] for row in rows)


@pytest.mark.parametrize("characters", [32_767, 32_768, 200_000])
def test_long_texts_are_counted_whole(client: httpx.Client, characters: int) -> None:
    """32,767 is what a cell of Excel holds; a file from elsewhere may have longer ones."""
    body = f"offer,as_of,text\n{GOOD},{AS_OF},{'a ' * (characters // 2)}{'b' * (characters % 2)}".encode()
    (row,) = answered(client, body, path="/compare.csv")
    assert (row["error_code"], row["input_characters"]) == ("", str(characters))


LOCALES = [
    ("0.5", "point", ",", "0.5"), ("0.5", "point", ";", "0.5"), ("0,5", "comma", ";", "0.5"), ("0.5", "comma", ";", "0.5"),
    ("0,5", "comma", "\t", "0.5"), ("90", "comma", ";", "90"), ("0,5", "point", ";", None), ("1.234,5", "comma", ";", None),
    ("1,234.5", "point", ";", None), ("1'234,5", "comma", ";", None), ("1 234,5", "comma", ";", None), ("1,2,3", "comma", ";", None),
    ("５", "point", ";", None), ("1e3", "point", ";", None), ("0,", "comma", ";", None),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "decimal", "delimiter", "meant"), LOCALES)
def test_numbers_of_two_locales(
    client: httpx.Client, cell: str, decimal: str, delimiter: str, meant: str | None
) -> None:
    """Whisper at Groq is 0.111 USD an hour: what the cell means decides the cost, or it is refused; nothing is guessed."""
    fields = [["offer", "as_of", "audio_seconds"], ["groq/whisper-large-v3", AS_OF, cell]]
    body = "\r\n".join(delimiter.join(line) for line in fields).encode()
    (row,) = answered(client, body, f"?decimal={decimal}")
    if meant is None:
        assert row["error_code"] == "invalid-fields"
        return
    plain = {"offer": "groq/whisper-large-v3", "as_of": AS_OF, "usage": {"audio_seconds": meant}}
    (same,) = client.post("/price", json={"rows": [plain]}).json()["rows"]
    assert row["total"] == same["total"].replace(".", "," if decimal == "comma" else ".")

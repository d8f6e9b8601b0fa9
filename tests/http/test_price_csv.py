"""`POST /price.csv`: what spreadsheets save and send."""

from __future__ import annotations

import csv
import io
from typing import Any

import httpx

from tests.http.asking import refused

CSV = {"content-type": "text/csv"}
AS_OF = "2026-11-30T12:00:00Z"
HEADER = "row_id,offer,as_of,input_tokens,cache_read_tokens,output_tokens,processing"


def price(client: httpx.Client, body: str | bytes, query: str = "", **headers: str) -> list[dict[str, str]]:
    response = client.post(f"/price.csv{query}", content=body, headers={**CSV, **headers})
    assert (response.status_code, response.headers["content-type"]) == (200, "text/csv; charset=utf-8"), response.text
    return list(csv.DictReader(io.StringIO(response.text)))


def test_a_sheet_of_usage(client: httpx.Client) -> None:
    """gpt-6-sol at 2 in, 0.2 cached, 10 out; batch at half; Opus 5 at 5 / 0.5 / 25 (Anthropic's table)."""
    body = "\r\n".join(
        [
            HEADER,
            f"a,openai/gpt-6-sol,{AS_OF},1000,800,100,",  # 200·2 + 800·0.2 + 100·10 = 1,560
            f"b,openai/gpt-6-sol,{AS_OF},1000,,100,batch",  # 1,000·1 + 100·5 = 1,500
            f"007,anthropic/claude-opus-5,{AS_OF},6100,6034,100,",  # 66·5 + 6,034·0.5 + 100·25 = 5,847
        ]
    )
    rows = price(client, body)
    assert [(row["row_id"], row["total"], row["currency"]) for row in rows] == [
        ("a", "0.00156", "USD"),
        ("b", "0.0015", "USD"),
        ("007", "0.005847", "USD"),
    ]


def test_a_wrong_row_in_the_middle_is_reported_and_the_rest_answered(client: httpx.Client) -> None:
    good = f"openai/gpt-6-sol,{AS_OF},100000"  # 2 in per Mtok
    body = "\n".join(
        ["offer,as_of,input_tokens", good, f"openai/gpt-6-sol,{AS_OF},-5", good, "openai/gpt-6-sol", good + ",9"]
    )
    rows = price(client, body)
    assert [row["total"] for row in rows] == ["0.2", "", "0.2", "", ""]
    assert [row["error_code"] for row in rows] == ["", "invalid-fields", "", "invalid-fields", "invalid-fields"]
    assert [row["row_id"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert "the header has 3" in rows[3]["error_detail"]
    refused(client.post("/price.csv?on_error=fail", content=body, headers=CSV), 422, "invalid-fields")


def test_semicolons_decimal_commas_bom_and_the_compact_form(client: httpx.Client) -> None:
    """90.5 s of whisper-large-v3 at Groq: 0.111 an hour = 0.0027904…; DeepSeek's CNY book at 4.5."""
    body = "offer;as_of;audio_seconds;input_tokens\r\n" + "\r\n".join(
        [f"groq/whisper-large-v3;{AS_OF};90,5;", f"deepseek/deepseek-v4-pro@cn;{AS_OF};;1000000"]
    )
    response = client.post(
        "/price.csv?decimal=comma&bom=1", content=b"\xef\xbb\xbf" + body.encode(), headers={"content-type": "text/csv"}
    )
    assert response.content.startswith(b"\xef\xbb\xbfrow_id;offer;")
    whisper, yuan = csv.DictReader(io.StringIO(response.content.decode("utf-8-sig")), delimiter=";")
    assert whisper["total"].startswith("0,00279041666")
    assert (yuan["total"], yuan["currency"], yuan["price_book"]) == ("4,5", "CNY", "cn")


def test_currency_by_query(client: httpx.Client) -> None:
    body = f"offer,as_of,input_tokens\ndeepseek/deepseek-v4-pro@cn,{AS_OF},1000000"
    (row,) = price(client, body, "?currency=USD&fx=CNY:USD:0.1408:2026-11-30")
    assert (row["total"], row["currency"], row["native_total"], row["fx_rate"]) == ("0.6336", "USD", "4.5", "0.1408")
    answer = client.post("/price.csv?format=json", content=body, headers=CSV).json()
    assert answer["rows"][0]["total"] == "4.5"


def test_files_that_cannot_be_read(client: httpx.Client) -> None:
    cases: list[tuple[Any, int, str]] = [
        (b"", 400, "malformed-csv"),
        ("offer,input_tokens\n你好,1".encode("gbk"), 400, "malformed-csv"),
        ("offer,input_tokens\nopenai/gpt-6-sol,1".encode("utf-16-le"), 400, "malformed-csv"),  # no byte order mark
        (b"offer,offer\na,b", 400, "malformed-csv"),
        (b'offer,input_tokens\n"openai/gpt-6-sol,1', 400, "malformed-csv"),
        (b"offer,tokens\nopenai/gpt-6-sol,1", 422, "invalid-fields"),
        (b"offer\n" + b"a\n" * 10_001, 413, "too-many-rows"),
    ]
    for body, status, slug in cases:
        refused(client.post("/price.csv", content=body, headers=CSV), status, slug)
    json_type = {"content-type": "application/json"}
    refused(client.post("/price.csv", content=b"offer\na", headers=json_type), 415, "unsupported-media-type")


def test_formulas_stay_text(client: httpx.Client) -> None:
    body = "row_id,offer,input_tokens\n=1+1,\"=cmd|' /C calc'!A0\",5"
    (row,) = price(client, body)
    assert (row["row_id"], row["offer"]) == ("'=1+1", "'=cmd|' /C calc'!A0")
    assert row["error_code"] == "unknown-provider"


def test_empty_columns_at_the_end_as_spreadsheets_write_them(client: httpx.Client) -> None:
    body = f"offer,as_of,input_tokens,,\r\nopenai/gpt-6-sol,{AS_OF},1000,,\r\n"
    assert [row["total"] for row in price(client, body)] == ["0.002"]
    full = client.post("/price.csv", content="offer,input_tokens,\r\nopenai/gpt-6-sol,1,9\r\n", headers=CSV)
    assert full.status_code in (400, 422)  # a value without a name is a price that nobody charges


def test_ten_thousand_lines_with_a_wrong_one_in_the_middle(client: httpx.Client) -> None:
    lines = [f"r{index},openai/gpt-6-sol,{AS_OF},{1_000 * (index + 1) % 200_000}" for index in range(10_000)]
    lines[5_000] = f"r5000,openai/gpt-6-sol,{AS_OF},1.5"
    rows = price(client, "\n".join(["row_id,offer,as_of,input_tokens", *lines]))
    assert len(rows) == 10_000
    assert [(row["row_id"], row["error_code"]) for row in rows if row["error_code"]] == [("r5000", "invalid-fields")]
    assert (rows[4_999]["total"], rows[5_001]["total"]) == ("0", "0.004")  # 5,000,000 and 5,002,000 modulo 200,000

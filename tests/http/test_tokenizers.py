"""`POST /tokenizers`: tokenizers of one's own, from the form to the cost of a text, and everything hostile refused."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.asking import SECRET, private_row, publish, refused
from tests.http.test_privacy import logged
from tests.running import Service, running_service
from tests.tokenizer_files import (
    EVERYTHING,
    byte_level_json,
    byte_ranks,
    byte_symbols,
    o200k_ranks,
    sentencepiece_model,
)
from tokenizers_registry.splits import O200K_SPLIT

MIB = 1024 * 1024
ENVIRONMENT = {
    "PERMILLION_CATALOG_REFRESH_S": "0.2",
    "PERMILLION_COUNTING_TIMEOUT_S": "4",
    "PERMILLION_TOKENIZER_MEMORY_MIB": "768",
    "PERMILLION_TOKENIZER_CHECK_TIMEOUT_S": "10",
}
TEXT = "Wo ist mein Paket? 我的包裹到哪里了?"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[Service]:
    """A service of its own: what is registered would show in other tests' lists."""
    folder = tmp_path_factory.mktemp("tokenizers")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder, ENVIRONMENT) as running:
        yield running


@pytest.fixture(scope="module")
def client(own: Service) -> Iterator[httpx.Client]:
    with own.client() as opened:
        yield opened


def register(
    client: httpx.Client, tokenizer: str, content: bytes, name: str = "file.bin", **fields: str | None
) -> httpx.Response:
    """Send a file; rank files unless the fields say otherwise, None leaves a field out."""
    is_ranks = fields.get("format", "tiktoken") == "tiktoken"
    stated = {
        "id": tokenizer, "format": "tiktoken", "pattern": EVERYTHING if is_ranks else None, "license": "of our own",
        "source": "trained on our tickets", **fields,
    }  # fmt: skip
    data = {key: value for key, value in stated.items() if value is not None}
    return client.post("/tokenizers", data=data, files={"file": (name, content)})


def registered(client: httpx.Client, tokenizer: str, content: bytes, **fields: str | None) -> dict[str, Any]:
    response = register(client, tokenizer, content, **fields)
    assert response.status_code == 201, response.text
    (row,) = response.json()["rows"]
    assert row["outcome"] == "added"
    return dict(row)


def tokens(client: httpx.Client, text: str, *tokenizers: str) -> list[Any]:
    response = client.post("/tokenize", json={"texts": [{"text": text}], "tokenizers": tokenizers})
    assert response.status_code == 200, response.text
    return [row["tokens"] if row["error_code"] is None else row["error_code"] for row in response.json()["rows"]]


def listed(client: httpx.Client, tokenizer: str) -> dict[str, Any]:
    (row,) = [row for row in client.get("/tokenizers").json()["rows"] if row["tokenizer"] == tokenizer]
    return dict(row)


def test_each_format_counts(client: httpx.Client) -> None:
    registered(client, "user/ranks", byte_ranks())
    registered(client, "user/json", byte_level_json(), format="tokenizer.json")
    registered(client, "user/pieces", sentencepiece_model(), format="sentencepiece")
    size = len(TEXT.encode())
    assert tokens(client, TEXT, "user/ranks", "user/json") == [size, size]
    (pieces,) = tokens(client, TEXT, "user/pieces")
    assert len(TEXT) / 2 < pieces <= size + 1
    assert tokens(client, "", "user/pieces") == [0]


def test_openai_s_file_counts_as_the_built_in_family(client: httpx.Client) -> None:
    row = registered(client, "user/o200k", o200k_ranks(), pattern=O200K_SPLIT)
    assert (row["bytes"], row["entries"]) == (3_613_922, 199_998)  # tokenizers note, section 1
    ours, theirs = tokens(client, TEXT, "user/o200k", "o200k_base")
    assert ours == theirs
    assert tokens(client, "a <|endoftext|>", "user/o200k") == tokens(client, "a <|endoftext|>", "o200k_base")


def test_it_is_listed_in_the_words_of_its_tenant(client: httpx.Client) -> None:
    row = registered(client, "user/listed", byte_ranks(), license="contract 4711", source="mail of 3 November")
    shown = listed(client, "user/listed")
    assert shown["count_method"] == "exact"
    assert shown["available"] is True
    assert (shown["license_vocabulary"], shown["source"]) == ("contract 4711", "mail of 3 November")
    assert shown["fingerprint"] == row["fingerprint"]
    assert row["sha256"] in shown["fingerprint"]
    assert (shown["package"], shown["version"], shown["license_package"]) == (None, None, None)
    assert len(row["probe_counts"].split(";")) == 9


def test_a_private_model_is_counted_with_it(client: httpx.Client) -> None:
    """4 input tokens at 2 USD per million: 0.000008 USD a query."""
    registered(client, "user/model", byte_ranks())
    row = {
        "provider": "acme",
        "model": "own-1",
        "tokenizer": "user/model",
        "meter": "input_tokens",
        "rate": "2",
        "source": "contract",
    }
    assert publish(client, "own-book", [row]).status_code == 201
    offers = [{"offer": "acme/own-1", "price_book": "own-book"}]
    (compared,) = client.post("/compare", json={"text": "abcd", "offers": offers}).json()["rows"]
    assert compared["error_code"] is None, compared
    assert (compared["tokenizer"], compared["count_method"], compared["input_tokens"]) == ("user/model", "exact", 4)
    assert compared["cost_per_query"] == "0.000008"
    (model,) = [m for m in client.get("/models?provider=acme").json()["rows"] if m["model"] == "own-1"]
    assert (model["tokenizer"], model["count_method"]) == ("user/model", "exact")
    unknown = publish(client, "own-book", [{**row, "tokenizer": "user/nobody-s"}])
    refused(unknown, 404, "unknown-tokenizer", "/rows/0/tokenizer")


def test_the_same_is_unchanged_and_other_bytes_are_a_conflict(client: httpx.Client) -> None:
    first = registered(client, "user/kept", byte_ranks())
    again = register(client, "user/kept", byte_ranks())
    assert again.status_code == 200
    assert again.json()["rows"] == [{**first, "outcome": "unchanged"}]
    for response in (
        register(client, "user/kept", o200k_ranks(300)),
        register(client, "user/kept", byte_ranks(), pattern=r"[\s\S]"),
        register(client, "user/kept", byte_ranks(), license="another"),
        register(client, "user/kept", byte_level_json(), format="tokenizer.json"),
    ):
        refused(response, 409, "tokenizer-exists", "/id")
    assert tokens(client, TEXT, "user/kept") == [len(TEXT.encode())]


def test_withdrawing_keeps_what_the_id_meant(client: httpx.Client) -> None:
    registered(client, "user/gone", byte_ranks())
    assert tokens(client, "abc", "user/gone") == [3]
    answer = client.delete("/tokenizers/user/gone")
    assert answer.status_code == 200
    (row,) = answer.json()["rows"]
    assert row["outcome"] == "withdrawn"
    assert row["withdrawn_at"] is not None
    assert client.delete("/tokenizers/user/gone").json()["rows"] == [row]
    assert tokens(client, "abc", "user/gone", "user/ranks") == ["tokenizer-unavailable", 3]
    shown = listed(client, "user/gone")
    assert shown["available"] is False
    assert "was withdrawn at" in shown["note"]
    row = {
        "provider": "acme",
        "model": "m",
        "tokenizer": "user/gone",
        "meter": "input_tokens",
        "rate": "2",
        "source": "s",
    }
    refused(publish(client, "b2", [row]), 404, "unknown-tokenizer")
    refused(register(client, "user/gone", o200k_ranks(300)), 409, "tokenizer-exists")
    registered(client, "user/gone", byte_ranks(), license="mended")
    assert tokens(client, "abc", "user/gone") == [3]


def test_only_registered_ids_can_be_withdrawn(client: httpx.Client) -> None:
    for name in ("nobody-s", "..%2Fllama3", "%00", "a%0A", "A", "x" * 101):
        assert client.delete(f"/tokenizers/user/{name}").status_code in (400, 404, 422)
    assert client.delete("/tokenizers/llama3").status_code == 404
    assert tokens(client, "a", "llama3") == [1]


@pytest.mark.parametrize("tokenizer", [
    "llama3", "o200k_base", "user/", "user/../x", "../x", "/etc/passwd", "user/a/b", "user/A", "user/a..b", "user/-a", "user/a-", "user/a b",
    "user/a\n", "user/é", "user/" + "a" * 60, "", "acme-1",
])  # fmt: skip
def test_an_id_is_a_name_and_no_path(client: httpx.Client, tokenizer: str) -> None:
    refused(register(client, tokenizer, byte_ranks()), 422, "invalid-fields", "/id")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "a/b", "..\\b"])
def test_a_path_in_the_filename_is_refused(client: httpx.Client, name: str) -> None:
    answer = refused(
        register(client, "user/pathed", byte_ranks(), name=name), 422, "invalid-fields", "/file", "is a path"
    )
    assert name not in answer["detail"]


def test_the_form_is_minded(client: httpx.Client) -> None:
    refused(register(client, "user/f", byte_ranks(), format="bpe"), 422, "invalid-fields", "/format")
    refused(register(client, "user/f", byte_ranks(), license=None), 422, "invalid-fields", "/license")
    refused(register(client, "user/f", byte_ranks(), source="a\x00b"), 422, "invalid-fields", "/source")
    refused(register(client, "user/f", byte_ranks(), pattern="a\x00"), 422, "invalid-fields", "/pattern")
    refused(register(client, "user/f", byte_ranks(), pattern="a" * 4_001), 422, "invalid-fields", "/pattern")
    refused(register(client, "user/f", byte_ranks(), licence="x"), 422, "invalid-fields", "/licence")
    refused(register(client, "user/f", byte_ranks(), pattern=None), 422, "invalid-tokenizer", "/pattern")
    refused(
        register(client, "user/f", byte_level_json(), format="tokenizer.json", pattern="a"),
        422,
        "invalid-tokenizer",
        "/pattern",
    )
    data = {"id": "user/f", "format": "tiktoken", "pattern": EVERYTHING, "license": "l", "source": "s"}
    refused(client.post("/tokenizers", data={**data, "file": "IQ== 0"}, files={"x": ("x", b"")}), 422, "invalid-fields")
    twice = [("file", ("a", byte_ranks())), ("file", ("a", byte_ranks()))]
    refused(client.post("/tokenizers", data=data, files=twice), 422, "invalid-fields", "/file")
    refused(
        client.post("/tokenizers", data={**data, "id": ["user/f", "user/g"]}, files={"file": ("a", b"")}),
        422,
        "invalid-fields",
        "/id",
    )


@pytest.mark.parametrize(("content_type", "status"), [
    ("application/json", 415), ("application/x-www-form-urlencoded", 415), ("text/plain", 415), (None, 415),
    ("multipart/form-data", 400), ("multipart/form-data; boundary=", 400), ("multipart/form-data; boundary=other", 400),
])  # fmt: skip
def test_what_is_no_form(client: httpx.Client, content_type: str | None, status: int) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    response = client.post("/tokenizers", content=f"--b\r\n{SECRET}\r\n--b--".encode(), headers=headers)
    refused(response, status, "unsupported-media-type" if status == 415 else "bad-request")


@pytest.mark.parametrize("part", [
    b'Content-Disposition: form-data; name="id"\r\n\r\n\xff\xfe',
    b'Content-Disposition: form-data; name="id"\r\nContent-Type: text/plain; charset=nonsense\r\n\r\na',
    b'Content-Disposition: form-data; name="file"\r\n\r\n\x80\x04',
    b"Content-Disposition: nonsense\r\n\r\na",
    b"\r\n\r\na",
    b'Content-Disposition: form-data; name="id"\r\nX: ' + b"y" * 10_000 + b"\r\n\r\na",
    b'Content-Disposition: form-data; name="id"',
])  # fmt: skip
def test_a_broken_form(client: httpx.Client, part: bytes) -> None:
    headers = {"content-type": "multipart/form-data; boundary=b"}
    response = client.post("/tokenizers", content=b"--b\r\n" + part + b"\r\n--b--\r\n", headers=headers)
    assert response.status_code in (400, 422), response.text


def test_a_file_over_40_mib_is_refused_with_the_limit(client: httpx.Client) -> None:
    for size in (40 * MIB + 1, 41 * MIB):
        response = register(client, "user/large", bytes(size), format="sentencepiece")
        refused(response, 413, "body-too-large", says="max_tokenizer_file_bytes is 41943040")
    refused(
        register(client, "user/large", bytes(40 * MIB), format="sentencepiece"),
        422,
        "invalid-tokenizer",
        "/file",
        "neither",
    )
    refused(client.post("/price", content=bytes(9 * MIB)), 413, "body-too-large", says="max_body_bytes is 8388608")


class Evil:
    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return print, (SECRET,)


def replacing(pattern: dict[str, str], size: int) -> bytes:
    return byte_level_json(normalizer={"type": "Replace", "pattern": pattern, "content": "x" * size})


SPLIT = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
HOSTILE: dict[str, tuple[bytes, dict[str, str | None], str]] = {
    "pickle": (pickle.dumps(Evil()), {}, "pickle"),
    "gzip": (gzip.compress(byte_ranks()), {}, "gzip"),
    "zip": (b"PK\x03\x04" + bytes(100), {"format": "tokenizer.json"}, "zip archive"),
    "empty": (b"", {}, "empty"),
    "random": (bytes(range(1, 256)) * 100, {}, "neither"),
    "vocabulary of 50 million": (byte_ranks() + b"YWI= 50000000\n", {}, "not 0 to 256"),
    "ids of 50 million": (byte_level_json({"vocab": {**{s: i for i, s in enumerate(byte_symbols())}, "aa": 50_000_000}}), {"format": "tokenizer.json"}, "2,000,000 entries"),
    "missing byte": (byte_ranks().replace(b"/w== 255\n", b""), {}, "1 of the 256 single bytes"),
    "duplicate rank": (byte_ranks().replace(b" 255\n", b" 254\n"), {}, "same rank"),
    "bad pattern": (byte_ranks(), {"pattern": f"({SECRET}"}, "no regular expression"),
    "pattern that leaves text out": (byte_ranks(), {"pattern": SECRET}, "leaves characters out"),
    "exploding pattern": (byte_ranks(), {"pattern": r"(?:(a|aa)+)\1b|[\s\S]"}, "gives up"),
    "pattern that ends its process": (byte_ranks(), {"pattern": r"(?:(?=(\s|\s\s)+)\1)+(?!\S)z|[\s\S]"}, "ended the process"),
    "exploding split": (byte_level_json(pre_tokenizer=SPLIT, model={"vocab": {"a": 0}, "unk_token": "a"}), {"format": "tokenizer.json"}, "gives up"),
    "normalizer bomb": (replacing({"Regex": "."}, 2_000_000), {"format": "tokenizer.json"}, ""),
    "truncated protobuf": (sentencepiece_model()[:2_000], {"format": "sentencepiece"}, "truncated"),
    "another json": (json.dumps({"model": SECRET}).encode(), {"format": "tokenizer.json"}, "no tokenizer.json"),
    "half a json": (byte_level_json()[:-20], {"format": "tokenizer.json"}, "not JSON"),
    "deep json": (b'{"a":' * 50_000, {"format": "tokenizer.json"}, "nested too deeply"),
    "vanishing characters": (byte_level_json({"vocab": {"a": 0, "b": 1}}), {"format": "tokenizer.json"}, "would vanish"),
    "another format": (byte_ranks(), {"format": "sentencepiece"}, "looks like tiktoken"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_with_the_reason(client: httpx.Client, own: Service, kind: str) -> None:
    content, fields, says = HOSTILE[kind]
    response = register(client, "user/hostile", content, **fields)
    answer = refused(response, 422, "invalid-tokenizer", says=says)
    assert answer["errors"][0]["pointer"] in ("/file", "/pattern", "/format")
    assert str(own.database.parent) not in response.text
    assert "site-packages" not in response.text
    assert client.get("/healthz").status_code == 200
    assert tokens(client, "abc", "o200k_base") == [1]
    (line,) = logged(own, {response.headers["x-request-id"]})
    assert line["status"] == 422
    assert "user/hostile" not in [row["tokenizer"] for row in client.get("/tokenizers").json()["rows"]]


def test_what_a_file_does_to_one_text_others_do_not_wait_for(client: httpx.Client, own: Service) -> None:
    """A normalizer that blows up on characters no probe has: it passes the check and fails where it is limited."""
    registered(client, "user/bomb", replacing({"String": "☠"}, 30_000_000), format="tokenizer.json")
    assert tokens(client, "abc", "user/bomb") == [3]
    started = time.monotonic()
    bomb, ours, other = tokens(client, "☠" * 400, "user/bomb", "o200k_base", "user/ranks")
    assert bomb in ("counting-failed", "counting-timeout")
    assert other in (1_200, "counting-failed", "counting-timeout")  # it shares the worker
    assert isinstance(ours, int)
    assert time.monotonic() - started < 30
    assert tokens(client, "☠", "o200k_base", "user/ranks") == [tokens(client, "☠", "o200k_base")[0], 3]
    assert client.get("/healthz").status_code == 200


def test_nothing_of_a_file_was_written_to_the_output(own: Service, client: httpx.Client) -> None:
    for output in (own.stdout, own.stderr):
        content = output.read_text()
        assert SECRET not in content
        assert "Traceback" not in content, content[-2_000:]
        assert "unexpected" not in content, content[-2_000:]
        assert "user/hostile" not in content


def test_writes_are_refused_where_others_could_reach_it(tmp_path: Path, loaded_database: Path) -> None:
    shutil.copy(loaded_database, tmp_path / "permillion.sqlite3")
    with running_service(tmp_path, host="0.0.0.0") as open_to_all, open_to_all.client() as client:
        refused(register(client, "user/a", byte_ranks()), 403, "writes-refused")
        refused(client.delete("/tokenizers/user/a"), 403, "writes-refused")


def until(ask: Callable[[], Any], wanted: Any) -> Any:
    deadline = time.monotonic() + 15
    while (found := ask()) != wanted and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def test_a_replica_sees_it_without_a_restart_and_proves_it_holds_the_same(
    tmp_path: Path, loaded_database: Path
) -> None:
    shutil.copy(loaded_database, tmp_path / "permillion.sqlite3")
    (tmp_path / "replica").mkdir()
    shared = {**ENVIRONMENT, "PERMILLION_DATABASE_URL": f"sqlite:///{tmp_path / 'permillion.sqlite3'}"}
    with (
        running_service(tmp_path, shared) as first,
        running_service(tmp_path / "replica", shared) as second,
        first.client() as one,
        second.client() as other,
    ):
        assert tokens(other, "héllo", "user/shared") == ["unknown-tokenizer"]
        for name in ("shared", "miscounted"):
            registered(one, f"user/{name}", byte_ranks())
        registered(one, "user/damaged-json", byte_level_json(), format="tokenizer.json")
        assert until(lambda: tokens(other, "héllo", "user/shared"), [6]) == [6]
        assert listed(other, "user/shared") == listed(one, "user/shared")
        assert publish(one, "shared-book", [private_row("m", "input_tokens", "1")]).status_code == 201
        usage = {"rows": [{"offer": "acme/m", "price_book": "shared-book", "usage": {"input_tokens": 1}}]}
        assert until(lambda: other.post("/price", json=usage).json()["rows"][0]["error_code"], None) is None
        with sqlite3.connect(tmp_path / "permillion.sqlite3") as database:
            database.execute(
                "UPDATE tokenizer_files SET content = CAST(content || ' ' AS BLOB) WHERE tokenizer = 'user/damaged-json'"
            )
            database.execute(
                "UPDATE catalog_versions SET number = number + 1000 WHERE number = (SELECT max(number) FROM catalog_versions)"
            )
            database.execute(
                "UPDATE tokenizer_files SET probe_counts = '[1,2,3]', pattern = '[^a]|a' WHERE tokenizer = 'user/miscounted'"
            )
        database.close()
        reasons = {
            "user/damaged-json": "not the one that was registered",
            "user/miscounted": "does not count the probe texts",
        }

        def why() -> dict[str, str]:
            asked = {"texts": [{"text": "abc"}], "tokenizers": list(reasons)}
            rows = other.post("/tokenize", json=asked).json()["rows"]
            return {row["tokenizer"]: row["error_code"] or "counted" for row in rows}

        assert until(why, dict.fromkeys(reasons, "tokenizer-unavailable")) == dict.fromkeys(
            reasons, "tokenizer-unavailable"
        )
        for row in other.post("/tokenize", json={"texts": [{"text": "x"}], "tokenizers": list(reasons)}).json()["rows"]:
            assert reasons[row["tokenizer"]] in row["error_detail"]
        assert tokens(other, "héllo", "user/shared") == [6]
        one.delete("/tokenizers/user/shared")
        assert until(lambda: tokens(other, "héllo", "user/shared"), ["tokenizer-unavailable"]) == [
            "tokenizer-unavailable"
        ]

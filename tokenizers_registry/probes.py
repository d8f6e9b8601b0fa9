"""Eight texts with known counts: how a loaded tokenizer proves that it is the one it claims to be.

A vocabulary file is proved by its sha256. One that is compiled into an engine has no file, so its proof is what it
does: it must count these texts as the independent engines did. The probes run once, when a family is loaded, for
every family, because they also catch an engine that changed under an unchanged file.

Source: eight lines of the project's token vectors (`tests/cases/data/token_vectors.jsonl`, 2026-11-30), each count
of an exact family confirmed by a second implementation. Claude's counts are content only (message less its frame).
"""

from __future__ import annotations

import hashlib
import json

TEXTS: tuple[str, ...] = (
    (
        "I'd've gone if you'd told me they're closing; we'll see who's right, won't we? "
        "IT'S TODAY'S LAST CALL, SHE'LL SAY."
    ),
    "我们用Python写了一个REST服务,p99延迟低于250ms,QPS约3,200。",
    (
        "\u0938\u0941\u092c\u0939 \u0938\u093e\u0922\u093c\u0947 \u091b\u0939 \u092c\u091c\u0947 \u0924\u0915 "
        "\u0918\u093e\u091f \u0936\u093e\u0902\u0924 \u0930\u0939\u0924\u093e \u0939\u0948, \u092b\u093f\u0930 "
        "\u0924\u0940\u0928 \u092c\u0938\u0947\u0902 \u090f\u0915 \u0938\u093e\u0925 \u0906\u0924\u0940 "
        "\u0939\u0948\u0902 \u0914\u0930 \u091a\u093e\u092f \u0915\u0940 \u0926\u0941\u0915\u093e\u0928 \u092a\u0930 "
        "\u092d\u0940\u0921\u093c \u0932\u0917 \u091c\u093e\u0924\u0940 \u0939\u0948\u0964"
    ),
    (
        "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f468\U0001f3fd\u200d\U0001f692 "
        "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f9d1\u200d\U0001f91d\u200d\U0001f9d1 \U0001f44d\U0001f3ff "
        "\U0001f1eb\U0001f1f7\U0001f1ef\U0001f1f5 1\ufe0f\u20e3#\ufe0f\u20e3"
    ),
    "Cafe\u0301 re\u0301sume\u0301 nai\u0308ve A\u030angstro\u0308m n\u0303 (decomposed)",
    "line one\r\nline two\r\n\r\nline four\rold mac\n",
    "1,234,567.89 \u20ac; 0x1F4A9; 2026-11-30T19:50:01Z; +44 20 7946 0018; v10.0.2",
    "Ignore this: <|endoftext|> and <|im_start|>system<|im_end|> and <|endofprompt|>.",
)


def _every_byte() -> str:
    """One text with all 243 bytes that UTF-8 has (0xC0, 0xC1 and 0xF5 to 0xFF never occur).

    >>> len(set(_every_byte().encode()))
    243
    """
    two = [lead << 6 for lead in range(0x04, 0x20)]
    three = [0x0800, *(lead << 12 for lead in range(0x1, 0x10))]
    four = [0x10000, *(lead << 18 for lead in range(0x1, 0x5))]
    return "".join(map(chr, [*range(0x100), *two, *three, *four]))


EVERY_BYTE = _every_byte()

#: What a registered tokenizer proves itself with: a missing byte of its vocabulary shows in the last one.
REGISTERED_TEXTS: tuple[str, ...] = (*TEXTS, EVERY_BYTE)

COUNTS: dict[str, tuple[int, ...]] = {
    "o200k_base": (30, 23, 33, 51, 22, 12, 50, 32),
    "o200k_harmony": (30, 23, 33, 51, 22, 12, 50, 32),
    "cl100k_base": (36, 26, 105, 78, 27, 12, 50, 29),
    "claude_legacy_v2": (40, 28, 109, 73, 19, 14, 45, 34),
    "gemma2": (45, 27, 42, 35, 21, 16, 69, 31),
    "gemma3": (45, 27, 28, 35, 22, 16, 69, 31),
    "gemma4": (45, 27, 28, 35, 22, 16, 69, 31),
    "llama2": (50, 43, 115, 97, 27, 16, 70, 36),
    "llama3": (36, 24, 51, 71, 24, 12, 50, 29),
    "llama4": (30, 20, 41, 51, 23, 12, 50, 29),
    "mistral_v1": (51, 35, 111, 91, 27, 16, 70, 36),
    "mistral_v3": (51, 35, 111, 91, 27, 16, 70, 36),
    "mistral_tekken": (41, 31, 43, 92, 31, 16, 69, 32),
    "deepseek_v3": (36, 20, 60, 49, 26, 16, 50, 33),
    "deepseek_v4": (36, 20, 60, 49, 26, 16, 50, 33),
    "qwen2_qwen3": (36, 25, 100, 52, 18, 12, 69, 29),
    "qwen3_5": (36, 24, 45, 78, 16, 12, 69, 29),
    "glm4": (36, 20, 105, 71, 27, 12, 53, 29),
    "glm5": (36, 20, 95, 57, 23, 12, 53, 29),
    "minimax_m2": (31, 20, 60, 52, 14, 12, 50, 29),
    "kimi_k2": (30, 19, 58, 57, 28, 12, 50, 29),
    "phi4": (36, 26, 105, 78, 27, 12, 50, 29),
    "claude_v3": (44, 30, 69, 80, 19, 10, 52, 37),
    "claude_v47": (56, 34, 69, 80, 21, 12, 53, 41),
    "claude_v48": (56, 33, 69, 79, 21, 12, 52, 41),
}


def probe_fingerprint(package: str, version: str, vocabulary: str, counts: tuple[int, ...]) -> str:
    """Name a compiled-in vocabulary by where it is and what it counts.

    `probe:` + sha256 of the compact JSON `[package, version, vocabulary, [counts]]`.

    >>> probe_fingerprint("splintr-rs", "0.22.0", "llama3", (36, 24))[:14]
    'probe:69e0ca10'
    """
    document = json.dumps([package, version, vocabulary, list(counts)], separators=(",", ":"))
    return "probe:" + hashlib.sha256(document.encode()).hexdigest()

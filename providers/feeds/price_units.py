"""Units in which price lists write what a rate is for: `USD per 1M tokens`, `per 1K tokens`, `元/百万tokens`, `元/千次`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from economics.meters import METERS, is_token_meter

_COUNT: Final = {
    "": 1, "1": 1, "thousand": 1_000, "million": 1_000_000, "k": 1_000, "m": 1_000_000, "1k": 1_000, "1m": 1_000_000,
    "1000": 1_000, "1,000": 1_000, "1000000": 1_000_000, "1,000,000": 1_000_000,
    "千": 1_000, "万": 10_000, "百万": 1_000_000, "1千": 1_000, "1万": 10_000, "1百万": 1_000_000, "100万": 1_000_000,
}  # fmt: skip
_TOKENS: Final = frozenset(name for name in METERS if is_token_meter(name))
_CALLS: Final = frozenset({"requests", "web_searches", "file_searches"})
_AUDIO: Final = frozenset({"audio_seconds"})
_THINGS: Final[dict[str, tuple[frozenset[str], int]]] = {
    "token": (_TOKENS, 1), "tokens": (_TOKENS, 1), "tok": (_TOKENS, 1),
    "character": (frozenset({"input_characters"}), 1), "characters": (frozenset({"input_characters"}), 1),
    "字符": (frozenset({"input_characters"}), 1),
    "request": (_CALLS, 1), "requests": (_CALLS, 1), "call": (_CALLS, 1), "calls": (_CALLS, 1), "次": (_CALLS, 1),
    "search": (_CALLS, 1), "searches": (_CALLS, 1),
    "image": (frozenset({"images"}), 1), "images": (frozenset({"images"}), 1), "张": (frozenset({"images"}), 1),
    "page": (frozenset({"pages", "annotated_pages"}), 1), "pages": (frozenset({"pages", "annotated_pages"}), 1),
    "页": (frozenset({"pages", "annotated_pages"}), 1),
    "second": (_AUDIO, 1), "seconds": (_AUDIO, 1), "秒": (_AUDIO, 1),
    "minute": (_AUDIO, 60), "minutes": (_AUDIO, 60), "分钟": (_AUDIO, 60),
    "hour": (_AUDIO, 3_600), "hours": (_AUDIO, 3_600), "小时": (_AUDIO, 3_600),
}  # fmt: skip
"""Word → the meters it can be said of, and how many of their units it is."""

_YUAN: Final = ("元", "人民币")
_UNIT: Final = re.compile(
    r"(?P<money>[A-Za-z]{3}|元|人民币)?\s*(?:/|\bper\b|每)\s*(?P<count>[0-9,]*\s*(?:[kKmM]|[千万]|百万|thousand|million)?)\s*"
    r"(?P<thing>[A-Za-z]+|字符|次|张|页|秒|分钟|小时)"
)


@dataclass(frozen=True, slots=True)
class PriceUnit:
    """What a unit says: the currency if it names one, how many units the rate is for, of which meters it can be said."""

    currency: str | None
    per: int
    meters: frozenset[str]


def read_price_unit(text: str) -> PriceUnit | None:
    """The meaning of a unit; None where it is not one of those understood.

    `元` is the yuan. `$`, `¥` and `RMB` are refused: three dollars, two currencies written ¥, and no ISO 4217 code.
    An hourly rate is only understood of audio: per hour of an instance is another price.

    >>> read_price_unit("USD per 1M tokens").per, read_price_unit("元/千tokens").currency
    (1000000, 'CNY')
    >>> read_price_unit("¥/1M tokens") is None
    True
    """
    found = _UNIT.fullmatch(text.strip())
    if found is None:
        return None
    money = found["money"]
    if money is not None and money not in _YUAN and (not money.isupper() or money == "RMB"):
        return None
    count = _COUNT.get(re.sub(r"\s", "", found["count"]).lower())
    thing = _THINGS.get(found["thing"].lower())
    if count is None or thing is None:
        return None
    meters, size = thing
    return PriceUnit("CNY" if money in _YUAN else money, count * size, meters)


def unit_note(text: str) -> str:
    """The unit in the words of its page, kept beside what was read from it.

    >>> unit_note("元/千tokens"), unit_note("")
    ('unit: 元/千tokens', '')
    """
    return f"unit: {text.strip()}" if text else ""

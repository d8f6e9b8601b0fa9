"""Seeded texts in several scripts: reproducible, and new to every cache because each starts with its seed."""

from __future__ import annotations

import random

_ENGLISH = [
    "the",
    "parcel",
    "reached",
    "our",
    "hub",
    "in",
    "Hangzhou",
    "three",
    "days",
    "ago",
    "and",
    "has",
    "not",
    "moved",
    "since",
    "please",
    "check",
    "whether",
    "it",
    "is",
    "lost",
]
_HINDI = [
    "सुबह",
    "साढ़े",
    "छह",
    "बजे",
    "तक",
    "घाट",
    "शांत",
    "रहता",
    "है",
    "फिर",
    "तीन",
    "बसें",
    "एक",
    "साथ",
    "आती",
    "हैं",
    "और",
    "चाय",
    "की",
    "दुकान",
    "पर",
    "भीड़",
    "लग",
    "जाती",
    "है",
]
_CHINESE = [
    "您好",
    "我的包裹",
    "三天前",
    "到达",
    "杭州",
    "转运中心",
    "之后",
    "就",
    "没有",
    "更新",
    "了",
    "请",
    "帮我",
    "确认",
    "是否",
    "丢失",
    "谢谢",
]
_CODE = [
    "def",
    "return",
    "self.",
    "(value,",
    "index)",
    "=",
    "[0]",
    "if",
    "not",
    "None:",
    "for",
    "i",
    "in",
    "range(10):",
    "\n",
    "",
    "",
    "",
    "raise",
    'ValueError(f"{x!r}")',
    "#",
    "noqa",
]
WORDS = {"english": (_ENGLISH, " "), "hindi": (_HINDI, " "), "chinese": (_CHINESE, "，"), "code": (_CODE, " ")}


def text_of(kind: str, size: int, seed: int) -> str:
    """At most `size` bytes of UTF-8 of a kind of `WORDS`, or of all of them by turns (`mixed`).

    One word in twenty is a number, so that no engine meets the same long stretch twice.
    """
    source = random.Random(f"{kind} {seed}")
    parts, length = [f"#{seed} "], len(str(seed)) + 2
    while True:
        words, between = WORDS[source.choice(list(WORDS)) if kind == "mixed" else kind]
        word = source.choice(words) if source.random() > 0.05 else str(source.randrange(100_000))
        length += len((word + between).encode())
        if length > size:
            return "".join(parts)
        parts.append(word + between)

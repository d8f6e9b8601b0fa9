"""Headers for people: one table says each column in English and Chinese; names of JSON fields never change."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

Language = Literal["en", "zh-CN"]

LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh-CN")
_TABLE: Final = Path(__file__).parent / "labels.csv"


@cache
def labels(language: Language) -> Mapping[str, str]:
    """Label by column.

    >>> labels("zh-CN")["input_cost_per_mchar"], labels("en")["cost_per_query"]
    ('每百万字符输入成本', 'Cost per query')
    """
    with _TABLE.open(encoding="utf-8", newline="") as table:
        return {row["column"]: row[language] for row in csv.DictReader(table)}


def headers(columns: Sequence[str], language: Language | None) -> list[str]:
    """The header line; a column without a label keeps its name (FOCUS prescribes its own).

    >>> headers(["total", "ListCost"], "zh-CN"), headers(["total"], None)
    (['合计', 'ListCost'], ['total'])
    """
    if language is None:
        return list(columns)
    known = labels(language)
    return [known.get(column, column) for column in columns]


@cache
def columns_by_label() -> Mapping[str, str]:
    """Column by label of any language, for sheets that are sent back with the headers they came with.

    >>> columns_by_label()["每月成本"]
    'cost_per_month'
    """
    return {label: column for language in LANGUAGES for column, label in labels(language).items()}

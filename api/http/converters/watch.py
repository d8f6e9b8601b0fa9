"""`GET /changes` as rows and as an Atom feed."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final
from xml.etree import ElementTree as ET

from api.http.schemas.watch import WATCH_COLUMNS
from api.services.watching import Change
from economics.errors import PermillionError
from economics.periods import format_instant

ATOM: Final = "http://www.w3.org/2005/Atom"
ATOM_TYPE: Final = "application/atom+xml"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CURSOR: Final = re.compile(r"n([0-9]{1,20})\.(c-[0-9a-f]{24})", re.ASCII)
_SPACE: Final = uuid.UUID("6f9f1a52-3d0c-5a6e-9a0e-0d6a7c1f9b11")
"""Namespace of the feeds' and entries' ids."""


def to_api_change(change: Change) -> dict[str, Any]:
    """A row."""
    values = asdict(change)
    values["noticed_at"] = format_instant(change.noticed_at)
    values["at"] = None if change.at is None else format_instant(change.at)
    return {name: values[name] for name in WATCH_COLUMNS}


def page_of(changes: Sequence[Change], limit: int, cursor: str | None) -> tuple[Sequence[Change], str | None]:
    """A page, and the cursor of the next: a place in the order, so that news which comes meanwhile moves nothing.

    Raises:
        PermillionError: `invalid-fields` for a cursor that is none.
    """
    left = list(changes)
    if cursor is not None:
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise PermillionError("invalid-fields", "not a cursor of an earlier answer", pointer="/cursor")
        place = (-int(found[1]), found[2])
        left = [change for change in left if _place(change) > place]
    page = left[:limit]
    return page, f"n{-_place(page[-1])[0]}.{page[-1].change_id}" if len(left) > limit else None


def _place(change: Change) -> tuple[int, str]:
    whole = change.noticed_at.replace(microsecond=0)
    return -(int(whole.timestamp()) * 1_000_000 + change.noticed_at.microsecond), change.change_id


def to_atom(changes: Sequence[Change], self_url: str, home_url: str, identity: str, updated: datetime) -> bytes:
    """The changes as an Atom 1.0 feed (RFC 4287).

    Args:
        changes: the newest first.
        self_url: where the feed is.
        home_url: of the service.
        identity: of what is watched: the same watch is the same feed wherever it is read.
        updated: when the feed last changed, where it has no entry.
    """
    ET.register_namespace("", ATOM)
    feed = ET.Element(f"{{{ATOM}}}feed")
    _add(feed, "id", uuid.uuid5(_SPACE, identity).urn)
    _add(feed, "title", "permillion: price watch")
    _add(feed, "updated", format_instant(changes[0].noticed_at if changes else updated))
    _add(feed, "link", None, rel="self", type=ATOM_TYPE, href=self_url)
    _add(feed, "link", None, rel="alternate", href=home_url)
    _add(_add(feed, "author", None), "name", "permillion")
    for change in changes:
        entry = _add(feed, "entry", None)
        _add(entry, "id", uuid.uuid5(_SPACE, change.change_id).urn)
        _add(entry, "title", title_of(change))
        _add(entry, "updated", format_instant(change.noticed_at))
        _add(entry, "category", None, term=change.change)
        _add(entry, "link", None, rel="alternate", href=home_url)
        lines = [f"{name}: {value}" for name, value in to_api_change(change).items() if value not in (None, "")]
        _add(entry, "content", "\n".join(lines), type="text")
    document: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return document


def title_of(change: Change) -> str:
    """A change in one line.

    >>> noticed = datetime.fromisoformat("2026-12-01T00:00Z")
    >>> title_of(Change("c", "price_changed", noticed, noticed, "openai", "openai/gpt-6-sol", "default", "input_tokens",
    ...                 before="2", after="2.5", per=1_000_000, currency="USD"))
    'price changed: openai/gpt-6-sol, input_tokens, 2 → 2.5 USD per 1000000, at 2026-12-01T00:00:00Z'
    """
    what = [change.offer or change.provider or "", change.meter or ""]
    if change.before != change.after:
        amounts = " → ".join(amount if amount is not None else "none" for amount in (change.before, change.after))
        if change.before is None and change.change != "price_changed":
            amounts = change.after or ""
        what.append(f"{amounts} {change.currency or ''}".strip() + (f" per {change.per}" if change.per else ""))
    elif change.detail:
        what.append(change.detail)
    if change.at is not None:
        what.append(f"at {format_instant(change.at)}")
    return f"{change.change.replace('_', ' ')}: {', '.join(part for part in what if part)}"


def _add(parent: ET.Element, name: str, text: str | None, **attributes: str) -> ET.Element:
    """A child; characters that XML 1.0 cannot hold become U+FFFD, all others are escaped by the library."""
    child = ET.SubElement(parent, f"{{{ATOM}}}{name}", {k: _clean(v) for k, v in attributes.items()})
    child.text = None if text is None else _clean(text)
    return child


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)

"""Limits of a request, each refused with its name and value."""

from __future__ import annotations

from collections.abc import Iterable

from api.settings import Settings
from economics.errors import PermillionError


def check_writes(settings: Settings) -> None:
    """Refuse to write where anybody could.

    Raises:
        PermillionError: `writes-refused`.
    """
    if not settings.writes_allowed:
        raise PermillionError("writes-refused", "this address is open to others; see PERMILLION_ALLOW_OPEN_WRITES")


def check_rows(count: int, settings: Settings, pointer: str, what: str = "rows") -> None:
    """Refuse more rows, or more combinations to work out, than `PERMILLION_MAX_ROWS`."""
    if count > settings.max_rows:
        raise PermillionError("too-many-rows", f"{count} {what}; max_rows is {settings.max_rows}", pointer=pointer)


def check_estimates(count: int, settings: Settings) -> None:
    """Refuse more estimates at once than `PERMILLION_MAX_ESTIMATES`."""
    if count > settings.max_estimates:
        detail = f"{count} rows; max_estimates is {settings.max_estimates}"
        raise PermillionError("too-many-rows", detail, pointer="/rows")


def check_texts(texts: Iterable[tuple[str, str]], settings: Settings) -> None:
    """Refuse texts over the limits.

    Args:
        texts: JSON pointer and text of each.

    Raises:
        PermillionError: `text-too-large` with the limit and its name, `invalid-text` for a lone surrogate.
    """
    total = 0
    for pointer, text in texts:
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise PermillionError("invalid-text", "the text contains a lone surrogate", pointer=pointer) from None
        if size > settings.max_text_bytes:
            raise PermillionError(
                "text-too-large", f"{size} bytes; max_text_bytes is {settings.max_text_bytes}", pointer=pointer
            )
        total += size
    if total > settings.max_request_text_bytes:
        raise PermillionError(
            "text-too-large", f"{total} bytes of text; max_request_text_bytes is {settings.max_request_text_bytes}"
        )

"""Fetching a feed's file, only when a person commands it: https, from hosts that are allowed, of bounded size."""

from __future__ import annotations

from collections.abc import Collection
from http.client import HTTPMessage
from typing import IO, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from economics.errors import PermillionError
from providers.feeds.reading import MAX_FEED_BYTES

TIMEOUT_SECONDS: Final = 60


def fetch(url: str, hosts: Collection[str]) -> bytes:
    """The content at `url`.

    Args:
        url: https, without user or port.
        hosts: from which it may come, redirections included.

    Raises:
        PermillionError: `invalid-fields` for a host that is not allowed, `invalid-feed` where it cannot be fetched.
    """
    _check(url, hosts)
    opener = build_opener(_AllowedHosts(hosts))
    try:
        with opener.open(Request(url, headers={"User-Agent": "permillion"}), timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - checked
            content: bytes = answer.read(MAX_FEED_BYTES + 1)
    except (URLError, OSError, ValueError) as error:
        raise PermillionError("invalid-feed", f"the feed could not be fetched: {type(error).__name__}") from None
    if len(content) > MAX_FEED_BYTES:
        raise PermillionError("invalid-feed", f"the file is larger than {MAX_FEED_BYTES} bytes")
    return content


def _check(url: str, hosts: Collection[str]) -> None:
    try:
        parts = urlsplit(url)
        allowed = parts.scheme == "https" and parts.netloc.casefold() in hosts
    except ValueError:
        allowed = False
    if not allowed:
        raise PermillionError(
            "invalid-fields", f"a feed is fetched by https from {', '.join(hosts)}; PERMILLION_FEED_HOSTS adds hosts"
        )


class _AllowedHosts(HTTPRedirectHandler):
    """Follows a redirection only to an allowed host."""

    def __init__(self, hosts: Collection[str]) -> None:
        self._hosts = hosts

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        _check(newurl, self._hosts)
        return super().redirect_request(req, fp, code, msg, headers, newurl)

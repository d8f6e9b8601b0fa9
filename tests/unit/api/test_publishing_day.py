"""The day a price was checked is not after the day on which it is published."""

from __future__ import annotations

import pytest

from api.http.converters.prices import from_api_publish
from api.http.schemas.prices import PublishRequest
from economics.errors import PermillionError
from economics.periods import parse_instant


def published(checked_on: str, now: str, **row: str | None) -> None:
    rates = {"provider": "acme", "model": "m", "meter": "input_tokens", "rate": "1", "source": "contract 4711", **row}
    body = {"price_book": {"id": "acme", "currency": "USD"}, "rows": [rates | {"checked_on": checked_on}]}
    from_api_publish(PublishRequest.model_validate(body), frozenset(), parse_instant(now))


def test_a_price_is_checked_today_at_the_latest() -> None:
    published("2026-12-01", "2026-12-01T00:00:00Z")
    for rate in ("1", None):
        with pytest.raises(PermillionError, match="2026-12-01") as refused:
            published("2026-12-02", "2026-12-01T23:59:59Z", rate=rate)
        assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", "/rows/0/checked_on")


def test_today_is_a_day_in_utc() -> None:
    """Half past eight in the morning of the 2nd in Shanghai is the 2nd in UTC too; an hour before, it was the 1st."""
    published("2026-12-02", "2026-12-02T08:30:00+08:00")
    with pytest.raises(PermillionError):
        published("2026-12-02", "2026-12-02T07:30:00+08:00")

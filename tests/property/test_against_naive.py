"""Random requests over every shipped sheet: the engine and the naive oracle must agree exactly, on totals and on refusals.

`PERMILLION_ORACLE_REQUESTS` sets how many (20,000 by default); the seed is fixed, so a difference can be run again.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from economics.errors import PermillionError
from tests.oracle.engine import Offer, as_fraction, ask_engine, shipped_offers
from tests.oracle.naive import FEES, PARENT_OF, NaiveAnswer, NaiveHours, price, shown

REQUESTS = int(os.environ.get("PERMILLION_ORACLE_REQUESTS", "20000"))
START, END = datetime(2025, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
QUERIES = ("bitcoin price", "ethereum price", "Bitcoin price", "weather")


@dataclass
class Request:
    offer: Offer
    context: dict[str, str]
    as_of: datetime
    usage: dict[str, int | Decimal]
    queries: list[str] | None
    served: dict[str, str] | None


def random_request(rng: random.Random, offers: Mapping[str, Sequence[Offer]]) -> Request:
    offer = rng.choice(offers[rng.choice(sorted(offers))])
    usage = random_usage(rng, offer)
    sold = {row["meter"] for row in offer.rows}
    asks = "web_searches" not in usage and rng.random() < (0.3 if "web_searches" in sold else 0.01)
    queries = [rng.choice(QUERIES) for _ in range(rng.randint(0, 4))] if asks else None
    served = random_context(rng, offer) if rng.random() < 0.2 else None
    return Request(offer, random_context(rng, offer), random_instant(rng, offer), usage, queries, served)


def random_instant(rng: random.Random, offer: Offer) -> datetime:
    """Half of them within a second of a boundary of a period or of a window of a schedule."""
    dice = rng.random()
    dated = (*offer.rows, *offer.factors)
    bounds = sorted({bound for row in dated for bound in (row["valid_from"], row["valid_to"]) if bound is not None})
    if bounds and dice < 0.35:
        return rng.choice(bounds) + rng.randint(-1, 1) * SECOND
    moment = START + timedelta(seconds=rng.randrange(int((END - START).total_seconds())))
    used = sorted({row["schedule"] for row in offer.rows if row["schedule"] is not None})
    if used and dice < 0.75:
        return window_edge(rng, offer.seller.schedules[rng.choice(used)], moment) + rng.randint(-1, 1) * SECOND
    if bounds and dice < 0.85:  # the weeks around the changes are where eras are short
        return rng.choice(bounds) + timedelta(seconds=rng.randint(-30 * 86_400, 30 * 86_400))
    return moment


def window_edge(rng: random.Random, hours: NaiveHours, near: datetime) -> datetime:
    """An opening or closing of a window: on a random day, or a day off, or a neighbour of one."""
    day = near.date()
    if hours["days_off"] and rng.random() < 0.4:
        day = datetime.fromisoformat(rng.choice(hours["days_off"])).date() + timedelta(days=rng.randint(-1, 1))
    clock: time = rng.choice([edge for window in hours["windows"] for edge in window])
    return datetime.combine(day, clock, ZoneInfo(hours["timezone"])).astimezone(UTC)


def random_context(rng: random.Random, offer: Offer) -> dict[str, str]:
    """Values of the provider's vocabulary, other spellings included; rarely one that is not in it."""
    context: dict[str, str] = {}
    for name, key in offer.seller.keys.items():
        if rng.random() < (0.3 if key["default"] is not None else 0.6):
            context[name] = rng.choice([*key["values"], *key["synonyms"], *key["undecided"]])
    if rng.random() < 0.01:
        context[rng.choice(["processing", "speed", "zone"])] = rng.choice(["Batch", "prioritty", "standard"])
    return context


def random_usage(rng: random.Random, offer: Offer) -> dict[str, int | Decimal]:
    """Around the tiers of the offer; mostly of meters it sells; rarely contradictory."""
    sold = sorted({row["meter"] for row in offer.rows})
    usage: dict[str, int | Decimal] = {}
    bounds = sorted({b for r in offer.rows for b in (r["min_input"], r["max_input"]) if b is not None})
    if "input_tokens" in sold or rng.random() < 0.02:
        total = rng.choice([0, rng.randint(1, 3_000), rng.randint(1, 1_500_000)])
        if bounds and rng.random() < 0.7:
            total = max(0, rng.choice(bounds) + rng.randint(-1, 1))
        usage |= random_family(rng, "input_tokens", total, sold)
    if "output_tokens" in sold or rng.random() < 0.02:
        longest = sorted({row["min_output"] for row in offer.rows if row["min_output"] is not None})
        answer = rng.choice([0, rng.randint(1, 100_000)])
        if longest and rng.random() < 0.7:
            answer = max(0, rng.choice(longest) + rng.randint(-1, 1))
        usage |= random_family(rng, "output_tokens", answer, sold)
    for meter in FEES:
        if rng.random() < (0.4 if meter in sold else 0.004):
            measured = meter in ("audio_seconds", "storage_token_hours") and rng.random() < 0.5
            usage[meter] = Decimal(rng.randint(0, 10**9)).scaleb(-3) if measured else rng.randint(0, 5_000)
            if meter == "audio_seconds" and rng.random() < 0.3:  # around the least that a clip is charged for
                usage[meter] = Decimal(rng.randint(0, 20_000)).scaleb(-3)
    if rng.random() < 0.3 and any(row["least"] is not None for row in offer.rows):
        usage["requests"] = rng.randint(0, 5)
    if rng.random() < 0.01 and usage:
        usage[rng.choice(sorted(usage))] = -1
    return usage


def random_family(rng: random.Random, root: str, total: int, sold: Sequence[str]) -> dict[str, int]:
    """A root and some of its parts; sometimes the root is left out, rarely the parts are too many."""
    left = total if rng.random() < 0.99 else total * 2 + 1
    usage: dict[str, int] = {}
    for child in [name for name, parent in PARENT_OF.items() if parent == root]:
        if rng.random() < (0.5 if child in sold else 0.1):
            usage[child] = rng.choice([left, rng.randint(0, left), rng.randint(0, left)])
            left -= usage[child]
    written = usage.get("cache_write_tokens", 0)
    if rng.random() < 0.5 and "cache_write_tokens" in usage:
        short = rng.randint(0, written)
        usage["cache_write_5m_tokens"] = short
        usage["cache_write_1h_tokens"] = rng.choice([written - short, rng.randint(0, written - short)])
        left = written - short - usage["cache_write_1h_tokens"]
        if rng.random() < 0.5:
            usage["cache_write_12h_tokens"] = rng.choice([left, rng.randint(0, left)])
        if rng.random() < 0.3:
            del usage["cache_write_tokens"]
    if usage.keys() >= {"cache_read_tokens", "input_audio_tokens"} and rng.random() < 0.7:
        most = min(usage["cache_read_tokens"], usage["input_audio_tokens"])
        usage["cache_read_audio_tokens"] = rng.choice([most, rng.randint(0, most), rng.randint(0, most)])
        if rng.random() < 0.02:
            usage["cache_read_audio_tokens"] = most + 1
        if rng.random() < 0.2:
            del usage[rng.choice(["cache_read_tokens", "input_audio_tokens"])]
    if not usage or rng.random() < 0.95:
        usage[root] = total
    return usage


def ask_naive(request: Request) -> NaiveAnswer:
    offer = request.offer
    usage = {name: q if isinstance(q, int) else Fraction(q) for name, q in request.usage.items()}
    return price(
        offer.rows,
        offer.factors,
        offer.seller,
        offer.name,
        request.context,
        request.as_of,
        usage,
        request.queries,
        request.served,
        offer.gaps,
    )


def difference(request: Request, expected: NaiveAnswer) -> str | None:
    """What the two sides disagree about, or None."""
    try:
        found = ask_engine(
            request.offer.prices, request.context, request.as_of, request.usage, request.queries, request.served
        )
    except PermillionError as error:
        if error.slug in expected.refusals:
            return None
        said = f"engine refuses ({error.slug}: {error.detail})"
        return f"{said}, oracle says {sorted(expected.refusals) or shown(expected.total)}"
    if expected.refusals:
        return f"engine says {found.total.to_text()}, oracle refuses ({', '.join(sorted(expected.refusals))})"
    if as_fraction(found.total) != expected.total or found.total.to_text() != shown(expected.total):
        return f"engine says {found.total.to_text()}, oracle says {shown(expected.total)}"
    if {line.meter: Fraction(line.quantity) for line in found.lines} != expected.quantities:
        return f"engine bills {[(line.meter, line.quantity) for line in found.lines]}, oracle {expected.quantities}"
    if {line.meter: as_fraction(line.cost) for line in found.lines} != expected.costs:
        return "the total is the same and the costs of the lines are not"
    return None


@pytest.fixture(scope="module")
def offers() -> dict[str, list[Offer]]:
    grouped: dict[str, list[Offer]] = {}
    for offer in shipped_offers():
        grouped.setdefault(offer.name[0], []).append(offer)
    return grouped


def test_engine_and_naive_oracle_agree_on_every_random_request(offers: dict[str, list[Offer]]) -> None:
    rng = random.Random(20261130)
    differences: list[str] = []
    outcomes: Counter[str] = Counter()
    for _ in range(REQUESTS):
        request = random_request(rng, offers)
        expected = ask_naive(request)
        outcomes.update(expected.refusals or {"priced"})
        if (what := difference(request, expected)) is not None:
            asked = f"{request.context} served {request.served} at {request.as_of:%Y-%m-%dT%H:%M:%SZ}: {request.usage} {request.queries or ''}"
            differences.append(f"{'/'.join(request.offer.name)} {asked}\n    {what}")
    assert not differences, f"{len(differences)} of {REQUESTS}, the first:\n" + "\n".join(differences[:12])
    # a run that refuses everything would prove nothing
    assert outcomes["priced"] > REQUESTS / 2, outcomes
    if REQUESTS >= 1_000:
        assert {"not-offered", "missing-price", "context-required", "invalid-usage", "unknown-context"} <= set(outcomes)

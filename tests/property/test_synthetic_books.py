"""Random small books: every rule of selection at once, against the naive oracle."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from hypothesis import event, given, settings
from hypothesis import strategies as st

from economics.errors import PermillionError
from tests.oracle.engine import as_fraction, ask_engine, engine_offer
from tests.oracle.naive import NaiveFactor, NaiveGap, NaiveRow, price, shown
from tests.property.books import OFFER, SELLER, books, contexts, factors, gaps, instants, searches, usages


@settings(max_examples=1_000)
@given(books(), factors(), contexts(), instants, usages(), searches, st.one_of(st.none(), contexts()), gaps())
def test_engine_and_naive_oracle_agree_on_random_books(
    rows: list[NaiveRow],
    lifts: list[NaiveFactor],
    context: dict[str, str],
    as_of: datetime,
    usage: dict[str, int],
    queries: Sequence[str] | None,
    served: dict[str, str] | None,
    unknown: list[NaiveGap],
) -> None:
    expected = price(rows, lifts, SELLER, OFFER, context, as_of, usage, queries, served, unknown)
    event(", ".join(sorted(expected.refusals)) or "priced")
    try:
        found = ask_engine(engine_offer(rows, lifts, SELLER, unknown), context, as_of, usage, queries, served)
    except PermillionError as error:
        assert error.slug in (expected.refusals or {"priced"}), error.detail
        return
    assert not expected.refusals
    assert as_fraction(found.total) == expected.total
    assert found.total.to_text() == shown(expected.total)
    assert {line.meter: Fraction(line.quantity) for line in found.lines} == expected.quantities
    assert {line.meter: as_fraction(line.cost) for line in found.lines} == expected.costs

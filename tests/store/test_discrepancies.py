"""What sources say side by side: chosen by rank, then freshness; unit slips, currencies and old figures recognised."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlalchemy import Engine

from api.services.discrepancies import Asked, SourcePrice, find_discrepancies
from catalog.catalog import Catalog
from catalog.publishing import NewBook, NewRow, Publication
from economics.prices import PriceRow, Provenance
from providers.sheet import Source

AT = datetime(2026, 11, 26, 12, tzinfo=UTC)  # a Thursday: the night schedule of acme is off
CHECKED = date(2026, 11, 20)


@pytest.fixture
def catalog(loaded: Engine) -> Iterator[Catalog]:
    found = Catalog(loaded)
    found.refresh_if_changed()
    yield found


def feed(
    catalog: Catalog,
    name: str,
    kind: str,
    prices: dict[str, str],
    *,
    on: date = CHECKED,
    lineage: str | None = None,
    meter: str = "input_tokens",
) -> None:
    """Publish a feed's prices, by offer."""
    source = Source(title=name, kind=kind, retrieved_on=on, lineage=lineage)  # type: ignore[arg-type]
    rows = []
    for offer, rate in prices.items():
        provider, _, model = offer.partition("/")
        price = PriceRow(meter, Decimal(rate), 1_000_000, "USD", Provenance(name, on), start_known=False)
        rows.append(NewRow(provider, model, None, price))
    catalog.publish_all([Publication(NewBook(name.split(maxsplit=1)[0].lower(), None, "USD"), rows, {name: source})])


def found(catalog: Catalog, *, agreed: bool = False, model: str | None = None) -> list[SourcePrice]:
    return find_discrepancies(catalog.snapshot, Asked(AT, model=model, agreed=agreed))


def told(prices: list[SourcePrice]) -> list[tuple[str, str, bool, str, str]]:
    return [
        (t.voice.row.provenance.source, f"{t.voice.row.rate:f}", t.chosen, t.status.value, t.finding) for t in prices
    ]


def test_the_vendor_is_chosen_and_everyone_is_heard(catalog: Catalog) -> None:
    feed(catalog, "Aggregator one", "third_party", {"acme/Rocket-2": "3"})
    feed(catalog, "Package two", "package", {"acme/rocket-2": "2.5"})
    assert told(found(catalog)) == [
        ("Acme, price page", "2.5", True, "disputed", ""),
        ("Package two", "2.5", False, "disputed", ""),
        ("Aggregator one", "3", False, "disputed", ""),
    ]
    assert [str(t.agreement.ratio) for t in found(catalog) if t.agreement] == ["1", "1", "6/5"]


def test_a_majority_does_not_outvote_the_vendor_and_copies_are_no_second_witness(catalog: Catalog) -> None:
    for number in ("one", "two", "three"):
        feed(catalog, f"{number} aggregator", "third_party", {"acme/Rocket-2": "3"}, lineage="somebody")
    rows = found(catalog)
    assert [t.chosen for t in rows] == [True, False, False, False]
    assert rows[0].voice.row.rate == Decimal("2.50")
    assert {t.voice.source.lineage for t in rows[1:] if t.voice.source} == {"somebody"}


def test_among_equal_sources_the_fresher_one_is_chosen(catalog: Catalog) -> None:
    feed(catalog, "Old aggregator", "third_party", {"other/m": "3"}, on=date(2026, 10, 1))
    feed(catalog, "New aggregator", "third_party", {"other/m": "2"})
    assert told(found(catalog)) == [
        ("New aggregator", "2", True, "disputed", ""),
        ("Old aggregator", "3", False, "disputed", ""),
    ]


def test_agreement_is_shown_only_on_request(catalog: Catalog) -> None:
    feed(catalog, "Aggregator one", "third_party", {"acme/Rocket-2": "2.5"})
    assert found(catalog) == []
    assert [t.status.value for t in found(catalog, agreed=True)] == ["ok", "ok"]


def test_what_nobody_else_prices_is_no_disagreement(catalog: Catalog) -> None:
    feed(catalog, "Aggregator one", "third_party", {"other/only-here": "3"})
    assert found(catalog, agreed=True) == []


def test_a_unit_slip_is_named(catalog: Catalog) -> None:
    feed(catalog, "Aggregator one", "third_party", {"acme/Rocket-2": "0.0025"})
    assert told(found(catalog))[1] == ("Aggregator one", "0.0025", False, "suspect", "unit_slip")


def test_old_figures_are_shown_and_say_nothing(catalog: Catalog) -> None:
    feed(catalog, "Stale aggregator", "third_party", {"acme/Rocket-2": "3"}, on=date(2026, 8, 1))
    feed(catalog, "June aggregator", "third_party", {"acme/Rocket-2": "3"}, on=date(2026, 6, 30))
    assert found(catalog) == []
    assert [t.voice.silent for t in found(catalog, agreed=True)] == ["", "stale", "stale"]
    at = datetime(2026, 9, 3, 12, tzinfo=UTC)
    shown = find_discrepancies(catalog.snapshot, Asked(at, agreed=True))
    assert [t.voice.silent for t in shown] == ["", "", "older_than_price"]  # August speaks in September, June does not


def test_euros_stored_as_dollars_show_as_one_ratio_over_the_vendor(catalog: Catalog) -> None:
    euros = {"cloud/a": "0.0854", "cloud/b": "0.427", "cloud/c": "1.708"}
    dollars = {"cloud/a": "0.1", "cloud/b": "0.5", "cloud/c": "2"}
    feed(catalog, "Curated prices", "package", dollars)
    feed(catalog, "Aggregator one", "third_party", euros)
    assert {t.finding for t in found(catalog) if not t.chosen} == {"constant_ratio=0.85"}
    one = found(catalog, model="B")
    assert [(t.chosen, t.finding) for t in one] == [
        (True, ""),
        (False, "constant_ratio=0.85"),
    ]  # seen over all its models


def test_one_differing_model_is_no_constant_ratio(catalog: Catalog) -> None:
    feed(catalog, "Curated prices", "package", {"cloud/a": "0.1", "cloud/b": "0.5", "cloud/c": "2"})
    feed(catalog, "Aggregator one", "third_party", {"cloud/a": "0.08", "cloud/b": "0.5", "cloud/c": "2"})
    assert {t.finding for t in found(catalog)} == {""}


def test_a_converted_book_of_another_market_is_recognised(catalog: Catalog) -> None:
    # acme's cn book has 16.5 CNY in; at 7.5 CNY a dollar that is 2.2, which is not its dollar price of 2.50
    feed(catalog, "Aggregator one", "third_party", {"acme/Rocket-2": "2.2"})
    assert [t.finding for t in found(catalog)] == ["", ""]  # one model proves nothing


def test_two_books_and_contexts_are_kept_apart(catalog: Catalog) -> None:
    batch = PriceRow(
        "input_tokens",
        Decimal("1.25"),
        1_000_000,
        "USD",
        Provenance("Aggregator one", CHECKED),
        {"processing": ("batch",)},
    )
    source = Source(title="Aggregator one", kind="third_party", retrieved_on=CHECKED)
    book = NewBook("aggregator", None, "USD")
    catalog.publish_all([Publication(book, [NewRow("acme", "Rocket-2", None, batch)], {source.title: source})])
    shown = found(catalog, agreed=True)
    assert [(t.about[1], t.status.value) for t in shown] == [((("processing", "batch"),), "ok")] * 2


def test_a_contract_is_no_witness(catalog: Catalog) -> None:
    price = PriceRow("input_tokens", Decimal(1), 1_000_000, "USD", Provenance("contract 4711", CHECKED))
    catalog.publish(NewBook("contract", "default", "USD"), [NewRow("acme", "Rocket-2", None, price)])
    assert found(catalog, agreed=True) == []

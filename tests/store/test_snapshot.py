"""Lookups in the snapshot: exact ids, dated aliases, books, private books with a base, near names; incremental refresh."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine

from catalog.catalog import Catalog
from catalog.engine import open_engine
from catalog.loading import load_providers
from catalog.migrating import upgrade
from catalog.publishing import ClearedRate, NewBook, NewRow, publish_private_rows
from catalog.snapshot import ModelFacts, Snapshot, read_snapshot, refresh
from economics.errors import PermillionError
from economics.prices import ALWAYS, BASE_TIER, PriceRow, Provenance

BOOK = NewBook("team", "default", "USD")
HOUR = timedelta(hours=1)
JANUARY, MAY, NOVEMBER = (datetime(2026, month, 15, tzinfo=UTC) for month in (1, 5, 11))


def private(rate: str, provider: str, model: str, **changes: Any) -> NewRow:
    row = PriceRow("input_tokens", Decimal(rate), 1_000_000, "USD", Provenance("contract", date(2026, 11, 1)))
    return NewRow(provider, model, "o200k_base", replace(row, **changes))


def publish(engine: Engine, *rows: NewRow, book: NewBook = BOOK) -> None:
    publish_private_rows(engine, "default", book, rows, datetime(2026, 11, 30, tzinfo=UTC))


@pytest.fixture
def snapshot(unwritten: Engine) -> Snapshot:
    return read_snapshot(unwritten)


def refusal(
    snapshot: Snapshot, provider: str, model: str, book: str | None, at: datetime = NOVEMBER
) -> PermillionError:
    with pytest.raises(PermillionError) as refused:
        snapshot.offer(provider, model, book, at)
    return refused.value


def test_provider_facts(snapshot: Snapshot) -> None:
    acme = snapshot.providers["acme"]
    assert (acme.name, acme.title, acme.homepage) == ("acme", "Acme Corporation", "https://acme.example")
    assert (acme.checked_oldest, acme.checked_newest) == (date(2026, 10, 1), date(2026, 11, 1))
    assert list(acme.books) == ["default", "cn"]
    assert (acme.books["cn"].tax_included, acme.books["cn"].tax_rate) == (True, Decimal("0.06"))
    assert acme.sources["page"].url == "https://acme.example/prices"
    assert acme.vocabulary.resolve({"service_tier": "fast"}) == {"processing": "standard", "service_tier": "priority"}
    assert acme.vocabulary.contradictions == ({"processing": ("batch",), "service_tier": ("priority",)},)
    night = acme.schedules["night"]
    assert night.applies(datetime(2026, 11, 29, 17, tzinfo=UTC))  # Monday 01:00 in Shanghai
    assert not night.applies(datetime(2026, 11, 30, 1, tzinfo=UTC))


def test_model_facts(snapshot: Snapshot) -> None:
    models = {model.model: model for model in snapshot.models()}
    assert list(models) == ["rocket-1", "Rocket-2", "Flash"]
    rocket = models["Rocket-2"]
    assert (rocket.name, rocket.released_on, rocket.max_input_tokens) == ("Rocket 2", date(2026, 2, 1), 200_000)
    assert (rocket.note, rocket.books, rocket.tokenizer) == ("fast", ("default", "cn"), None)
    assert [(alias.id, alias.source) for alias in rocket.aliases] == [("beta", None), ("rocket-latest", "page")]
    assert (models["rocket-1"].retired_on, models["rocket-1"].successor) == (
        datetime(2026, 9, 1, tzinfo=UTC),
        "Rocket-2",
    )
    assert models["Flash"].books == ("intl", "cn")


@pytest.mark.parametrize("spelling", ["Rocket-2", "rocket-2", "ROCKET-2"])
def test_ids_match_exactly_but_for_case(snapshot: Snapshot, spelling: str) -> None:
    offer = snapshot.offer("ACME", spelling, None, NOVEMBER)
    assert (offer.provider, offer.model.model, offer.book.id) == ("acme", "Rocket-2", "default")
    assert offer.resolved_from_alias is None
    assert offer.vocabulary is snapshot.providers["acme"].vocabulary
    card = offer.prices.rate_card(NOVEMBER, offer.vocabulary.resolve({}))
    found = card.find("output_tokens", 10)
    assert found is not None
    assert found.rate == 12


@pytest.mark.parametrize("near", ["rocket", "rocket-2 ", "rocket-22", "ocket-2", "acme/rocket-2", ""])
def test_never_by_prefix_or_substring(snapshot: Snapshot, near: str) -> None:
    assert refusal(snapshot, "acme", near, None).slug == "unknown-model"


def test_aliases_mean_what_they_mean_at_the_instant(snapshot: Snapshot) -> None:
    now = snapshot.offer("acme", "Rocket-LATEST", None, NOVEMBER)
    assert (now.model.model, now.resolved_from_alias) == ("Rocket-2", "rocket-latest")
    before = snapshot.offer("acme", "rocket-latest", None, JANUARY)
    assert (before.model.model, before.resolved_from_alias) == ("rocket-1", "rocket-latest")
    assert snapshot.offer("acme", "rocket-latest", "cn", NOVEMBER).book.currency == "CNY"


def test_an_alias_with_two_meanings_is_refused(snapshot: Snapshot) -> None:
    both = refusal(snapshot, "acme", "beta", None, JANUARY)
    assert both.slug == "ambiguous-alias"
    assert "Rocket-2 and rocket-1" in both.detail
    one = snapshot.offer("acme", "beta", None, MAY)
    assert one.model.model == "Rocket-2"
    none = refusal(snapshot, "acme", "beta", None, NOVEMBER)
    assert (none.slug, "means no model" in none.detail) == ("unknown-model", True)


def test_a_model_wins_over_an_alias_of_its_name(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.read(sheets.acme.replace("id: beta", "id: rocket-1")), sheets.now)
    assert read_snapshot(engine).offer("acme", "rocket-1", None, JANUARY).resolved_from_alias is None


def test_unknown_names_bring_near_ones(snapshot: Snapshot) -> None:
    provider = refusal(snapshot, "acne", "rocket-2", None)
    assert provider.slug == "unknown-provider"
    assert provider.detail.endswith("near ones are acme")
    model = refusal(snapshot, "acme", "roket-2", None)
    assert model.slug == "unknown-model"
    assert model.detail.endswith("near ones are acme/Rocket-2, acme/rocket-1")
    assert refusal(snapshot, "acme", "zzz", None).detail == 'acme has no model "zzz"'


@pytest.mark.parametrize("sent", ["x" * 50_000, "密钥是" * 100, "a\r\nSet-Cookie: b", "\ud800\x00\u202e"])
def test_a_refusal_echoes_little_and_only_printable_ascii(snapshot: Snapshot, sent: str) -> None:
    for provider, model in (("acme", sent), (sent, "rocket-2")):
        detail = refusal(snapshot, provider, model, None).detail
        assert detail.isascii()
        assert detail.isprintable()
        assert len(detail) < 250


def test_books(snapshot: Snapshot) -> None:
    assert snapshot.offer("acme", "rocket-2", "cn", NOVEMBER).book.currency == "CNY"
    several = refusal(snapshot, "globex", "flash", None)
    assert (several.slug, several.pointer) == ("ambiguous-price-book", "/price_book")
    assert "intl or cn" in several.detail
    unknown = refusal(snapshot, "globex", "flash", "default")
    assert (unknown.slug, unknown.pointer) == ("unknown-price-book", "/price_book")
    assert "intl, cn" in unknown.detail
    elsewhere = refusal(snapshot, "acme", "rocket-1", "cn")
    assert (elsewhere.slug, "priced in default" in elsewhere.detail) == ("missing-price", True)
    assert snapshot.has_book("GLOBEX", "cn")
    assert not snapshot.has_book("globex", "default")
    assert not snapshot.has_book("nobody", "default")


def test_the_only_book_needs_no_name(engine: Engine, sheets: Any) -> None:
    text = "\n".join(line for line in sheets.globex.splitlines() if "cn" not in line)
    load_providers(engine, sheets.read(text), sheets.now)
    assert read_snapshot(engine).offer("globex", "flash", None, NOVEMBER).book.id == "intl"


def test_a_private_book_answers_with_its_own_rows_and_its_base(loaded: Engine) -> None:
    publish(loaded, private("2", "Acme", "rocket-2"))
    snapshot = read_snapshot(loaded)
    own = snapshot.offer("acme", "ROCKET-2", "team", NOVEMBER)
    assert [str(row.rate) for row in own.prices.rows] == ["2"]
    assert own.base_prices is not None
    assert own.base_prices is snapshot.offer("acme", "rocket-2", None, NOVEMBER).prices
    assert own.base_book is snapshot.providers["acme"].books["default"]
    assert (own.provider, own.model.model, own.model.name, own.model.tokenizer) == (
        "acme", "Rocket-2", "Rocket 2", "o200k_base",
    )  # fmt: skip
    assert own.vocabulary is snapshot.providers["acme"].vocabulary
    fallen_back = snapshot.offer("acme", "rocket-1", "team", NOVEMBER)
    assert (list(fallen_back.prices.rows), fallen_back.book.id) == ([], "team")
    assert fallen_back.base_prices is not None
    by_alias = snapshot.offer("acme", "rocket-latest", "team", NOVEMBER)
    assert (by_alias.resolved_from_alias, [str(row.rate) for row in by_alias.prices.rows]) == ("rocket-latest", ["2"])
    # without the book the list answers
    assert snapshot.offer("acme", "rocket-2", None, NOVEMBER).book.kind == "list"


def test_a_private_book_without_an_answer_says_which_way_it_fails(loaded: Engine) -> None:
    publish(loaded, private("2", "Initech", "stapler"))
    publish(loaded, private("2", "Initech", "stapler"), book=NewBook("baseless", None, "USD"))
    snapshot = read_snapshot(loaded)
    assert refusal(snapshot, "initech", "staple", "team").slug == "unknown-provider"
    assert "Initech/stapler" in refusal(snapshot, "initech", "staple", "team").detail
    assert refusal(snapshot, "acme", "rocket-9", "team").slug == "unknown-model"
    assert refusal(snapshot, "acme", "rocket-2", "baseless").slug == "missing-price"
    assert refusal(snapshot, "globex", "flash", "team").slug == "unknown-price-book"  # its base, default, is none there
    outside = refusal(snapshot, "initech", "stapler", None)
    assert outside.slug == "unknown-provider"
    assert "baseless or team" in outside.detail
    assert "team" in refusal(snapshot, "acme", "rocket-2", "taem").detail


def test_the_vocabulary_of_a_vendor_without_a_sheet_is_what_its_rows_mention(loaded: Engine) -> None:
    publish(
        loaded,
        private("2", "Initech", "stapler"),
        private("1", "Initech", "stapler", conditions={"region": ("eu", "ap")}),
        private("3", "Initech", "stapler", conditions={"service_tier": ("gold",)}),
    )
    vocabulary = read_snapshot(loaded).offer("initech", "stapler", "team", NOVEMBER).vocabulary
    assert {name: (key.values, key.default) for name, key in vocabulary.keys.items()} == {
        "processing": (("standard", "batch"), "standard"),
        "region": (("ap", "eu"), None),
        "service_tier": (("standard", "gold"), "standard"),
    }


def test_other_tenants_see_nothing(loaded: Engine) -> None:
    publish(loaded, private("2", "Initech", "stapler"))
    snapshot = read_snapshot(loaded)
    assert [model.model for model in snapshot.models("other")] == [m.model for m in snapshot.models()][:-1]
    assert list(snapshot.books("other")) == []
    assert not snapshot.has_book("acme", "team", "other")
    with pytest.raises(PermillionError) as refused:
        snapshot.offer("initech", "stapler", None, NOVEMBER, "other")
    assert "team" not in refused.value.detail
    with pytest.raises(PermillionError) as refused:
        snapshot.offer("acme", "rocket-2", "team", NOVEMBER, "other")
    assert refused.value.slug == "unknown-price-book"
    assert "team" not in refused.value.detail


def test_private_models_are_listed_after_list_models(loaded: Engine) -> None:
    publish(loaded, private("2", "Initech", "stapler"))
    *_, last = read_snapshot(loaded).models()
    assert last == ModelFacts("Initech", "stapler", books=("team",), tokenizer="o200k_base", private_book="team")


def contents(snapshot: Snapshot) -> tuple[Any, ...]:
    """Everything a snapshot can answer, comparable."""
    models = [(m, [_rows(snapshot, m, book) for book in m.books]) for m in snapshot.models()]
    return snapshot.version, dict(snapshot.providers), models, list(snapshot.books())


def _rows(snapshot: Snapshot, model: ModelFacts, book: str) -> Any:
    offer = snapshot.offer(model.provider, model.model, book, NOVEMBER)
    return offer.book, offer.prices.rows, offer.prices.uplifts, offer.base_prices and offer.base_prices.rows


def test_incremental_refresh_equals_a_full_read(loaded: Engine, sheets: Any) -> None:
    snapshot = read_snapshot(loaded)
    assert refresh(loaded, snapshot) is snapshot

    def loads(*texts: str) -> None:
        load_providers(loaded, sheets.read(*texts), sheets.now)

    steps = (
        lambda: publish(loaded, private("2", "acme", "rocket-2"), private("3", "Initech", "stapler")),
        lambda: publish(loaded, private("4", "acme", "rocket-2")),
        lambda: loads(sheets.acme.replace('"2.50"', '"2.25"'), sheets.globex),
        lambda: publish(loaded, private("5", "Initech", "stapler"), book=NewBook("other", "cn", "USD")),
        lambda: loads(sheets.globex),
        lambda: loads(sheets.acme, sheets.globex, sheets.globex.replace("globex", "aaa")),
    )
    for step in steps:
        step()  # type: ignore[no-untyped-call]
        newer = refresh(loaded, snapshot)
        assert newer is not snapshot
        assert newer.number > snapshot.number
        assert contents(newer) == contents(read_snapshot(loaded))
        snapshot = newer


def test_refresh_keeps_the_shelves_that_did_not_change(loaded: Engine, sheets: Any) -> None:
    publish(loaded, private("2", "acme", "rocket-2"))
    before = read_snapshot(loaded)
    compiled = before.offer("globex", "flash", "cn", NOVEMBER).prices
    publish(loaded, private("3", "acme", "rocket-2"))
    after = refresh(loaded, before)
    assert after.offer("globex", "flash", "cn", NOVEMBER).prices is compiled
    assert after.providers["acme"] is before.providers["acme"]
    # an earlier request that holds the older snapshot still gets the older answer
    assert [str(row.rate) for row in before.offer("acme", "rocket-2", "team", NOVEMBER).prices.rows] == ["2"]
    assert [str(row.rate) for row in after.offer("acme", "rocket-2", "team", NOVEMBER).prices.rows] == ["3"]


def test_an_empty_catalog(engine: Engine) -> None:
    snapshot = read_snapshot(engine)
    assert (snapshot.number, dict(snapshot.providers), list(snapshot.models())) == (0, {}, [])
    assert refusal(snapshot, "acme", "rocket-2", None).slug == "unknown-provider"
    upgrade(engine)
    assert refresh(engine, snapshot) is snapshot


def test_a_database_put_back_from_a_copy_is_read_anew(loaded: Engine, sheets: Any, tmp_path: Any) -> None:
    publish(loaded, private("2", "acme", "rocket-2"))
    newer = read_snapshot(loaded)
    restored = open_engine(f"sqlite:///{tmp_path / 'restored.db'}")
    upgrade(restored)
    load_providers(restored, sheets.both, sheets.now)
    assert contents(refresh(restored, newer)) == contents(read_snapshot(restored))
    restored.dispose()


def test_of_a_changed_private_book_only_the_touched_offers_are_read_again(loaded: Engine) -> None:
    catalog = Catalog(loaded)
    catalog.refresh_if_changed()
    book = NewBook("big", None, "USD")
    first = (("kept", "1"), ("changed", "2"), ("cleared", "3"))
    catalog.publish(book, [private(rate, "vendor", model) for model, rate in first])
    before = catalog.snapshot.private_shelf("big")
    cleared = ClearedRate("vendor", "cleared", "input_tokens", {}, BASE_TIER, ALWAYS)
    catalog.publish(book, [private("4", "vendor", "changed"), private("5", "vendor", "added"), cleared])
    after = catalog.snapshot.private_shelf("big")
    assert before is not None
    assert after is not None
    assert after.rows["vendor", "kept"] is before.rows["vendor", "kept"]
    assert {key[1]: str(row.rate) for key, row in catalog.snapshot.private_rows("big")} == {
        "kept": "1", "changed": "4", "added": "5",
    }  # fmt: skip
    again = Catalog(loaded)  # read as a whole, it says the same
    again.refresh_if_changed()
    whole = dict(again.snapshot.private_rows("big"))
    assert whole == dict(catalog.snapshot.private_rows("big"))


def test_a_private_row_of_unknown_start_answers_for_no_instant_before_the_release(loaded: Engine) -> None:
    # the sheet's Rocket-2 was released on 2026-02-01
    publish(loaded, private("1", "acme", "Rocket-2"), book=NewBook("own", None, "USD"))
    offer = read_snapshot(loaded).offer("acme", "Rocket-2", "own", NOVEMBER)
    context = offer.vocabulary.resolve({})
    assert offer.prices.rate_card(datetime(2026, 2, 1, tzinfo=UTC), context).find("input_tokens", 1) is not None
    with pytest.raises(PermillionError) as refused:
        offer.prices.rate_card(datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC), context)
    assert refused.value.slug == "missing-price"

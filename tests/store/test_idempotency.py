"""Keys, their effects and quotes on each database: one transaction, a day, each tenant its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from threading import Thread

import pytest
from sqlalchemy import Engine, select

from catalog.catalog import Catalog
from catalog.engine import one_transaction
from catalog.idempotency import KEPT_FOR, KeptAnswer, RequestKey, keep_answer, kept_answer, kept_meanwhile
from catalog.publishing import NewBook, NewRow
from catalog.quote_tables import StoredQuote
from catalog.quotes import Quote, change_quote, delete_quote, drop_expired_texts, find_quote, list_quotes, record_quote
from economics.errors import PermillionError
from economics.prices import PriceRow, Provenance

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
KEY = RequestKey("default", "k-1", "aa")
ANSWER = KeptAnswer(201, {"location": "/quotes/q-1"}, b"\x00\xff{}")
QUOTE = Quote(
    quote="q-1", title="t", note="", created_at=NOW, as_of=NOW, as_of_stated=True, catalog_number=1, catalog_version="1-a",
    method_version="3", currency="USD", revision=1, answer_sha256="00", text_until=NOW + timedelta(hours=1), question={},
    texts=[], offers=[], text_question={"samples": ["secret"]}, answer=b"{}",
)  # fmt: skip
ROW = NewRow(
    "vendor", "m", "o200k_base", PriceRow("input_tokens", Decimal(2), 1_000_000, "USD", Provenance("contract", None))
)


def test_a_key_is_remembered_for_a_day_and_belongs_to_its_tenant(engine: Engine) -> None:
    keep_answer(engine, KEY, ANSWER, NOW)
    almost = NOW + KEPT_FOR - timedelta(seconds=1)
    assert kept_answer(engine, KEY, almost) == ANSWER
    assert kept_answer(engine, replace(KEY, tenant="other"), NOW) is None
    assert kept_answer(engine, replace(KEY, key="K-1"), NOW) is None
    with pytest.raises(PermillionError) as refused:
        kept_answer(engine, replace(KEY, request_sha256="bb"), NOW)
    assert refused.value.slug == "idempotency-key-reused"
    assert kept_answer(engine, replace(KEY, request_sha256="bb"), NOW + KEPT_FOR) is None
    later = KeptAnswer(200, {}, b"later")
    keep_answer(engine, KEY, later, NOW + KEPT_FOR)
    assert kept_answer(engine, KEY, NOW + KEPT_FOR) == later
    assert Catalog(engine).try_to_forget(NOW + KEPT_FOR) == 0
    assert Catalog(engine).try_to_forget(NOW + 2 * KEPT_FOR) == 1


def test_what_joins_a_transaction_is_there_as_a_whole_or_not_at_all(engine: Engine) -> None:
    catalog = Catalog(engine)
    catalog.refresh_if_changed()
    with pytest.raises(ZeroDivisionError), one_transaction(engine):
        catalog.publish(NewBook("team", None, "USD"), [ROW])
        record_quote(engine, "default", QUOTE)
        keep_answer(engine, KEY, ANSWER, NOW)
        assert catalog.book_digest("team") is not None, "seen from inside"
        assert kept_answer(engine, KEY, NOW) is None, "and not from outside"
        raise ZeroDivisionError
    assert kept_answer(engine, KEY, NOW) is None
    assert list_quotes(engine, "default", limit=10) == ([], None)
    catalog.refresh_if_changed()
    assert catalog.book_digest("team") is None
    assert catalog.snapshot.private_shelf("team") is None
    with one_transaction(engine):
        report = catalog.publish(NewBook("team", None, "USD"), [ROW])
        assert catalog.version_now() == report.version
    catalog.refresh_if_changed()
    assert catalog.snapshot.version == report.version


def test_two_processes_with_one_key_have_one_effect(engine: Engine) -> None:
    """Each has found no key before it began; the second sees the first one's when its turn to write comes."""
    replayed: list[bool] = []

    def write(name: str) -> None:
        with one_transaction(engine):
            if kept_meanwhile(engine, KEY, NOW) is not None:
                replayed.append(True)
                return
            record_quote(engine, "default", replace(QUOTE, quote=name))
            keep_answer(engine, KEY, ANSWER, NOW)
            replayed.append(False)

    threads = [Thread(target=write, args=(f"q-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(replayed) == [False, True, True, True]
    assert len(list_quotes(engine, "default", limit=10)[0]) == 1


def test_a_kept_text_ends_at_its_time(engine: Engine) -> None:
    record_quote(engine, "default", QUOTE)
    end = QUOTE.text_until
    assert end is not None
    assert find_quote(engine, "default", "q-1", end - timedelta(seconds=1)) == QUOTE
    gone = find_quote(engine, "default", "q-1", end)
    assert (gone.text_question, gone.text_until, gone.revision) == (None, None, 1)
    assert drop_expired_texts(engine, end - timedelta(seconds=1)) == 0
    assert drop_expired_texts(engine, end) == 1
    assert drop_expired_texts(engine, end) == 0
    with engine.connect() as connection:
        assert connection.execute(select(StoredQuote.text_question, StoredQuote.revision)).one() == (None, 2)


def test_a_quote_is_its_tenants_and_changes_by_revision(engine: Engine) -> None:
    record_quote(engine, "default", QUOTE)
    for ask in (
        lambda: find_quote(engine, "other", "q-1", NOW),
        lambda: change_quote(engine, "other", "q-1", 1, NOW, title="x"),
        lambda: delete_quote(engine, "other", "q-1", 1),
    ):
        with pytest.raises(PermillionError) as refused:
            ask()
        assert refused.value.slug == "unknown-quote"
    changed = change_quote(engine, "default", "q-1", 1, NOW, title="x", drop_text=True)
    assert (changed.title, changed.revision, changed.text_until) == ("x", 2, None)
    with pytest.raises(PermillionError) as refused:
        delete_quote(engine, "default", "q-1", 1)
    assert refused.value.slug == "precondition-failed"
    delete_quote(engine, "default", "q-1", 2)
    assert list_quotes(engine, "default", limit=10) == ([], None)

"""Registered tokenizer files in both databases: recorded, withdrawn, read back, private to their tenant."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from catalog.catalog import Catalog
from catalog.engine import writing
from catalog.models import StoredTenant
from economics.errors import PermillionError
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.registered.files import CheckedFile, RegisteredFile

CONTENT = bytes(range(256)) * 4_000
NOON = datetime(2027, 1, 1, 12, tzinfo=UTC)  # later than the sheets were loaded
PATTERN = "\\s+|'s|é中"


def of(tokenizer: str, content: bytes = CONTENT, pattern: str | None = PATTERN, **words: Any) -> RegisteredFile:
    sha256 = hashlib.sha256(content).hexdigest()
    checked = CheckedFile("tiktoken", sha256, len(content), pattern, 256, (1, 2, 3), 7, "a note")
    return RegisteredFile(
        tokenizer, checked, **{"license": "ours", "source": "our tickets", "recorded_at": NOON, **words}
    )


@pytest.fixture
def catalog(store_url: str) -> Iterator[Catalog]:
    made = Catalog.open(store_url)
    made.prepare([])
    yield made
    made.close()


def test_what_is_recorded_is_read_back(catalog: Catalog) -> None:
    before = catalog.snapshot.version
    outcome, file = catalog.register_tokenizer(of("user/a"), CONTENT)
    assert (outcome, file) == ("added", of("user/a"))
    assert catalog.snapshot.tokenizer_files() == (file,)
    assert catalog.snapshot.version != before
    assert catalog.tokenizer_content(file.checked.sha256) == CONTENT
    assert catalog.tokenizer_content("00" * 32) is None
    again = Catalog(catalog.engine)
    again.refresh_if_changed()
    assert again.snapshot.tokenizer_files() == (file,)
    assert again.snapshot.version == catalog.snapshot.version


def test_the_same_is_unchanged_and_anything_else_a_conflict(catalog: Catalog) -> None:
    _, first = catalog.register_tokenizer(of("user/a"), CONTENT)
    version = catalog.snapshot.version
    assert catalog.register_tokenizer(of("user/a", recorded_at=NOON + timedelta(days=1)), CONTENT) == (
        "unchanged",
        first,
    )
    assert catalog.snapshot.version == version
    for other in (
        of("user/a", content=b"other"),
        of("user/a", pattern="other"),
        of("user/a", license="other"),
        of("user/a", source="other"),
    ):
        with pytest.raises(PermillionError) as refused:
            catalog.register_tokenizer(other, CONTENT)
        assert (refused.value.slug, refused.value.pointer) == ("tokenizer-exists", "/id")
    assert catalog.snapshot.tokenizer_files() == (first,)


def test_a_withdrawn_one_stays_readable_and_its_id_taken(catalog: Catalog) -> None:
    catalog.register_tokenizer(of("user/a"), CONTENT)
    later = NOON + timedelta(hours=1)
    was_in_use, file = catalog.withdraw_tokenizer("user/a", at=later)
    assert was_in_use
    assert file == of("user/a", withdrawn_at=later)
    assert catalog.snapshot.tokenizer_files() == (file,)
    assert catalog.withdraw_tokenizer("user/a", at=later + timedelta(hours=1)) == (False, file)
    with pytest.raises(PermillionError, match="another file or pattern"):
        catalog.register_tokenizer(of("user/a", content=b"other"), b"other")
    mended = of("user/a", license="mended", recorded_at=later + timedelta(hours=1))
    assert catalog.register_tokenizer(mended, CONTENT) == ("added", mended)
    assert catalog.snapshot.tokenizer_files() == (mended,)
    assert catalog.snapshot_at(NOON).tokenizer_files() == (of("user/a"),)
    assert catalog.snapshot_at(later).tokenizer_files() == (file,)
    with pytest.raises(PermillionError) as refused:
        catalog.withdraw_tokenizer("user/b")
    assert refused.value.slug == "unknown-tokenizer"


def test_it_is_private_to_its_tenant(catalog: Catalog) -> None:
    with writing(catalog.engine) as connection:
        connection.execute(insert(StoredTenant).values(id="rival", recorded_at=NOON))
    catalog.register_tokenizer(of("user/a", content=b"theirs"), b"theirs", tenant="rival")
    assert catalog.snapshot.tokenizer_files() == ()
    (theirs,) = catalog.snapshot.tokenizer_files("rival")
    with pytest.raises(PermillionError) as refused:
        catalog.withdraw_tokenizer("user/a")
    assert refused.value.slug == "unknown-tokenizer"
    _, ours = catalog.register_tokenizer(of("user/a"), CONTENT)  # the same id means two things
    counter = TokenCounter()
    registries = [
        counter.with_files(catalog.snapshot.tokenizer_files(tenant)).registry for tenant in ("default", "rival")
    ]
    assert [registry["user/a"].fingerprint for registry in registries] == [
        ours.checked.fingerprint,
        theirs.checked.fingerprint,
    ]
    with pytest.raises(PermillionError, match="no such tokenizer"):
        counter.registry["user/a"]
    with pytest.raises(PermillionError, match="no such tenant"):
        catalog.register_tokenizer(of("user/a"), CONTENT, tenant="nobody")


def test_the_version_s_digest_is_of_what_is_in_use(catalog: Catalog) -> None:
    """The number counts changes; the digest is that of the state, so taking a file out leaves that of before."""
    before = catalog.snapshot.version.partition("-")[2]
    catalog.register_tokenizer(of("user/a"), CONTENT)
    with_it = catalog.snapshot.version.partition("-")[2]
    catalog.withdraw_tokenizer("user/a", at=NOON)
    assert with_it != before
    assert catalog.snapshot.version.partition("-")[2] == before


def test_the_database_keeps_one_of_an_id_in_use(catalog: Catalog) -> None:
    catalog.register_tokenizer(of("user/a"), CONTENT)
    with pytest.raises(IntegrityError), writing(catalog.engine) as connection:
        columns = "tenant, tokenizer, format, sha256, size, entries, probe_counts, memory_mib, note, license, source, recorded_at, content"
        connection.execute(text(f"INSERT INTO tokenizer_files ({columns}) SELECT {columns} FROM tokenizer_files"))


def test_recorded_time_never_runs_backwards(catalog: Catalog) -> None:
    catalog.register_tokenizer(of("user/a"), CONTENT)
    _, file = catalog.register_tokenizer(replace(of("user/b"), recorded_at=NOON - timedelta(days=300)), CONTENT)
    assert file.recorded_at == NOON

"""The tables of what is kept for callers: quotes, and answers to requests that carried a key.

A quote is written once; its title, note and retained text can change, and it can be deleted, because it is the caller's
own. `revision` counts these changes: it is what an ETag stands for. A kept answer stands beside its effect in one
transaction and is forgotten after a day.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.columns import CanonicalJson
from catalog.models import BigId, Stored


class StoredQuote(Stored):
    """One kept comparison.

    `question` has no text: a text is a reference into `texts`, which holds hashes, lengths and counts. `text_question` is
    the question with its texts, where the caller asked for that, until `text_until`. `offers` are the prices used, in
    the order of the answer's rows; `answer` is the answer's bytes.
    """

    __tablename__ = "quotes"
    __table_args__ = (
        CheckConstraint("revision >= 1", name="revision"),
        CheckConstraint("(text_question IS NULL) = (text_until IS NULL)", name="text_has_an_end"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    quote: Mapped[str] = mapped_column(unique=True)
    tenant: Mapped[str] = mapped_column(ForeignKey("tenants.id"), index=True)
    title: Mapped[str]
    note: Mapped[str]
    created_at: Mapped[datetime]
    as_of: Mapped[datetime]
    as_of_stated: Mapped[bool]
    catalog_number: Mapped[int]
    catalog_version: Mapped[str]
    method_version: Mapped[str]
    currency: Mapped[str]
    revision: Mapped[int]
    question: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    texts: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    offers: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    answer_sha256: Mapped[str]
    text_question: Mapped[Any] = mapped_column(CanonicalJson, nullable=True)
    text_until: Mapped[datetime | None] = mapped_column(index=True)
    answer: Mapped[bytes] = mapped_column(LargeBinary)


class StoredKey(Stored):
    """The answer to a request that carried an `Idempotency-Key`: which operation, what was said (as a hash), what came."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("tenant", "idempotency_key"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tenant: Mapped[str] = mapped_column(ForeignKey("tenants.id"))
    idempotency_key: Mapped[str]
    request_sha256: Mapped[str]
    recorded_at: Mapped[datetime] = mapped_column(index=True)
    status: Mapped[int]
    headers: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    body: Mapped[bytes] = mapped_column(LargeBinary)

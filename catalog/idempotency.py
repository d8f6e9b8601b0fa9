"""Answers kept under the keys that callers send, so that a request which is sent again has its effect once.

The key is recorded in the transaction of the effect (`catalog.engine.one_transaction`): a process that is killed leaves
both or neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, Engine, delete, insert, select

from catalog.engine import one_transaction, reading, writing
from catalog.quote_tables import StoredKey
from economics.errors import PermillionError

KEPT_FOR: Final = timedelta(hours=24)
"""How long a key is remembered."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What was answered: status, headers and bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A caller's key and what was said with it.

    Args:
        tenant: whose key it is; another tenant's is another key.
        key: as it was sent.
        request_sha256: of the operation and all that was said.
    """

    tenant: str
    key: str
    request_sha256: str


def kept_answer(engine: Engine, key: RequestKey, now: datetime) -> KeptAnswer | None:
    """What the request with this key was answered within the last day, None where there was none.

    Raises:
        PermillionError: `idempotency-key-reused` where the key came with something else.
    """
    with reading(engine) as connection:
        return _kept(connection, key, now)


def keep_answer(engine: Engine, key: RequestKey, answer: KeptAnswer, now: datetime) -> None:
    """Record the answer in the transaction that is under way, and forget what is older than a day."""
    with one_transaction(engine) as connection:
        connection.execute(delete(StoredKey).where(StoredKey.recorded_at <= now - KEPT_FOR))
        connection.execute(
            insert(StoredKey).values(
                tenant=key.tenant,
                idempotency_key=key.key,
                request_sha256=key.request_sha256,
                recorded_at=now,
                status=answer.status,
                headers=dict(answer.headers),
                body=answer.body,
            )
        )


def forget_keys(engine: Engine, now: datetime) -> int:
    """Delete what is older than a day; how many. A read where there is nothing."""
    expired = StoredKey.recorded_at <= now - KEPT_FOR
    with reading(engine) as connection:
        if connection.scalar(select(StoredKey.id).where(expired).limit(1)) is None:
            return 0
    with writing(engine) as connection:
        return connection.execute(delete(StoredKey).where(expired)).rowcount


def kept_meanwhile(engine: Engine, key: RequestKey, now: datetime) -> KeptAnswer | None:
    """As `kept_answer`, in the transaction that is under way: another process may have been first."""
    with one_transaction(engine) as connection:
        return _kept(connection, key, now)


def _kept(connection: Connection, key: RequestKey, now: datetime) -> KeptAnswer | None:
    found = connection.execute(
        select(StoredKey.request_sha256, StoredKey.status, StoredKey.headers, StoredKey.body).where(
            StoredKey.tenant == key.tenant,
            StoredKey.idempotency_key == key.key,
            StoredKey.recorded_at > now - KEPT_FOR,
        )
    ).first()
    if found is None:
        return None
    if found.request_sha256 != key.request_sha256:
        raise PermillionError("idempotency-key-reused", "this key came with another request within the last 24 hours")
    return KeptAnswer(found.status, found.headers, found.body)

"""Use case: a user's own tokenizer, checked and recorded, or taken out of use."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from catalog.catalog import Catalog
from catalog.tokenizer_files import Registration, refuse_other
from economics.errors import PermillionError
from tokenizers_registry.registered.checker import Checker
from tokenizers_registry.registered.files import ID_PATTERN, CheckedFile, Format, RegisteredFile


@dataclass(frozen=True, slots=True)
class FileToRegister:
    """A file as it came in; `pattern` of a rank file alone."""

    tokenizer: str
    format: Format
    pattern: str | None
    license: str
    source: str
    content: bytes


Registered = tuple[Registration, RegisteredFile]


async def checked_for_recording(
    wanted: FileToRegister, checker: Checker, catalog: Catalog, now: datetime
) -> Callable[[], Registered]:
    """Check a file in a limited process; what records it then. What is known already is not checked again.

    Raises:
        PermillionError: `invalid-tokenizer` with the reason, `tokenizer-exists` where the id means something else.
    """
    unchecked = CheckedFile(
        wanted.format, await _sha256(wanted.content), len(wanted.content), wanted.pattern, 0, (), 0, ""
    )
    said = RegisteredFile(wanted.tokenizer, unchecked, wanted.license, wanted.source, now)
    for known in catalog.snapshot.tokenizer_files():
        if known.tokenizer == wanted.tokenizer:
            refuse_other(known, said)
            if known.withdrawn_at is None:
                return partial(_unchanged, known)
    checked = await checker.check(wanted.format, wanted.content, wanted.pattern)
    file = RegisteredFile(wanted.tokenizer, checked, wanted.license, wanted.source, now)
    return partial(catalog.register_tokenizer, file, wanted.content)


def _unchanged(known: RegisteredFile) -> Registered:
    return "unchanged", known


async def withdraw(tokenizer: str, catalog: Catalog, now: datetime) -> tuple[bool, RegisteredFile]:
    """Take a registered tokenizer out of use: whether it was, and what is recorded of it.

    Raises:
        PermillionError: `unknown-tokenizer`.
    """
    if re.fullmatch(ID_PATTERN, tokenizer) is None:
        raise PermillionError("unknown-tokenizer", "no tokenizer of that id was registered")
    return await asyncio.to_thread(lambda: catalog.withdraw_tokenizer(tokenizer, at=now))


async def _sha256(content: bytes) -> str:
    return (await asyncio.to_thread(hashlib.sha256, content)).hexdigest()

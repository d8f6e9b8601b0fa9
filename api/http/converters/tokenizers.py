"""`POST /tokenizers` and `DELETE /tokenizers/user/{name}`."""

from __future__ import annotations

from typing import Any

from api.http.schemas.tokenizers import TokenizerUpload
from api.services.registering import FileToRegister
from economics.periods import format_instant
from tokenizers_registry.registered.files import RegisteredFile


def from_api_upload(upload: TokenizerUpload) -> FileToRegister:
    """The file and what is said of it."""
    return FileToRegister(upload.id, upload.format, upload.pattern, upload.license, upload.source, upload.file)


def to_api_registered(file: RegisteredFile, outcome: str) -> dict[str, Any]:
    """The row of an answer."""
    checked = file.checked
    return {
        "tokenizer": file.tokenizer,
        "outcome": outcome,
        "format": checked.format,
        "bytes": checked.size,
        "entries": checked.entries,
        "sha256": checked.sha256,
        "fingerprint": checked.fingerprint,
        "probe_counts": ";".join(map(str, checked.probe_counts)),
        "engine": file.family.engine,
        "license": file.license,
        "source": file.source,
        "note": checked.note,
        "recorded_at": format_instant(file.recorded_at),
        "withdrawn_at": None if file.withdrawn_at is None else format_instant(file.withdrawn_at),
    }

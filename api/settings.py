"""All settings, from environment variables `PERMILLION_<NAME>`; each field says its unit and default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from economics.errors import PermillionError
from tokenizers_registry.priority import Priority

PREFIX = "PERMILLION_"
KIB = 1024


def _listed(value: object) -> object:
    return [part.strip().lower() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class Settings(BaseModel):
    """One frozen object, made once at start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: str = Field(
        "sqlite:///var/permillion.sqlite3", description="sqlite:///path or postgresql://…, no driver name"
    )
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8000, ge=0, le=65_535, description="port to listen on")
    allow_open_writes: bool = Field(False, description="accept writes on an address that is not loopback")
    max_text_bytes: int = Field(256 * KIB, ge=1, description="UTF-8 bytes a text may have")
    max_request_text_bytes: int = Field(1024 * KIB, ge=1, description="UTF-8 bytes of text a request may have in all")
    max_body_bytes: int = Field(8 * 1024 * KIB, ge=1, description="bytes a request body may have")
    max_rows: int = Field(10_000, ge=1, description="rows (offers, texts, price rows) a request may have")
    max_estimates: int = Field(2_000, ge=1, description="throughput estimates a request may ask for (1 to 2 ms each)")
    counting_workers: int = Field(2, ge=1, le=64, description="processes that count tokens")
    counting_timeout_s: float = Field(
        10.0,
        gt=0,
        description="seconds a count may take before its worker is replaced; the time without a core is not counted, up to five times as much",
    )
    counting_memory_mib: int = Field(
        2_048, ge=512, description="MiB of address space of each counting process; a count that needs more fails alone"
    )
    counting_priority: Priority = Field(
        "idle",
        description="what counting processes may take of a busy core: idle (Linux: what nothing else of this service or session"
        " wants), low (a tenth), normal (half)",
    )
    count_cache_entries: int = Field(100_000, ge=0, description="token counts kept in memory (about 200 bytes each)")
    max_tokenizer_file_bytes: int = Field(
        40 * 1024 * KIB, ge=1, description="bytes a registered tokenizer file may have"
    )
    tokenizer_check_timeout_s: float = Field(30.0, ge=1, description="seconds that checking a tokenizer file may take")
    tokenizer_memory_mib: int = Field(
        2048, ge=256, description="MiB that a process may address which handles registered tokenizer files"
    )
    feed_hosts: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="hosts, parted by commas, from which permillion import --url may fetch beside the feeds' own"
    )
    catalog_refresh_s: float = Field(
        1.0, ge=0.05, description="seconds between looks for what other processes published (an import, a replica)"
    )
    request_log: bool = Field(True, description="one JSON line a request on standard output")
    writes_allowed: bool = Field(True, exclude=True, description="derived at start from host and allow_open_writes")


def settings_from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment states, defaults elsewhere.

    Raises:
        PermillionError: `invalid-settings`, naming each wrong variable.
    """
    environ = os.environ if environ is None else environ
    known = {PREFIX + name.upper(): name for name, field in Settings.model_fields.items() if not field.exclude}
    given = {field: environ[variable] for variable, field in known.items() if variable in environ}
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise PermillionError("invalid-settings", f"unknown settings: {', '.join(unknown)}; known: {', '.join(known)}")
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        problems = "; ".join(
            f"{PREFIX}{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors(include_input=False)
        )
        raise PermillionError("invalid-settings", problems) from None

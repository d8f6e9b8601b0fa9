"""`POST /tokenizers` and `DELETE /tokenizers/user/{name}`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, Wire
from tokenizers_registry.registered.files import ID_PATTERN, MAX_ID_LENGTH, Format


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("only printable characters")
    return text


Words = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(_printable)]


class TokenizerUpload(Wire):
    """A tokenizer file with what is said of it."""

    id: Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=MAX_ID_LENGTH)] = Field(
        description="how it is named from now on, such as user/acme-1"
    )
    format: Format
    pattern: Annotated[str, StringConstraints(min_length=1, max_length=4_000, pattern=r"^[^\x00]+$")] | None = Field(
        None, description="of tiktoken ranks, which do not carry it: the regular expression that cuts text into words"
    )
    license: Words = Field(description="of the vocabulary, in your words")
    source: Words = Field(description="where the file comes from and which model it belongs to, in your words")
    file: bytes = Field(description="the file itself, unpacked; at most 40 MiB")


class RegisteredTokenizer(Answer):
    """A registered tokenizer file: what was found of it, and what was said of it."""

    tokenizer: str
    outcome: Literal["added", "unchanged", "withdrawn"]
    format: Format
    bytes: int
    entries: int
    sha256: str
    fingerprint: str
    probe_counts: str
    engine: str
    license: str
    source: str
    note: str
    recorded_at: str
    withdrawn_at: str | None


class RegisteredTokenizersAnswer(Answer):
    """One row."""

    rows: list[RegisteredTokenizer]
    meta: Meta

"""What is known of a registered tokenizer: everything but its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256 as _sha256
from typing import Final, Literal

from tokenizers_registry.families import Family

Format = Literal["tokenizer.json", "sentencepiece", "tiktoken"]

#: Ids of registered tokenizers: never one of a built-in family, which have no slash, and never a path.
ID_PATTERN: Final = r"^user/[a-z0-9]+([._-][a-z0-9]+)*$"
MAX_ID_LENGTH: Final = 64

# Format -> loader, engine, MB/s on fresh text (tokenizers note, section 8: o200k by tiktoken, median of the JSONs, v3).
_ENGINES: Final[dict[str, tuple[str, str, float]]] = {
    "tokenizer.json": ("registered_json", "tokenizers", 0.6),
    "sentencepiece": ("registered_sentencepiece", "sentencepiece", 2.5),
    "tiktoken": ("registered_ranks", "tiktoken", 4.0),
}


@dataclass(frozen=True)
class CheckedFile:
    """A tokenizer file that was found to be one.

    Attributes:
        format: of the three.
        sha256: of the file, 64 hexadecimal digits.
        size: of the file in bytes.
        pattern: the split of a tiktoken rank file, None for the others, which carry their own.
        entries: of the vocabulary.
        probe_counts: tokens of each text of `probes.REGISTERED_TEXTS`, in their order.
        memory_mib: by which the checking process grew, at least the size of the file.
        note: what a reader should know of how it is counted.
    """

    format: Format
    sha256: str
    size: int
    pattern: str | None
    entries: int
    probe_counts: tuple[int, ...]
    memory_mib: int
    note: str

    @property
    def fingerprint(self) -> str:
        """The file's sha256 with its format, and of a rank file the pattern's: what counts equally has an equal one.

        >>> CheckedFile("sentencepiece", "ab" * 32, 9, None, 1, (), 1, "").fingerprint[:10]
        'sha256:aba'
        """
        split = "" if self.pattern is None else f":{_sha256(self.pattern.encode()).hexdigest()[:16]}"
        return f"sha256:{self.sha256}#{self.format}{split}"


@dataclass(frozen=True)
class RegisteredFile:
    """A tokenizer as its tenant registered it.

    Attributes:
        tokenizer: its id, `user/…`.
        checked: what the check found.
        license, source: in the words of whoever registered it.
        recorded_at: when.
        withdrawn_at: when it was taken out of use, None where it is in use.
    """

    tokenizer: str
    checked: CheckedFile
    license: str
    source: str
    recorded_at: datetime
    withdrawn_at: datetime | None = None

    @property
    def withdrawal(self) -> str | None:
        """Why it cannot be counted with any more, None where it can."""
        if self.withdrawn_at is None:
            return None
        return f"{self.tokenizer} was withdrawn at {self.withdrawn_at:%Y-%m-%dT%H:%M:%SZ}"

    @cached_property
    def family(self) -> Family:
        """The family to count with; its `path` is filled in where the bytes are put."""
        loader, engine, megabytes_per_s = _ENGINES[self.checked.format]
        return Family(
            tokenizer=self.tokenizer,
            kind="exact",
            loader=loader,
            engines=(engine,),
            package="",
            version="",
            path="",
            sha256=self.checked.sha256,
            fingerprint=self.checked.fingerprint,
            package_license="",
            vocabulary_license=self.license,
            cross_checked="",
            source=self.source,
            note=self.checked.note,
            split=self.checked.pattern or "",
            memory_mib=self.checked.memory_mib,
            megabytes_per_s=megabytes_per_s,
            probe_counts=self.checked.probe_counts,
        )

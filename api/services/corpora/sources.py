"""Which files a corpus is: paths as given, folders walked in the order of names, and the sum that identifies them."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from economics.errors import PermillionError

Kind = Literal["jsonl", "csv", "parquet", "text"]

_KINDS: Mapping[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a corpus.

    Attributes:
        path: None for standard input.
        name: as rows show it; bytes of a name that are not UTF-8 stand as escapes.
        size: bytes; None where it is a stream.
        changed_ns: time of the last change in nanoseconds since 1970.
    """

    path: Path | None
    name: str
    kind: Kind
    size: int | None = None
    changed_ns: int = 0


STANDARD_INPUT = "-"


def find_sources(
    paths: Sequence[str], patterns: Sequence[str] = (), kind: Kind | None = None, left_out: Collection[Path] = ()
) -> Iterator[Source]:
    """The files of `paths`, in order; a folder's by name, folders among them, hidden ones left out.

    Args:
        paths: files, folders, or `-` for standard input (JSONL unless `kind` says otherwise).
        patterns: such as `*.md`, one of which the name of a file in a folder matches; all files where there is none.
        kind: how to read every file; by default the suffix says: `.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.parquet`, and
            any other file is one text.
        left_out: files that are not part of the corpus, such as its own output in the same folder.

    Raises:
        PermillionError: `unreadable-file` for a path that is not there, `invalid-fields` for one that is left out.
    """
    excluded = {path.resolve() for path in left_out}
    for path in paths:
        if path == STANDARD_INPUT:
            yield Source(None, path, kind or "jsonl")
        elif Path(path).is_dir():
            yield from (
                found
                for found in _in_folder(Path(path), patterns, kind)
                if found.path is None or found.path.resolve() not in excluded
            )
        elif Path(path).resolve() in excluded:
            raise PermillionError("invalid-fields", f"{path} is where the output goes")
        else:
            try:
                yield _source(Path(path), kind)
            except OSError as error:
                raise PermillionError("unreadable-file", f"{path} cannot be read ({_reason(error)})") from None


def _in_folder(folder: Path, patterns: Sequence[str], kind: Kind | None) -> Iterator[Source]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, not paths: a folder may hold a million
    except OSError:  # its row says why
        yield Source(folder, shown_path(folder), "text", 0)
        return
    for name in names:
        path = folder / name
        if name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():  # a link may lead back to where it came from
                yield from _in_folder(path, patterns, kind)
        elif not patterns or any(fnmatchcase(name, pattern) for pattern in patterns):
            try:
                found = _source(path, kind)
            except OSError:  # a link to nowhere: its row says so
                found = Source(path, shown_path(path), "text", 0)
            if found.size is not None:  # pipes and sockets hold no corpus
                yield found


def _source(path: Path, kind: Kind | None) -> Source:
    status = path.stat()
    regular = stat.S_ISREG(status.st_mode)
    return Source(
        path,
        shown_path(path),
        kind or _KINDS.get(path.suffix.lower(), "text"),
        status.st_size if regular else None,
        status.st_mtime_ns if regular else 0,
    )


def shown_path(path: Path) -> str:
    """A path as Unicode."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


@dataclass(frozen=True, slots=True)
class Survey:
    """A corpus before it is read.

    Attributes:
        identity: sha256 over names, sizes and times of the files, in order, and over what makes the rows what they are.
        bytes: of all files; None where one is a stream, which has no size and cannot be read again.
        kinds: that occur.
    """

    identity: str
    files: int
    bytes: int | None
    kinds: frozenset[Kind]


def survey(sources: Iterable[Source], settings: Mapping[str, Any]) -> Survey:
    """Look at every file's size and time, none's content."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    files, size, kinds = 0, 0, set[Kind]()
    streams = False
    for source in sources:
        facts = [source.name, source.kind, source.size, source.changed_ns]
        digest.update(b"\n" + json.dumps(facts).encode())
        files += 1
        size += source.size or 0
        streams = streams or source.size is None
        kinds.add(source.kind)
    return Survey(digest.hexdigest(), files, None if streams else size, frozenset(kinds))

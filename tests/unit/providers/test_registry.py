"""Providers are found: folders of the package, and plug-ins of other distributions."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import providers
from economics.errors import PermillionError
from providers.content import ProviderContent
from providers.registry import (
    ENTRY_POINTS,
    Provider,
    SheetProvider,
    all_providers,
    built_in,
    installed,
    parse_sheet,
)

FOLDERS = sorted(path.parent.name for path in Path(providers.__file__).parent.glob("*/sheet.yaml"))
PLUGIN = '''
from economics.errors import PermillionError
from providers.content import content_of
from providers.registry import parse_sheet

SHEET = """
provider: {name}
name: Plugged
price_books: {{default: {{currency: EUR}}}}
sources: {{page: {{title: Page, kind: vendor_page, retrieved_on: 2026-11-01}}}}
models: {{kite: {{prices: [{{source: page, rates: {{input_tokens: 0.10}}}}]}}}}
"""


class Plugged:
    provider = "{name}"

    def content(self):
        return content_of(parse_sheet(SHEET, "{name}"))


plugged = Plugged()


class WithoutContent:
    provider = "{name}"


class WithoutName:
    def content(self):
        return None


without_content = WithoutContent()
'''
Ship = Callable[..., None]


@pytest.fixture
def ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ship]:
    """Puts a distribution on the path: a module and the metadata an installer would have written."""
    modules: list[str] = []

    def shipped(name: str, target: str, *, distribution: str = "permillion-plugged") -> None:
        site = tmp_path / distribution
        module = distribution.replace("-", "_")
        metadata = site / f"{module}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (site / f"{module}.py").write_text(PLUGIN.format(name=name), encoding="utf-8")
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8"
        )
        (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nplugged = {module}:{target}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(site)
        importlib.invalidate_caches()
        modules.append(module)

    yield shipped
    for module in modules:
        sys.modules.pop(module, None)


def test_the_built_in_folders_are_found_in_order() -> None:
    assert len(FOLDERS) >= 20
    assert [provider.provider for provider in built_in()] == FOLDERS
    assert [provider.provider for provider in all_providers()][: len(FOLDERS)] == FOLDERS


@pytest.mark.parametrize("provider", list(built_in()), ids=lambda provider: provider.provider)
def test_a_built_in_provider_has_its_content(provider: Provider) -> None:
    assert isinstance(provider, Provider)
    content = provider.content()
    assert isinstance(content, ProviderContent)
    assert content.provider == provider.provider, "the folder is the provider's name"
    assert content.models
    assert content.rows


@pytest.mark.parametrize("target", ["plugged", "Plugged"])
def test_a_plug_in_of_another_distribution_is_found(ship: Ship, target: str) -> None:
    ship("plugged", target)
    assert "plugged" in [provider.provider for provider in installed()]
    found = {provider.provider: provider for provider in all_providers()}
    assert list(found)[: len(FOLDERS)] == FOLDERS
    content = found["plugged"].content()
    assert (content.provider, list(content.models), content.books["default"].currency) == ("plugged", ["kite"], "EUR")
    assert [str(row.row.rate) for row in content.rows if hasattr(row.row, "rate")] == ["0.10"]


def test_a_plug_in_named_as_a_built_in_is_refused(ship: Ship) -> None:
    ship("openai", "plugged")
    with pytest.raises(PermillionError, match="two plug-ins are named openai") as caught:
        all_providers()
    assert caught.value.slug == "invalid-sheet"


def test_two_plug_ins_of_one_name_are_refused(ship: Ship) -> None:
    ship("plugged", "plugged")
    ship("plugged", "plugged", distribution="permillion-rival")
    with pytest.raises(PermillionError, match="two plug-ins are named plugged"):
        all_providers()


@pytest.mark.parametrize("target", ["without_content", "WithoutContent", "WithoutName", "SHEET"])
def test_a_plug_in_that_is_no_provider_is_refused(ship: Ship, target: str) -> None:
    ship("plugged", target)
    with pytest.raises(PermillionError, match=r"the plug-in plugged has no provider name and content\(\)") as caught:
        all_providers()
    assert caught.value.slug == "invalid-sheet"


def test_a_folder_with_a_sheet_is_a_provider(tmp_path: Path) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "sheet.yaml").write_text(
        "provider: acme\nname: Acmé\nprice_books: {default: {currency: USD}}\n"
        "sources: {page: {title: Page, kind: vendor_page, retrieved_on: 2026-11-01}}\n"
        "models: {kite: {}}\n",
        encoding="utf-8",
    )
    provider = SheetProvider(folder / "sheet.yaml")
    assert isinstance(provider, Provider)
    assert (provider.provider, provider.content().name) == ("acme", "Acmé")


def test_a_broken_sheet_names_its_file_and_place(tmp_path: Path) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "sheet.yaml").write_text("provider: acme\nname: Acme\nmodels: {}\n", encoding="utf-8")
    with pytest.raises(PermillionError, match=r"^sheet\.yaml: price_books: ") as caught:
        SheetProvider(folder / "sheet.yaml").content()
    assert caught.value.slug == "invalid-sheet"


def test_the_name_given_to_a_sheet_is_in_its_errors() -> None:
    with pytest.raises(PermillionError, match=r"^acme: "):
        parse_sheet("a: &x 1", "acme")

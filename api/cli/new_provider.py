"""`permillion new-provider NAME`: the files a new provider needs."""

from __future__ import annotations

import re
from pathlib import Path

import click

import providers
from economics.errors import PermillionError

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
_SHEET = """\
# yaml-language-server: $schema=../sheet.schema.json
# Every scalar is text. What is not known is left out; "0" means free. Shapes: docs/adding-a-provider.md
provider: {name}
name: {name}
price_books:
  default: {{currency: USD}}
sources:
  price-page: {{title: "{name} pricing page, read YYYY-MM-DD", kind: vendor_page, retrieved_on: "2026-01-01"}}
context:
  processing: {{values: [standard], default: standard}}
models:
  example-model:
    prices:
      - {{source: price-page, checked: "2026-01-01", rates: {{input_tokens: "1.00", output_tokens: "2.00"}}}}
"""
_SOURCES = """\
# Sources of {name}'s prices

| id in sheet.yaml | what | read on |
| --- | --- | --- |
| price-page | the vendor's pricing page | YYYY-MM-DD |
"""


@click.command(name="new-provider")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(providers.__file__).parent,
    help="Where provider folders are; default: the built-in ones.",
)
def command(name: str, folder: Path) -> None:
    """Write a sheet to fill in, its sources page and its package marker for the provider NAME."""
    if _NAME.fullmatch(name) is None:
        raise PermillionError("invalid-fields", "a provider name is a-z, 0-9 and -, at most 64 characters")
    home = folder / name
    if home.exists():
        raise PermillionError("invalid-fields", f"{home} exists already")
    home.mkdir(parents=True)
    (home / "__init__.py").write_text(f'"""{name}: its price sheet."""\n', encoding="utf-8")
    (home / "sheet.yaml").write_text(_SHEET.format(name=name), encoding="utf-8")
    (home / "SOURCES.md").write_text(_SOURCES.format(name=name), encoding="utf-8")
    click.echo(f"fill in {home / 'sheet.yaml'}, then run permillion check")

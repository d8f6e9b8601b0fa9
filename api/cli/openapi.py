"""`permillion openapi`: the specification as a file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from api.http.openapi import specification
from api.http.routes import ROUTES


@click.command(name="openapi")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Compare instead of writing; exit 1 if the file is out of date.")
def command(file: Path, check: bool) -> None:
    """Write the OpenAPI document to FILE."""
    text = specification_text()
    if not check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    elif not file.exists() or file.read_text(encoding="utf-8") != text:
        click.echo(f"{file} is out of date: run make openapi and commit it", err=True)
        raise SystemExit(1)


def specification_text() -> str:
    """The document as it is committed: two blanks of indentation, keys in the order of the routes."""
    return json.dumps(specification(ROUTES), indent=2, ensure_ascii=False) + "\n"

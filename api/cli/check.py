"""`permillion check`: the price sheets are valid and their schema file is the one of the code."""

from __future__ import annotations

import json
from pathlib import Path

import click

import providers
from providers.checking import check_content
from providers.registry import all_providers
from providers.sheet import Sheet

SCHEMA_FILE = Path(providers.__file__).parent / "sheet.schema.json"


@click.command(name="check")
@click.option("--write-schema", is_flag=True, help="Write providers/sheet.schema.json instead of checking.")
def command(write_schema: bool) -> None:
    """Check every provider's price sheet; exit 1 if one has a finding."""
    schema = json.dumps(Sheet.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
    if write_schema:
        SCHEMA_FILE.write_text(schema, encoding="utf-8")
        return
    findings = []
    if not SCHEMA_FILE.exists() or SCHEMA_FILE.read_text(encoding="utf-8") != schema:
        findings.append("providers/sheet.schema.json is out of date: run make openapi and commit it")
    for provider in all_providers():
        findings += check_content(provider.content())
    for finding in findings:
        click.echo(finding)
    if findings:
        raise SystemExit(1)

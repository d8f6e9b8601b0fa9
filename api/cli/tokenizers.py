"""`permillion tokenizers verify FILE`: a person's own token counts against the tokenizers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from economics.errors import PermillionError
from tokenizers_registry.counting import count_now
from tokenizers_registry.registry import Registry

_MESSAGE_ESTIMATES = {f"{name}_message_est": name for name in ("claude_v3", "claude_v47", "claude_v48")}


@click.group(name="tokenizers")
def command() -> None:
    """Tokenizers: check counts."""


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify(file: Path) -> None:
    """Count the texts in FILE (JSON lines with text and counts) and print mismatches; exit 1 if there is any."""
    registry = Registry()
    try:
        content = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PermillionError("invalid-fields", f"{file.name} is not UTF-8 (byte {error.start})") from None
    lines = [(number, line) for number, line in enumerate(content.splitlines(), start=1) if line.strip()]
    vectors = [(number, _vector(line, f"{file.name} line {number}")) for number, line in lines]
    named = {name for _, vector in vectors for name, count in vector["counts"].items() if count is not None}
    known = [name for name in sorted(named) if tokenizer_id(name) in registry]
    counted = count_now([vector["text"] for _, vector in vectors], [tokenizer_id(name) for name in known])
    failed = False
    for name in known:
        tokenizer = tokenizer_id(name)
        frame = (registry[tokenizer].frame_tokens or 0) if name != tokenizer else 0
        agreed = 0
        checked = [
            (n, vector, row)
            for (n, vector), row in zip(vectors, counted, strict=True)
            if vector["counts"].get(name) is not None
        ]
        for number, vector, row in checked:
            expected, got = vector["counts"][name], row[tokenizer]
            shown = got + frame if isinstance(got, int) else got.slug
            if shown == expected:
                agreed += 1
            else:
                click.echo(f"{vector.get('id', number)}: {name} expected {expected}, got {shown}")
        click.echo(f"{name}: {agreed} of {len(checked)} agree")
        failed = failed or agreed != len(checked)
    if unknown := sorted(named - set(known)):
        click.echo(f"not counted, no such tokenizer here: {', '.join(unknown)}")
    if failed:
        raise SystemExit(1)


def tokenizer_id(name: str) -> str:
    """The tokenizer that a column of a vectors file means; a Claude message estimate is content and frame."""
    return _MESSAGE_ESTIMATES.get(name, name)


def _vector(line: str, where: str) -> dict[str, Any]:
    try:
        vector = json.loads(line)
    except (ValueError, RecursionError):
        raise PermillionError("invalid-fields", f"{where} is not JSON") from None
    if (
        not isinstance(vector, dict)
        or not isinstance(vector.get("text"), str)
        or not isinstance(vector.get("counts"), dict)
    ):
        raise PermillionError("invalid-fields", f"{where} needs text and counts")
    return vector

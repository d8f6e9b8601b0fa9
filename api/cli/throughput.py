"""`permillion throughput`: measured and estimated throughput."""

from __future__ import annotations

import click

from api.cli.throughput_import import import_command


@click.group(name="throughput")
def command() -> None:
    """Throughput: import measurements."""


command.add_command(import_command)

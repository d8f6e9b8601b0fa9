"""`permillion`: serve, compare, price, tokenize, import, migrate, openapi. Commands import what they need when they run.

Worker processes import this module again, so it stays light.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click

from economics.errors import PermillionError

COMMANDS = {
    "serve": "api.cli.serve",
    "compare": "api.cli.compare",
    "price": "api.cli.price",
    "tokenize": "api.cli.tokenize",
    "import": "api.cli.importing",
    "tokenizers": "api.cli.tokenizers",
    "throughput": "api.cli.throughput",
    "migrate": "api.cli.migrate",
    "openapi": "api.cli.openapi",
    "check": "api.cli.check",
    "new-provider": "api.cli.new_provider",
    "workbook": "api.cli.workbook",
}


class LazyGroup(click.Group):
    """Subcommands by module name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = import_module(module).command
        return command


@click.group(cls=LazyGroup, help="What your text costs at every model provider.")
@click.version_option(package_name="permillion")
def cli() -> None:
    """The command `permillion`."""


def main() -> None:
    """Run the command line; a refusal is one line on standard error and exit status 2."""
    try:
        cli.main(standalone_mode=True)
    except PermillionError as error:
        click.echo(f"permillion: {error.detail}", err=True)
        sys.exit(2)

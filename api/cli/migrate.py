"""`permillion migrate`: bring the database up to date and load the shipped sheets."""

from __future__ import annotations

import click

from api.cli.opening import open_catalog
from api.settings import settings_from_environment


@click.command(name="migrate")
def command() -> None:
    """Bring the database to the newest schema and load the shipped price sheets."""
    catalog = open_catalog(settings_from_environment())
    click.echo(f"catalog {catalog.snapshot.version}")
    catalog.close()

"""`permillion serve`: migrations, sheets, server, and one line to try it."""

from __future__ import annotations

import gc
import ipaddress
import json
import shlex
import socket
import sys

import click
import uvicorn

from api.app import build_app
from api.cli.opening import open_catalog
from api.settings import Settings, settings_from_environment
from economics.errors import PermillionError

EXAMPLE = {
    "text": "Where is my parcel? 我的包裹到哪里了?",
    "offers": ["openai/gpt-6-sol", "anthropic/claude-sonnet-5-5", "google/gemini-3.8-flash", "deepseek/deepseek-flash"],
    "workload": {"output_characters_per_query": 300, "queries_per_month": 1_000_000},
}


GC_THRESHOLDS = (20_000, 20, 20)
"""Requests make few cycles and many short-lived objects: the default of 700 collects several times a comparison."""


class Server(uvicorn.Server):
    """A server that says how to try it once it answers."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the example."""
        await super().startup(sockets=sockets)
        if self.started:
            gc.collect()
            gc.freeze()  # the catalog lives as long as the process: no collection need walk it again
            gc.set_threshold(*GC_THRESHOLDS)
            click.echo(curl_line(self.config.host, self.config.port))


def curl_line(host: str, port: int) -> str:
    """One command that asks the running service a question."""
    shown = f"[{host}]" if ":" in host else host
    body = json.dumps(EXAMPLE, ensure_ascii=False)
    return (
        f"curl -s 'http://{shown}:{port}/compare?format=csv' -H 'Content-Type: application/json' -d {shlex.quote(body)}"
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@click.command(name="serve")
@click.option("--host", default=None, help="Address to listen on (PERMILLION_HOST; default 127.0.0.1).")
@click.option("--port", default=None, type=click.IntRange(0, 65_535), help="Port (PERMILLION_PORT; default 8000).")
def command(host: str | None, port: int | None) -> None:
    """Serve the HTTP API."""
    settings = settings_from_environment()
    settings = settings.model_copy(
        update={"host": settings.host if host is None else host, "port": settings.port if port is None else port}
    )
    settings = open_or_read_only(settings)
    _check_port(settings)
    catalog = open_catalog(settings)
    config = uvicorn.Config(
        build_app(settings, catalog),
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,  # nothing here asks for the client's address
        lifespan="on",
        timeout_graceful_shutdown=10,
    )
    try:
        Server(config).run()
    finally:
        catalog.close()


def open_or_read_only(settings: Settings) -> Settings:
    """`settings` with writes refused where anybody could write; says so."""
    if is_loopback(settings.host) or settings.allow_open_writes:
        return settings.model_copy(update={"writes_allowed": True})
    click.echo(
        f"permillion: {settings.host} is not loopback, so writes are refused; PERMILLION_ALLOW_OPEN_WRITES=1 allows them",
        err=True,
    )
    return settings.model_copy(update={"writes_allowed": False})


def _check_port(settings: Settings) -> None:
    """Say at once that a port is taken, before the catalog is opened."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            reason = error.strerror or "not possible"
            raise PermillionError(
                "invalid-settings",
                f"cannot listen on {settings.host}:{settings.port} ({reason.lower()}); choose another, as in make serve PORT=8001",
            ) from None
    sys.stdout.flush()

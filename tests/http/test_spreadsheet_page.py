"""docs/spreadsheets/README.md as a new user reads it: addresses that answer, commands that run, files that are there."""

from __future__ import annotations

import csv
import io
import re
import shlex
from urllib.parse import urlsplit

import httpx

from tests.running import ROOT

FOLDER = ROOT / "docs" / "spreadsheets"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (FOLDER / target).exists(), target
    slugs = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    }
    for target in re.findall(r"\]\(#([^)]+)\)", PAGE):
        assert target in slugs, target
    routes = (ROOT / "docs" / "routes.md").read_text(encoding="utf-8")
    assert "## `POST /compare.csv`" in routes


def test_addresses_answer(client: httpx.Client) -> None:
    links = [line for line in PAGE.splitlines() if line.startswith(f"{ADDRESS}/")]
    assert len(links) == 2
    for link in links:
        for style in ("", "&decimal=comma&delimiter=%3B", "&lang=zh-CN", "&bom=1"):
            response = client.get(link.removeprefix(ADDRESS) + style)
            assert (response.status_code, response.headers["content-type"]) == (200, "text/csv; charset=utf-8"), link
            assert len(response.text.splitlines()) > 1


def test_commands_run(client: httpx.Client) -> None:
    """The lines of the macro's table, as the file that the commands send."""
    table = re.findall(r"^ +\| (.*) \|$", PAGE, re.MULTILINE)
    header, _, *lines = [row.split(" | ") for row in table]
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *lines])
    commands = [shlex.split(line) for line in PAGE.splitlines() if line.startswith("curl ")]
    assert len(commands) == 2
    for command in commands:
        (url,) = [word for word in command if word.startswith(ADDRESS)]
        parts = urlsplit(url)
        media_type = command[command.index("-H") + 1].removeprefix("Content-Type: ")
        response = client.post(
            f"{parts.path}?{parts.query}", content=out.getvalue().encode(), headers={"content-type": media_type}
        )
        assert response.status_code == 200, response.text
        if "xlsx" not in url:
            rows = list(csv.DictReader(io.StringIO(response.text)))
            assert [row["error_code"] for row in rows] == [""] * len(lines)

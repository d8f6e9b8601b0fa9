"""Clients that are generated from the committed specification: without a warning, compiled strictly, and used.

Run by `make test-clients`, which needs node and npm; `make test` does not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.running import ROOT, Service, running_service

HERE = Path(__file__).parent
SPECIFICATION = ROOT / "openapi" / "openapi.json"
HAS_MARGIN = "/margin" in json.loads(SPECIFICATION.read_text(encoding="utf-8"))["paths"]
LAST = "margin" if HAS_MARGIN else "blended"
# 1,000 tokens in at 2 and 500 out at 10 per million are 0.007; a tenth less is 0.0063. Sold at 0.02 that is a margin of
# 0.65; blended 3:1 the price is (3 * 2 + 10) / 4.
EXPECTED = {
    "costs": ["0.0063", "0.007"],
    "total": "0.007",
    "refused": "invalid-fields",
    "last": "0.65" if HAS_MARGIN else "4",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """What the command prints; it must succeed and say nothing of a warning."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "warning" not in said.lower(), said
    return done.stdout


def beside_python(name: str) -> Path:
    """A command that is installed beside this interpreter."""
    return Path(sys.executable).with_name(name)


def test_python(service: Service, tmp_path: Path) -> None:
    generator: list[str | Path] = [beside_python("openapi-python-client"), "generate", "--fail-on-warning"]
    generator += ["--path", SPECIFICATION, "--config", HERE / "python.yaml", "--output-path", tmp_path / "client"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it formats with the ruff that is there
    run(*generator, cwd=tmp_path, PATH=path)
    client = tmp_path / "client"
    shutil.copy(HERE / "using.py", client)
    shutil.copy(HERE / f"{LAST}.py", client / "last_figure.py")
    run(sys.executable, "-W", "error", "-m", "compileall", "-q", ".", cwd=client)
    # the generator writes a cast of a list where none is needed
    strict = [
        "--strict",
        "--no-warn-redundant-casts",
        "--config-file",
        os.devnull,
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    run(sys.executable, "-m", "mypy", *strict, "using.py", "permillion_client", cwd=client)
    assert answer_of(run(sys.executable, "-W", "error", "using.py", service.url, cwd=client)) == EXPECTED


def test_typescript(service: Service, tmp_path: Path) -> None:
    assert shutil.which("npm"), "make test-clients needs node and npm; on Debian: apt-get install nodejs npm"
    for name in ("package.json", "package-lock.json", "tsconfig.json", "using.ts"):
        shutil.copy(HERE / name, tmp_path)
    shutil.copy(HERE / f"{LAST}.ts", tmp_path / "last_figure.ts")
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", cwd=tmp_path)
    run("node_modules/.bin/openapi-typescript", SPECIFICATION, "-o", "permillion.d.ts", cwd=tmp_path)
    run("node_modules/.bin/tsc", "--project", ".", cwd=tmp_path)
    assert answer_of(run("node", "--throw-deprecation", "built/using.js", service.url, cwd=tmp_path)) == EXPECTED


def answer_of(printed: str) -> Any:
    return json.loads(printed)

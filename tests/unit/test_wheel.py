"""What is installed: everything the service needs, and none of the tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_wheel_holds_the_service_and_no_tests(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        "api", "catalog", "economics", "hardware", "migrations", "providers", "tokenizers_registry",
    }  # fmt: skip
    assert {
        "api/http/swagger_ui/index.html",
        "api/http/pages/quote.html",
        "api/http/pages/quote.css",
        "migrations/script.py.mako",
        "providers/openai/sheet.yaml",
        "providers/sheet.schema.json",
        "tokenizers_registry/assignments.yaml",
    } <= set(names)

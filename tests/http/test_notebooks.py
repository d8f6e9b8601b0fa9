"""The code of docs/notebooks.md, run as it stands against a real service."""

from __future__ import annotations

import re

from tests.running import ROOT, Service


def test_the_recipes_run_as_written(service: Service) -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 5
    code = "\n".join(blocks).replace("http://127.0.0.1:8000", service.url)
    exec(compile(code, "docs/notebooks.md", "exec"), {})

"""A running service takes over what another process publishes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.running import ROOT, running_service


def test_an_import_from_the_command_line_is_seen_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        "provider,model,meter,rate,per,currency,source\nvendor,m,input_tokens,2,1000000,USD,contract\n",
        encoding="utf-8",
    )
    asked = {"rows": [{"offer": "vendor/m", "price_book": "own", "usage": {"input_tokens": 1_000_000}}]}
    with running_service(tmp_path) as service, service.client() as client:
        before = client.post("/price", json=asked).json()
        assert before["rows"][0]["error_code"] == "unknown-provider"
        url = {"PERMILLION_DATABASE_URL": f"sqlite:///{service.database}"}
        command = [sys.executable, "-m", "api.cli", "import", "csv", str(file), "--book", "own"]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **url}, check=True, capture_output=True)
        for _ in range(100):
            after = client.post("/price", json=asked).json()
            if after["rows"][0]["error_code"] is None:
                break
            time.sleep(0.1)
        assert after["rows"][0]["total"] == "2"
        assert after["meta"]["catalog_version"] != before["meta"]["catalog_version"]

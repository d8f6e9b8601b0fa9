"""The rules of the house that no library checks: module size, names, pages for problems."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
MAX_LINES = 400
VAGUE = {"utils", "util", "helper", "helpers", "manager", "managers", "info", "misc", "common_utils"}
EXEMPT = ("tests/", "migrations/")


def main() -> int:
    """Print what breaks a rule; the number of breaches is the exit status."""
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    lines = {
        name: len((ROOT / name).read_text(encoding="utf-8").splitlines())
        for name in tracked
        if not name.startswith(EXEMPT) and (ROOT / name).exists()
    }
    breaches = [f"{name}: {count} lines, {MAX_LINES} at most" for name, count in lines.items() if count > MAX_LINES]
    breaches += [f"{name}: say what it is for" for name in lines if Path(name).stem in VAGUE]
    for breach in breaches:
        print(breach)  # noqa: T201 - a command
    print(f"{len(lines)} modules, median {median(lines.values()):.0f} lines, largest {max(lines.values())}")  # noqa: T201
    return min(len(breaches), 1)


if __name__ == "__main__":
    sys.exit(main())

"""Runs a real LibreOffice for the tests: JSON lines in, JSON lines out. Debian's Python executes it, which alone has `uno`.

Arguments: the locale (`en-US`, `de-DE`), an empty folder for the profile. Each line of input is `{"do": name, …}`; each line of
output is `{"cells": [[…]]}` or `{"failed": text}`. A cell is `{"value", "text", "kind", "error"}`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

START_S = 90
MACRO = Path(__file__).parent.parent.parent / "docs" / "spreadsheets" / "permillion_macro.py"
# A document from disk fetches nothing unless it lies in a trusted place and is opened with a full update.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{locale}</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="SecureURL" oor:op="fuse"><value><it>{trusted}</it></value></prop></item>
</oor:items>
"""
FULL_UPDATE = 3


def properties(**values: Any) -> tuple[Any, ...]:
    """UNO's way of naming arguments."""
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def start(locale: str, profile: Path) -> tuple[subprocess.Popen[bytes], Any]:
    """LibreOffice without a window, and its desktop."""
    (profile / "user" / "Scripts" / "python").mkdir(parents=True)
    shutil.copy(MACRO, profile / "user" / "Scripts" / "python")
    settings = SETTINGS.format(locale=locale, trusted=profile.as_uri())
    (profile / "user" / "registrymodifications.xcu").write_text(settings, encoding="utf-8")
    pipe = f"permillion_{profile.name}"
    process = subprocess.Popen(
        [
            "soffice", "--headless", "--invisible", "--nologo", "--norestore", "--nofirststartwizard",
            f"-env:UserInstallation={profile.as_uri()}", f"--accept=pipe,name={pipe};urp;",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    deadline = time.monotonic() + START_S
    while True:
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            break
        except NoConnectException:
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise RuntimeError("LibreOffice did not start") from None
            time.sleep(0.1)
    return process, context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)


class Office:
    """What the tests ask of it; each opens a document of its own and closes it."""

    def __init__(self, desktop: Any) -> None:
        self._desktop = desktop

    def _new(self) -> Any:
        return self._desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, ())

    def formulas(self, formulas: list[str], cells: dict[str, Any], across: int = 1) -> list[list[Any]]:
        """The values of formulas in column A, beside `cells` that they may refer to."""
        document = self._new()
        sheet = document.Sheets.getByIndex(0)
        for name, value in cells.items():
            cell = sheet.getCellRangeByName(name)
            cell.setString(value) if isinstance(value, str) else cell.setValue(value)
        for line, formula in enumerate(formulas):
            sheet.getCellByPosition(0, line).setFormula(formula)
        found = read(sheet, across, len(formulas))
        document.close(True)
        return found

    def link(self, url: str, options: str, across: int, down: int) -> list[list[Any]]:
        """A CSV that a sheet is linked to, as by Sheet > Link to External Data."""
        document = self._new()
        sheet = document.Sheets.getByIndex(0)
        place = sheet.getCellByPosition(0, 0).getCellAddress()
        document.AreaLinks.insertAtPosition(place, url, "CSV_all", "Text - txt - csv (StarCalc)", options)
        found = read(sheet, across, down)
        document.close(True)
        return found

    def macro(self, macro: str, service: str, lines: list[list[Any]], across: int) -> list[list[Any]]:
        """The macro on a selected range, started as the menu starts it; what it wrote beside the range."""
        document = self._new()
        sheet = document.Sheets.getByIndex(0)
        width = len(lines[0])
        selected = sheet.getCellRangeByPosition(0, 0, width - 1, len(lines) - 1)
        selected.setDataArray(tuple(tuple(line) for line in lines))
        address = sheet.getCellRangeByName("AZ1")
        address.setString(service)
        document.NamedRanges.addNewByName(
            "permillion_service", f"$'{sheet.Name}'.$AZ$1", address.getCellByPosition(0, 0).getCellAddress(), 0
        )
        document.CurrentController.select(selected)
        script = document.getScriptProvider().getScript(
            f"vnd.sun.star.script:permillion_macro.py${macro}?language=Python&location=user"
        )
        script.invoke((), (), ())
        found = read(sheet, across, len(lines), width + 1)
        document.close(True)
        return found

    def open(self, path: str, sheet: str, across: int, down: int) -> list[list[Any]]:
        """A sheet of a workbook on disk, its links updated."""
        arguments = properties(Hidden=True, UpdateDocMode=FULL_UPDATE)
        document = self._desktop.loadComponentFromURL(Path(path).as_uri(), "_blank", 0, arguments)
        document.calculateAll()
        found = read(document.Sheets.getByName(sheet), across, down)
        document.close(True)
        return found

    def locale(self) -> list[list[Any]]:
        """The language and country of a new document."""
        document = self._new()
        found = document.CharLocale
        document.close(True)
        return [[f"{found.Language}-{found.Country}"]]


def read(sheet: Any, across: int, down: int, left: int = 0) -> list[list[Any]]:
    """The cells of a sheet's corner."""
    return [[one(sheet.getCellByPosition(left + column, row)) for column in range(across)] for row in range(down)]


def one(cell: Any) -> dict[str, Any]:
    """A cell: its number where it has one, its text, whether it is empty, a value, a text or a formula, its error."""
    return {"value": cell.Value, "text": cell.String, "kind": cell.Type.value, "error": cell.getError()}


def main() -> None:
    """Serve until the input ends."""
    process, desktop = start(sys.argv[1], Path(sys.argv[2]))
    office = Office(desktop)
    try:
        print(json.dumps({"cells": []}), flush=True)  # noqa: T201 - it answers on its output
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                answer = {"cells": getattr(office, asked.pop("do"))(**asked)}
            except Exception as error:  # noqa: BLE001 - the test shows it
                answer = {"failed": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), flush=True)  # noqa: T201
    finally:
        try:
            desktop.terminate()
        finally:
            process.wait(30)


if __name__ == "__main__":
    main()

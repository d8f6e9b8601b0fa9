"""The ready workbook that is committed is the one that the command writes."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import openpyxl
from click.testing import CliRunner

from api.cli import cli
from api.cli.workbook import DEFAULT_SERVICE, build_workbook

COMMITTED = Path(__file__).parents[3] / "docs" / "spreadsheets" / "permillion.xlsx"


def parts(workbook: bytes) -> dict[str, bytes]:
    """The files inside: compressed bytes differ between versions of zlib."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_committed_file_is_the_one_that_is_written() -> None:
    assert COMMITTED.read_bytes() == build_workbook(DEFAULT_SERVICE), (
        "permillion workbook docs/spreadsheets/permillion.xlsx"
    )


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "own.xlsx"
    done = CliRunner().invoke(cli, ["workbook", str(path), "--service", "https://prices.example/"])
    assert done.exit_code == 0, done.output
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["start", "compare", "monthly bill", "margin", "break-even"]
    assert book["start"]["B2"].value == "https://prices.example"


def test_formulas_name_newer_functions_as_files_must() -> None:
    """Without the prefix Excel shows #NAME?."""
    book = openpyxl.load_workbook(io.BytesIO(build_workbook(DEFAULT_SERVICE)))
    formulas = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    assert len(formulas) > 30
    for formula in formulas:
        for name in ("WEBSERVICE", "ENCODEURL", "NUMBERVALUE"):
            assert len(re.findall(name, formula)) == len(re.findall(rf"_xlfn\.{name}", formula)), formula

"""`permillion throughput import mlperf|inferencex FILE --out OUT.csv`: published measurements as rows of one shape."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from economics.errors import PermillionError
from hardware.throughput.sources.imported import write_rows
from hardware.throughput.sources.inferencex import read_inferencex
from hardware.throughput.sources.mlperf import read_mlperf

_MOST_SHOWN = 12
MOST_BYTES = 200 * 2**20
"""The summary of a whole round has 2 to 3 MB."""


@click.command("import")
@click.argument("source", type=click.Choice(["mlperf", "inferencex"]))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="CSV to write")
@click.option(
    "--refused", type=click.Path(dir_okay=False, path_type=Path), help="file for what was refused, one a line"
)
def import_command(source: str, file: Path, out: Path, refused: Path | None) -> None:
    """Read MLPerf's summary_results.json or InferenceX result rows from FILE; the terms of use are written beside OUT."""
    if file.stat().st_size > MOST_BYTES:
        raise PermillionError("body-too-large", f"over {MOST_BYTES} bytes")
    document = file.read_bytes()
    imported = read_mlperf(document) if source == "mlperf" else read_inferencex(document)
    write_rows(out, imported.rows)
    _write(out.with_name(f"{out.name}.terms.txt"), imported.terms.text())
    if refused is not None:
        _write(refused, "".join(f"{row.entry}: {row.reason}\n" for row in imported.refused))
    click.echo(f"{len(imported.rows)} rows, {len(imported.refused)} refused")
    for reason, count in Counter(row.reason for row in imported.refused).most_common(_MOST_SHOWN):
        click.echo(f"  {count}: {reason}")
    click.echo(imported.terms.text(), nl=False)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PermillionError("unreadable-file", f"the file cannot be written: {error.strerror}") from None

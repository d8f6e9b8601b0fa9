"""`permillion throughput fit | validate`: constants from measured rows, and how good estimates are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from api.cli.throughput_import import import_command
from hardware.throughput.estimating.residuals.learned import SHIPPED, load, save, shipped_learned
from hardware.throughput.fitting.fitting import fit as fit_rows
from hardware.throughput.fitting.splitting import split_file
from hardware.throughput.measurements.reading import SHIPPED as SHIPPED_ROWS
from hardware.throughput.measurements.reading import read_measurements
from hardware.throughput.scoring.report import lines, score, scores, write_rows


@click.group(name="throughput")
def command() -> None:
    """Throughput: fit the estimator, validate it."""


@command.command()
@click.option("--rows", "rows_file", type=click.Path(path_type=Path), default=SHIPPED_ROWS, help="Measured rows.")
@click.option("--out", "out_file", type=click.Path(path_type=Path), default=SHIPPED, help="JSON; arrays beside it.")
@click.option("--date", "fitted_on", type=click.DateTime(["%Y-%m-%d"]), help="Fit date; today where left out.")
def fit(rows_file: Path, out_file: Path, fitted_on: datetime | None) -> None:
    """Fit constants, residuals and bands (needs the extra `fit`)."""
    day = (fitted_on or datetime.now(tz=UTC)).date().isoformat()
    learned = fit_rows(read_measurements(rows_file), {"fitted_on": day, "rows_file": rows_file.name})
    save(learned, out_file)
    click.echo(
        f"{learned.about['rows']} rows that count, written to {out_file} and {out_file.with_suffix('.npz').name}"
    )


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--kept", type=click.Path(path_type=Path), required=True, help="CSV of the rows to fit on.")
@click.option("--held-out", type=click.Path(path_type=Path), required=True, help="CSV of the rows to score.")
@click.option(
    "--parts", type=click.IntRange(2, 100), default=4, show_default=True, help="One part of so many is held out."
)
def split(file: Path, kept: Path, held_out: Path, parts: int) -> None:
    """Split FILE between groups that share no run, sweep or cell, by a hash of their names."""
    fitted, out = split_file(file, kept, held_out, parts)
    click.echo(f"{fitted} rows kept, {out} held out")


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--rows", "out_file", type=click.Path(path_type=Path), help="CSV with a row per estimate.")
@click.option("--constants", "constants_file", type=click.Path(path_type=Path), help="Of another fit.")
@click.option("--anchors", "anchors_file", type=click.Path(path_type=Path), help="Measured rows that may anchor.")
def validate(file: Path, out_file: Path | None, constants_file: Path | None, anchors_file: Path | None) -> None:
    """Score the estimator on the measured rows in FILE, with anchors and with physics only; exit 2 if it cannot be read."""
    rows = read_measurements(file)
    learned = load(constants_file) if constants_file else shipped_learned()
    found = score(rows, learned, read_measurements(anchors_file) if anchors_file else None)
    for line in lines(scores(found)):
        click.echo(line)
    click.echo(
        "Estimates of fitted rows are not out of sample: constants and residuals were fitted on "
        f"{learned.about.get('rows', 'unknown')} rows that count of {learned.about.get('rows_file', 'an unnamed file')} "
        f"({learned.about.get('fitted_on', 'undated')}). Anchors leave out each row, its runs and its group. "
        "Figures computed from MLPerf results are not verified by MLCommons."
    )
    if out_file:
        write_rows(found, out_file)


command.add_command(import_command)

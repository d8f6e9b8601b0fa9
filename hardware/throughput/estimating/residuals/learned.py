"""Constants, residuals and bands: what a fit found, as two data files that belong together."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from economics.errors import PermillionError
from hardware.throughput.estimating.features import NAMES
from hardware.throughput.estimating.residuals.bands import Band
from hardware.throughput.estimating.residuals.forest import Forest, forest_from
from hardware.throughput.estimating.residuals.kernel import Kernel, kernel_from
from hardware.throughput.physics.constants import Constants

SHIPPED: Final = Path(__file__).with_name("constants.json")
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Learned:
    """What a fit found.

    Attributes:
        constants: of the equations.
        forest, kernels: log-residuals measured/physics by quantity.
        bands: 80 % bands by scenario and pass.
        accelerators: `load:id` that the fit saw; see kinship.
        fitted_rows: ids of the rows that residuals were learned from: they have taught already what they could as anchors, beyond
            what `residuals` holds.
        residuals: by row id and quantity, the log-residual that a fit without the row's group left.
        about: fit date, rows, split, validation report.
    """

    constants: Constants
    forest: Forest
    kernels: Mapping[str, Kernel]
    bands: Mapping[str, Band]
    accelerators: frozenset[str]
    fitted_rows: frozenset[str]
    residuals: Mapping[str, Mapping[str, float]]
    about: Mapping[str, Any]


def save(learned: Learned, path: Path) -> None:
    """Write `path` (JSON) and beside it the arrays, `path` with the ending `.npz`; the JSON holds the arrays' SHA-256."""
    arrays: dict[str, NDArray[Any]] = {f"forest.{name}": each for name, each in learned.forest.arrays().items()}
    for quantity, kernel in learned.kernels.items():
        arrays |= {f"kernel.{quantity}.{name}": each for name, each in kernel.arrays().items()}
    for quantity, by_row in learned.residuals.items():
        arrays[f"residual.{quantity}.rows"] = np.array(list(by_row), dtype=np.str_)
        arrays[f"residual.{quantity}.values"] = np.array(list(by_row.values()), dtype=np.float32)
    arrays["fitted_rows"] = np.array(sorted(learned.fitted_rows), dtype=np.str_)
    packed = _packed(arrays)
    document = {
        "format": FORMAT,
        "arrays_sha256": hashlib.sha256(packed).hexdigest(),
        "about": learned.about,
        "constants": asdict(learned.constants),
        "features": list(NAMES),
        "accelerators": sorted(learned.accelerators),
        "bands": {name: asdict(band) for name, band in sorted(learned.bands.items())},
    }
    path.with_suffix(".npz").write_bytes(packed)
    path.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def load(path: Path) -> Learned:
    """What a fit wrote.

    Raises:
        PermillionError: `unreadable-file` where a file is missing, is not of this format, or its arrays are not those it names.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        packed = path.with_suffix(".npz").read_bytes()
        if document["format"] != FORMAT or document["features"] != list(NAMES):
            raise PermillionError("unreadable-file", f"{path.name} is of another format: fit anew")
        if document["arrays_sha256"] != hashlib.sha256(packed).hexdigest():
            raise PermillionError("unreadable-file", f"{path.with_suffix('.npz').name} is not what {path.name} names")
        with np.load(io.BytesIO(packed), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        known = {field.name for field in fields(Constants)}
        constants = Constants(**{name: float(each) for name, each in document["constants"].items() if name in known})
        return Learned(
            constants=constants,
            forest=forest_from(_under(arrays, "forest.")),
            kernels={
                name: kernel_from(_under(arrays, f"kernel.{name}."))
                for name in sorted({key.split(".")[1] for key in arrays if key.startswith("kernel.")})
            },
            bands={name: Band(**band) for name, band in document["bands"].items()},
            accelerators=frozenset(document["accelerators"]),
            fitted_rows=frozenset(arrays["fitted_rows"].tolist()),
            residuals=_residuals(arrays),
            about=document["about"],
        )
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise PermillionError("unreadable-file", f"{path.name} cannot be read as constants of a fit") from None


@cache
def shipped_learned() -> Learned:
    """The constants of this package."""
    return load(SHIPPED)


def _under(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): each for name, each in arrays.items() if name.startswith(prefix)}


def _residuals(arrays: Mapping[str, NDArray[Any]]) -> dict[str, dict[str, float]]:
    found = {}
    for name in sorted({key.split(".")[1] for key in arrays if key.startswith("residual.")}):
        rows, values = arrays[f"residual.{name}.rows"], arrays[f"residual.{name}.values"]
        found[name] = dict(zip(rows.tolist(), values.tolist(), strict=True))
    return found


def _packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A .npz whose bytes depend on the arrays alone: entries in order, without the time of day."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(arrays):
            one = io.BytesIO()
            np.save(one, np.ascontiguousarray(arrays[name]), allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), one.getvalue(), zipfile.ZIP_DEFLATED
            )
    return whole.getvalue()

"""Names of accelerators as feeds write them, and counts of machines, as data: a new spelling is a line, not code.

`accelerator_names.csv`: a name means an accelerator at one provider, or (no provider) everywhere; with `sku` only for machines
whose name contains that text. The most specific line counts. A name that means two parts (`H100` is a PCIe and an SXM card) has
no line without a provider: it stays unmapped, is kept and reported.
`machines.csv`: how many accelerators a machine has, as a fraction where it has a part of one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

COUNTS: Final = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32, 36, 64, 72})
"""Accelerators that one machine of the field has."""
_HERE: Final = Path(__file__).parent
_NOISE: Final = re.compile(r"[^a-z0-9.]+")
_MAKERS: Final = ("nvidia", "tesla", "geforce", "amd", "instinct", "google")
_SLICE: Final = re.compile(r"(?:tpu-?)?(v[2-7](?:e|p|x|litepod|lite)?|7x)-(\d{1,6})", re.ASCII)
_CORES_PER_CHIP: Final = {"v2": 2, "v3": 2, "v4": 2, "v5p": 2}
"""Generations whose slice names count TensorCores; the others count chips (vendor documentation)."""
_TPUS: Final = {"v4": "tpu-v4", "v5e": "tpu-v5e", "v5litepod": "tpu-v5e", "v5lite": "tpu-v5e", "v5p": "tpu-v5p",
                "v6e": "tpu-v6e", "v7x": "tpu-v7x", "7x": "tpu-v7x"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that is known: its accelerators by our id and how many; a fraction is a part of one."""

    accelerator: str
    count: Fraction


@dataclass(frozen=True, slots=True)
class Slice:
    """A TPU slice by its name: our accelerator (None where we have none), its chips, whether the name counts cores."""

    accelerator: str | None
    chips: int
    counts_cores: bool


def bare(name: str) -> str:
    """A name without maker, blanks, hyphens and case.

    >>> [bare(name) for name in ("RTX-A6000", "RTXA6000", "NVIDIA RTX A6000", "H100-80G-SXM5")]
    ['rtxa6000', 'rtxa6000', 'rtxa6000', 'h10080gsxm5']
    """
    words = [word for word in _NOISE.sub(" ", name.casefold()).split() if word not in _MAKERS]
    return "".join(words)


@cache
def _names() -> dict[str, Sequence[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = {}
    with (_HERE / "accelerator_names.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(bare(row["name"]), []).append((row["provider"], row["sku"], row["accelerator"]))
    return {name: sorted(some, key=lambda line: (not line[1], not line[0])) for name, some in found.items()}


def accelerator_named(name: str, provider: str, sku: str = "") -> str | None:
    """Our id of an accelerator that a feed names, None where the name is unknown or could be two.

    >>> accelerator_named("RTX6000-Ada", "runpod"), accelerator_named("H100", "aws"), accelerator_named("H100", "nobody")
    ('rtx-6000-ada', 'h100-sxm', None)
    """
    for at, contained, accelerator in _names().get(bare(name), ()):
        if at in ("", provider) and (not contained or contained.casefold() in sku.casefold()):
            return accelerator
    return None


@cache
def _machines() -> dict[tuple[str, str], Machine]:
    with (_HERE / "machines.csv").open(encoding="utf-8", newline="") as lines:
        return {
            (row["provider"], _machine_key(row["sku"])): Machine(row["accelerator"], Fraction(row["count"]))
            for row in csv.DictReader(lines)
        }


def machine_named(provider: str, sku: str) -> Machine | None:
    """A machine whose accelerators are known, None for any other.

    >>> machine_named("azure", "Standard_NV6ads_A10_v5").count
    Fraction(1, 6)
    """
    return _machines().get((provider, _machine_key(sku)))


def doubtful_count(provider: str, sku: str, listed: Fraction) -> tuple[str, str] | None:
    """Reason (of `reading.REFUSALS`) and detail why a machine cannot have so many accelerators, None where it can.

    >>> doubtful_count("azure", "ND96isr_H100_v5", Fraction(12))
    ('unlikely-count', 'listed with 12: it has 8')
    """
    machine = machine_named(provider, sku)
    count = listed if machine is None else machine.count
    if count.denominator != 1:
        return "fractional-accelerator", f"{count} of an accelerator, listed as {listed}"
    if count != listed:
        return "unlikely-count", f"listed with {listed}: it has {count}"
    if machine is None and int(count) not in COUNTS:
        return "unlikely-count", f"listed with {listed}: no machine of the field has so many"
    return None


def _machine_key(sku: str) -> str:
    return re.sub(r"[\s_-]+", "_", sku.casefold()).removeprefix("standard_")


def slice_named(name: str) -> Slice | None:
    """A TPU slice by its name, None for any other name.

    >>> slice_named("tpu-v6e-256"), slice_named("tpu-v5p-12288").chips
    (Slice(accelerator='tpu-v6e', chips=256, counts_cores=False), 6144)
    """
    found = _SLICE.fullmatch(name.casefold().strip())
    if found is None:
        return None
    generation, number = found[1], int(found[2])
    cores = _CORES_PER_CHIP.get(generation, 1)
    return Slice(_TPUS.get(generation), max(number // cores, 1), cores > 1)

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hardware.accelerators.accelerator import shipped_accelerators
from hardware.prices.feeds import names
from hardware.prices.feeds.names import accelerator_named, machine_named, slice_named


@pytest.mark.parametrize(
    ("spellings", "accelerator"),
    [
        (("A6000", "RTXA6000", "RTX-A6000", "NVIDIA RTX A6000"), "rtx-a6000"),
        (("RTX6000-Ada", "RTX6000Ada", "RTX-6000-Ada", "RTX 6000 Ada"), "rtx-6000-ada"),
        (("H100-SXM", "H100-NVLINK", "H100-MEGA", "H100-80G-SXM5"), "h100-sxm"),
        (("B300 SXM6 262GB", "B300"), "b300-sxm"),
        (("RTX PRO 6000", "RTXPRO6000"), "rtx-pro-6000-server"),
        (("MI300X", "AMD Instinct MI300X"), "mi300x"),
    ],
)
def test_many_spellings_are_one_accelerator(spellings: tuple[str, ...], accelerator: str) -> None:
    assert {accelerator_named(name, "anybody") for name in spellings} == {accelerator}


def test_one_name_of_two_cards_means_what_the_provider_sells_and_else_nothing() -> None:
    assert accelerator_named("H100", "aws") == "h100-sxm"
    assert accelerator_named("H100", "runpod") == "h100-pcie"
    assert accelerator_named("H100", "lambda", "gpu_1x_h100_pcie") == "h100-pcie"
    assert accelerator_named("H100", "lambda", "gpu_8x_h100_sxm5") == "h100-sxm"
    assert accelerator_named("H100", "lambda", "gpu_1x_h100") is None
    assert accelerator_named("H100", "vast.ai") is None
    assert accelerator_named("RTX6000", "runpod") is None, "the Turing card of 24 GB is another one"


def test_a_name_is_never_matched_by_a_part_of_it() -> None:
    assert accelerator_named("H1000", "aws") is None
    assert accelerator_named("H", "aws") is None
    assert accelerator_named("", "aws") is None


def test_all_names_mean_accelerators_that_there_are() -> None:
    for table in ("accelerator_names.csv", "machines.csv"):
        with (Path(names.__file__).with_name(table)).open(encoding="utf-8", newline="") as lines:
            assert {row["accelerator"] for row in csv.DictReader(lines)} <= shipped_accelerators().keys()


@pytest.mark.parametrize(
    ("name", "accelerator", "chips"),
    [
        ("tpu-v6e-256", "tpu-v6e", 256),
        ("tpu-v5litepod-8", "tpu-v5e", 8),
        ("tpu-v5p-8", "tpu-v5p", 4),
        ("tpu-v4-8", "tpu-v4", 4),
        ("tpu-v3-8", None, 4),
    ],
)
def test_a_slice_counts_chips(name: str, accelerator: str | None, chips: int) -> None:
    found = slice_named(name)
    assert found is not None
    assert (found.accelerator, found.chips) == (accelerator, chips)


def test_what_is_no_slice_is_none() -> None:
    assert [slice_named(name) for name in ("H100", "tpu-v6e", "v100-16", "tpu-v9z-8", "")] == [None] * 5


def test_machines_are_found_however_they_are_written() -> None:
    written = ("ND96isr_H100_v5", "Standard_ND96isr_H100_v5", "nd96isr h100 v5")
    found = {machine_named("azure", sku) for sku in written}
    assert len(found) == 1
    assert machine_named("aws", "ND96isr_H100_v5") is None

"""The table of accelerators: one convention, every gap with its reason, and right where public tables are wrong."""

from __future__ import annotations

import pytest

from hardware.accelerators.accelerator import Accelerator, shipped_accelerator, shipped_accelerators

FORMATS = ("fp16", "bf16", "fp8", "fp4", "int8")


def test_a_format_has_a_figure_or_a_reason() -> None:
    for accelerator in shipped_accelerators().values():
        for form in FORMATS:
            assert (form in accelerator.dense_tflops) != (form in accelerator.gaps), f"{accelerator.id} {form}"
        assert all(peak > 0 for peak in accelerator.dense_tflops.values())
        for name in ("tdp_w", "memory_gib", "link_gb_per_s", "scale_up_domain"):
            assert (getattr(accelerator, name) is None) == (name in accelerator.gaps), f"{accelerator.id} {name}"
        assert all(accelerator.gaps.values())


def test_every_system_the_field_talks_about_has_a_row() -> None:
    assert shipped_accelerators().keys() >= {
        "h100-sxm", "h100-pcie", "h100-nvl", "h200-sxm", "b200-sxm", "b300-sxm", "gb200-nvl72", "gb300-nvl72",
        "rubin-nvl72", "a100-sxm-40", "a100-sxm-80", "a100-pcie-80", "l4", "l40s", "mi300x", "mi325x", "mi355x",
        "gaudi3-oam", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7x", "trainium2", "inferentia2", "maia-100",
        "groq-lpu-v1", "cerebras-wse3", "sambanova-sn40l",
    }  # fmt: skip
    assert shipped_accelerator("rubin-nvl72").status == "announced"


def test_where_a_vendor_publishes_speed_per_user_only_no_cost_may_be_worked_out() -> None:
    reasons = {a.id: a.not_for_cost for a in shipped_accelerators().values() if a.not_for_cost is not None}
    assert reasons.keys() == {"groq-lpu-v1", "cerebras-wse3", "sambanova-sn40l"}
    assert all("per user only" in why for why in reasons.values())


def figure(accelerator: Accelerator, name: str) -> float | None:
    return accelerator.dense_tflops.get(name) if name in FORMATS else getattr(accelerator, name)


@pytest.mark.parametrize(
    ("accelerator", "name", "right", "printed_elsewhere"),
    [
        ("mi325x", "memory_gib", 256.0, 288),  # gpuhunt 0.1.34: pre-launch value
        ("tpu-v5e", "memory_gb_marketed", 16.0, 0),  # gpuhunt 0.1.34
        ("tpu-v5p", "memory_gb_marketed", 95.0, 0),
        ("tpu-v7x", "memory_gb_marketed", 192.0, 0),
        ("gb300-nvl72", "memory_gib", 277.55, 270),  # gpuhunt 0.1.34: copied from B300
        ("h100-pcie", "bf16", 756.0, 989),  # gpuhunt 0.1.34: one name for two cards
        ("h100-pcie", "bandwidth_gb_per_s", 2000.0, 3350),
        ("h100-sxm", "bandwidth_gb_per_s", 3350.0, 3072),  # LLM-Viewer: pre-launch value
        ("v100-sxm2-16", "fp16", 125.0, 112),  # LLM-Viewer: the PCIe card's
        ("b200-sxm", "bandwidth_gb_per_s", 8000.0, 7700),  # aiconfigurator
        ("b300-sxm", "bandwidth_gb_per_s", 8000.0, 7750),
        ("b300-sxm", "fp4", 13500.0, 14000),
        ("b200-sxm", "bf16", 2250.0, 2500),  # GB200 has 2500: another SKU
        ("gb200-nvl72", "bf16", 2500.0, 2250),
        ("rtx-pro-6000-server", "bandwidth_gb_per_s", 1597.0, 1792),
        ("a10", "memory_gb_marketed", 24.0, 28),  # llm-analysis
        ("v100-sxm2-16", "memory_gb_marketed", 16.0, 32),
        ("mi210", "int8", 181.0, 362),  # llm-analysis: doubled
        ("mi250", "int8", 362.1, 724),
        ("mi250x", "int8", 383.0, 766),
        ("mi355x", "link_gb_per_s", 537.6, 576),  # InferenceX against its own document
        ("h100-sxm", "bf16", 989.0, 1979),  # sparse printed as dense: ai-infra-index, blogs
        ("h200-sxm", "bf16", 989.0, 1979),
        ("a100-sxm-80", "bf16", 312.0, 624),
        ("l40s", "bf16", 362.0, 733),
        ("mi300x", "bf16", 1307.4, 2614.9),
        ("gaudi3-oam", "fp8", 1678.0, 3670),
        ("gaudi3-oam", "tdp_w", 900.0, 600),
        ("h100-sxm", "link_gb_per_s", 450.0, 900),  # both directions added
        ("b200-sxm", "link_gb_per_s", 900.0, 1800),
        ("a100-sxm-80", "link_gb_per_s", 300.0, 600),
        ("a100-sxm-80", "fp8", None, 624),  # a widely read guide lists it
        ("mi355x", "bf16", 2516.6, 2300),
        ("mi355x", "fp8", 5033.0, 4600),  # Epoch: MI350X values
        ("mi355x", "fp4", 10066.0, 9200),
        ("rtx-4090", "bf16", 165.2, 330),
        ("trainium1", "bandwidth_gb_per_s", 820.0, 9800),
        ("b300-sxm", "tdp_w", 1100.0, 1750),
        ("ascend-910c", "tdp_w", None, 310),
        ("ascend-910c", "memory_gb_marketed", 128.0, 96),
        ("rubin-nvl72", "bf16", 4000.0, 12500),
        ("groq-lpu-v1", "fp16", 188.0, 3800),
        ("groq-lpu-v1", "memory_gb_marketed", 0.23, 32),
        ("h100-nvl", "bf16", 835.0, 133),
        ("h100-nvl", "bandwidth_gb_per_s", 3900.0, 4800),
        ("b300-sxm", "bf16", 2250.0, 3750),
        ("rtx-5090", "bandwidth_gb_per_s", 1792.0, 1532),
        ("rtx-5090", "bf16", 209.5, 838),
    ],
)
def test_the_reference_value_stands_where_public_tables_have_another(
    accelerator: str, name: str, right: float | None, printed_elsewhere: float
) -> None:
    found = figure(shipped_accelerator(accelerator), name)
    assert found == (None if right is None else pytest.approx(right, rel=1e-9))
    assert found != printed_elsewhere


def test_memory_is_what_the_driver_reports() -> None:
    """81,559 MiB of an H100, 183,359 of a B200, 275,040 of a B300, 189,471 of a GB200, 284,208 of a GB300."""
    mib = {"h100-sxm": 81_559, "b200-sxm": 183_359, "b300-sxm": 275_040, "gb200-nvl72": 189_471, "gb300-nvl72": 284_208}
    for name, reported in mib.items():
        assert shipped_accelerator(name).memory_gib == pytest.approx(reported / 1024, abs=0.01), name


def test_no_peak_is_twice_another_format_without_units_for_it() -> None:
    gaudi, trillium = shipped_accelerator("gaudi3-oam"), shipped_accelerator("tpu-v6e")
    assert gaudi.dense_tflops["fp8"] == gaudi.dense_tflops["bf16"]
    assert "no speed-up" in trillium.gaps["fp8"]
    assert shipped_accelerator("b300-sxm").dense_tflops["int8"] == 154.0

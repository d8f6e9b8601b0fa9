from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import dask.bag
import pytest
from dask.distributed import Client, LocalCluster

from api.services.corpora import distributed
from api.services.corpora.columns import columns_of_tokenizers
from api.services.corpora.distributed import bag_text, corpus_bag, count_bag, totals_of_bag
from api.services.corpora.reading import Reading
from api.services.corpora.sources import find_sources
from api.services.corpora.totals import totals_document
from tests.unit.api.conftest import Run
from tests.unit.api.test_cli_tokenize import VECTORS

TOKENIZERS = ["o200k_base", "llama3"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster on this machine: two worker processes, one thread each."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as connected,
    ):
        yield connected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The texts of the vectors over five files, and lines that are none."""
    made = tmp_path / "in"
    made.mkdir()
    for part in range(5):
        lines = [json.dumps({"id": v["id"], "text": v["text"]}) for v in VECTORS[part::5]]
        (made / f"{part}.jsonl").write_text("\n".join([*lines, "bad"]), encoding="utf-8")
    (made / "latin.txt").write_bytes(b"caf\xe9")
    (made / "void.jsonl").write_bytes(b"")
    return made


def loaded_here() -> int:
    return len(distributed._HELD._held)


def test_two_worker_processes_total_what_the_command_line_does(client: Client, folder: Path, run: Run) -> None:
    asked = ("--tokenizers", ",".join(TOKENIZERS), "--out", "counts.jsonl", "--format", "json")
    done = run("tokenize", "in", *asked)
    assert done.status == 1
    columns = columns_of_tokenizers(TOKENIZERS)
    # the workers' folder is this process's at the time the cluster began: paths are given whole
    rows = count_bag(corpus_bag(find_sources([str(folder)]), Reading()), columns)
    totals = totals_of_bag(rows, columns).compute()
    document = json.loads(done.out)
    problems = document.pop("problems")
    ours = totals_document(totals, columns)
    assert [{**p, "source": Path(p["source"]).name} for p in ours.pop("problems")] == [
        {**p, "source": Path(p["source"]).name} for p in problems
    ]
    assert ours == document
    assert ours["columns"][0]["tokens"] == sum(v["counts"]["o200k_base"] for v in VECTORS)
    assert totals_of_bag(rows, columns).compute() == totals  # adding up changed nothing that is kept

    held = client.run(loaded_here)
    assert len(held) == 2
    assert set(held.values()) <= {0, 2}  # a vocabulary is loaded where it counts, once for all partitions
    assert sum(held.values()) > 0


def test_a_bag_of_ones_own(client: Client) -> None:
    columns = columns_of_tokenizers(["o200k_base"])
    records = [{"id": v["id"], "text": v["text"]} for v in VECTORS]
    texts = dask.bag.from_sequence(records, npartitions=4).map(lambda record: bag_text(record["id"], record["text"]))
    rows = count_bag(texts, columns).compute()
    assert [(r.text_id, r.tokens[0]) for r in rows] == [(v["id"], v["counts"]["o200k_base"]) for v in VECTORS]

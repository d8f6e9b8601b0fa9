from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from economics.errors import PermillionError
from hardware.throughput.measurements.counting import counting
from hardware.throughput.measurements.joins import CLOSED_LOOP, first_of_each_run, joined_groups, run_key
from hardware.throughput.measurements.parallelism import parse_parallelism
from hardware.throughput.measurements.reading import read_measurements, shipped_measurements
from tests.unit.hardware.throughput.asking import CLOSED, write_rows


def test_the_shipped_rows_are_all_there() -> None:
    rows = shipped_measurements()
    assert len(rows) == 3889
    assert len({row.row_id for row in rows}) == 3889


def test_what_counts_is_what_the_description_of_the_file_counts() -> None:
    rows = counting(shipped_measurements())
    loops = [
        row
        for row in rows
        if row.scenario == CLOSED_LOOP
        and row.serving_mode == "agg"
        and row.concurrency is not None
        and row.output_tok_s_per_gpu is not None
    ]
    assert (len(loops), len(first_of_each_run(loops))) == (2120, 1988)
    offline = [row for row in rows if row.scenario == "mlperf-offline" and row.output_tok_s_per_gpu is not None]
    assert (len(offline), len({row.group_key for row in offline})) == (102, 15)


def test_all_closed_loop_rows_are_2667_runs() -> None:
    loops = [row for row in shipped_measurements() if row.scenario == CLOSED_LOOP and row.concurrency is not None]
    assert (len(loops), len(first_of_each_run(loops))) == (2969, 2667)


@pytest.mark.parametrize(
    "text", ["", "total36", "tp0", "tpx", "tp8-tp8", "ep4", "prefill 0x4 + decode 1x8", "tp8;drop", "tp4-dep4"]
)
def test_a_label_that_states_no_shape_is_none(text: str) -> None:
    assert parse_parallelism(text) is None


def test_experts_and_data_parallel_attention_multiply_nothing() -> None:
    shape = parse_parallelism("tp8-ep8-dpattn")
    assert shape is not None
    assert (shape.accelerators, shape.expert, shape.attention_data) == (8, 8, True)


def test_pools_count_all_workers() -> None:
    shape = parse_parallelism("prefill 4x4 + decode 1x32")
    assert shape is not None
    assert (shape.accelerators, shape.disaggregated) == (48, True)


def test_groups_that_share_a_run_or_a_name_of_deepseek_are_joined(tmp_path: Path) -> None:
    run = {"concurrency": "8", "ttft_ms": "100", "tpot_ms": "10"}
    rows = read_measurements(
        write_rows(
            tmp_path / "rows.csv",
            [
                CLOSED | run | {"row_id": "a", "group_key": "g1"},
                CLOSED | run | {"row_id": "b", "group_key": "g2"},
                CLOSED | {"row_id": "c", "group_key": "x|deepseek-r1", "concurrency": "8"},
                CLOSED | {"row_id": "d", "group_key": "x|deepseek-v3", "concurrency": "9"},
                CLOSED | {"row_id": "e", "group_key": "g3", "concurrency": "8"},
            ],
        )
    )
    assert joined_groups(rows) == [0, 0, 1, 1, 2]
    assert run_key(rows[2]) is None
    assert [row.row_id for row in first_of_each_run(rows)] == ["a", "c", "d", "e"]


def test_a_cell_that_is_no_number_is_not_an_empty_one(tmp_path: Path) -> None:
    strange = CLOSED | {"row_id": "a", "group_key": "g", "isl_mean": "-5", "concurrency": "nan", "tpot_ms": "inf"}
    row = read_measurements(write_rows(tmp_path / "rows.csv", [strange]))[0]
    assert row.isl_mean is not None
    assert math.isnan(row.isl_mean)
    assert row.concurrency is not None
    assert row.tpot_ms is None
    assert row.ttft_ms is None


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8b\x08broken", b"\xff\xfe\x00", b"a,b\n1,2\n", gzip.compress(b"no table", mtime=0), b""],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(content)
    with pytest.raises(PermillionError) as refused:
        read_measurements(path)
    assert refused.value.slug == "unreadable-file"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PermillionError, match="cannot be read"):
        read_measurements(tmp_path / "none.csv")

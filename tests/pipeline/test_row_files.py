# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kreactor.pipeline import ranges as ranges_module
from kreactor.pipeline import row_files
from kreactor.pipeline.compression import open_log
from kreactor.pipeline.identity import Known, scan
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.layouts import NOT_A_REQUEST
from kreactor.pipeline.lines import COLUMNS, schema
from kreactor.pipeline.ranges import Range, Watched, ranges_of
from kreactor.pipeline.row_files import _Job, _tasks, _write, write_rows
from kreactor.pipeline.store import LocalStore
from kreactor.pipeline.table import Table
from kreactor.pipeline.times import Times
from tests.pipeline.conftest import SAMPLE
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def parts_of(log: Path) -> list[Range]:
    with open_log(str(log)) as source:
        watched = Watched(source, Event())
        scanned = scan(watched, Known())
        return [*ranges_of(str(log), scanned, () if source.format else watched.ends)]


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges_module, "RANGE_BYTES", 2000)
    monkeypatch.setattr(row_files, "RANGE_BYTES", 2000)
    monkeypatch.setattr("kreactor.pipeline.identity._CHUNK", 1000)


def job(tmp_path: Path, log: Path) -> _Job:
    staged = tmp_path / "staged"
    for folder in ("staged-unfinished", "staged/kind=requests", "staged/kind=quarantine"):
        (tmp_path / folder).mkdir(parents=True)
    return _Job(Times(), {str(log): "b1"}, False, str(staged), "id")


def files(tmp_path: Path) -> list[str]:
    return sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.parquet"))


def test_a_task_writes_a_file_of_each_kind(tmp_path: Path, small_ranges: None) -> None:
    log = tmp_path / "request.log"
    lines = [line(request(correlation_id=number), number) if number % 10 else "x" for number in range(200)]
    log.write_text("\n".join(lines))
    parts = parts_of(log)
    assert len(parts) > 10 and sum(part.count for part in parts) == 200
    [(name, done)] = _write(3, iter([parts[:5], parts[5:]]), job(tmp_path, log))
    assert (name, done.rows, done.changed) == (str(log), {None: 180, NOT_A_REQUEST: 20}, False)
    assert files(tmp_path) == ["staged/kind=quarantine/part-00003-id.parquet",
                               "staged/kind=requests/part-00003-id.parquet"]
    requests = pq.read_table(tmp_path / files(tmp_path)[1], partitioning=None)
    assert requests.schema.remove_metadata() == pa.schema(
        [*schema(), ("ingest", pa.string()), ("date", pa.string()), ("hour", pa.int32())])
    assert sorted(zip(requests["line"].to_pylist(), requests["correlation_id"].to_pylist(), strict=True)) == [
        (number + 1, number) for number in range(200) if number % 10]
    assert {(row["broker"], row["ingest"], row["date"], row["hour"]) for row in requests.to_pylist()} == {
        ("b1", "id", "2026-11-21", 10)}
    others = pq.read_table(tmp_path / files(tmp_path)[0], partitioning=None)
    assert others.select(["line", "text", "date", "hour"]).to_pylist()[0] == {
        "line": 1, "text": "x", "date": None, "hour": 0}


def test_a_log_that_changed_is_told(tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text(f"{line(request())}\n")
    parts = parts_of(log)
    log.write_text(f"{line(request(correlation_id=2))}\n")
    work = job(tmp_path, log)
    [(_, done)] = _write(0, iter([parts]), work)
    assert done.changed
    log.unlink()
    [(_, done)] = _write(1, iter([parts]), work)
    assert (done.rows, done.changed) == (Counter(), True)


def test_a_task_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "request.log"
    log.write_text(f"{line(request())}\nx\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left on device"):
        [*_write(0, iter([parts_of(log)]), job(tmp_path, log))]
    assert not files(tmp_path) and not [*(tmp_path / "staged-unfinished").iterdir()]


def test_neighbours_are_read_by_one_task() -> None:
    def units(*sizes: int) -> list[list[Range]]:
        return [[Range(str(at), str(at), 0, size << 20, 1, 1, 0, 0)] for at, size in enumerate(sizes)]

    def found(cores: int, *sizes: int) -> list[list[str]]:
        return [[part.path for part in task] for task in _tasks(units(*sizes), cores)]

    assert found(2, 1, 1, 1) == [["0", "1", "2"]]
    assert found(2, 8, 8, 8, 8) == [["0", "1"], ["2", "3"]]
    assert found(2, 90, 1, 1, 90) == [["0"], ["1", "2"], ["3"]]
    assert found(2, 0, 0) == [["0", "1"]]
    assert len(found(1, *[8] * 80)) == 10


def berlin(number: int) -> str:
    """Return a line of the night in which clocks go back, one each minute from 01:50 on."""
    minute = 110 + number
    # 02:00 to 02:59 comes twice.
    minute -= 60 if minute >= 180 else 0
    return line(request(correlation_id=number)).replace(
        "2026-11-21 10:00", f"2026-10-25 {minute // 60:02}:{minute % 60:02}")


@pytest.mark.parametrize("layout", ["text", "cri"])
def test_some_logs_are_read_in_order(spark: SparkSession, tmp_path: Path, small_ranges: None, layout: str,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    # The processes of Spark stay in their folder.
    monkeypatch.chdir(tmp_path)
    log = Path("request.log")
    if layout == "text":
        lines = [berlin(number) for number in range(150)]
    else:
        lines = [f"2026-11-21T10:00:00.{number:09}Z stdout {part} {text}" for number in range(150)
                 for part, text in zip("PF", (line(request(correlation_id=number))[:99],
                                              line(request(correlation_id=number))[99:]), strict=True)]
    log.write_text("\n".join(lines) + "\n")
    parts = parts_of(log)
    assert len(parts) > 5
    counted, changed = write_rows(
        spark, parts, {str(log): ""}, Times("Europe/Berlin"), False, "staged", "id")
    assert counted[str(log)][None] == 150 and not changed
    rows = pq.read_table("staged/kind=requests", partitioning=None).to_pylist()
    assert sorted(row["correlation_id"] for row in rows) == [*range(150)]
    if layout == "text":
        by_number = sorted(rows, key=lambda row: row["correlation_id"])
        assert all(later["time"] > earlier["time"] for earlier, later in zip(
            by_number, by_number[1:], strict=False))


def test_rows_are_those_that_spark_writes(spark: SparkSession, tmp_path: Path,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(name: str) -> pa.Table:
        table = Table(spark, str(tmp_path / name))
        done = ingest(spark, [str(SAMPLE)], table, Options("b1", keep_json=True))
        assert done.lines == done.requests + done.quarantined
        return pa.concat_tables([table.requests().toArrow(), table.quarantine().toArrow().select(
            ["file", "line", "reason", "text", "date", "hour"])], promote_options="default").drop_columns(
            "ingest").sort_by("line")

    here = taken("here")
    # As a table in a store that only Hadoop reaches.
    monkeypatch.setattr(LocalStore, "is_local", False)
    assert taken("there").equals(here)
    assert {*COLUMNS} <= {*here.column_names}

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A table has what was committed, for kreactor and for others, also after writers that died."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kreactor.pipeline.table as table_module
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.identity import scan
from kreactor.pipeline.lines import COLUMNS
from kreactor.pipeline.manifest import KINDS, Conflict, Manifest, Taken, new_id
from kreactor.pipeline.store import LocalStore
from kreactor.pipeline.table import Table, host_name
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def text(*ids: int) -> str:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids)


def add(table: Table, folder: Path, *ids: int) -> str:
    """Ingest a log, with a line that is no request; return the id."""
    log = folder / f"{ids[0]}.log"
    log.write_text(f"{text(*ids)}x\n")
    return ingest(table._spark, [str(log)], table, Options()).id


@pytest.fixture(scope="module")
def rows(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    """Give the rows of an ingest by kind."""
    folder = tmp_path_factory.mktemp("rows")
    table = Table(spark, str(folder / "table"))
    add(table, folder, *range(1000))
    return {kind: pq.ParquetFile(table.files(kind)[0]).read() for kind in KINDS}


# Adds a commit with the rows of one log to a table.
Add = Callable[..., str]


@pytest.fixture
def put(table: Table, tmp_path: Path, rows: dict[str, pa.Table]) -> Add:
    """Give a function that commits what ``add`` does, without a job of Spark."""
    def put(*ids: int) -> str:
        id_, log = new_id(), tmp_path / f"{ids[0]}.log"
        log.write_text(f"{text(*ids)}x\n")
        state = table.state()
        with log.open("rb") as source:
            scanned = scan(source, table.known(state))
        with table.staging(id_) as staged:
            for kind, count in (("requests", len(ids)), ("quarantine", 1)):
                part = rows[kind].slice(0, count)
                changed = {"ingest": [id_] * count, "correlation_id": ids, "file": [str(log)] * count}
                for name, values in changed.items():
                    if name != "correlation_id" or kind == "requests":
                        at = part.schema.get_field_index(name)
                        part = part.set_column(at, part.schema.field(at), pa.array(
                            values, part.schema.field(at).type))
                Path(staged, f"kind={kind}").mkdir(parents=True)
                pq.write_table(part, f"{staged}/kind={kind}/part.parquet")
            table.commit(staged, id_, {"requests": len(ids), "quarantine": 1}, [Taken(scanned)], None, state)
        return id_

    return put


def ids_of(table: Table) -> list[int]:
    """Return what kreactor reads, which all others have to read, too."""
    ids = sorted(row["correlation_id"] for row in table.requests().select("correlation_id").collect())
    assert table.quarantine().count() == table.quarantine().distinct().count()
    return ids


def others_ids(table: Table) -> list[int]:
    """Return what a program reads that knows nothing of kreactor."""
    return sorted(pd.read_parquet(f"{table}/requests", columns=["correlation_id"])["correlation_id"])


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Table:
    """Give a new table, whose name has the characters of a glob."""
    return Table(spark, str(tmp_path / "table [1]{a}*"))


def test_others_read_the_table(spark: SparkSession, tmp_path: Path, table: Table) -> None:
    first = add(table, tmp_path, 1, 2)
    second = add(table, tmp_path, 3)
    assert ids_of(table) == others_ids(table) == [1, 2, 3]
    files = table.files()
    assert len(files) == 2 and all(pq.read_schema(file).field("time").type == pa.timestamp("us", "UTC")
                                   for file in files)
    frame = pd.read_parquet(f"{table}/requests")
    assert {*frame} == {*COLUMNS, "reason", "text", "ingest", "date", "hour", "commit"}
    assert str(frame["time"].dtype) == "datetime64[us, UTC]" or str(frame["time"].dtype).endswith("UTC]")
    assert {*frame["ingest"]} == {*frame["commit"]} == {first, second}
    assert {*frame["date"]} == {"2026-11-21"} and {*frame["hour"]} == {10}
    plain = tmp_path / "plain"
    (tmp_path / "table [1]{a}*").rename(plain)
    assert spark.read.parquet(f"{plain}/requests").count() == 3
    table = Table(spark, str(plain))
    assert ids_of(table) == [1, 2, 3]


def test_compaction_changes_files_and_no_row(tmp_path: Path, table: Table, put: Add) -> None:
    ingests = [put(number, number + 100) for number in range(1, 5)]
    before = sorted(map(str, table.requests().collect())), sorted(map(str, table.quarantine().collect()))
    assert table.compact(least=5) == (0, 0)
    assert table.compact() == (8, 2)
    assert (sorted(map(str, table.requests().collect())),
            sorted(map(str, table.quarantine().collect()))) == before
    assert others_ids(table) == ids_of(table) == [1, 2, 3, 4, 101, 102, 103, 104]
    assert {row["ingest"] for row in table.requests().collect()} == {*ingests}
    assert len(list(Path(f"{table}").rglob("*.parquet"))) == 2
    assert pq.read_schema(table.files()[0]).field("time").type == pa.timestamp("us", "UTC")
    assert table.compact() == (0, 0)
    # The logs are known as before.
    assert ingest(table._spark, [str(tmp_path / "*.log")], table, Options()).lines == 0
    (tmp_path / "1.log").write_text(text(1))
    assert ingest(table._spark, [str(tmp_path / "1.log")], table, Options()).lines == 0
    assert set(table.state().ids) > {*ingests}


def test_an_ingest_compacts_by_itself(tmp_path: Path, table: Table, put: Add,
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "MOST_SMALL", 2)
    put(1)
    for number in (2, 3):
        add(table, tmp_path, number)
    assert len(table.state().units) == 1 and ids_of(table) == others_ids(table) == [1, 2, 3]
    # A large unit stays as it is.
    monkeypatch.setattr(table_module, "SMALL_BYTES", 100)
    for number in range(5, 8):
        put(number)
    table.compact_if_many()
    assert len(table.state().units) == 4 and ids_of(table) == [1, 2, 3, 5, 6, 7]


def test_a_large_table_is_compacted_into_several_files(table: Table, put: Add,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        put(*range(500 * number, 500 * number + 500))
    size = max(unit.size for unit in table.state().units.values())
    monkeypatch.setattr(table_module, "SMALL_BYTES", size + 1)
    assert table.compact()[0] == 4
    unit, = table.state().units.values()
    assert len(unit.files["requests"]) == 2 and ids_of(table) == [*range(1000)]


def test_of_two_compactions_at_once_one_counts(table: Table, put: Add,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        put(number)
    commit = Table.commit

    def later(*arguments: object, **options: object) -> None:
        monkeypatch.undo()
        Table(table._spark, str(table)).compact()
        commit(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Table, "commit", later)
    with pytest.raises(Conflict, match="compacted meanwhile"):
        table.compact()
    assert ids_of(table) == others_ids(table) == [1, 2] and len(table.state().units) == 1


class Died(BaseException):
    """The end of a writer."""


def die(*_: object) -> None:
    raise Died


@contextmanager
def dead_writer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the writer in the block leave its files behind, as a process that is killed does."""
    with monkeypatch.context() as patch, pytest.raises(Died):
        patch.setattr(table_module, "host_name", lambda: "other")
        delete = LocalStore.delete
        patch.setattr(LocalStore, "delete",
                      lambda self, path: None if "_staging/other" in path else delete(self, path))
        yield


def test_a_writer_that_dies_before_its_commit_has_added_nothing(
        table: Table, put: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    put(1)
    with dead_writer(monkeypatch):
        monkeypatch.setattr(Manifest, "commit", die)
        put(2)
    monkeypatch.undo()
    assert ids_of(table) == others_ids(table) == [1]
    put(2)
    assert ids_of(table) == others_ids(table) == [1, 2]


def test_a_writer_that_dies_after_its_commit_has_added_all(
        table: Table, put: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "_MOVE_S", 0.01)
    put(1)
    with dead_writer(monkeypatch):
        monkeypatch.setattr(Table, "_publish", die)
        put(2)
    monkeypatch.undo()
    # The files are not yet at their place, and kreactor finds them.
    assert ids_of(table) == [1, 2] and others_ids(table) == [1]
    put(3)
    assert ids_of(table) == others_ids(table) == [1, 2, 3]


def test_a_compaction_that_dies_after_its_commit_is_finished_by_the_next_writer(
        table: Table, put: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        put(number)
    with dead_writer(monkeypatch):
        delete = LocalStore.delete
        monkeypatch.setattr(LocalStore, "delete",
                            lambda self, path: die() if "commit=" in path else delete(self, path))
        table.compact()
    monkeypatch.undo()
    assert ids_of(table) == [1, 2]
    put(3)
    assert ids_of(table) == others_ids(table) == [1, 2, 3]


def test_the_staging_of_the_dead_is_removed_and_that_of_the_living_is_not(
        tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    staging = Path(str(table)) / "_staging"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    old = 2 * table_module._DEAD_S
    names = {"dead here": f"{host_name()}-{ended.pid}-a", "alive here": f"{host_name()}-{os.getpid()}-b",
             "reused here": f"{host_name()}-{os.getppid()}-c", "alive elsewhere": "far-1-d",
             "touched elsewhere": "far-2-e", "dead elsewhere": "far-3-f"}
    for what, name in names.items():
        (staging / name / "rows").mkdir(parents=True)
        now = (staging / name).stat().st_mtime
        if what in ("reused here", "touched elsewhere", "dead elsewhere"):
            if what == "touched elsewhere":
                (staging / name / "_alive").touch()
            else:
                (staging / name / "_alive").touch()
                os.utime(staging / name / "_alive", (now - old, now - old))
            os.utime(staging / name, (now - old, now - old))
    table.tidy()
    left = {what for what, name in names.items() if (staging / name).exists()}
    assert left == {"alive here", "alive elsewhere", "touched elsewhere"}
    # A writer says that it is alive.
    monkeypatch.setattr(table_module, "_TOUCH_S", 0.01)
    with table.staging("id") as staged:
        alive = Path(staged).parent / "_alive"
        first = alive.stat().st_mtime_ns
        while alive.stat().st_mtime_ns == first:
            pass
    assert not Path(staged).parent.exists()


def test_what_the_table_cannot_use(tmp_path: Path, table: Table) -> None:
    with pytest.raises(PipelineFailure, match="no table of requests"):
        table.requests()
    (tmp_path / "old" / "requests" / "ingest=1").mkdir(parents=True)
    with pytest.raises(PipelineFailure, match="an older kreactor made this table"):
        Table(table._spark, str(tmp_path / "old")).check_writable([])


def test_a_folder_that_cannot_be_written(spark: SparkSession) -> None:
    table = Table(spark, "/proc/table")
    with pytest.raises(PipelineFailure, match=r"^/proc/table: cannot be written \("), table.staging("id"):
        pass


def test_what_is_removed_before_the_commit_is_not_committed(tmp_path: Path, table: Table) -> None:
    """As when a machine slept for longer than a writer may."""
    with table.staging("id") as staged:
        with pytest.raises(PipelineFailure, match="is gone; nothing of this ingest is in the table"):
            table.commit(staged, "id", {"requests": 1})
    assert not table.exists()


def test_a_table_that_is_not_local(spark: SparkSession, tmp_path: Path,
                                   monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls that an object store gets, on Hadoop's own file system of local files."""
    monkeypatch.setattr("kreactor.pipeline.store.LocalStore.is_local", False)
    monkeypatch.setattr("kreactor.pipeline.store._is_local_by_default", lambda spark: False)
    table = Table(spark, str(tmp_path / "table"))
    assert not table.store.is_local
    for number in (1, 2):
        add(table, tmp_path, number)
    assert ids_of(table) == [1, 2]
    assert table.compact() == (4, 2)
    # Of a folder that is not yet there completely, the files are read where they were written.
    assert ids_of(table) == [1, 2]
    assert ingest(spark, [str(tmp_path / "*.log")], table, Options()).lines == 0

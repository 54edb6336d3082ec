# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A folder that grows: each line once, whatever becomes of its file."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.follow import _Reader, follow
from kreactor.pipeline.ingest import Options
from kreactor.pipeline.table import Table
from tests import longer
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def text(*ids: int) -> str:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids)


# A process of its own: the threads that Spark's streams call Python in stay as long as Spark does.
FOLLOWER = """
import json, sys
from kreactor.pipeline.follow import follow
from kreactor.pipeline.ingest import Options
from kreactor.pipeline.session import spark_session
from kreactor.pipeline.table import Table
with spark_session("local[2,4]", {"spark.sql.shuffle.partitions": "2"}) as spark:
    table, said = Table(spark, sys.argv[2]), []
    for _ in sys.stdin:
        follow(spark, sys.argv[1], table, Options(), 1, True, said.append)
        assert all(done.lines == done.requests + done.quarantined for done in said)
        print(json.dumps([sorted((row["correlation_id"], row["line"]) for row in table.requests().collect()),
                          [row["line"] for row in table.quarantine().collect()]]), flush=True)
"""


def test_each_line_once(spark: SparkSession, tmp_path: Path) -> None:
    folder, table = tmp_path / "logs", tmp_path / "table"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", FOLLOWER, folder, table], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as follower:
        follow_growing(follower, folder, table)


def follow_growing(follower: subprocess.Popen[str], folder: Path, table: Path) -> None:
    log = folder / "request.log"
    assert follower.stdin is not None and follower.stdout is not None

    def step() -> list[list[int]]:
        print(file=follower.stdin, flush=True)
        requests, rest[:] = json.loads(follower.stdout.readline())
        return requests

    rest: list[int] = []
    # The last line is half written, and then is not.
    log.write_text(text(1, 2) + text(3)[:100])
    assert step() == [[1, 1], [2, 2]]
    with log.open("a") as more:
        more.write(text(3)[100:] + "something else\n")
    assert step() == [[1, 1], [2, 2], [3, 3]]
    assert rest == [4]
    # Rotated, with a line after the last look; the one before is compressed.
    with log.open("a") as more:
        more.write(text(4))
    log.rename(folder / "request.log.1")
    log.write_text(text(5))
    (folder / "request.log.2.gz").write_bytes(gzip.compress(text(0).encode()))
    done = [[1, 1], [2, 2], [3, 3], [4, 5], [5, 1]]
    assert step() == done
    # Nothing new; and a batch that is committed but not marked done comes again.
    assert step() == done
    newest = max((table / "_follow").glob("*/commits/[0-9]*"), key=lambda path: int(path.name))
    newest.unlink()
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)
    assert step() == done


# A Python whose first process that lists the files does not start.
LATE = """#!/bin/sh
case "$*" in *python_streaming_source_runner*)
    if mkdir "$0.late" 2>&-; then exit 1; fi
esac
exec "{python}" "$@"
"""


@longer.only_with_all("a JVM of its own, for a retry of Spark's start")
def test_spark_need_not_start_the_process_that_lists_the_files_at_once(tmp_path: Path) -> None:
    """Spark gives up after 10 s, which a busy machine may need."""
    folder, python = tmp_path / "logs", tmp_path / "python"
    folder.mkdir()
    (folder / "request.log").write_text(text(1, 2))
    python.write_text(LATE.format(python=sys.executable))
    python.chmod(0o700)
    done = subprocess.run([sys.executable, "-c", FOLLOWER, folder, tmp_path / "table"], text=True, input="\n",
                          check=True, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE,
                          env=os.environ | {"PYSPARK_PYTHON": str(python)})
    assert json.loads(done.stdout) == [[[1, 1], [2, 2]], []]
    assert Path(f"{python}.late").exists()


# Ends itself and its JVM as kill -9 does, at a moment of its first batch.
KILLED = """
import os, signal, sys
import kreactor.pipeline.follow as follow_module
from kreactor.pipeline.session import kill_jvm
from kreactor.pipeline.table import Table

def die(*_):
    kill_jvm()
    os.killpg(0, signal.SIGKILL)

commit, move = Table.commit, Table._move
if sys.argv[3] == "written":
    follow_module.count = die
elif sys.argv[3] == "half committed":
    Table._move = lambda self, staged, kind, id_: (die if kind == "requests" else move)(
        self, staged, kind, id_)
else:
    Table.commit = lambda *args: (commit(*args), die())
""" + FOLLOWER


@longer.only_with_all("four JVMs, of which three are killed")
def test_each_line_once_through_kills(tmp_path: Path) -> None:
    folder, table = tmp_path / "logs", tmp_path / "table"
    folder.mkdir()
    log = folder / "request.log"
    log.write_text(text(1, 2) + "something else\n")
    at = Path(__file__).parents[2]
    # Killed processes leave their temporary files behind.
    left = tmp_path / "left"
    left.mkdir()
    environment = {**os.environ, "TMPDIR": str(left), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={left}"}
    for moment in ("written", "half committed", "committed"):
        killed = subprocess.run([sys.executable, "-c", KILLED, folder, table, moment], text=True, input="\n",
                                cwd=at, env=environment, start_new_session=True)
        assert killed.returncode == -signal.SIGKILL, moment
        with log.open("a") as more:
            more.write(text(3 + len(moment)))
    done = subprocess.run([sys.executable, "-c", FOLLOWER, folder, table], text=True, input="\n", check=True,
                          cwd=at, stdout=subprocess.PIPE)
    requests, rest = json.loads(done.stdout)
    assert requests == [[1, 1], [2, 2], [10, 4], [12, 6], [17, 5]]
    assert rest == [3]
    assert not (table / "_staging").exists()


def test_a_file_that_is_cut_off_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text(text(1, 2))
    reader = _Reader(str(tmp_path))
    first = reader.latestOffset({}, None)  # type: ignore[arg-type]
    # As logrotate's copytruncate does it.
    (tmp_path / "request.log.1").write_text(log.read_text())
    log.write_text(text(3))
    second = reader.latestOffset(first, None)  # type: ignore[arg-type]
    parts = reader.partitions(first, second)
    lines = [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
    assert [(row["file"], row["line"], row["value"]) for row in lines] == [(str(log), 1, text(3)[:-1])]


def test_once_ends_where_the_logs_ended(tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text(text(1))
    reader = _Reader(str(tmp_path))
    reader.prepareForTriggerAvailableNow()
    with log.open("a") as more:
        more.write(text(2))
    (tmp_path / "other.log").write_text(text(3))
    end = reader.latestOffset({}, None)  # type: ignore[arg-type]
    assert list(end.values()) == [[len(text(1)), 1]]
    # That is what ends it.
    assert reader.latestOffset(end, None) == end  # type: ignore[arg-type]


def test_what_is_no_folder(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineFailure, match="takes a folder"):
        follow(spark, str(tmp_path / "none"), Table(spark, str(tmp_path / "t")), Options(), 1, True, print)


def test_a_log_that_cannot_be_read_is_not_passed_over(tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "request.log").write_text(text(1))

    def refuse(*_: object) -> NoReturn:
        raise PermissionError("no permission")

    monkeypatch.setattr("kreactor.pipeline.follow.open", refuse, raising=False)
    with pytest.raises(PermissionError, match="^no permission$"):
        _Reader(str(tmp_path)).latestOffset({}, None)  # type: ignore[arg-type]

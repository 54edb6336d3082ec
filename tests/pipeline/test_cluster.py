# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The same on a cluster: a master and two workers, processes of their own, of which one dies."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests import longer, packages
from tests.pipeline.conftest import SAMPLE, THROTTLED
from tests.pipeline.servers import Processes, processes, shown

__all__ = ["processes"]

WAIT_S = 300
REPLACED = "spark://127.0.0.1:7077"

# The command of the page, but each task waits for a gate to open. Each attempt of a task writes a file, with
# its number as the name, and with its worker's folder and the place of kreactor there as the text.
GATED = """
import os, sys, time
from pathlib import Path
from pyspark import TaskContext
from kreactor.pipeline import row_files
from kreactor.pipeline.cli import pipeline

write, gate = row_files._write, sys.argv[1]

def gated(number, tasks, job):
    import kreactor
    own = Path(gate, str(TaskContext.get().taskAttemptId()))
    own.with_suffix(".new").write_text(f"{os.getcwd()}\\n{kreactor.__file__}")
    own.with_suffix(".new").rename(own)
    while not Path(gate, "open").exists():
        time.sleep(0.05)
    return write(number, tasks, job)

row_files._write = gated
# Small logs are two tasks, too.
row_files.RANGE_BYTES = 1 << 10
pipeline(sys.argv[2:])
"""


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@packages.needs("pyspark")
def is_dead(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.time_limit(600)
@longer.only_with_all("eight JVMs, of which each takes 15 s of CPU time; the commands run in one")
def test_a_worker_that_dies_in_the_middle(processes: Processes, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    gate = tmp_path / "gate"
    gate.mkdir()

    def attempts() -> list[Path]:
        return [path for path in gate.iterdir() if path.name.isdecimal()]

    with ExitStack() as stack:
        _, master = stack.enter_context(processes.server(
            f"{shown('spark-class org.apache.spark.deploy.master')} --port 0 --webui-port 0",
            "Starting Spark master at (spark://.*)"))
        worker = shown("spark-class org.apache.spark.deploy.worker").replace(REPLACED, master)
        workers = {name: stack.enter_context(processes.server(
            f"{worker} --cores 1 --memory 1g --port 0 --webui-port 0 --work-dir {tmp_path / name}",
            "Successfully registered with master (.*)"))[0] for name in ("a", "b")}

        command = shlex.split(shown(f"kreactor pipeline ingest {SAMPLE.relative_to(SAMPLE.parents[2])} --to "
                                    "requests --master").replace(REPLACED, master))
        # Another log, for another task.
        ingest = processes.start(sys.executable, "-c", GATED, str(gate), *command[2:], str(THROTTLED))
        try:
            until(lambda: len(attempts()) == 2 or ingest.poll() is not None)
            of_worker = {path.read_text().removeprefix(f"{tmp_path}/")[0]: path for path in attempts()}
            assert [*sorted(of_worker)] == ["a", "b"], ingest.poll()
            executors = [child for child in psutil.Process(workers["a"].pid).children() if not is_dead(child)]
            workers["a"].send_signal(signal.SIGKILL)
            # Its executor ends by itself.
            assert len(executors) == 1
            until(lambda: all(map(is_dead, executors)))
            (gate / "open").touch()
            out, err = ingest.communicate(timeout=WAIT_S)
        finally:
            ingest.kill()
            ingest.communicate()
        assert (ingest.returncode, out.partition(" (")[0]) == (
            0, "4,100 lines in 2 files = 4,100 requests + 0 in quarantine"), err
        # The other worker has done the task again.
        assert len(attempts()) >= 3
        # Not from the checkout: from what was sent there.
        assert all(".zip/" in path.read_text().splitlines()[1] for path in attempts())
        rows = pq.read_table(tmp_path / "requests" / "requests", columns=["file", "line"]).to_pylist()
        assert len(rows) == len({(row["file"], row["line"]) for row in rows}) == 4100

        processes.run(*shlex.split(shown("kreactor pipeline archive")))
        # In another folder, where nothing but the file is.
        told = processes.run(*shlex.split(shown("spark-submit --master spark:").replace(REPLACED, master)),
                             "--by", "api", "--format", "json")
    assert sum(row["count"] for row in json.loads(told)["latency"]) == 4100

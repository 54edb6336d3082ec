# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A week of four brokers on two hosts, whose logs a follower and an ingest take by turns.

The logs are rolled at midnight, each broker's in another way, and compressed a day later. A broker restarts
each day. Each night kill -9 ends what takes the logs, at another moment, and a new process goes on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests import longer
from tests.pipeline.logs import HEADER, Broker

# A process takes a command from each line of its input: what to do, and the moment of its end.
PROCESS = """
import json, os, signal, sys
from contextlib import nullcontext
from kreactor.pipeline import follow as following, ingest as ingesting
from kreactor.pipeline.fleet import Fleet
from kreactor.pipeline.manifest import Manifest
from kreactor.pipeline.session import kill_jvm, spark_session
from kreactor.pipeline.store import LocalStore
from kreactor.pipeline.table import Table

PROPERTIES = {"spark.sql.shuffle.partitions": "2", "spark.sql.codegen.wholeStage": "false"}
MOMENTS = {
    "looked": (Fleet, "look"), "planned": (ingesting, "_plan"), "written": (following, "write_rows"),
    "committed": (Manifest, "commit")}

def die(*_, **__):
    kill_jvm()
    os.kill(os.getpid(), signal.SIGKILL)

def die_after(owner, name):
    work = getattr(owner, name)
    setattr(owner, name, lambda *args, **names: (work(*args, **names), die()))

needs_spark, where, *folders = sys.argv[1:]
told = []
with spark_session("local[2,4]", PROPERTIES) if needs_spark == "True" else nullcontext() as spark:
    options = ingesting.Options(broker_from=ingesting.check_pattern("/(b[^/]*)/[^/]+$"))
    table = Table(spark, where)
    for text in sys.stdin:
        work, moment = json.loads(text)
        if moment in MOMENTS:
            die_after(*MOMENTS[moment])
        elif moment == "committing":
            LocalStore.create = die
        if work == "follow":
            following.follow(spark, folders, table, options, 1, True, str, told.append)
        elif work == "ingest":
            told += ingesting.ingest(spark, folders, table, options).refused
        else:
            table.compact()
        print(json.dumps(told), flush=True)
"""

# The command that takes the logs at noon, the one at midnight, and when that is killed. On a day without work
# at noon, the process is killed before it needs Spark.
DAYS = [("follow", "follow", "written"), ("", "follow", "looked"), ("ingest", "ingest", "committing"),
        ("", "ingest", "planned"), ("follow", "follow", "committed"), ("", "follow", "looked"),
        ("ingest", "compact", "committing")]
# How the log of each broker is rolled.
WAYS = {"host1/b1": "rename", "host1/b2": "compress", "host2/b3": "copy", "host2/b4": "rename"}


class Process:
    """A process that works on command."""

    def __init__(self, folder: Path, needs_spark: bool) -> None:
        left = folder / "left"
        left.mkdir(exist_ok=True)
        folders = [folder / name for name in ("table", "host1", "host2")]
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(needs_spark), *folders], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
            # A killed process leaves its files behind.
            env={**os.environ, "TMPDIR": str(left)})

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def work(self, what: str) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([what, ""]), file=self._process.stdin, flush=True)
        assert json.loads(self._process.stdout.readline()) == []

    def work_until(self, what: str, moment: str) -> None:
        """Have the process work, and be killed at a moment."""
        self._process.communicate(json.dumps([what, moment]))
        assert self._process.returncode == -signal.SIGKILL


@pytest.mark.usefixtures("has_spark")
@pytest.mark.time_limit(900)
@longer.only_with_all("five JVMs, of which four are killed")
def test_a_week_of_four_brokers(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from kreactor.pipeline.manifest import Manifest
    from kreactor.pipeline.store import LocalStore

    brokers = {name: Broker(tmp_path / name) for name in WAYS}
    for day, (noon, midnight, moment) in enumerate(DAYS):
        with Process(tmp_path, bool(noon)) as process:
            for number, broker in enumerate(brokers.values()):
                broker.write(3 + number)
                broker.write_half(50 * (number + 1))
            if noon:
                process.work(noon)
            for number, (name, broker) in enumerate(brokers.items()):
                broker.finish()
                if number == day % len(brokers):
                    broker.restart()
                broker.write(2)
                broker.compress()
                broker.roll(WAYS[name])
                broker.write(1)
            process.work_until(midnight, moment)
    with Process(tmp_path, True) as process:
        process.work("follow")
        process.work("ingest")

    table = tmp_path / "table"
    assert not (table / "_staging").exists()
    state = Manifest(LocalStore(), str(table)).state()
    rows = {kind: [row for unit in state.units.values() for name, _ in unit.files.get(kind, ())
                   for row in pq.ParquetFile(table / kind / f"commit={unit.id}" / name).read().to_pylist()]
            for kind in ("requests", "quarantine")}
    assert Counter((row["broker"], row["correlation_id"]) for row in rows["requests"]) == {
        (broker.name, number): 1 for broker in brokers.values() for number in range(len(broker.written))}
    assert {row["text"] for row in rows["quarantine"]} == {HEADER.rstrip()}

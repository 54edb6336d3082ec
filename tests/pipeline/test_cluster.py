# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The same on a cluster: a master and two workers, processes of their own that are sent the package."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.session import find_java
from tests import longer, packages
from tests.pipeline.conftest import SAMPLE

# A process of its own: one can have one Spark at a time.
ON_A_CLUSTER = """
import json, sys
from kreactor.pipeline.check import check
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.latency import latency
from kreactor.pipeline.session import spark_session
from kreactor.pipeline.table import Table

def where(_):
    import kreactor
    return kreactor.__file__

with spark_session("local-cluster[2,1,1024]", {"spark.sql.shuffle.partitions": "2"}) as spark:
    table = Table(spark, sys.argv[2])
    done = ingest(spark, [sys.argv[1]], table, Options())
    requests = table.requests()
    print(json.dumps({
        "lines": done.lines, "requests": done.requests,
        "counted": sum(row["count"] for row in latency(requests, ["api"]).collect()),
        "violated": [verdict.rule.name for verdict in check(requests) if verdict.violated],
        "from": sorted(set(spark.sparkContext.parallelize(range(4), 4).map(where).collect())),
        "executors": spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1}))
"""


@packages.needs("pyspark")
@longer.only_with_all("three JVMs, of which each takes 25 s of CPU time; the commands run in one")
def test_the_commands_on_a_master_with_two_workers(tmp_path: Path) -> None:
    try:
        find_java()
    except PipelineFailure as e:
        pytest.skip(str(e))
    done = subprocess.run([sys.executable, "-c", ON_A_CLUSTER, SAMPLE, tmp_path / "table"], text=True,
                          stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], check=True)
    said = json.loads(done.stdout.splitlines()[-1])
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as stream:
        lines = sum(1 for _ in stream)
    assert (said["lines"], said["requests"], said["counted"]) == (lines, lines, lines)
    assert said["violated"] == []
    assert said["executors"] == 2
    # Not from this folder: from what was sent to them.
    assert all("kreactor.zip" in file for file in said["from"]), said["from"]

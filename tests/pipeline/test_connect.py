# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The commands on a server of Spark Connect, and what they say if there is none."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests import longer, packages
from tests.pipeline.conftest import SAMPLE, THROTTLED
from tests.pipeline.logs import line, request
from tests.pipeline.servers import ROOT, Processes, processes, shown

__all__ = ["processes"]

pytestmark = packages.needs("pyspark")

# A process of its own, which has no session yet, and ends the threads of gRPC.
WITHOUT_SERVER = """
import os, sys
from kreactor.pipeline import session
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.session import spark_session

session._ANSWER_S = 1.0

def told(**given):
    try:
        with spark_session(**given):
            pass
    except PipelineFailure as e:
        print(e)

for url in sys.argv[1:]:
    told(remote=url)
told(properties={"spark.remote": sys.argv[1]})
os.environ["SPARK_REMOTE"] = sys.argv[1]
told()
"""


def told_of(*urls: str, before: str = "") -> list[str]:
    return subprocess.run([sys.executable, "-c", before + WITHOUT_SERVER, *urls], stdout=subprocess.PIPE,
                          text=True, cwd=ROOT, check=True).stdout.splitlines()


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    # Of the two ports, one refuses connections, and the other never answers.
    with closing(socket.socket()) as closed, closing(socket.create_server(("127.0.0.1", 0))) as silent:
        closed.bind(("127.0.0.1", 0))
        urls = [f"sc://127.0.0.1:{each.getsockname()[1]}" for each in (closed, silent)]
        said = told_of(*urls, "spark://127.0.0.1:7077", "local[2]", "sc://127.0.0.1:x")
    assert said == [
        *(f"--remote {url}: no server of Spark Connect answers there; start one, or name the host and port "
          "of another" for url in urls),
        *(f"--remote {url}: not of the form sc://HOST:PORT"
          for url in ("spark://127.0.0.1:7077", "local[2]", "sc://127.0.0.1:x")),
        # By the property and the variable.
        said[0], said[0]]


def test_a_package_that_is_missing_is_one_sentence() -> None:
    # Without a file, PySpark believes that its doctests run, and ends the process.
    said, *_ = told_of("sc://127.0.0.1:1", before="import sys; sys.modules['grpc'] = None; __file__ = 'x'\n")
    assert said.startswith("--remote needs the extra spark: ")


SERVER = "spark-submit --master 'local"
# Commands, one after the other in one process, and where the server's Python finds kreactor.
COMMANDS = """
import json, sys
from click.testing import CliRunner
from kreactor.pipeline.cli import pipeline
from kreactor.pipeline.session import spark_session

def where(batches):
    import kreactor, pyarrow
    for batch in batches:
        yield pyarrow.RecordBatch.from_pydict({"file": [kreactor.__file__]})

for args in json.loads(sys.argv[2]):
    done = CliRunner().invoke(pipeline, [*args, "--remote", sys.argv[1]])
    print(json.dumps([done.exit_code, done.output]))
with spark_session(remote=sys.argv[1]) as spark:
    print(json.dumps(spark.range(1).mapInArrow(where, "file STRING").first()["file"]))
"""


@pytest.mark.time_limit(600)
@longer.only_with_all("a JVM of its own, which takes 90 s of CPU time; the commands run in one")
def test_the_commands_on_a_server(processes: Processes, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "request.log").write_text(f"{line(request())}\n")
    # The server has another working folder, so it does not see what is below this path here.
    hidden = "/proc/self/cwd"
    not_seen = ("{}: the server of Spark Connect does not see it; choose a folder that this machine and the "
                "server share under one path")
    with Processes(tmp_path / "server").server(
            f"{shown(SERVER)} --conf spark.connect.grpc.binding.port=0 "
            "--conf spark.ui.enabled=false", r"Spark Connect server started at: .*?(\d+)$") as (_, port):
        remote = f"sc://127.0.0.1:{port}"
        ingest, latency = (shlex.split(shown(f"kreactor pipeline {begin}").replace("sc://127.0.0.1", remote))
                           for begin in (f"ingest {SAMPLE.relative_to(ROOT)} --to requests --remote",
                                         "latency requests --remote"))
        assert processes.run(*ingest).startswith("4,054 lines in 1 files = 4,054 requests + 0 in quarantine")
        assert "API_VERSIONS" in processes.run(*latency)

        ran = processes.run(sys.executable, "-c", COMMANDS, remote, json.dumps([
            ["ingest", str(SAMPLE), str(THROTTLED), "--to", "requests"],
            ["ingest", "--follow", "--once", "logs", "--to", "requests"],
            ["compact", "requests"],
            ["latency", "requests", "--by", "api", "--format", "json"],
            ["check", "requests"],
            ["report", "requests", "--html", "page.html", "--day", "2026-11-22"],
            ["ingest", str(THROTTLED), "--to", f"{hidden}/others"],
            ["ingest", "--follow", "--once", f"{hidden}/logs", "--to", "requests"],
            ["latency", f"{hidden}/requests"],
            ["latency", "s3a://bucket/requests"],
            ["ingest", "s3a://bucket/logs", "--to", "requests"],
            ["check", "requests", "--conf", "spark.executor.memory=2g"],
            ["check", "requests", "--master", "local"]])).splitlines()
    place = json.loads(ran.pop())
    # Not from the checkout: from what was sent there.
    assert ".zip/" in place
    (status, more), followed, compacted, (_, measured), checked, (drawn, _), *refused = map(json.loads, ran)
    assert (status, more.partition(" (")[0]) == (0, "46 lines in 1 files = 46 requests + 0 in quarantine")
    assert followed[0] == 0 and followed[1].startswith("1 lines in 1 files")
    assert compacted == [0, "3 small files are 1 now\n"]
    assert sum(row["count"] for row in json.loads(measured)["latency"]) == 4101
    assert checked[0] == 0 and "holds          one-in-flight" in checked[1]
    assert drawn == 0 and (tmp_path / "page.html").stat().st_size > 10_000
    told = [text.removeprefix("Error: ").rstrip() for status, text in refused if status == 2]
    assert told[0].startswith(f"{hidden}/others/_staging/") and told[0].endswith(not_seen.format(""))
    assert told[1:3] == [not_seen.format(f"{hidden}/logs"), not_seen.format(f"{hidden}/requests/_log")]
    assert [text.partition(":")[0] for text in told[3:]] == [
        "s3a", "s3a", "--conf spark.executor.memory", "--master and --remote"]
    # Nothing of the refused ingest is there.
    assert not (tmp_path / "others" / "_staging").exists()

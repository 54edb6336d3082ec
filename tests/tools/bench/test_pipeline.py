# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The measure of ingest: what it is held against, and one run of it all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.session import find_java
from tests import packages
from tests.pipeline.logs import line, request
from tests.tools.scripts import TOOLS, load

bench_pipeline = load("bench/pipeline")


@pytest.mark.parametrize("peer", ["loads", pytest.param("plain_ingest", marks=packages.needs("pyarrow"))])
def test_a_peer_reads_every_line(tmp_path: Path, peer: str) -> None:
    log = tmp_path / "request.log"
    log.write_text("".join(f"{line(request())}\n" for _ in range(1000)))
    to = [str(tmp_path / "table")] if peer == "plain_ingest" else []
    seconds, busy = bench_pipeline.measure(peer, str(log), *to)
    assert 0 < busy and 0 < seconds
    log.write_text("Completed request:{half a line}")
    with pytest.raises(subprocess.CalledProcessError):
        bench_pipeline.measure(peer, str(log), *to)


@packages.needs("pyspark")
def test_it_says_how_fast(tmp_path: Path) -> None:
    try:
        find_java()
    except PipelineFailure as e:
        pytest.skip(str(e))
    told = subprocess.run([sys.executable, TOOLS / "bench" / "pipeline", "2000", "--cores", "1"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    peers, heading, row = (text.replace("by CPU", "by-CPU").split("|") for text in told)
    assert [text.strip() for text in peers] == ["", "to json.loads", "to plain ingest"]
    assert [text.split() for text in heading] == [
        ["lines", "GB", "cores", "ingest/s", "MB"], *[["its/s", "ratio", "by-CPU"]] * 2]
    assert row[0].split()[::2][:2] == ["2,000", "1"]
    assert [len(text.split()) for text in row] == [len(text.split()) for text in heading]

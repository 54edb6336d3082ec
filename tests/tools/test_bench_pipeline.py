# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The measure of ingest: what it is held against, and one run of it all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.session import find_java
from tests.pipeline.logs import line, request
from tests.tools.scripts import TOOLS, load

bench_pipeline = load("bench_pipeline")


def test_the_peer_reads_every_line(tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text("".join(f"{line(request())}\n" for _ in range(1000)))
    seconds, busy = bench_pipeline.plain(str(log))
    assert 0 < busy and 0 < seconds
    log.write_text("Completed request:{half a line")
    with pytest.raises(subprocess.CalledProcessError):
        bench_pipeline.plain(str(log))


def test_it_says_how_fast(tmp_path: Path) -> None:
    try:
        find_java()
    except PipelineFailure as e:
        pytest.skip(str(e))
    told = subprocess.run([sys.executable, TOOLS / "bench_pipeline", "2000", "--cores", "1"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    heading, row = (text.replace("by CPU", "by-CPU").split() for text in told)
    assert heading == ["lines", "GB", "json.loads/s", "cores", "ingest/s", "ratio", "by-CPU", "MB"]
    assert (row[0], row[3]) == ("2,000", "1") and len(row) == len(heading)

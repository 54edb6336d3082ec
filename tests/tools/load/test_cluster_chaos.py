# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A few moves of tools/load/cluster_chaos: a client writes and reads, leaders move, brokers are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_nothing_is_lost_or_there_twice() -> None:
    pytest.importorskip("confluent_kafka")
    run = subprocess.run(
        [sys.executable, str(ROOT / "tools/load/cluster_chaos"), "--client", "confluent", "--moves", "12",
         "--seed", "3"], timeout=300, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert run.returncode == 0, run.stdout + run.stderr
    assert " 0 lost, 0 twice, 0 unread: passed" in run.stdout

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A client writes and reads while leaders move and brokers are killed: a few moves of tools/cluster_chaos."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_nothing_is_lost_or_there_twice() -> None:
    pytest.importorskip("confluent_kafka")
    run = subprocess.run(
        [sys.executable, str(ROOT / "tools/cluster_chaos"), "--client", "confluent", "--moves", "12",
         "--seed", "3"], timeout=300, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert run.returncode == 0, run.stdout + run.stderr
    assert " 0 lost, 0 twice, 0 unread: passed" in run.stdout

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The settings of the JVM."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from kreactor.jdk.owned_folders import OWNER_FILE
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.session import CONNECT_S, _long_run, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("memory, told", [
    ("2g", "-Xmn786432k"), ("512m", "-Xmn196608k"), ("512", "-Xmn196608k"), ("1048576k", "-Xmn393216k"),
    ("1GB", "-Xmn393216k"), ("much", "")])
def test_what_lives_short_has_a_part_of_the_heap(memory: str, told: str) -> None:
    assert _long_run(memory) == told


def test_python_and_the_jvm_may_take_their_time_to_connect(spark: SparkSession) -> None:
    assert spark.conf.get("spark.python.authenticate.socketTimeout") == f"{CONNECT_S}s"
    assert os.environ["SPARK_AUTH_SOCKET_TIMEOUT"] == str(CONNECT_S)


def start_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a session where there is no Java, with its files below ``tmp_path``."""
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")

    def no_java() -> NoReturn:
        raise PipelineFailure("no Java")

    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr("kreactor.pipeline.session._end_jvm", lambda: None)
    monkeypatch.setattr("kreactor.pipeline.session.find_java", no_java)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(PipelineFailure, match="no Java"), spark_session():
        pass


def test_a_start_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(os.environ)
    start_that_fails(tmp_path, monkeypatch)
    assert (dict(os.environ), list(tmp_path.iterdir())) == (before, [])


# Makes the folder of a session, with a file in it, and lives on.
SESSION = """\
from kreactor.pipeline.session import _new_folder
folder = _new_folder()
(folder / "java").mkdir()
print(folder, flush=True)
input()
"""


def test_a_start_removes_the_files_of_killed_processes_only(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        processes = [stack.enter_context(subprocess.Popen(
            [sys.executable, "-c", SESSION], env={**os.environ, "TMPDIR": str(tmp_path)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)) for _ in range(3)]
        folders = [Path(process.stdout.readline().strip()) for process in processes if process.stdout]
        for process in processes[:2]:
            process.kill()
            process.wait()
        # A folder of someone else, and a link to one.
        (tmp_path / "kreactor-spark-other").mkdir()
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / OWNER_FILE).touch()
        (tmp_path / "kreactor-spark-link").symlink_to("elsewhere")
        start_that_fails(tmp_path, monkeypatch)
        left = {*tmp_path.iterdir()}
        processes[2].kill()
    assert left == {folders[2], *(tmp_path / name for name in (
        "kreactor-spark-other", "elsewhere", "kreactor-spark-link"))}
    assert (tmp_path / "elsewhere" / OWNER_FILE).exists()

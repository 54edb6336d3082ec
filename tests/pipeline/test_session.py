# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The settings of the JVM."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

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


def test_a_start_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")

    def no_java() -> NoReturn:
        raise PipelineFailure("no Java")

    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr("kreactor.pipeline.session._end_jvm", lambda: None)
    monkeypatch.setattr("kreactor.pipeline.session.find_java", no_java)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = dict(os.environ)
    with pytest.raises(PipelineFailure, match="no Java"), spark_session():
        pass
    assert (dict(os.environ), list(tmp_path.iterdir())) == (before, [])

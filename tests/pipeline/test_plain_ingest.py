# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Ingest against a program of a few lines of Python, which tools/bench/pipeline holds it against."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from kreactor.pipeline.lines import COLUMNS
from tests.pipeline.conftest import SAMPLE
from tests.tools.scripts import load

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from kreactor.pipeline.table import Table


def test_the_plain_ingest_makes_the_same_rows(spark: SparkSession, sample: Table, tmp_path: Path) -> None:
    log, folder = tmp_path / "request.log", str(tmp_path / "table")
    log.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
    load("bench/pipeline").plain_ingest(str(log), folder)
    schema = ", ".join(f"`{name}` {type_name}" for name, (type_name, _) in COLUMNS.items())
    plain = spark.read.schema(f"{schema}, date STRING, hour INT").parquet(folder)

    def by_line(rows: DataFrame) -> list[Row]:
        return rows.select(*(name for name in COLUMNS if name != "file"), "date", "hour").orderBy(
            "line").collect()

    rows = by_line(plain)
    assert len(rows) > 4000 and rows == by_line(sample.requests())
    assert [row["file"] for row in plain.select("file").distinct().collect()] == [str(log)]

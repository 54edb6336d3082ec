# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One Spark session for all of these tests.

A fixture of the session is set up before those of a test, so that what it opens was there before the test
that is first to want it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.session import find_java, spark_session
from kreactor.pipeline.table import Table
from tests import packages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SAMPLE = Path(__file__).parent / "kafka-3.8.0.log.gz"
# Of a broker with quotas for bytes and for time: the first requests of three connections, and some that were
# throttled, each with what came after it.
THROTTLED = SAMPLE.with_name("kafka-3.8.0-throttled.log.gz")


@pytest.fixture(scope="session")
def has_spark() -> None:
    """Skip where Spark has no build, or no Java."""
    if packages.is_without_build("pyspark"):
        pytest.skip(packages.reason("pyspark"))
    try:
        find_java()
    except PipelineFailure as e:
        pytest.skip(str(e))


@pytest.fixture(scope="session")
def spark(has_spark: None) -> Iterator[SparkSession]:
    """Give a session on two cores."""
    environment = dict(os.environ)
    properties = {"spark.sql.shuffle.partitions": "2"}
    with warnings.catch_warnings(), spark_session("local[2,4]", properties) as session:
        warnings.simplefilter("ignore")
        # The descriptors of the first data frame from Python stay open.
        session.createDataFrame([(1,)], "number INT").collect()
        yield session
    os.environ.clear()
    os.environ.update(environment)


@pytest.fixture(scope="session")
def sample(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Give the table of a real log."""
    table = Table(spark, str(tmp_path_factory.mktemp("sample") / "table"))
    ingest(spark, [str(SAMPLE)], table, Options())
    return table


@pytest.fixture(scope="session")
def requests(sample: Table) -> DataFrame:
    """Give the requests of a real log."""
    return sample.requests()

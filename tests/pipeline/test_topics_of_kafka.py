# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics as tables, with a live Kafka 3.8.0 behind them, named by KREACTOR_ORACLE=host:port."""

from __future__ import annotations

import os
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.pipeline.topics import Topics
from tests.core.server.wire import Wire

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COUNT = 3000


@pytest.fixture(scope="module")
def address() -> str:
    """Return where the broker is."""
    address = os.environ.get("KREACTOR_ORACLE")
    if address is None:
        pytest.skip("needs a Kafka 3.8.0, named by KREACTOR_ORACLE=host:port")
    return address


@pytest.fixture(scope="module")
def source(spark: SparkSession, address: str) -> None:
    """Register the source, and use it once: what Spark opens for a task in Python stays open."""
    spark.dataSource.register(Topics)
    assert read(spark, address, create(address, 1)).count() == 0


@pytest.fixture
def topic(source: None, address: str) -> str:
    return create(address, 3)


def create(address: str, partitions: int) -> str:
    """Make a topic that nobody else has; return its name."""
    name = f"kreactor-spark-{uuid.uuid4()}"
    host, _, port = address.rpartition(":")
    with Wire(host, int(port)) as wire:
        answer = wire.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(
            topics=[CreateTopicsRequestData.CreatableTopic(
                name=name, num_partitions=partitions, replication_factor=1)], timeout_ms=30_000))
    assert [topic.error_code for topic in answer.topics] == [Errors.NONE.code]  # type: ignore[attr-defined]
    return name


def reading(address: str, topic: str, **more: str) -> dict[str, str]:
    return {"kafka.bootstrap.servers": address, "subscribe": topic, **more}


def writing(address: str, topic: str, **more: str) -> dict[str, str]:
    return {"kafka.bootstrap.servers": address, "topic": topic, **more}


def read(spark: SparkSession, address: str, topic: str, **more: str) -> DataFrame:
    return spark.read.format("kreactor").options(**reading(address, topic, **more)).load()


def fill(spark: SparkSession, address: str, topic: str) -> int:
    """Write records a millisecond apart; return the time of the first."""
    begin_ms = int(time.time() * 1000) - 10_000
    spark.range(0, COUNT, 1, 2).selectExpr(
        "CAST(id AS STRING) AS key", "concat('value ', id) AS value",
        f"timestamp_millis({begin_ms} + id) AS timestamp",
        "array(named_struct('key', 'h', 'value', CAST('x' AS BINARY))) AS headers").write.format(
        "kreactor").mode("append").options(**writing(address, topic)).save()
    return begin_ms


def test_rows_are_written_and_read(spark: SparkSession, address: str, topic: str) -> None:
    begin_ms = fill(spark, address, topic)
    table = read(spark, address, topic, maxRecordsPerPartition="400", includeHeaders="true")
    rows = table.collect()
    assert sorted(int(row["key"]) for row in rows) == list(range(COUNT))
    for row in rows:
        assert bytes(row["value"]) == b"value " + bytes(row["key"])
        # Python's values are in its own time zone.
        assert round(row["timestamp"].timestamp() * 1000) == begin_ms + int(row["key"])
        assert (row["topic"], row["timestampType"]) == (topic, 0)
        assert [header.asDict() for header in row["headers"]] == [{"key": "h", "value": b"x"}]
    ends = {each: 1 + max(row["offset"] for row in rows if row["partition"] == each) for each in range(3)}
    assert sum(ends.values()) == COUNT
    assert table.rdd.getNumPartitions() == sum(-(-end // 400) for end in ends.values())


def test_filters_choose_what_is_read(spark: SparkSession, address: str, topic: str) -> None:
    from pyspark.sql import functions as f

    begin_ms = fill(spark, address, topic)
    table = read(spark, address, topic)
    assert [row["offset"] for row in table.where("partition = 1 AND offset >= 10 AND offset < 15").select(
        "offset").collect()] == [10, 11, 12, 13, 14]
    late = datetime.fromtimestamp((begin_ms + 2500) / 1000, timezone.utc)
    found = table.where(f.col("timestamp") >= f.lit(late)).collect()
    assert sorted(int(row["key"]) for row in found) == list(range(2500, COUNT))


def test_a_stream_from_a_topic_to_a_topic(spark: SparkSession, address: str, topic: str,
                                          tmp_path: Path) -> None:
    fill(spark, address, topic)
    out = create(address, 2)

    def run() -> list[int]:
        query = spark.readStream.format("kreactor").options(**reading(
            address, topic, startingOffsets="earliest", maxOffsetsPerTrigger="1300")).load().selectExpr(
            "key", "upper(CAST(value AS STRING)) AS value").writeStream.format("kreactor").options(
            **writing(address, out, checkpointLocation=str(tmp_path / "at"))).trigger(
            availableNow=True).start()
        query.awaitTermination()
        return [count for count in (progress["numInputRows"] for progress in query.recentProgress) if count]

    counts = run()
    assert sum(counts) == COUNT and max(counts) <= 1300
    assert sorted(bytes(row["value"]) for row in read(spark, address, out).collect()) == sorted(
        b"VALUE %d" % number for number in range(COUNT))
    # Records of the checkpoint are not read again; new ones are.
    spark.sql("SELECT 'new' AS value").write.format("kreactor").mode("append").options(
        **writing(address, topic)).save()
    assert run() == [1]
    assert read(spark, address, out).count() == COUNT + 1

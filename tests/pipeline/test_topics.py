# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics as tables: a real broker, a real Spark, and no Kafka jar."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from pyspark.sql.datasource import EqualTo, GreaterThan, GreaterThanOrEqual, In, LessThan, LessThanOrEqual

from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.topics import Topics, _BatchReader, _limit_ends
from kreactor.testing import Broker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module", autouse=True)
def source(spark: SparkSession) -> None:
    """Register the source, and use it once: what Spark opens for a task in Python stays open."""
    spark.dataSource.register(Topics)
    with Broker(topics=["t"]) as broker:
        assert read(spark, broker, "t").count() == 0


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"in": 3, "out": 2}) as broker:
        yield broker


def read(spark: SparkSession, broker: Broker, topic: str, **options: str) -> DataFrame:
    return spark.read.format("kreactor").options(
        **{"bootstrap.servers": broker.bootstrap_servers, "topic": topic, **options}).load()


def write(rows: DataFrame, broker: Broker, topic: str) -> None:
    rows.write.format("kreactor").mode("append").options(
        **{"bootstrap.servers": broker.bootstrap_servers, "topic": topic}).save()


def test_over_tls_with_a_password(spark: SparkSession) -> None:
    with Broker(tls=True, sasl="PLAIN", users={"alice": "secret"}, topics={"in": 2}) as broker:
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        options = {
            "bootstrap.servers": broker.bootstrap_servers, "topic": "in", "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN", "ssl.truststore.type": "PEM", "ssl.truststore.location": broker.tls.ca,
            "sasl.jaas.config": f'{module} required username="alice" password="secret";'}
        spark.range(10).selectExpr("CAST(id AS STRING) AS value").write.format("kreactor").mode(
            "append").options(**options).save()
        rows = spark.read.format("kreactor").options(**options).load()
        assert sorted(int(row.value) for row in rows.collect()) == list(range(10))
        options["sasl.jaas.config"] = options["sasl.jaas.config"].replace("secret", "s3cret")
        with pytest.raises(Exception, match="Invalid username or password") as raised:
            spark.read.format("kreactor").options(**options).load().collect()
        assert "s3cret" not in str(raised.value)
    with pytest.raises(PipelineFailure, match="security.protocol"):
        Topics({"bootstrap.servers": "h:1", "security.protocol": "TLS"})._where()
    where = Topics({"bootstrap.servers": "h:1", "sasl.jaas.config": "secret"})._where()
    assert "secret" not in repr(where)


def fill(spark: SparkSession, broker: Broker) -> int:
    """Write 3,000 records a millisecond apart; return the time of the first."""
    # Old ones are deleted.
    begin_ms = int(time.time() * 1000) - 10_000
    write(spark.range(0, 3000, 1, 2).selectExpr(
        "CAST(id AS STRING) AS key", "concat('value ', id) AS value",
        f"timestamp_millis({begin_ms} + id) AS timestamp",
        "array(named_struct('key', 'h', 'value', CAST('x' AS BINARY))) AS headers"), broker, "in")
    return begin_ms


def fetched(broker: Broker) -> list[int]:
    """Return the partitions that were asked for so far, of each request."""
    found = []
    for request in broker.requests():
        if isinstance(request.body, FetchRequestData):
            found += [each.partition for topic in request.body.topics for each in topic.partitions]
    return found


def test_rows_are_written_and_read(spark: SparkSession, broker: Broker) -> None:
    begin_ms = fill(spark, broker)
    there = broker.records("in")
    assert sorted(int(record.key or b"") for record in there) == list(range(3000))
    assert all(record.value == b"value " + (record.key or b"") for record in there)
    assert all(record.timestamp_ms == begin_ms + int(record.key or b"") for record in there)
    assert {record.headers for record in there} == {(("h", b"x"),)}

    table = read(spark, broker, "in", recordsPerPartition="400")
    back = [tuple(row) for row in table.select(
        "partition", "offset", "key", "value", "timestamp", "topic", "timestampType", "headers").collect()]
    assert sorted(row[:4] for row in back) == [
        (record.partition, record.offset, record.key, record.value) for record in there]
    assert {row[5:7] for row in back} == {("in", 0)}
    assert back[0][7][0].asDict() == {"key": "h", "value": b"x"}
    ends = broker.end_offsets("in")
    assert table.rdd.getNumPartitions() == sum(-(-end // 400) for end in ends.values())


def test_filters_choose_what_is_fetched(spark: SparkSession, broker: Broker) -> None:
    from pyspark.sql import functions as f

    begin_ms = fill(spark, broker)
    there = broker.records("in")
    table = read(spark, broker, "in")
    before = len(fetched(broker))
    assert table.where("partition = 1 AND offset >= 10 AND offset < 15").select("offset").collect() == [
        (10,), (11,), (12,), (13,), (14,)]
    assert set(fetched(broker)[before:]) == {1}
    late = datetime.fromtimestamp((begin_ms + 2500) / 1000, timezone.utc)
    found = table.where(f.col("timestamp") >= f.lit(late)).collect()
    assert sorted(bytes(row["key"]) for row in found) == sorted(
        record.key or b"" for record in there if record.timestamp_ms >= begin_ms + 2500)
    assert table.where("partition = 9").count() == 0


def test_a_session_without_the_property_is_told_it(spark: SparkSession, broker: Broker) -> None:
    key = "spark.sql.python.filterPushdown.enabled"
    spark.conf.set(key, "false")
    try:
        with pytest.raises(Exception, match=key):
            read(spark, broker, "in").count()
    finally:
        spark.conf.set(key, "true")


def test_offsets_that_are_said(spark: SparkSession, broker: Broker) -> None:
    fill(spark, broker)
    table = read(spark, broker, "in", startingOffsets='{"in": {"0": 5, "1": -1}}',
                 endingOffsets='{"in": {"0": 8, "2": 1}}')
    found = sorted((row["partition"], row["offset"]) for row in table.collect())
    assert found == [(0, 5), (0, 6), (0, 7), (2, 0)]


def test_a_stream_from_a_topic_to_a_topic(spark: SparkSession, broker: Broker, tmp_path: Path) -> None:
    fill(spark, broker)
    where = {"bootstrap.servers": broker.bootstrap_servers}

    def run() -> list[dict[str, Any]]:
        stream = spark.readStream.format("kreactor").options(
            **where, topic="in", startingOffsets="earliest", maxOffsetsPerTrigger="1300").load()
        query = stream.selectExpr("key", "upper(CAST(value AS STRING)) AS value").writeStream.format(
            "kreactor").options(**where, topic="out", checkpointLocation=str(tmp_path / "at")).trigger(
            availableNow=True).start()
        query.awaitTermination()
        return [progress for progress in map(dict, query.recentProgress) if progress["numInputRows"]]

    progress = run()
    assert sum(one["numInputRows"] for one in progress) == 3000
    assert max(one["numInputRows"] for one in progress) <= 1300
    assert sorted(record.value or b"" for record in broker.records("out")) == sorted(
        (record.value or b"").upper() for record in broker.records("in"))
    # Records of the checkpoint are not read again; new ones are.
    write(spark.sql("SELECT 'new' AS value"), broker, "in")
    assert [one["numInputRows"] for one in run()] == [1]
    assert len(broker.records("out")) == 3001
    assert {request.api_key for request in broker.requests()} == {
        ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.LIST_OFFSETS, ApiKeys.FETCH, ApiKeys.INIT_PRODUCER_ID,
        ApiKeys.PRODUCE}


@pytest.mark.parametrize("options, told", [
    ({"topic": "t"}, "bootstrap.servers"),
    ({"bootstrap.servers": "h:1"}, "option\\('topic'"),
    ({"bootstrap.servers": "h:1", "topic": "t", "startingOffsets": "soon"}, "startingOffsets soon"),
    ({"bootstrap.servers": "h:1", "topic": "t", "endingOffsets": '{"t": 3}'}, "endingOffsets"),
    ({"bootstrap.servers": "h:1", "topic": "t", "recordsPerPartition": "0"}, "above 0"),
    ({"bootstrap.servers": "h:1", "topic": "t", "isolation.level": "none"},
     "none for configuration isolation.level"),
])
def test_options_that_are_wrong(options: dict[str, str], told: str) -> None:
    source = Topics(options)
    with pytest.raises(PipelineFailure, match=told):
        source.reader(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("options, told", [
    ({"acks": "wrong"}, "Invalid value wrong for configuration acks: String must be one of: all, -1, 0, 1"),
    ({"linger.ms": "soon"}, "Invalid value soon for configuration linger.ms"),
    ({"acks": "1", "enable.idempotence": "true"}, "Must set acks to all in order to use the idempotent"),
    ({"delivery.timeout.ms": "9"}, r"timeout.ms 9: must be at least linger.ms \+ request.timeout.ms, \d+$"),
    ({"transactional.id": "t"}, "transactional.id: tasks write without transactions"),
])
def test_settings_of_producers_are_checked_before_anything_is_written(
        options: dict[str, str], told: str) -> None:
    schema = Mock(names=["value"])
    source = Topics({"bootstrap.servers": "h:1", "topic": "t", **options})
    for make in (source.writer, source.streamWriter):
        with pytest.raises(PipelineFailure, match=told):
            make(schema, False)
    # A reader ignores settings that only a producer has.
    source.reader(schema)


def test_what_is_taken_of_filters() -> None:
    reader = _BatchReader(Topics({"bootstrap.servers": "h:1", "topic": "t"}))
    late = datetime(2026, 11, 21, tzinfo=timezone.utc)
    time = GreaterThanOrEqual(("timestamp",), late)
    value = EqualTo(("value",), b"x")
    left = list(reader.pushFilters([
        In(("partition",), (1, 2, 3)), EqualTo(("partition",), 2), GreaterThan(("offset",), 9),
        LessThan(("offset",), 20), LessThanOrEqual(("offset",), 30), time, value]))
    # Times are looked at again: they need not go up.
    assert left == [time, value]
    assert (reader._partitions, reader._from_offset, reader._to_offset) == ({2}, 10, 20)
    assert reader._from_ms == late.timestamp() * 1000


def test_offsets_are_shared_out() -> None:
    begin = {"a": {0: 10, 1: 0}, "b": {0: 5}}
    end = {"a": {0: 110, 1: 1}, "b": {0: 5}}
    assert _limit_ends(begin, end, 101) == end
    shared = _limit_ends(begin, end, 50)
    assert sum(shared[topic][each] - at for topic, offsets in begin.items()
               for each, at in offsets.items()) == 50
    assert shared["b"] == {0: 5}
    assert _limit_ends(begin, end, 1) == {"a": {0: 11, 1: 0}, "b": {0: 5}}

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics as tables: a real broker, a real Spark, and no Kafka jar."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.datasource import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMinRows

from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.topic_options import BATCH, Options
from kreactor.pipeline.topics import Topics, _BatchReader, _limit_ends, _readers, _StreamReader, _Where
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
        **{"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": topic, **options}).load()


def write(rows: DataFrame, broker: Broker, topic: str) -> None:
    rows.write.format("kreactor").mode("append").options(
        **{"kafka.bootstrap.servers": broker.bootstrap_servers, "topic": topic}).save()


def test_over_tls_with_a_password(spark: SparkSession) -> None:
    with Broker(tls=True, sasl="PLAIN", users={"alice": "secret"}, topics={"in": 2}) as broker:
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        options = {
            "kafka.bootstrap.servers": broker.bootstrap_servers, "kafka.security.protocol": "SASL_SSL",
            "kafka.sasl.mechanism": "PLAIN", "kafka.ssl.truststore.type": "PEM",
            "kafka.ssl.truststore.location": broker.tls.ca,
            "kafka.sasl.jaas.config": f'{module} required username="alice" password="secret";'}
        spark.range(10).selectExpr("CAST(id AS STRING) AS value").write.format("kreactor").mode(
            "append").options(**options, topic="in").save()
        rows = spark.read.format("kreactor").options(**options, subscribe="in").load()
        assert sorted(int(row.value) for row in rows.collect()) == list(range(10))
        options["kafka.sasl.jaas.config"] = options["kafka.sasl.jaas.config"].replace("secret", "s3cret")
        with pytest.raises(Exception, match="Invalid username or password") as raised:
            spark.read.format("kreactor").options(**options, subscribe="in").load().collect()
        assert "s3cret" not in str(raised.value) and "Traceback" not in str(raised.value)
    assert "secret" not in repr(_Where((("sasl.jaas.config", "secret"),)))


def fill(spark: SparkSession, broker: Broker, tasks: int = 2) -> int:
    """Write 3,000 records a millisecond apart, in tasks side by side; return the time of the first."""
    # Old ones are deleted.
    begin_ms = int(time.time() * 1000) - 10_000
    write(spark.range(0, 3000, 1, tasks).selectExpr(
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

    table = read(spark, broker, "in", maxRecordsPerPartition="400", includeHeaders="true")
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
    # Spark gets no record that an upper bound excludes, and so applies no filter of its own.
    early = table.where((f.col("timestamp") > f.lit(late)) & (f.col("timestamp") < f.lit(
        late + timedelta(milliseconds=100, microseconds=1))))
    assert sorted(int(row["key"]) for row in early.collect()) == list(range(2501, 2601))
    plan = early._jdf.queryExecution().executedPlan().toString()
    assert " Filter " not in plan


def test_a_session_without_the_property_is_told_it(spark: SparkSession, broker: Broker) -> None:
    key = "spark.sql.python.filterPushdown.enabled"
    spark.conf.set(key, "false")
    try:
        with pytest.raises(Exception, match=key):
            read(spark, broker, "in").count()
    finally:
        spark.conf.set(key, "true")


def test_offsets_and_times_that_are_given(spark: SparkSession, broker: Broker) -> None:
    begin_ms = fill(spark, broker, tasks=1)
    table = read(spark, broker, "in", startingOffsets='{"in": {"0": 5, "1": -2, "2": 0}}',
                 endingOffsets='{"in": {"0": 8, "1": 0, "2": 1}}')
    found = sorted((row["partition"], row["offset"]) for row in table.collect())
    assert found == [(0, 5), (0, 6), (0, 7), (2, 0)]
    table = read(spark, broker, "in", startingTimestamp=str(begin_ms + 1000),
                 endingTimestamp=str(begin_ms + 1100))
    there = broker.records("in")
    bounds = {partition: [min(record.offset for record in there if record.partition == partition
                              and record.timestamp_ms >= begin_ms + ms) for ms in (1000, 1100)]
              for partition in range(3)}
    assert sorted(bytes(row["key"]) for row in table.collect()) == sorted(
        record.key or b"" for record in there
        if bounds[record.partition][0] <= record.offset < bounds[record.partition][1])
    table = read(spark, broker, "in", startingOffsetsByTimestamp=json.dumps(
        {"in": dict.fromkeys("012", begin_ms + 5000)}), startingOffsetsByTimestampStrategy="latest")
    assert table.count() == 0


@pytest.mark.parametrize("options, told", [
    ({"startingOffsets": '{"in": {"0": 99}}'},
     "startingOffsets 99: in-0 ends at offset 0. Set another offset, or failOnDataLoss to false"),
    ({"endingOffsets": '{"in": {"0": 99}}'}, "endingOffsets 99: in-0 ends at offset 0"),
    ({"startingOffsets": '{"in": {"7": 1}}'}, "startingOffsets: in has no partition 7"),
    ({"startingOffsets": '{"on": {"0": 1}}'}, "startingOffsets: on is no topic of this read"),
    ({"startingTimestamp": "5"}, "startingTimestamp 5: in-0 has no record from then on; set an earlier time"),
    ({"assign": '{"in": [3]}', "subscribe": None}, "assign: in has no partition 3"),
    ({"subscribe": "missing"}, "missing: This server does not host this topic-partition."),
    ({"subscrib": "in"}, "subscrib: unknown; is subscribe meant?"),
])
def test_an_error_of_a_batch_is_its_sentence(spark: SparkSession, broker: Broker,
                                             options: dict[str, str | None], told: str) -> None:
    given = {"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": "in", **options}
    with pytest.raises(AnalysisException) as raised:
        spark.read.format("kreactor").options(
            **{name: value for name, value in given.items() if value is not None}).load().count()
    lines = str(raised.value).splitlines()
    assert re.search(rf"\w+: {re.escape(told)}", lines[0]), lines[0]
    assert len(lines) <= 2


def test_offsets_that_are_gone_are_left_out_without_fail_on_data_loss(
        spark: SparkSession, broker: Broker) -> None:
    write(spark.sql("SELECT 'a' AS value, 0 AS partition"), broker, "in")
    table = read(spark, broker, "in", failOnDataLoss="false", endingOffsets='{"in": {"0": 99, "1": 5}}')
    assert [(row["partition"], row["offset"]) for row in table.collect()] == [(0, 0)]


def test_a_pattern_and_partitions_choose_what_is_read(spark: SparkSession, broker: Broker) -> None:
    write(spark.sql("SELECT 'a' AS value, 0 AS partition, 'in' AS topic UNION ALL SELECT 'b', 1, 'out' "
                    "UNION ALL SELECT 'c', 0, 'out'"), broker, "")
    where = {"kafka.bootstrap.servers": broker.bootstrap_servers}

    def values(**options: str) -> list[bytes]:
        rows = spark.read.format("kreactor").options(**where, **options).load()
        assert "headers" not in rows.columns
        return sorted(bytes(row["value"]) for row in rows.collect())

    assert values(subscribePattern="i.|o.*") == [b"a", b"b", b"c"]
    assert values(SUBSCRIBEPATTERN="[^i]+", minPartitions="2") == [b"b", b"c"]
    assert values(assign='{"out": [1], "in": [0, 2]}') == [b"a", b"b"]


def test_an_error_of_a_stream_is_its_sentence(spark: SparkSession, broker: Broker, tmp_path: Path) -> None:
    def fails(told: str, **options: str) -> None:
        query = spark.readStream.format("kreactor").options(
            **{"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": "in", **options}).load(
            ).writeStream.format("noop").option("checkpointLocation", str(tmp_path / told[:9])).start()
        with pytest.raises(Exception) as raised:
            query.awaitTermination()
        assert told in str(raised.value).splitlines()[0]
        assert "Traceback" not in str(raised.value)

    fails("endingOffsets: not for a stream, but for a batch; leave it out", endingOffsets="latest")
    fails("startingOffsets 7: in-1 ends at offset 0", startingOffsets='{"in": {"1": 7}}')


def test_a_failed_write_tells_its_sentence(spark: SparkSession, broker: Broker) -> None:
    with pytest.raises(Exception) as raised:
        write(spark.sql("SELECT 'a' AS value"), broker, "bad name")
    assert "Invalid topics: [bad name]" in "".join(str(raised.value).splitlines()[:2])
    assert "Traceback" not in str(raised.value)


def test_a_stream_from_a_topic_to_a_topic(spark: SparkSession, broker: Broker, tmp_path: Path) -> None:
    fill(spark, broker)
    where = {"kafka.bootstrap.servers": broker.bootstrap_servers}

    def run() -> list[dict[str, Any]]:
        stream = spark.readStream.format("kreactor").options(
            **where, subscribe="in", startingOffsets="earliest", maxOffsetsPerTrigger="1300").load()
        query = stream.selectExpr("key", "upper(CAST(value AS STRING)) AS value").writeStream.format(
            "kreactor").options(**where, topic="out", checkpointLocation=str(tmp_path / "at")).trigger(
            availableNow=True).queryName("copy").start()
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


def stream_reader(broker: Broker, **options: str) -> _StreamReader:
    return _StreamReader({"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": "in", **options})


def test_a_stream_waits_for_its_fewest_offsets() -> None:
    with Broker(topics={"in": 1}) as broker:
        reader = stream_reader(broker, minOffsetsPerTrigger="3", maxTriggerDelay="1h")
        limit = reader.getDefaultReadLimit()
        assert limit == ReadMinRows(3)
        start = reader.initialOffset()
        # The first micro-batch does not wait.
        broker.produce("in", b"a")
        assert reader.latestOffset(start, limit) == {"in": {"0": 1}}
        broker.produce("in", b"b")
        assert reader.latestOffset({"in": {"0": 1}}, limit) == {"in": {"0": 1}}
        assert reader.latestOffset({"in": {"0": 1}}, ReadAllAvailable()) == {"in": {"0": 2}}
        for _ in range(2):
            broker.produce("in", b"c")
        assert reader.latestOffset({"in": {"0": 1}}, limit) == {"in": {"0": 4}}
        reader._delay_s = 0.0
        assert reader.latestOffset({"in": {"0": 3}}, limit) == {"in": {"0": 4}}
        # A stream that ends waits for nothing.
        ending = stream_reader(broker, minOffsetsPerTrigger="3")
        ending.prepareForTriggerAvailableNow()
        assert [ending.latestOffset({"in": {"0": at}}, limit) for at in (2, 3)] == [{"in": {"0": 4}}] * 2
        ending._where.reader().close()
        del _readers[ending._where]


def test_a_stream_whose_offsets_are_gone_ends() -> None:
    with Broker(topics={"in": 1}) as broker:
        reader = stream_reader(broker)
        limit = reader.getDefaultReadLimit()
        with pytest.raises(PipelineFailure, match="in-0: ends at offset 0, before the stream's offset 7"):
            reader.latestOffset({"in": {"0": 7}}, limit)
        with pytest.raises(PipelineFailure, match="on-0: is not read any more"):
            reader.latestOffset({"in": {"0": 0}, "on": {"0": 7}}, limit)
        tolerant = stream_reader(broker, failOnDataLoss="false")
        limit = tolerant.getDefaultReadLimit()
        assert tolerant.latestOffset({"in": {"0": 7}, "on": {"0": 7}}, limit) == {"in": {"0": 0}}
        assert tolerant.partitions({"in": {"0": 7}}, {"in": {"0": 0}}) == []
        reader._where.reader().close()
        del _readers[reader._where]


@pytest.mark.parametrize("options, told", [
    ({"kafka.acks": "wrong"},
     "Invalid value wrong for configuration acks: String must be one of: all, -1, 0, 1"),
    ({"kafka.linger.ms": "soon"}, "Invalid value soon for configuration linger.ms"),
    ({"kafka.acks": "1", "kafka.enable.idempotence": "true"},
     "Must set acks to all in order to use the idempotent"),
    ({"kafka.delivery.timeout.ms": "9"},
     r"timeout.ms 9: must be at least linger.ms \+ request.timeout.ms, \d+$"),
    ({"kafka.transactional.id": "t"}, "transactional.id: tasks write without transactions"),
    ({"kafka.isolation.level": "read_committed"}, "kafka.isolation.level: kreactor has no such setting"),
    ({"includeHeaders": "false"}, "includeHeaders false: select no column headers"),
])
def test_options_of_writers_are_checked_before_anything_is_written(
        options: dict[str, str], told: str) -> None:
    schema = Mock(names=["value", "headers"])
    source = Topics({"kafka.bootstrap.servers": "h:1", "topic": "t", **options})
    for make in (source.writer, source.streamWriter):
        with pytest.raises(PipelineFailure, match=told):
            make(schema, False)


def test_what_is_taken_of_filters() -> None:
    reader = _BatchReader(Options({"kafka.bootstrap.servers": "h:1", "subscribe": "t"}, BATCH))
    late = datetime(2026, 11, 21, microsecond=1, tzinfo=timezone.utc)
    value = EqualTo(("value",), b"x")
    left = list(reader.pushFilters([
        In(("partition",), (1, 2, 3)), EqualTo(("partition",), 2), GreaterThan(("offset",), 9),
        LessThan(("offset",), 20), LessThanOrEqual(("offset",), 30), GreaterThanOrEqual(("timestamp",), late),
        LessThanOrEqual(("timestamp",), late), IsNotNull(("timestamp",)), value]))
    assert left == [value]
    assert (reader._wanted, reader._from_offset, reader._to_offset) == ({2}, 10, 20)
    at = int(late.timestamp()) * 1_000_000 + 1
    assert (reader._from_us, reader._to_us) == (at, at + 1)


def test_large_partitions_are_read_by_several_tasks() -> None:
    def sizes(**options: str) -> list[tuple[str, int, int]]:
        reader = _BatchReader(Options({"kafka.bootstrap.servers": "h:1", "subscribe": "a", **options}, BATCH))
        ranges = reader._ranges({"a": {0: 10, 1: 0}, "b": {0: 5}}, {"a": {0: 110, 1: 1}, "b": {0: 5}})
        return [(each.topic, each.begin, each.end) for each in ranges]

    assert sizes() == sizes(minPartitions="2") == [("a", 10, 110), ("a", 0, 1)]
    assert sizes(maxRecordsPerPartition="40") == [("a", 10, 43), ("a", 43, 76), ("a", 76, 110), ("a", 0, 1)]
    assert len(sizes(minPartitions="5")) >= 5
    assert len(sizes(minPartitions="1000")) == 101


def test_offsets_are_shared_out() -> None:
    begin = {"a": {0: 10, 1: 0}, "b": {0: 5}}
    end = {"a": {0: 110, 1: 1}, "b": {0: 5}}
    assert _limit_ends(begin, end, 101) == end
    shared = _limit_ends(begin, end, 50)
    assert sum(shared[topic][each] - at for topic, offsets in begin.items()
               for each, at in offsets.items()) == 50
    assert shared["b"] == {0: 5}
    assert _limit_ends(begin, end, 1) == {"a": {0: 11, 1: 0}, "b": {0: 5}}

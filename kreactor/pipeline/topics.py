# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics as Spark tables: ``spark.read.format("kreactor")``, batch and streaming, and back. No Kafka jar.

::

    spark.dataSource.register(Topics)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", True)
    spark.read.format("kreactor").options(
        **{"kafka.bootstrap.servers": "localhost:9092", "subscribe": "orders"}).load()

``topic_options`` documents the options. A row has the columns of Spark's own source for Kafka. A row to write
needs only ``value``. Filters on partition, offset and time limit the records that get to Spark. Filters on
partition and offset, and lower bounds of the time, also limit the fetched records. An upper bound does not:
times in a partition may decrease, so a record before that time may come later. ``endingTimestamp`` ends the
fetch. Without the property above, which sessions of this package set, Spark refuses to read a batch.

Offsets are fixed before a read, and a stream's checkpoint stores them, so a repeated micro-batch has the same
records. Records are written at least once: a task that Spark repeats writes again, but a retry within a task
writes nothing twice. Each of Spark's Python processes keeps its connections.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, Any

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.clients.topic_reader import TopicReader
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.jdk.extras import needs
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.topic_options import (
    BATCH,
    EARLIEST,
    LATEST,
    STREAM,
    STREAM_WRITE,
    WRITE,
    Bound,
    Options,
)
from kreactor.pipeline.topic_rows import SCHEMA as ROWS
from kreactor.pipeline.topic_rows import Wanted, rows_of

try:
    import pyarrow as pa
    from pyspark.sql.datasource import (
        DataSource,
        DataSourceArrowWriter,
        DataSourceReader,
        DataSourceStreamArrowWriter,
        DataSourceStreamReader,
        EqualTo,
        Filter,
        GreaterThan,
        GreaterThanOrEqual,
        In,
        InputPartition,
        IsNotNull,
        LessThan,
        LessThanOrEqual,
        WriterCommitMessage,
    )
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadLimit,
        ReadMaxRows,
        ReadMinRows,
        SupportsTriggerAvailableNow,
    )
except ImportError as e:
    raise ImportError(needs(__name__, "spark")) from e

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

SCHEMA = ("key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, "
          "timestampType INT")
HEADERS = ", headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
_NEVER_NULL = {("partition",), ("offset",), ("timestamp",)}

# Offsets, by topic and partition.
_Offsets = dict[str, dict[int, int]]

# One reader for each set of settings, in this process, which Spark uses for one task at a time.
_readers: dict[_Where, TopicReader] = {}

_LATEST = Bound("latest", LATEST, False)
_EPOCH = datetime.fromtimestamp(0, timezone.utc)

# Defaults of the producer: a task writes many records, and does not wait for single ones.
_WRITING = {"linger.ms": "10", "batch.size": str(512 << 10)}


@dataclass(frozen=True, slots=True)
class _Where:
    """The settings for a cluster, which are sent to the tasks."""

    # The settings with their values, some of which are secret.
    settings: tuple[tuple[str, str], ...] = field(repr=False)

    def reader(self) -> TopicReader:
        if self not in _readers:
            _readers[self] = TopicReader(dict(self.settings))
        return _readers[self]

    def with_timeout(self, timeout_ms: int | None) -> _Where:
        """Return these settings with another ``request.timeout.ms``, if it is given."""
        if timeout_ms is None:
            return self
        return _Where(tuple({**dict(self.settings), "request.timeout.ms": str(timeout_ms)}.items()))

    def producer(self) -> KafkaProducer[bytes, bytes]:
        """Return a new producer, which the task must close."""
        return KafkaProducer(self._producer_settings(), ByteArraySerializer(), ByteArraySerializer())

    def check_producer(self) -> None:
        """Raise PipelineFailure if a producer refuses these settings. The settings' files are not read."""
        try:
            config = ProducerConfig(ProducerConfig.append_serializer_to_config(
                self._producer_settings(), ByteArraySerializer(), ByteArraySerializer()))
        except ConfigException as e:
            raise PipelineFailure(str(e)) from None
        least = (config.get_long(ProducerConfig.LINGER_MS_CONFIG)
                 + config.get_int(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG))
        given = config.originals().get(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)
        if given is not None and int(given) < least:
            raise PipelineFailure(
                f"delivery.timeout.ms {given}: must be at least linger.ms + request.timeout.ms, {least}")

    def _producer_settings(self) -> dict[str, Any]:
        return {**_WRITING, **dict(self.settings)}


class _Range(InputPartition):
    """A range of offsets of a partition, without the end."""

    def __init__(self, topic: str, partition: int, begin: int, end: int) -> None:
        super().__init__(None)
        self.topic = topic
        self.partition = partition
        self.begin = begin
        self.end = end


def _in_spark() -> bool:
    """Return whether this is one of Spark's Python processes."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec is not None and spec.name.startswith("pyspark.")


@contextmanager
def _sentence_first() -> Iterator[None]:
    """Have Spark show an error that the user can act upon without its traceback."""
    try:
        yield
    except (PipelineFailure, KafkaException):
        if _in_spark():
            # Spark reads this variable when it prints the error. Then this process ends.
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise


class Topics(DataSource):
    """The Spark data source of topics."""

    @classmethod
    def name(cls) -> str:
        """Return the source's name for ``format``."""
        return "kreactor"

    def schema(self) -> str:
        """Return the columns."""
        headers = {name.lower(): value for name, value in self.options.items()}.get("includeheaders", "")
        return SCHEMA + (HEADERS if headers.strip().lower() == "true" else "")

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of a batch. Raises PipelineFailure."""
        with _sentence_first():
            return _BatchReader(Options(self.options, BATCH))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Return a reader of a stream, which checks the options later: Spark shows no error from here."""
        return _StreamReader(self.options)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Return a writer of a batch. Raises PipelineFailure."""
        with _sentence_first():
            if overwrite:
                raise PipelineFailure("a topic cannot be overwritten: use mode('append')")
            return _BatchWriter(Options(self.options, WRITE), schema.names)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        """Return a writer of micro-batches. Raises PipelineFailure."""
        with _sentence_first():
            return _StreamWriter(Options(self.options, STREAM_WRITE), schema.names)


class _Reader:
    """The common part of batch and stream readers."""

    def _prepare(self, options: Options) -> None:
        options.check_reader()
        self._where = _Where(tuple(options.settings.items()))
        self._task_where = self._where.with_timeout(options.number("kafkaConsumer.pollTimeoutMs"))
        self._topics, self._pattern, self._assigned = options.subscription()
        self._start = options.starts()
        self._latest_without_match = options.latest_without_match()
        self._most = options.number("maxRecordsPerPartition")
        self._fewest_tasks = options.number("minPartitions") or 1
        self._fail_on_loss = options.flag("failOnDataLoss", True)
        self._headers = options.flag("includeHeaders", False)
        # Bounds of the time in microseconds, without the end.
        self._from_us: int | None = None
        self._to_us: int | None = None

    def _partitions(self) -> dict[str, list[int]]:
        """Return the partitions to read, by topic."""
        reader = self._where.reader()
        if self._assigned:
            for topic, assigned in self._assigned.items():
                missing = sorted({*assigned} - {*reader.partitions(topic)})
                if missing:
                    raise PipelineFailure(f"assign: {topic} has no partition {missing[0]}")
            return {topic: list(assigned) for topic, assigned in self._assigned.items()}
        topics = self._topics if self._pattern is None else [
            topic for topic in reader.topics(with_internal=False) if self._pattern.fullmatch(topic)]
        return {topic: reader.partitions(topic) for topic in topics}

    def _resolve(self, bound: Bound, otherwise: int) -> _Offsets:
        """Return an offset for each partition: that of the bound, or ``otherwise``."""
        found = {}
        existing = self._partitions()
        unknown = sorted({*bound.at} - {*existing}) if not isinstance(bound.at, int) else []
        if unknown:
            raise PipelineFailure(f"{bound.option}: {unknown[0]} is no topic of this read")
        for topic, partitions in existing.items():
            given = dict.fromkeys(partitions, bound.at) if isinstance(bound.at, int) else {
                **bound.at.get(topic, {})}
            missing = sorted({*given} - {*partitions})
            if missing:
                raise PipelineFailure(f"{bound.option}: {topic} has no partition {missing[0]}")
            rest = dict.fromkeys({*partitions} - {*given}, otherwise)
            found[topic] = {**self._ask(topic, rest), **(
                self._by_time(bound.option, topic, given, otherwise) if bound.is_time
                else self._by_offset(bound.option, topic, given))}
        return found

    def _ask(self, topic: str, times: dict[int, int]) -> dict[int, int]:
        return self._where.reader().offsets(topic, times) if times else {}

    def _by_time(self, option: str, topic: str, times: dict[int, int], otherwise: int) -> dict[int, int]:
        found = self._ask(topic, times)
        late = sorted(partition for partition, at in found.items() if at < 0)
        if late and otherwise == EARLIEST and not self._latest_without_match:
            raise PipelineFailure(
                f"{option} {times[late[0]]}: {topic}-{late[0]} has no record from then on; set an earlier "
                "time, or startingOffsetsByTimestampStrategy to latest")
        return {**found, **self._ask(topic, dict.fromkeys(late, LATEST))}

    def _by_offset(self, option: str, topic: str, given: dict[int, int]) -> dict[int, int]:
        found = self._ask(topic, {partition: at for partition, at in given.items() if at < 0})
        fixed = {partition: at for partition, at in given.items() if at >= 0}
        first, end = (self._ask(topic, dict.fromkeys(fixed, at)) for at in (EARLIEST, LATEST))
        for partition, at in fixed.items():
            if not first[partition] <= at <= end[partition]:
                self._lost(f"{option} {at}: {topic}-{partition} " + (
                    f"ends at offset {end[partition]}" if at > end[partition]
                    else f"begins at offset {first[partition]}; earlier records were deleted")
                    + ". Set another offset, or failOnDataLoss to false to read what there is")
            found[partition] = min(max(at, first[partition]), end[partition])
        return found

    def _lost(self, told: str) -> None:
        if self._fail_on_loss:
            raise PipelineFailure(told)

    def _ranges(self, begin: _Offsets, end: _Offsets) -> list[_Range]:
        wholes = [(topic, partition, begin[topic][partition], until) for topic, partitions in end.items()
                  for partition, until in partitions.items() if begin[topic][partition] < until]
        records = sum(until - at for _, _, at, until in wholes)
        tasks = self._fewest_tasks if self._fewest_tasks > len(wholes) else 0
        ranges = []
        for topic, partition, at, until in wholes:
            size = until - at
            parts = max(-(-size // (self._most or size)), min(-(-size * tasks // records), size))
            bounds = [at + size * part // parts for part in range(parts + 1)]
            ranges += [_Range(topic, partition, *each) for each in pairwise(bounds)]
        return ranges

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield a partition's records. Runs in one of Spark's Python processes."""
        assert isinstance(partition, _Range)
        with _sentence_first():
            at = partition.topic, partition.partition, partition.begin, partition.end
            wanted = Wanted(*at, self._from_us, self._to_us, self._headers)
            for batches in self._task_where.reader().batches(*at):
                yield from rows_of(batches, wanted)


class _BatchReader(_Reader, DataSourceReader):
    """Reads ranges of offsets, reduced by filters."""

    def __init__(self, options: Options) -> None:
        self._prepare(options)
        self._end = options.ends()
        self._wanted: set[int] | None = None
        self._from_offset, self._to_offset = 0, (1 << 63) - 1

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Take the filters that the reader supports; return the others, which Spark applies."""
        for each in filters:
            if not self._apply_filter(each):
                yield each

    def _apply_filter(self, one: Filter) -> bool:
        name = getattr(one, "attribute", None)
        value = getattr(one, "value", None)
        if name in _NEVER_NULL and isinstance(one, IsNotNull):
            return True
        if name == ("partition",) and isinstance(one, (EqualTo, In)):
            values: set[Any] = {value} if isinstance(one, EqualTo) else set(one.value)
            self._wanted = values if self._wanted is None else self._wanted & values
            return True
        if name == ("offset",) and isinstance(value, int):
            if isinstance(one, (EqualTo, GreaterThanOrEqual, GreaterThan)):
                self._from_offset = max(self._from_offset, value + isinstance(one, GreaterThan))
            if isinstance(one, (EqualTo, LessThanOrEqual, LessThan)):
                self._to_offset = min(self._to_offset, value + (not isinstance(one, LessThan)))
            return isinstance(one, (EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual))
        if name == ("timestamp",) and isinstance(value, datetime):
            at = _micros(value)
            if isinstance(one, (EqualTo, GreaterThanOrEqual, GreaterThan)):
                least = at + isinstance(one, GreaterThan)
                self._from_us = least if self._from_us is None else max(self._from_us, least)
            if isinstance(one, (EqualTo, LessThanOrEqual, LessThan)):
                to = at + (not isinstance(one, LessThan))
                self._to_us = to if self._to_us is None else min(self._to_us, to)
            return isinstance(one, (EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual))
        return False

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges to read."""
        with _sentence_first():
            begin, end = self._resolve(self._start, EARLIEST), self._resolve(self._end, LATEST)
            for topic, offsets in end.items():
                for partition, at in offsets.items():
                    if (first := begin[topic][partition]) > at:
                        raise PipelineFailure(
                            f"{topic}-{partition}: {self._start.option} is offset {first}, after "
                            f"{self._end.option}, offset {at}; set an earlier start or a later end")
            # An empty range, because Spark treats no ranges as one that reads all.
            return self._ranges(*self._filtered(begin, end)) or [_Range("", 0, 0, 0)]

    def _filtered(self, begin: _Offsets, end: _Offsets) -> tuple[_Offsets, _Offsets]:
        """Return the offsets without what the filters exclude."""
        for topic, offsets in end.items():
            if self._wanted is not None:
                offsets = end[topic] = {each: at for each, at in offsets.items() if each in self._wanted}
            if self._from_us is not None and self._from_us > 0:
                # Times may decrease: records before the first record of this time are excluded, later ones
                # may also be earlier.
                first_ms = -(-self._from_us // 1000)
                for partition, at in self._ask(topic, dict.fromkeys(offsets, first_ms)).items():
                    # -1: all are before that time.
                    at = at if at >= 0 else offsets[partition]
                    begin[topic][partition] = max(begin[topic][partition], at)
            for partition, at in offsets.items():
                begin[topic][partition] = max(begin[topic][partition], self._from_offset)
                offsets[partition] = min(at, self._to_offset)
        return begin, end


class _StreamReader(_Reader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """An offset in Spark's sense has an offset for each partition, by topic, as in ``startingOffsets``."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._is_prepared = False
        # With availableNow: the end of the stream.
        self._last: _Offsets | None = None
        # When the last micro-batch began, by the monotonic clock.
        self._triggered_s: float | None = None

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Check the options before the first call that Spark shows an error of."""
        with _sentence_first():
            if not self._is_prepared:
                options = Options(self._given, STREAM)
                self._prepare(options)
                self._limit = options.number("maxOffsetsPerTrigger")
                self._least = options.number("minOffsetsPerTrigger")
                self._delay_s = options.trigger_delay_s()
                if self._limit is not None and self._least is not None and self._least > self._limit:
                    raise PipelineFailure(f"minOffsetsPerTrigger {self._least}: must not be above "
                                          f"maxOffsetsPerTrigger {self._limit}")
                self._is_prepared = True
            yield

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offsets at which the stream begins."""
        with self._checked():
            return _offsets_to_json(self._resolve(
                self._start, EARLIEST if self._start.is_time else LATEST))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return the limit of one micro-batch."""
        with self._checked():
            if self._limit is not None:
                return ReadMaxRows(self._limit)
            return ReadAllAvailable() if self._least is None else ReadMinRows(self._least)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Fix the offsets at which the stream ends."""
        with self._checked():
            self._last = self._resolve(_LATEST, LATEST)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the offsets at which the next micro-batch ends."""
        with self._checked():
            before = self._offsets_from_json(start)
            end = self._last or self._resolve(_LATEST, LATEST)
            for topic, offsets in before.items():
                for each, at in offsets.items():
                    until = end.get(topic, {}).get(each)
                    if until is None or until < at:
                        self._lost(f"{topic}-{each}: " + (
                            "is not read any more" if until is None
                            else f"ends at offset {until}, before the stream's offset {at}")
                            + "; records may be lost. With failOnDataLoss=false the stream goes on")
            begin = self._with_new_partitions(before, end)
            if self._must_wait(begin, end, limit):
                return start
            if isinstance(limit, ReadMaxRows):
                end = _limit_ends(begin, end, limit.max_rows)
            return _offsets_to_json(end)

    def _must_wait(self, begin: _Offsets, end: _Offsets, limit: ReadLimit) -> bool:
        """Return whether the stream waits for more records."""
        now_s = monotonic()
        if self._least is not None and self._last is None and not isinstance(limit, ReadAllAvailable):
            records = sum(at - begin[topic][each] for topic, offsets in end.items()
                          for each, at in offsets.items())
            if (self._triggered_s is not None and now_s - self._triggered_s < self._delay_s
                    and records < self._least):
                return True
        self._triggered_s = now_s
        return False

    def _offsets_from_json(self, spoken: Mapping[str, Mapping[str, int]]) -> _Offsets:
        return {topic: {int(each): at for each, at in offsets.items()} for topic, offsets in spoken.items()}

    def _with_new_partitions(self, begin: _Offsets, end: _Offsets) -> _Offsets:
        """Return the offsets with those of new partitions added."""
        return {topic: {**begin.get(topic, {}), **self._ask(topic, dict.fromkeys(
            {*offsets} - {*begin.get(topic, {})}, EARLIEST))} for topic, offsets in end.items()}

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield a partition's records. Runs in one of Spark's Python processes."""
        with self._checked():
            yield from super().read(partition)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the ranges of a micro-batch."""
        with self._checked():
            ends = self._offsets_from_json(end)
            begin = self._with_new_partitions(self._offsets_from_json(start), ends)
            for topic, offsets in ends.items():
                for partition, at in self._ask(topic, dict.fromkeys(offsets, EARLIEST)).items():
                    if (first := begin[topic][partition]) < min(at, offsets[partition]):
                        self._lost(f"{topic}-{partition}: records from {first} on were deleted before they "
                                   f"were read; the first is {at} now. With failOnDataLoss=false the stream "
                                   "goes on there")
                        begin[topic][partition] = min(at, offsets[partition])
            return self._ranges(begin, ends)


def _offsets_to_json(offsets: _Offsets) -> dict[str, Any]:
    # JSON has no numbers for keys.
    return {topic: {str(each): at for each, at in sorted(partitions.items())}
            for topic, partitions in sorted(offsets.items())}


def _limit_ends(begin: _Offsets, end: _Offsets, most: int) -> _Offsets:
    """Reduce the ends so that there are at most ``most`` offsets, in proportion for each partition."""
    sizes = {(topic, each): at - begin[topic][each] for topic, offsets in end.items()
             for each, at in offsets.items()}
    whole = sum(sizes.values())
    if whole <= most:
        return end
    taken = {at: most * size // whole for at, size in sizes.items()}
    left = most - sum(taken.values())
    for at, size in sizes.items():
        if left and taken[at] < size:
            taken[at] += 1
            left -= 1
    return {topic: {each: begin[topic][each] + taken[topic, each] for each in offsets}
            for topic, offsets in end.items()}


def _micros(time: datetime) -> int:
    since = (time if time.tzinfo else time.replace(tzinfo=timezone.utc)) - _EPOCH
    return since // timedelta(microseconds=1)


@dataclass
class _Written(WriterCommitMessage):
    """The result of a writing task."""

    records: int


class _Writer:
    """Writes rows, which need a value, and a topic unless the option sets it."""

    def __init__(self, options: Options, columns: Sequence[str]) -> None:
        topic = options.text("topic")
        if "value" not in columns:
            raise PipelineFailure("a column value is missing")
        if not topic and "topic" not in columns:
            raise PipelineFailure("topic: missing; set option('topic', 'orders'), or add a column topic")
        unknown = sorted(set(columns) - set(ROWS.names))
        if unknown:
            raise PipelineFailure(f"a record has no {unknown[0]}; select {', '.join(ROWS.names)}, or less")
        if "headers" in columns and not options.flag("includeHeaders", True):
            raise PipelineFailure("includeHeaders false: select no column headers")
        self._where = _Where(tuple(options.settings.items()))
        self._where.check_producer()
        self._topic = topic

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write the rows of a task. Runs in one of Spark's Python processes."""
        with _sentence_first():
            return self._send(iterator)

    def _send(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        # Set by the producer's thread, which has ended when this is read.
        failures: list[Exception] = []

        def note(metadata: RecordMetadata | None, exception: Exception | None) -> None:
            if exception is not None:
                failures.append(exception)

        written = 0
        producer = self._where.producer()
        try:
            for batch in iterator:
                for row in batch.to_pylist():
                    producer.send(_record(row, self._topic or row["topic"]), note)
                    written += 1
                if failures:
                    raise failures[0]
            producer.flush()
        except BaseException:
            producer.close(0)
            raise
        producer.close()
        if failures:
            raise failures[0]
        return _Written(written)


class _BatchWriter(_Writer, DataSourceArrowWriter):
    """Writes a batch."""


class _StreamWriter(_Writer, DataSourceStreamArrowWriter):
    """Writes micro-batches."""


def _encoded(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _record(row: Mapping[str, Any], topic: str) -> ProducerRecord[bytes, bytes]:
    time = row.get("timestamp")
    said = row.get("partition")
    return ProducerRecord(
        topic, _encoded(row["value"]), key=_encoded(row.get("key")),
        partition=None if said is None else int(said),
        timestamp=None if time is None else _micros(time) // 1000,
        headers=[RecordHeader(header["key"], header["value"]) for header in row.get("headers") or ()])

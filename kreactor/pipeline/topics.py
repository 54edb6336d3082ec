# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics as Spark tables: ``spark.read.format("kreactor")``, batch and streaming, and back. No Kafka jar.

::

    spark.dataSource.register(Topics)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", True)
    spark.read.format("kreactor").options(**{"bootstrap.servers": "localhost:9092", "topic": "orders"}).load()

========================  ==================================================================================
option                    what it is
========================  ==================================================================================
``bootstrap.servers``     brokers, as ``host:port,host:port``
``topic``                 topics to read, with commas; the topic to write to, if there is no such column
``startingOffsets``       ``earliest``, ``latest``, or JSON as ``{"orders": {"0": 23}}``, where -2 and -1 are
                          these two; of batches ``earliest`` if not given, of streams ``latest``
``endingOffsets``         the same, of batches; ``latest`` if not given
``maxOffsetsPerTrigger``  of a stream: the most offsets of a micro-batch, shared fairly between partitions
``recordsPerPartition``   the most offsets that one task reads, so that a large partition is read by several
``isolation.level``       ``read_uncommitted``, if not given, or ``read_committed``
``failOnDataLoss``        ``true``: records that were deleted before a stream read them end it
``timeout.ms``            how long a broker may be unavailable
``security.protocol``,    how connections are secured, in Kafka's words: ``SASL_SSL``, with
``sasl.``, ``ssl.``       ``sasl.mechanism``, ``sasl.jaas.config``, ``ssl.truststore.location``, ...; in plain
                          text if nothing is said. Files must be where the tasks run
========================  ==================================================================================

A row has the columns of Spark's own source for Kafka. A row to write needs only ``value``. Filters on
partition and offset, and lower bounds of the time, limit the fetched records. Without the property above,
which sessions of this package set, Spark refuses to read a batch.

Offsets are fixed before a read, and a stream's checkpoint stores them, so a repeated micro-batch has the same
records. Records are written at least once: a task that Spark repeats writes again, but a retry within a task
writes nothing twice. Each of Spark's Python processes keeps its connections.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.clients.topic_reader import DEFAULT_TIMEOUT_MS, Fetched, TopicReader, TopicReaderConfig
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import OffsetOutOfRangeException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.jdk.extras import needs
from kreactor.pipeline.failures import PipelineFailure

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
        LessThan,
        LessThanOrEqual,
        WriterCommitMessage,
    )
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadLimit,
        ReadMaxRows,
        SupportsTriggerAvailableNow,
    )
except ImportError as e:
    raise ImportError(needs(__name__, "spark")) from e

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

EARLIEST = ListOffsetsRequest.EARLIEST_TIMESTAMP
LATEST = ListOffsetsRequest.LATEST_TIMESTAMP

SCHEMA = ("key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, "
          "timestampType INT, headers ARRAY<STRUCT<key: STRING, value: BINARY>>")
_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
_ARROW = pa.schema([
    ("key", pa.binary()), ("value", pa.binary()), ("topic", pa.string()), ("partition", pa.int32()),
    ("offset", pa.int64()), ("timestamp", pa.timestamp("us", tz="UTC")), ("timestampType", pa.int32()),
    ("headers", _HEADERS)])

# Offsets, by topic and partition.
_Offsets = dict[str, dict[int, int]]

# One reader for each set of settings, in this process, which Spark uses for one task at a time.
_readers: dict[_Where, TopicReader] = {}

# Defaults of the producer: a task writes many records, and does not wait for single ones.
_WRITING = {"linger.ms": "10", "batch.size": str(512 << 10)}


@dataclass(frozen=True, slots=True)
class _Where:
    """The settings for a cluster, which are sent to the tasks."""

    timeout_ms: int
    # The settings with their values, some of which are secret.
    settings: tuple[tuple[str, str], ...] = field(repr=False)

    def reader(self) -> TopicReader:
        if self not in _readers:
            _readers[self] = TopicReader({"request.timeout.ms": self.timeout_ms, **dict(self.settings)})
        return _readers[self]

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
        if config.get_string(ProducerConfig.TRANSACTIONAL_ID_CONFIG) is not None:
            raise PipelineFailure("transactional.id: tasks write without transactions")
        least = (config.get_long(ProducerConfig.LINGER_MS_CONFIG)
                 + config.get_int(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG))
        given = config.originals().get(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)
        if given is not None and int(given) < least:
            raise PipelineFailure(
                f"delivery.timeout.ms {given}: must be at least linger.ms + request.timeout.ms, {least}")

    def _producer_settings(self) -> dict[str, Any]:
        named = ProducerConfig.config_names()
        return {"request.timeout.ms": self.timeout_ms, "max.block.ms": self.timeout_ms, **_WRITING,
                **{name: value for name, value in self.settings if name in named}}


class _Range(InputPartition):
    """A range of offsets of a partition, without the end."""

    def __init__(self, topic: str, partition: int, begin: int, end: int) -> None:
        super().__init__(None)
        self.topic = topic
        self.partition = partition
        self.begin = begin
        self.end = end


class Topics(DataSource):
    """The Spark data source of topics."""

    @classmethod
    def name(cls) -> str:
        """Return the source's name for ``format``."""
        return "kreactor"

    def schema(self) -> str:
        """Return the columns."""
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of a batch. Raises PipelineFailure."""
        return _BatchReader(self)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Return a reader of a stream. Raises PipelineFailure."""
        return _StreamReader(self)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Return a writer of a batch. Raises PipelineFailure."""
        if overwrite:
            raise PipelineFailure("a topic cannot be overwritten: use mode('append')")
        return _BatchWriter(self._where(), self.options.get("topic"), schema.names)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        """Return a writer of micro-batches. Raises PipelineFailure."""
        return _StreamWriter(self._where(), self.options.get("topic"), schema.names)

    def _where(self) -> _Where:
        bootstrap = self.options.get("bootstrap.servers")
        if not bootstrap:
            raise PipelineFailure("bootstrap.servers: missing; set option('bootstrap.servers', 'host:port')")
        named = {*TopicReaderConfig.CONFIG.names(), *ProducerConfig.config_names()}
        settings = {name: self.options[name] for name in sorted(named) if name in self.options}
        try:
            TopicReaderConfig(settings)
        except ConfigException as e:
            raise PipelineFailure(str(e)) from None
        return _Where(self._number("timeout.ms") or DEFAULT_TIMEOUT_MS, tuple(settings.items()))

    def _topics(self) -> list[str]:
        topics = [name.strip() for name in self.options.get("topic", "").split(",") if name.strip()]
        if not topics:
            raise PipelineFailure("topic: missing; set option('topic', 'orders')")
        return topics

    def _number(self, option: str) -> int | None:
        text = self.options.get(option)
        if text is None:
            return None
        if not text.isdecimal() or not int(text):
            raise PipelineFailure(f"{option} {text}: must be a number above 0")
        return int(text)

    def _flag(self, option: str, default: str) -> bool:
        text = self.options.get(option, default).lower()
        if text not in ("true", "false"):
            raise PipelineFailure(f"{option} {text}: must be true or false")
        return text == "true"

    def _offsets(self, option: str, default: str) -> Mapping[str, Mapping[str, int]] | int:
        """Return EARLIEST, LATEST, or offsets by topic and partition."""
        text = self.options.get(option, default).strip()
        named = {"earliest": EARLIEST, "latest": LATEST}.get(text.lower())
        if named is not None:
            return named
        try:
            said = json.loads(text)
            return {topic: {str(int(partition)): int(offset) for partition, offset in partitions.items()}
                    for topic, partitions in said.items()}
        except (ValueError, AttributeError, TypeError, RecursionError):
            raise PipelineFailure(
                f'{option} {text}: must be earliest, latest, or JSON as {{"orders": {{"0": 23}}}}') from None


class _Reader:
    """The common part of batch and stream readers."""

    def __init__(self, source: Topics) -> None:
        self._where = source._where()
        self._topics = source._topics()
        self._most = source._number("recordsPerPartition")

    def _resolve(self, said: Mapping[str, Mapping[str, int]] | int, otherwise: int) -> _Offsets:
        """Return an offset for each existing partition: the given offset, or ``otherwise``."""
        reader, found = self._where.reader(), {}
        for topic in self._topics:
            of_topic = {} if isinstance(said, int) else said.get(topic, {})
            wanted = {partition: said if isinstance(said, int) else of_topic.get(str(partition), otherwise)
                      for partition in reader.partitions(topic)}
            unknown = sorted(set(of_topic) - set(map(str, wanted)))
            if unknown:
                raise PipelineFailure(f"{topic} has no partition {unknown[0]}")
            asked = {partition: at for partition, at in wanted.items() if at < 0}
            found[topic] = {**wanted, **(reader.offsets(topic, asked) if asked else {})}
        return found

    def _ranges(self, begin: _Offsets, end: _Offsets) -> list[_Range]:
        ranges = []
        for topic, partitions in end.items():
            for partition, until in partitions.items():
                at = begin[topic][partition]
                step = self._most or max(until - at, 1)
                ranges += [_Range(topic, partition, first, min(first + step, until))
                           for first in range(at, until, step)]
        return ranges

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield a partition's records. Runs in one of Spark's Python processes."""
        assert isinstance(partition, _Range)
        reader = self._where.reader()
        for records in reader.records(partition.topic, partition.partition, partition.begin, partition.end):
            yield _to_arrow(partition.topic, partition.partition, records)


class _BatchReader(_Reader, DataSourceReader):
    """Reads ranges of offsets, reduced by filters."""

    def __init__(self, source: Topics) -> None:
        super().__init__(source)
        self._begin = source._offsets("startingOffsets", "earliest")
        self._end = source._offsets("endingOffsets", "latest")
        self._partitions: set[int] | None = None
        self._from_offset, self._to_offset = 0, (1 << 63) - 1
        self._from_ms: int | None = None

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Take the filters that the reader supports; return the others, which Spark applies."""
        for each in filters:
            if not self._apply_filter(each):
                yield each

    def _apply_filter(self, one: Filter) -> bool:
        name = getattr(one, "attribute", None)
        value = getattr(one, "value", None)
        if name == ("partition",) and isinstance(one, (EqualTo, In)):
            values: set[Any] = {value} if isinstance(one, EqualTo) else set(one.value)
            self._partitions = values if self._partitions is None else self._partitions & values
            return True
        if name == ("offset",) and isinstance(value, int):
            if isinstance(one, (EqualTo, GreaterThanOrEqual, GreaterThan)):
                self._from_offset = max(self._from_offset, value + isinstance(one, GreaterThan))
            if isinstance(one, (EqualTo, LessThanOrEqual, LessThan)):
                self._to_offset = min(self._to_offset, value + (not isinstance(one, LessThan)))
            return isinstance(one, (EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual))
        if name == ("timestamp",) and isinstance(value, datetime) and isinstance(
                one, (EqualTo, GreaterThan, GreaterThanOrEqual)):
            # Times may decrease: records before the first record of this time are excluded, later ones may
            # also be earlier.
            self._from_ms = max(self._from_ms or 0, _millis(value))
        return False

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges to read."""
        begin, end = self._resolve(self._begin, EARLIEST), self._resolve(self._end, LATEST)
        for topic, offsets in end.items():
            if self._partitions is not None:
                offsets = end[topic] = {each: at for each, at in offsets.items() if each in self._partitions}
            if self._from_ms is not None and offsets:
                first = self._where.reader().offsets(topic, dict.fromkeys(offsets, self._from_ms))
                for partition, at in first.items():
                    # -1: all are before that time.
                    at = at if at >= 0 else offsets[partition]
                    begin[topic][partition] = max(begin[topic][partition], at)
            for partition, at in offsets.items():
                begin[topic][partition] = max(begin[topic][partition], self._from_offset)
                offsets[partition] = min(at, self._to_offset)
        # An empty range, because Spark treats no ranges as one that reads all.
        return self._ranges(begin, end) or [_Range(self._topics[0], 0, 0, 0)]


class _StreamReader(_Reader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """An offset in Spark's sense has an offset for each partition, by topic, as in ``startingOffsets``."""

    def __init__(self, source: Topics) -> None:
        super().__init__(source)
        self._first = source._offsets("startingOffsets", "latest")
        self._limit = source._number("maxOffsetsPerTrigger")
        self._fail_on_loss = source._flag("failOnDataLoss", "true")
        # With availableNow: the end of the stream.
        self._last: _Offsets | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offsets at which the stream begins."""
        return _offsets_to_json(self._resolve(self._first, LATEST))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return the limit of one micro-batch."""
        return ReadAllAvailable() if self._limit is None else ReadMaxRows(self._limit)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Fix the offsets at which the stream ends."""
        self._last = self._resolve(LATEST, LATEST)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the offsets at which the next micro-batch ends."""
        begin = self._offsets_from_json(start)
        end = self._last or self._resolve(LATEST, LATEST)
        begin = {topic: {each: begin.get(topic, {}).get(each, at) for each, at in offsets.items()}
                 for topic, offsets in self._with_new_partitions(begin, end).items()}
        end = {topic: {each: max(at, begin[topic][each]) for each, at in offsets.items()}
               for topic, offsets in end.items()}
        if isinstance(limit, ReadMaxRows):
            end = _limit_ends(begin, end, limit.max_rows)
        return _offsets_to_json(end)

    def _offsets_from_json(self, spoken: Mapping[str, Mapping[str, int]]) -> _Offsets:
        return {topic: {int(each): at for each, at in offsets.items()} for topic, offsets in spoken.items()}

    def _with_new_partitions(self, begin: _Offsets, end: _Offsets) -> _Offsets:
        """Return the offsets with those of new partitions added."""
        reader, found = self._where.reader(), {}
        for topic, offsets in end.items():
            new = [each for each in offsets if each not in begin.get(topic, {})]
            found[topic] = {**begin.get(topic, {}), **(
                reader.offsets(topic, dict.fromkeys(new, EARLIEST)) if new else {})}
        return found

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the ranges of a micro-batch."""
        ends = self._offsets_from_json(end)
        begin = self._with_new_partitions(self._offsets_from_json(start), ends)
        for topic, offsets in ends.items():
            earliest = self._where.reader().offsets(topic, dict.fromkeys(offsets, EARLIEST))
            for partition, at in earliest.items():
                if begin[topic][partition] < min(at, offsets[partition]):
                    if self._fail_on_loss:
                        raise OffsetOutOfRangeException(
                            f"{topic}-{partition}: records from {begin[topic][partition]} on were deleted "
                            f"before they were read; the first is {at} now. With failOnDataLoss=false the "
                            "stream goes on there")
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


def _millis(time: datetime) -> int:
    return int((time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp() * 1000)


def _to_arrow(topic: str, partition: int, records: Sequence[Fetched]) -> pa.RecordBatch:
    offsets, times, types, keys, values, headers = zip(*records, strict=True)
    return pa.RecordBatch.from_arrays([
        pa.array(keys, pa.binary()), pa.array(values, pa.binary()),
        pa.repeat(pa.scalar(topic), len(records)),
        pa.repeat(pa.scalar(partition, pa.int32()), len(records)), pa.array(offsets, pa.int64()),
        pa.array([1000 * time for time in times], pa.int64()).cast(pa.timestamp("us", tz="UTC")),
        pa.array([type_.value[0] for type_ in types], pa.int32()),
        pa.array([[{"key": key, "value": value} for key, value in each] for each in headers], _HEADERS),
    ], schema=_ARROW)


@dataclass
class _Written(WriterCommitMessage):
    """The result of a writing task."""

    records: int


class _Writer:
    """Writes rows, which need a value, and a topic unless the option sets it."""

    def __init__(self, where: _Where, topic: str | None, columns: Sequence[str]) -> None:
        if "value" not in columns:
            raise PipelineFailure("a column value is missing")
        if topic is None and "topic" not in columns:
            raise PipelineFailure("topic: missing; set option('topic', 'orders'), or add a column topic")
        unknown = sorted(set(columns) - set(_ARROW.names))
        if unknown:
            raise PipelineFailure(f"a record has no {unknown[0]}; select {', '.join(_ARROW.names)}, or less")
        where.check_producer()
        self._where = where
        self._topic = topic

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write the rows of a task. Runs in one of Spark's Python processes."""
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
        partition=None if said is None else int(said), timestamp=None if time is None else _millis(time),
        headers=[RecordHeader(header["key"], header["value"]) for header in row.get("headers") or ()])

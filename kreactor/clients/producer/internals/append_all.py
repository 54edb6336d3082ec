# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Appends many records of one ``KafkaProducer.send_all``. Not in Kafka.

Fact: for each record, ``send`` reads the metadata and the clock, takes the deque's lock and checks the
batch's state, although these are the same for many records. It also makes a future and a callback for each
record.

Consequence: a loop of ``send`` is always much slower than a client in C.

Choice: records are serialized first, up to 512 of them or 1 MB, with one read of the metadata and the clock.
Then ``RecordAccumulator.try_append_all`` appends the records that fit to the last batch, with one lock, one
write and one future. It acts only where ``append`` would neither wait, nor make a new batch, nor change the
partition. In all other cases it does nothing, and ``append`` takes the next record, which may need memory. So
``append`` makes every batch, ``try_append_all`` fills it, and the bytes are the same.

Cost: RecordAccumulator, ProducerBatch, MemoryRecordsBuilder and BuiltInPartitioner each have a method that
Kafka lacks. Records whose keys lead to many partitions gain less: only adjacent records of the same partition
share a lock. A slow generator's records wait until 512 of them are there.

The thread that calls ``send_all`` owns an AllAppender.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.future_records_metadata import FutureRecordsMetadata, SendAllFuture
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.compress.compression import Compression
from kreactor.common.header.internals.record_headers import RecordHeaders
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.memory_records_builder import KeyAndValue
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.cluster import Cluster

K = TypeVar("K")
V = TypeVar("V")

_MAX_RECORDS = 512
_MAX_BYTES = 1 << 20
_END = object()


class RecordNotQueuedException(KafkaException):
    """A record of a ``send_all`` was not queued; the cause is the exception that ``send`` would raise.

    The records before it are queued, and the records after it are not. ``future`` is the future of the
    records before it; its ``get`` waits for them, then raises the cause.
    """

    def __init__(self, future: SendAllFuture, cause: Exception) -> None:
        super().__init__(f"The record at index {future.queued()} was not queued, nor any after it; those "
                         f"before it were: {cause}", cause)
        self.future = future

    def queued(self) -> int:
        """Return the number of records that were queued."""
        return self.future.queued()


def to_record(topic: str, item: V | None | tuple[K | None, V | None] | ProducerRecord[K, V]
              ) -> ProducerRecord[K, V]:
    """Return the ProducerRecord for an element of ``send_all``'s records.

    Raises IllegalArgumentException for another topic, ValueError for a tuple without two elements.
    """
    if isinstance(item, ProducerRecord):
        if item.topic() != topic:
            raise IllegalArgumentException(f"A record for topic {item.topic()} cannot be sent to {topic}.")
        return item
    if isinstance(item, tuple):
        key, value = item
        return ProducerRecord(topic, value, key=key)
    return ProducerRecord(topic, item)


class AllAppender(Generic[K, V]):
    """Appends records in pieces: call ``prepare``, then ``append``, as long as ``has_records``."""

    def __init__(self, topic: str,
                 records: Iterable[V | None | tuple[K | None, V | None] | ProducerRecord[K, V]],
                 key_serializer: Serializer[K], value_serializer: Serializer[V],
                 not_convertible: Callable[[bool, object, Exception], Exception], ignore_keys: bool,
                 compression: Compression, ensure_valid_record_size: Callable[[int], None],
                 accumulator: RecordAccumulator) -> None:
        """Append ``records`` to the batches of ``accumulator``.

        ``not_convertible`` returns what to raise for a key (True) or value of a wrong type.
        """
        self._topic = topic
        self._iterator = iter(records)
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        # A serializer that reads headers gets headers, even if there are none yet.
        self._with_headers = any(
            type(each).serialize_headers is not Serializer.serialize_headers
            for each in (key_serializer, value_serializer))
        self._not_convertible = not_convertible
        self._ignore_keys = ignore_keys
        self._compression = compression
        self._ensure_valid_record_size = ensure_valid_record_size
        self._accumulator = accumulator
        self._next: object = _END
        self._now_ms = 0
        # For each prepared record: the fields for the batch, its estimated size, its partition.
        self._records: list[KeyAndValue] = []
        self._sizes: list[int] = []
        self._partitions: list[int] = []

    def has_records(self) -> bool:
        """Return whether there is another record. Raises the exceptions of the user's iterator."""
        self._next = next(self._iterator, _END)
        return self._next is not _END

    def prepare(self, cluster: Cluster, now_ms: int, cluster_with: Callable[[int], Cluster]
                ) -> tuple[Cluster, Exception | None]:
        """Serialize records; return the cluster for the append, and the exception of a record, if any.

        ``cluster_with`` waits for the metadata of a partition that ``cluster`` does not have.
        """
        topic = self._topic
        self._now_ms = now_ms
        records, sizes, partitions = self._records, self._sizes, self._partitions
        records.clear()
        sizes.clear()
        partitions.clear()
        partition_count = cluster.partition_count_for_topic(topic) or 0
        # The estimated size of a record without headers depends on two lengths.
        estimates: dict[tuple[int, int], int] = {}
        with_headers, ignore_keys = self._with_headers, self._ignore_keys
        serialize_key, serialize_value = self._key_serializer.serialize, self._value_serializer.serialize
        unknown_partition, no_headers = RecordMetadata.UNKNOWN_PARTITION, Record.EMPTY_HEADERS
        total = 0
        item = self._next
        is_key = True
        data: object = None
        try:
            while True:
                if isinstance(item, ProducerRecord) or with_headers:
                    record: ProducerRecord[K, V] = to_record(topic, cast("V", item))
                    record_partition, record_timestamp = record.partition(), record.timestamp()
                    if record_partition is not None and record_partition >= partition_count:
                        cluster = cluster_with(record_partition)
                        partition_count = cluster.partition_count_for_topic(topic) or 0
                    timestamp = now_ms if record_timestamp is None else record_timestamp
                    try:
                        is_key, data = True, record.key()
                        key = self._key_serializer.serialize_headers(topic, record.headers(), record.key())
                        is_key, data = False, record.value()
                        value = self._value_serializer.serialize_headers(
                            topic, record.headers(), record.value())
                    except (TypeError, AttributeError) as e:
                        raise self._not_convertible(is_key, data, e) from e
                    record_headers = record.headers()
                    if isinstance(record_headers, RecordHeaders):
                        record_headers.set_read_only()
                    headers = record_headers.to_array()
                else:
                    if isinstance(item, tuple):
                        item_key, item_value = item
                    else:
                        item_key, item_value = None, item
                    try:
                        is_key, data = True, item_key
                        key = serialize_key(topic, item_key)
                        is_key, data = False, item_value
                        value = serialize_value(topic, cast("V", item_value))
                    except (TypeError, AttributeError) as e:
                        raise self._not_convertible(is_key, data, e) from e
                    headers, timestamp, record_partition = no_headers, now_ms, None
                # The user may change the buffer while the following records are taken.
                if key is not None and key.__class__ is not bytes:
                    key = bytes(key)
                if value is not None and value.__class__ is not bytes:
                    value = bytes(value)
                if record_partition is not None:
                    partition = record_partition
                elif key is not None and not ignore_keys:
                    partition = BuiltInPartitioner.partition_for_key(key, partition_count)
                else:
                    partition = unknown_partition
                lengths = (-1 if key is None else len(key), -1 if value is None else len(value))
                size = None if headers else estimates.get(lengths)
                if size is None:
                    size = AbstractRecords.estimate_size_in_bytes_upper_bound(
                        RecordBatch.MAGIC_VALUE_V2, self._compression.type(), key, value, headers)
                    self._ensure_valid_record_size(size)
                    if not headers:
                        estimates[lengths] = size
                records.append((timestamp, key, value, headers))
                sizes.append(size)
                partitions.append(partition)
                total += size
                if len(records) == _MAX_RECORDS or total >= _MAX_BYTES:
                    return cluster, None
                item = next(self._iterator, _END)
                if item is _END:
                    return cluster, None
        except Exception as e:
            return cluster, e

    def append(self, cluster: Cluster, max_time_to_block_ms: int
               ) -> Iterator[tuple[FutureRecordMetadata, int, bool]]:
        """Append the prepared records; for each step yield the future, the number of appended records, and
        whether the sender has work.

        Raises the exceptions of RecordAccumulator.
        """
        topic, accumulator = self._topic, self._accumulator
        records, sizes, partitions = self._records, self._sizes, self._partitions
        start, end, count = 0, 0, len(records)
        while start < count:
            partition = partitions[start]
            if start >= end:
                end = start + 1
                while end < count and partitions[end] == partition:
                    end += 1
            future: FutureRecordsMetadata | None
            future, sender_has_work = accumulator.try_append_all(
                topic, partition, records, sizes, start, end, self._now_ms, cluster)
            if future is not None:
                start += future.count()
                yield future, future.count(), sender_has_work
                continue
            timestamp, key, value, headers = records[start]
            result = accumulator.append(
                topic, partition, timestamp, key, value, headers, None, max_time_to_block_ms, False,
                self._now_ms, cluster)
            start += 1
            yield (cast(FutureRecordMetadata, result.future), 1,
                   result.batch_is_full or result.new_batch_created)

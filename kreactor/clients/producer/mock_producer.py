# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.MockProducer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A producer without a network, for tests of code that writes to Kafka.

Called by any thread. The lock guards the state of ``send``, ``flush`` and ``complete_next``. It is reentrant,
because a callback may send. The transaction methods take no lock, as in the origin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TypeVar, cast

from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.producer.callback import Callback
from kreactor.clients.producer.internals.append_all import RecordNotQueuedException, to_record
from kreactor.clients.producer.internals.default_partitioner import DefaultPartitioner
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.future_records_metadata import SendAllFuture
from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.clients.producer.producer import Producer, RecordFuture
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.errors import ProducerFencedException, TimeoutException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metric import Metric
from kreactor.common.metric_name import MetricName
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.serialization.serializer import Serializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import (
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedOperationException,
)
from kreactor.jdk.locks import ReentrantLock

K = TypeVar("K")
V = TypeVar("V")

_INT_MAX_VALUE = 2**31 - 1
# Offsets by partition, by consumer group.
_GroupOffsets = dict[str, dict[TopicPartition, OffsetAndMetadata]]


class MockProducer(Producer[K, V]):
    """Keeps records in order, and acknowledges them at once or when the test says so.

    A test makes a method fail by setting the attribute ``<method>_exception``.

    :origin: clients.producer.MockProducer
    """

    def __init__(self, auto_complete: bool = False, key_serializer: Serializer[K] | None = None,
                 value_serializer: Serializer[V] | None = None, *, cluster: Cluster | None = None,
                 partitioner: Partitioner | None = None) -> None:
        """With ``auto_complete`` every ``send`` is acknowledged at once.

        Without a ``cluster`` no topic has partitions, and records go to partition 0. The partitioner is the
        DefaultPartitioner if None.

        :origin: clients.producer.MockProducer#MockProducer(Cluster, boolean, Partitioner, Serializer<K>, Serializer<V>)
        :origin: clients.producer.MockProducer#MockProducer(boolean, Serializer<K>, Serializer<V>)
        :origin: clients.producer.MockProducer#MockProducer(Cluster, boolean, Serializer<K>, Serializer<V>)
        :origin: clients.producer.MockProducer#MockProducer(boolean, Partitioner, Serializer<K>, Serializer<V>)
        :origin: clients.producer.MockProducer#MockProducer()
        """  # noqa: E501
        self._cluster = Cluster.empty() if cluster is None else cluster
        self._partitioner = DefaultPartitioner() if partitioner is None else partitioner
        # Guarded by _lock.
        self._sent: list[ProducerRecord[K, V]] = []
        self._uncommitted_sends: list[ProducerRecord[K, V]] = []
        self._completions: deque[MockProducer.Completion] = deque()
        self._offsets: dict[TopicPartition, int] = {}
        self._consumer_group_offsets: list[_GroupOffsets] = []
        self._mock_metrics: dict[MetricName, Metric] = {}
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._auto_complete = auto_complete
        self._uncommitted_consumer_group_offsets: _GroupOffsets = {}
        self._closed = False
        self._transaction_initialized = False
        self._transaction_in_flight = False
        self._transaction_committed = False
        self._transaction_aborted = False
        self._producer_fenced = False
        self._sent_offsets = False
        self._commit_count = 0
        self._lock = ReentrantLock()

        self.init_transaction_exception: Exception | None = None
        self.begin_transaction_exception: Exception | None = None
        self.send_offsets_to_transaction_exception: Exception | None = None
        self.commit_transaction_exception: Exception | None = None
        self.abort_transaction_exception: Exception | None = None
        self.send_exception: Exception | None = None
        self.flush_exception: Exception | None = None
        self.partitions_for_exception: Exception | None = None
        self.close_exception: Exception | None = None
        self._telemetry_disabled = False
        self._client_instance_id: Uuid | None = None
        self._inject_timeout_exception_counter = 0

    def init_transactions(self) -> None:
        """Raises IllegalStateException if it was called before.

        :origin: clients.producer.MockProducer#initTransactions()
        """
        self._verify_not_closed()
        self._verify_not_fenced()
        if self._transaction_initialized:
            raise IllegalStateException("MockProducer has already been initialized for transactions.")
        if self.init_transaction_exception is not None:
            raise self.init_transaction_exception
        self._transaction_initialized = True
        self._transaction_in_flight = False
        self._transaction_committed = False
        self._transaction_aborted = False
        self._sent_offsets = False

    def begin_transaction(self) -> None:
        """Raises IllegalStateException in a transaction or before ``init_transactions``.

        :origin: clients.producer.MockProducer#beginTransaction()
        """
        self._verify_not_closed()
        self._verify_not_fenced()
        self._verify_transactions_initialized()

        if self.begin_transaction_exception is not None:
            raise self.begin_transaction_exception

        if self._transaction_in_flight:
            raise IllegalStateException("Transaction already started")

        self._transaction_in_flight = True
        self._transaction_committed = False
        self._transaction_aborted = False
        self._sent_offsets = False

    def send_offsets_to_transaction(self, offsets: Mapping[TopicPartition, OffsetAndMetadata],
                                    group_metadata: ConsumerGroupMetadata | str) -> None:
        """Store the offsets until the commit. Raises TypeError without a group.

        :origin: clients.producer.MockProducer#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>, String)
        :origin: clients.producer.MockProducer#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>, ConsumerGroupMetadata)
        """  # noqa: E501
        if group_metadata is None:
            raise TypeError("group_metadata is None")
        if isinstance(group_metadata, str):
            group_metadata = ConsumerGroupMetadata(group_metadata)
        self._verify_not_closed()
        self._verify_not_fenced()
        self._verify_transactions_initialized()
        self._verify_transaction_in_flight()

        if self.send_offsets_to_transaction_exception is not None:
            raise self.send_offsets_to_transaction_exception

        if not offsets:
            return
        uncommitted_offsets = self._uncommitted_consumer_group_offsets.setdefault(
            group_metadata.group_id(), {})
        uncommitted_offsets.update(offsets)
        self._sent_offsets = True

    def commit_transaction(self) -> None:
        """Acknowledge the sent records, and move them to the history.

        :origin: clients.producer.MockProducer#commitTransaction()
        """
        self._verify_not_closed()
        self._verify_not_fenced()
        self._verify_transactions_initialized()
        self._verify_transaction_in_flight()

        if self.commit_transaction_exception is not None:
            raise self.commit_transaction_exception

        self.flush()

        self._sent.extend(self._uncommitted_sends)
        if self._uncommitted_consumer_group_offsets:
            self._consumer_group_offsets.append(self._uncommitted_consumer_group_offsets)

        self._uncommitted_sends.clear()
        self._uncommitted_consumer_group_offsets = {}
        self._transaction_committed = True
        self._transaction_aborted = False
        self._transaction_in_flight = False

        self._commit_count += 1

    def abort_transaction(self) -> None:
        """Acknowledge the sent records, and drop them.

        :origin: clients.producer.MockProducer#abortTransaction()
        """
        self._verify_not_closed()
        self._verify_not_fenced()
        self._verify_transactions_initialized()
        self._verify_transaction_in_flight()

        if self.abort_transaction_exception is not None:
            raise self.abort_transaction_exception

        self.flush()
        self._uncommitted_sends.clear()
        self._uncommitted_consumer_group_offsets.clear()
        self._transaction_committed = False
        self._transaction_aborted = True
        self._transaction_in_flight = False

    def _verify_not_closed(self) -> None:
        """:origin: clients.producer.MockProducer#verifyNotClosed()"""
        with self._lock:
            if self._closed:
                raise IllegalStateException("MockProducer is already closed.")

    def _verify_not_fenced(self) -> None:
        """:origin: clients.producer.MockProducer#verifyNotFenced()"""
        with self._lock:
            if self._producer_fenced:
                raise ProducerFencedException("MockProducer is fenced.")

    def _verify_transactions_initialized(self) -> None:
        """:origin: clients.producer.MockProducer#verifyTransactionsInitialized()"""
        if not self._transaction_initialized:
            raise IllegalStateException("MockProducer hasn't been initialized for transactions.")

    def _verify_transaction_in_flight(self) -> None:
        """:origin: clients.producer.MockProducer#verifyTransactionInFlight()"""
        if not self._transaction_in_flight:
            raise IllegalStateException("There is no open transaction.")

    def send(self, record: ProducerRecord[K, V], callback: Callback | None = None) -> RecordFuture:
        """Add ``record`` to the history, or, in a transaction, keep it for the commit.

        :origin: clients.producer.MockProducer#send(ProducerRecord<K,V>)
        :origin: clients.producer.MockProducer#send(ProducerRecord<K,V>, Callback)
        """
        with self._lock:
            if self._closed:
                raise IllegalStateException("MockProducer is already closed.")

            if self._producer_fenced:
                raise KafkaException("MockProducer is fenced.", ProducerFencedException("Fenced"))
            if self.send_exception is not None:
                raise self.send_exception

            partition = 0
            if self._cluster.partitions_for_topic(record.topic()):
                partition = self._partition(record, self._cluster)
            else:
                # A serializer of another type raises here, as in a KafkaProducer.
                cast("Serializer[K]", self._key_serializer).serialize(record.topic(), record.key())
                cast("Serializer[V]", self._value_serializer).serialize(record.topic(), record.value())

            topic_partition = TopicPartition(record.topic(), partition)
            result = ProduceRequestResult(topic_partition)
            future = FutureRecordMetadata(result, 0, RecordBatch.NO_TIMESTAMP, 0, 0, Time.SYSTEM)
            offset = self._next_offset(topic_partition)
            base_offset = max(0, offset - _INT_MAX_VALUE)
            batch_index = min(_INT_MAX_VALUE, offset)
            completion = MockProducer.Completion(
                offset,
                RecordMetadata(topic_partition, base_offset, batch_index, RecordBatch.NO_TIMESTAMP, 0, 0),
                result, callback, topic_partition)

            if not self._transaction_in_flight:
                self._sent.append(record)
            else:
                self._uncommitted_sends.append(record)

            if self._auto_complete:
                completion.complete(None)
            else:
                self._completions.append(completion)

            return future

    def send_all(self, topic: str,
                 records: Iterable[V | None | tuple[K | None, V | None] | ProducerRecord[K, V]]
                 ) -> SendAllFuture:
        """Store each of ``records`` as ``send`` does, up to the first that ``send`` refuses.

        Raises RecordNotQueuedException for the refused record, and IllegalStateException after ``close``.
        """
        # DEVIATION D350: no such method in Java.
        self._verify_not_closed()
        future = SendAllFuture()
        try:
            for record in records:
                future.add(self.send(to_record(topic, record)), 1)
        except Exception as e:
            future.fail(e)
            raise RecordNotQueuedException(future, e) from e
        return future

    def _next_offset(self, tp: TopicPartition) -> int:
        """:origin: clients.producer.MockProducer#nextOffset(TopicPartition)"""
        offset = self._offsets.get(tp, 0)
        self._offsets[tp] = offset + 1
        return offset

    def flush(self) -> None:
        """Acknowledge all records.

        :origin: clients.producer.MockProducer#flush()
        """
        with self._lock:
            self._verify_not_closed()

            if self.flush_exception is not None:
                raise self.flush_exception

            while self._completions:
                self.complete_next()

    def partitions_for(self, topic: str) -> list[PartitionInfo]:
        """Return the partitions of a topic in the cluster given to the constructor.

        :origin: clients.producer.MockProducer#partitionsFor(String)
        """
        if self.partitions_for_exception is not None:
            raise self.partitions_for_exception

        return list(self._cluster.partitions_for_topic(topic))

    def disable_telemetry(self) -> None:
        """Make ``client_instance_id`` raise IllegalStateException.

        :origin: clients.producer.MockProducer#disableTelemetry()
        """
        self._telemetry_disabled = True

    def inject_timeout_exception(self, inject_timeout_exception_counter: int) -> None:
        """Set how many calls of ``client_instance_id`` raise TimeoutException; -1 means all calls.

        :origin: clients.producer.MockProducer#injectTimeoutException(int)
        """
        self._inject_timeout_exception_counter = inject_timeout_exception_counter

    def set_client_instance_id(self, instance_id: Uuid) -> None:
        """Set the result of ``client_instance_id``.

        :origin: clients.producer.MockProducer#setClientInstanceId(Uuid)
        """
        self._client_instance_id = instance_id

    def client_instance_id(self, timeout_ms: int) -> Uuid | None:
        """Raises UnsupportedOperationException if no id is set.

        :origin: clients.producer.MockProducer#clientInstanceId(Duration)
        """
        if self._telemetry_disabled:
            raise IllegalStateException()
        if self._client_instance_id is None:
            raise UnsupportedOperationException("clientInstanceId not set")
        if self._inject_timeout_exception_counter != 0:
            if self._inject_timeout_exception_counter > 0:
                self._inject_timeout_exception_counter -= 1
            raise TimeoutException()

        return self._client_instance_id

    def metrics(self) -> Mapping[MetricName, Metric]:
        """Return the metrics that were set.

        :origin: clients.producer.MockProducer#metrics()
        """
        return self._mock_metrics

    def set_mock_metrics(self, name: MetricName, metric: Metric) -> None:
        """Set a metric.

        :origin: clients.producer.MockProducer#setMockMetrics(MetricName, Metric)
        """
        self._mock_metrics[name] = metric

    def close(self, timeout_ms: int | None = None) -> None:
        """Close; unacknowledged records stay unacknowledged.

        :origin: clients.producer.MockProducer#close()
        :origin: clients.producer.MockProducer#close(Duration)
        """
        if self.close_exception is not None:
            raise self.close_exception

        self._closed = True

    def closed(self) -> bool:
        """Return whether ``close`` was called.

        :origin: clients.producer.MockProducer#closed()
        """
        return self._closed

    def fence_producer(self) -> None:
        """Make the transaction methods and ``send`` raise from now on.

        :origin: clients.producer.MockProducer#fenceProducer()
        """
        with self._lock:
            self._verify_not_closed()
            self._verify_not_fenced()
            self._verify_transactions_initialized()
            self._producer_fenced = True

    def transaction_initialized(self) -> bool:
        """Return whether ``init_transactions`` was called.

        :origin: clients.producer.MockProducer#transactionInitialized()
        """
        return self._transaction_initialized

    def transaction_in_flight(self) -> bool:
        """Return whether a transaction is open.

        :origin: clients.producer.MockProducer#transactionInFlight()
        """
        return self._transaction_in_flight

    def transaction_committed(self) -> bool:
        """Return whether the last transaction was committed.

        :origin: clients.producer.MockProducer#transactionCommitted()
        """
        return self._transaction_committed

    def transaction_aborted(self) -> bool:
        """Return whether the last transaction was aborted.

        :origin: clients.producer.MockProducer#transactionAborted()
        """
        return self._transaction_aborted

    def flushed(self) -> bool:
        """Return whether all records are acknowledged.

        :origin: clients.producer.MockProducer#flushed()
        """
        return not self._completions

    def sent_offsets(self) -> bool:
        """Return whether offsets were sent since the last ``begin_transaction``.

        :origin: clients.producer.MockProducer#sentOffsets()
        """
        return self._sent_offsets

    def commit_count(self) -> int:
        """Return the number of committed transactions.

        :origin: clients.producer.MockProducer#commitCount()
        """
        return self._commit_count

    def history(self) -> list[ProducerRecord[K, V]]:
        """Return the sent records, and the committed records of transactions, since the last ``clear``.

        :origin: clients.producer.MockProducer#history()
        """
        with self._lock:
            return list(self._sent)

    def uncommitted_records(self) -> list[ProducerRecord[K, V]]:
        """Return the records of the open transaction.

        :origin: clients.producer.MockProducer#uncommittedRecords()
        """
        with self._lock:
            return list(self._uncommitted_sends)

    def consumer_group_offsets_history(self) -> list[_GroupOffsets]:
        """Return the offsets of each committed transaction since the last ``clear``.

        :origin: clients.producer.MockProducer#consumerGroupOffsetsHistory()
        """
        with self._lock:
            return list(self._consumer_group_offsets)

    def uncommitted_offsets(self) -> _GroupOffsets:
        """Return the offsets of the open transaction.

        :origin: clients.producer.MockProducer#uncommittedOffsets()
        """
        with self._lock:
            return self._uncommitted_consumer_group_offsets

    def clear(self) -> None:
        """Drop all records and offsets.

        :origin: clients.producer.MockProducer#clear()
        """
        with self._lock:
            self._sent.clear()
            self._uncommitted_sends.clear()
            self._sent_offsets = False
            self._completions.clear()
            self._consumer_group_offsets.clear()
            self._uncommitted_consumer_group_offsets.clear()

    def complete_next(self) -> bool:
        """Acknowledge the oldest unacknowledged record; return False if there is none.

        :origin: clients.producer.MockProducer#completeNext()
        """
        with self._lock:
            return self.error_next(None)

    def error_next(self, e: Exception | None) -> bool:
        """Fail the oldest unacknowledged record with ``e``; return False if there is none.

        :origin: clients.producer.MockProducer#errorNext(RuntimeException)
        """
        with self._lock:
            completion = self._completions.popleft() if self._completions else None
            if completion is not None:
                completion.complete(e)
                return True
            else:
                return False

    def _partition(self, record: ProducerRecord[K, V], cluster: Cluster) -> int:
        """Return the record's partition, or the partitioner's. Raises IllegalArgumentException.

        :origin: clients.producer.MockProducer#partition(ProducerRecord<K,V>, Cluster)
        """
        partition = record.partition()
        topic = record.topic()
        if partition is not None:
            partitions = cluster.partitions_for_topic(topic)
            num_partitions = len(partitions)
            if partition < 0 or partition >= num_partitions:
                raise IllegalArgumentException(
                    f"Invalid partition given with record: {partition} is not in the range "
                    f"[0...{num_partitions}].")
            return partition
        key_bytes = cast("Serializer[K]", self._key_serializer).serialize_headers(
            topic, record.headers(), record.key())
        value_bytes = cast("Serializer[V]", self._value_serializer).serialize_headers(
            topic, record.headers(), record.value())
        return self._partitioner.partition(
            topic, record.key(), key_bytes, record.value(), value_bytes, cluster)

    class Completion:
        """A record that waits for its acknowledgement.

        :origin: clients.producer.MockProducer.Completion
        """

        __slots__ = ("_offset", "_metadata", "_result", "_callback", "_tp")

        def __init__(self, offset: int, metadata: RecordMetadata, result: ProduceRequestResult,
                     callback: Callback | None, tp: TopicPartition) -> None:
            """:origin: clients.producer.MockProducer.Completion#Completion(long, RecordMetadata, ProduceRequestResult, Callback, TopicPartition)
            """  # noqa: E501
            self._metadata = metadata
            self._offset = offset
            self._result = result
            self._callback = callback
            self._tp = tp

        def complete(self, e: Exception | None) -> None:
            """Complete the record successfully, or fail it with ``e``.

            :origin: clients.producer.MockProducer.Completion#complete(RuntimeException)
            """
            if e is None:
                self._result.set(self._offset, RecordBatch.NO_TIMESTAMP, None)
            else:
                error = e
                self._result.set(-1, RecordBatch.NO_TIMESTAMP, lambda index: error)
            if self._callback is not None:
                if e is None:
                    self._callback(self._metadata, None)
                else:
                    self._callback(
                        RecordMetadata(self._tp, -1, -1, RecordBatch.NO_TIMESTAMP, -1, -1), e)
            self._result.done()

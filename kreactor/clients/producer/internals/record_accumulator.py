# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.RecordAccumulator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The queue of a producer's records: a deque of batches for each partition.

User threads append to the last batch of a deque. The sender's thread gets the nodes with ready batches,
drains these batches from the front of the deques, and puts retried batches back.

Locks, in the order in which a thread may take them: a deque's lock, which guards the deque and its batches;
then the TransactionManager's lock. The pool, the set of incomplete batches and the table of requests have
locks of their own, under which no other lock is taken. No thread waits for memory while it holds a deque's
lock.

Deques and topics are never replaced; both tables grow by ``compute_if_absent``, which is atomic. ``muted``,
the drain indexes and the next expiry belong to the sender's thread.

A batch is in ``_incomplete`` from its first record until its futures are done. Its buffer is returned to the
pool only after that, and only when no request uses it: see ``begin_request``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.producer.callback import Callback
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.future_records_metadata import FutureRecordsMetadata
from kreactor.clients.producer.internals.incomplete_batches import IncompleteBatches
from kreactor.clients.producer.internals.producer_batch import ProducerBatch
from kreactor.clients.producer.internals.sequence_order import precedes
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.header.header import Header
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import KeyAndValue, MemoryRecordsBuilder
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.copy_on_write_map import CopyOnWriteMap
from kreactor.common.utils.exponential_backoff import ExponentialBackoff
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.clients.api_versions import ApiVersions
    from kreactor.clients.metadata_snapshot import MetadataSnapshot
    from kreactor.clients.producer.internals.transaction_manager import TransactionManager
    from kreactor.common.cluster import Cluster

_LONG_MAX_VALUE = 2**63 - 1


class BatchDeque(deque[ProducerBatch]):
    """The batches of a partition, the next one to send first, with the lock that guards them.

    The lock is reentrant, like a lock in Java.
    """

    __slots__ = ("lock",)

    def __init__(self) -> None:
        super().__init__()
        self.lock = ReentrantLock()

    @staticmethod
    def of_partition(partition: int) -> BatchDeque:
        """Return an empty deque."""
        return BatchDeque()


class RecordAccumulator:
    """Batches of all partitions in a bounded memory.

    User threads append, and wait when the memory is exhausted.

    :origin: clients.producer.internals.RecordAccumulator
    """

    def __init__(self, log_context: LogContext, batch_size: int, compression: Compression, linger_ms: int,
                 retry_backoff_ms: int, retry_backoff_max_ms: int, delivery_timeout_ms: int, metrics: Metrics,
                 metric_grp_name: str, time: Time, api_versions: ApiVersions,
                 transaction_manager: TransactionManager | None, buffer_pool: BufferPool,
                 partitioner_config: PartitionerConfig | None = None) -> None:
        """Fill batches of ``batch_size`` bytes, which wait up to ``linger_ms`` for further records.

        :origin: clients.producer.internals.RecordAccumulator#RecordAccumulator(LogContext, int, Compression, int, long, long, int, PartitionerConfig, Metrics, String, Time, ApiVersions, TransactionManager, BufferPool)
        :origin: clients.producer.internals.RecordAccumulator#RecordAccumulator(LogContext, int, Compression, int, long, long, int, Metrics, String, Time, ApiVersions, TransactionManager, BufferPool)
        """  # noqa: E501
        if partitioner_config is None:
            partitioner_config = self.PartitionerConfig()
        self._log_context = log_context
        self._log = log_context.logger(type(self))
        self._closed = False
        self._flushes_in_progress = AtomicInteger(0)
        # DEVIATION D323: a token for each append instead of a number.
        self._appends_in_progress: dict[object, None] = {}
        self._batch_size = batch_size
        self._compression = compression
        self._linger_ms = linger_ms
        self._retry_backoff = ExponentialBackoff(
            retry_backoff_ms, CommonClientConfigs.RETRY_BACKOFF_EXP_BASE, retry_backoff_max_ms,
            CommonClientConfigs.RETRY_BACKOFF_JITTER)
        self._delivery_timeout_ms = delivery_timeout_ms
        # The milliseconds after which the partitions of a node that takes no data are not chosen.
        self._partition_availability_timeout_ms = partitioner_config._partition_availability_timeout_ms
        self._enable_adaptive_partitioning = partitioner_config._enable_adaptive_partitioning
        self._free = buffer_pool
        self._time = time
        self._api_versions = api_versions
        self._topic_info_map: CopyOnWriteMap[str, RecordAccumulator._TopicInfo] = CopyOnWriteMap()
        self._node_stats: CopyOnWriteMap[int, RecordAccumulator.NodeLatencyStats] = CopyOnWriteMap()
        self._incomplete = IncompleteBatches()
        # Used by the sender's thread only.
        self._muted: set[TopicPartition] = set()
        self._nodes_drain_index: dict[str, int] = {}
        self._transaction_manager = transaction_manager
        # The time at which the first batch expires.
        self._next_batch_expiry_time_ms = _LONG_MAX_VALUE
        # The batches that are in requests; True for a completed batch, whose buffer waits for the end of the
        # request.
        self._requests: dict[ProducerBatch, bool] = {}
        self._requests_lock = Lock()
        self._register_metrics(metrics, metric_grp_name)

    def forget_in_child(self, exception: Exception) -> None:
        """Fail all futures with ``exception`` in a forked child. No callback is called there."""
        self._incomplete.forget_in_child()
        for result in self._incomplete.request_results():
            result.fail_in_child(exception)

    def _register_metrics(self, metrics: Metrics, metric_grp_name: str) -> None:
        """Register the metrics of the pool.

        :origin: clients.producer.internals.RecordAccumulator#registerMetrics(Metrics, String)
        """
        metrics.add_metric(
            metrics.metric_name(
                "waiting-threads", metric_grp_name,
                "The number of user threads blocked waiting for buffer memory to enqueue their records"),
            lambda config, now: self._free.queued())

        metrics.add_metric(
            metrics.metric_name(
                "buffer-total-bytes", metric_grp_name,
                "The maximum amount of buffer memory the client can use (whether or not it is currently "
                "used)."),
            lambda config, now: self._free.total_memory())

        metrics.add_metric(
            metrics.metric_name(
                "buffer-available-bytes", metric_grp_name,
                "The total amount of buffer memory that is not being used (either unallocated or in the free "
                "list)."),
            lambda config, now: self._free.available_memory())

    def _set_partition(self, callbacks: AppendCallbacks | None, partition: int) -> None:
        """Pass the partition to the callbacks of ``append``.

        :origin: clients.producer.internals.RecordAccumulator#setPartition(AppendCallbacks, int)
        """
        if callbacks is not None:
            callbacks.set_partition(partition)

    def _partition_changed(self, topic: str, topic_info: _TopicInfo,
                           partition_info: BuiltInPartitioner.StickyPartitionInfo | None, dq: BatchDeque,
                           now_ms: int, cluster: Cluster) -> bool:
        """Return whether another thread has switched the partition, or this thread has, because the last
        batch is full.

        The caller has the lock of ``dq``.

        :origin: clients.producer.internals.RecordAccumulator#partitionChanged(String, TopicInfo, StickyPartitionInfo, Deque<ProducerBatch>, long, Cluster)
        """  # noqa: E501
        if topic_info.built_in_partitioner.is_partition_changed(partition_info):
            assert partition_info is not None
            self._log.trace("Another append switched from partition %s of topic %s: try again",
                            partition_info.partition(), topic)
            return True

        # A switch that waited for the end of a batch happens now.
        if self._all_batches_full(dq):
            topic_info.built_in_partitioner.update_partition_info(partition_info, 0, cluster, True)
            if topic_info.built_in_partitioner.is_partition_changed(partition_info):
                assert partition_info is not None
                self._log.trace("Switched from partition %s of topic %s, whose batch is full: try again",
                                partition_info.partition(), topic)
                return True

        return False

    def append(self, topic: str, partition: int, timestamp: int, key: BytesLike | None,
               value: BytesLike | None, headers: Sequence[Header] | None, callbacks: AppendCallbacks | None,
               max_time_to_block: int, abort_on_new_batch: bool, now_ms: int,
               cluster: Cluster) -> RecordAppendResult:
        """Append a record to a batch; wait for memory for at most ``max_time_to_block`` milliseconds.

        For RecordMetadata.UNKNOWN_PARTITION the partition is chosen here, and ``callbacks`` get it. With
        ``abort_on_new_batch`` the result has no future if the record needs a new batch, so that a partitioner
        can choose again. Called by any thread. Raises KafkaException once closed, and the exceptions of the
        pool.

        :origin: clients.producer.internals.RecordAccumulator#append(String, int, long, byte[], byte[], Header[], AppendCallbacks, long, boolean, long, Cluster)
        """  # noqa: E501
        topic_info = self._topic_info_map.compute_if_absent(topic, self._new_topic_info)

        # A signal cannot interrupt either of the two steps. So Ctrl-C leaves no counted append, for which
        # abort_incomplete_batches would wait.
        append = object()
        buffer: ByteBuffer | None = None
        # DEVIATION D297: None if neither a callback nor an interceptor waits for the record.
        callback = None if callbacks is None else callbacks.when_done()
        if headers is None:
            headers = Record.EMPTY_HEADERS
        try:
            self._appends_in_progress[append] = None
            # Repeat until no other thread switches the partition.
            while True:
                partition_info: BuiltInPartitioner.StickyPartitionInfo | None
                if partition == RecordMetadata.UNKNOWN_PARTITION:
                    partition_info = topic_info.built_in_partitioner.peek_current_partition_info(cluster)
                    effective_partition = partition_info.partition()
                else:
                    partition_info = None
                    effective_partition = partition

                self._set_partition(callbacks, effective_partition)

                dq = topic_info.batches.compute_if_absent(effective_partition, BatchDeque.of_partition)
                with dq.lock:
                    if self._partition_changed(topic, topic_info, partition_info, dq, now_ms, cluster):
                        continue

                    append_result = self._try_append(timestamp, key, value, headers, callback, dq, now_ms)
                    if append_result is not None:
                        # No switch while the last batch has room.
                        enable_switch = self._all_batches_full(dq)
                        topic_info.built_in_partitioner.update_partition_info(
                            partition_info, append_result.appended_bytes, cluster, enable_switch)
                        return append_result

                if abort_on_new_batch:
                    return self.RecordAppendResult(None, False, False, True, 0)

                if buffer is None:
                    max_usable_magic = self._api_versions.max_usable_produce_magic()
                    size = max(self._batch_size, AbstractRecords.estimate_size_in_bytes_upper_bound(
                        max_usable_magic, self._compression.type(), key, value, headers))
                    self._log.trace("Allocating a buffer of %s bytes for partition %s of topic %s within %s "
                                    "ms", size, partition, topic, max_time_to_block)
                    buffer = self._free.allocate(size, max_time_to_block)
                    # The allocation may have blocked.
                    now_ms = self._time.milliseconds()

                with dq.lock:
                    if self._partition_changed(topic, topic_info, partition_info, dq, now_ms, cluster):
                        continue

                    try:
                        append_result = self._append_new_batch(
                            topic, effective_partition, dq, timestamp, key, value, headers, callback, buffer,
                            now_ms)
                    except BaseException:
                        # DEVIATION D323: Ctrl-C can arrive when the batch is in the deque already.
                        if dq and dq[-1].buffer() is buffer:
                            buffer = None
                            self._incomplete.add(dq[-1])
                        raise
                    # The batch owns the buffer from here on.
                    if append_result.new_batch_created:
                        buffer = None
                    enable_switch = self._all_batches_full(dq)
                    topic_info.built_in_partitioner.update_partition_info(
                        partition_info, append_result.appended_bytes, cluster, enable_switch)
                    return append_result
        finally:
            try:
                self._free.deallocate(buffer)
            finally:
                self._appends_in_progress.pop(append, None)

    def try_append_all(self, topic: str, partition: int, records: Sequence[KeyAndValue],
                       sizes: Sequence[int], start: int, end: int, now_ms: int,
                       cluster: Cluster) -> tuple[FutureRecordsMetadata | None, bool]:
        """Append records ``start`` to ``end`` to the last batch, as far as ``append`` would do the same.

        Return their future, and whether the sender has work. Return None if the next record needs ``append``:
        for a new batch, for another partition, or because the accumulator is closed. Called by any thread.
        Not in Kafka; see append_all.
        """
        topic_info = self._topic_info_map.compute_if_absent(topic, self._new_topic_info)
        append = object()
        try:
            self._appends_in_progress[append] = None
            partition_info: BuiltInPartitioner.StickyPartitionInfo | None = None
            if partition == RecordMetadata.UNKNOWN_PARTITION:
                partition_info = topic_info.built_in_partitioner.peek_current_partition_info(cluster)
                partition = partition_info.partition()
            dq = topic_info.batches.compute_if_absent(partition, BatchDeque.of_partition)
            with dq.lock:
                if (self._closed or self._all_batches_full(dq)
                        or topic_info.built_in_partitioner.is_partition_changed(partition_info)):
                    return None, False
                last = dq[-1]
                initial_bytes = last.estimated_size_in_bytes()
                future = last.try_append_all(
                    records, sizes, start, end,
                    topic_info.built_in_partitioner.bytes_until_switch(partition_info), now_ms)
                if future is not None:
                    topic_info.built_in_partitioner.update_partition_info(
                        partition_info, last.estimated_size_in_bytes() - initial_bytes, cluster,
                        last.is_full())
                return future, len(dq) > 1 or last.is_full()
        finally:
            self._appends_in_progress.pop(append, None)

    def _append_new_batch(self, topic: str, partition: int, dq: BatchDeque, timestamp: int,
                          key: BytesLike | None, value: BytesLike | None, headers: Sequence[Header],
                          callback: Callback | None, buffer: ByteBuffer,
                          now_ms: int) -> RecordAppendResult:
        """Append a record to a new batch on ``buffer``, or to a batch that another thread has made meanwhile.

        The caller has the lock of ``dq``.

        :origin: clients.producer.internals.RecordAccumulator#appendNewBatch(String, int, Deque<ProducerBatch>, long, byte[], byte[], Header[], AppendCallbacks, ByteBuffer, long)
        """  # noqa: E501
        assert partition != RecordMetadata.UNKNOWN_PARTITION

        append_result = self._try_append(timestamp, key, value, headers, callback, dq, now_ms)
        if append_result is not None:
            return append_result

        records_builder = self._records_builder(buffer, self._api_versions.max_usable_produce_magic())
        batch = ProducerBatch(TopicPartition(topic, partition), records_builder, now_ms)
        future = batch.try_append(timestamp, key, value, headers, callback, now_ms)
        if future is None:
            raise TypeError("a new batch has room for a record")

        dq.append(batch)
        self._incomplete.add(batch)

        return self.RecordAppendResult(future, len(dq) > 1 or batch.is_full(), True, False,
                                       batch.estimated_size_in_bytes())

    def _records_builder(self, buffer: ByteBuffer, max_usable_magic: int) -> MemoryRecordsBuilder:
        """Return a builder on ``buffer``. Raises UnsupportedVersionException if a broker is too old.

        :origin: clients.producer.internals.RecordAccumulator#recordsBuilder(ByteBuffer, byte)
        """
        if self._transaction_manager is not None and max_usable_magic < RecordBatch.MAGIC_VALUE_V2:
            raise UnsupportedVersionException(
                "Attempting to use idempotence with a broker which does not support the required message "
                "format (v2). The broker must be version 0.11 or later.")
        return MemoryRecords.builder(buffer, self._compression, TimestampType.CREATE_TIME, 0,
                                     magic=max_usable_magic)

    def _all_batches_full(self, dq: BatchDeque) -> bool:
        """Return whether the last batch is full; all earlier ones are full.

        The caller holds the lock of ``dq``.

        :origin: clients.producer.internals.RecordAccumulator#allBatchesFull(Deque<ProducerBatch>)
        """
        return not dq or dq[-1].is_full()

    def _try_append(self, timestamp: int, key: BytesLike | None, value: BytesLike | None,
                    headers: Sequence[Header], callback: Callback | None, dq: BatchDeque,
                    now_ms: int) -> RecordAppendResult | None:
        """Append a record to the last batch; if it is full, release its codec and return None.

        Its header is written later: before it is sent, when it expires, or when the producer is closed. The
        caller has the lock of ``dq``. Raises KafkaException when closed.

        :origin: clients.producer.internals.RecordAccumulator#tryAppend(long, byte[], byte[], Header[], Callback, Deque<ProducerBatch>, long)
        """  # noqa: E501
        if self._closed:
            raise KafkaException("Producer closed while send in progress")
        if dq:
            last = dq[-1]
            initial_bytes = last.estimated_size_in_bytes()
            future = last.try_append(timestamp, key, value, headers, callback, now_ms)
            if future is None:
                last.close_for_record_appends()
            else:
                appended_bytes = last.estimated_size_in_bytes() - initial_bytes
                return self.RecordAppendResult(future, len(dq) > 1 or last.is_full(), False, False,
                                               appended_bytes)
        return None

    def _is_muted(self, tp: TopicPartition) -> bool:
        """Return whether a partition is muted, so that none of its batches may be drained.

        :origin: clients.producer.internals.RecordAccumulator#isMuted(TopicPartition)
        """
        return tp in self._muted

    def reset_next_batch_expiry_time(self) -> None:
        """Reset the expiry time of the first batch.

        :origin: clients.producer.internals.RecordAccumulator#resetNextBatchExpiryTime()
        """
        self._next_batch_expiry_time_ms = _LONG_MAX_VALUE

    def maybe_update_next_batch_expiry_time(self, batch: ProducerBatch) -> None:
        """Store the expiry time of ``batch``, if it is the earliest.

        :origin: clients.producer.internals.RecordAccumulator#maybeUpdateNextBatchExpiryTime(ProducerBatch)
        """
        if batch.created_ms + self._delivery_timeout_ms <= _LONG_MAX_VALUE:
            self._next_batch_expiry_time_ms = min(self._next_batch_expiry_time_ms,
                                                  batch.created_ms + self._delivery_timeout_ms)
        else:
            self._log.warn("A batch created at %s with a delivery timeout of %s ms never expires",
                           batch.created_ms, self._delivery_timeout_ms)

    def expired_batches(self, now: int) -> list[ProducerBatch]:
        """Remove and return the batches whose delivery timeout has passed.

        :origin: clients.producer.internals.RecordAccumulator#expiredBatches(long)
        """
        expired_batches: list[ProducerBatch] = []
        for topic_info in self._topic_info_map.values():
            for dq in topic_info.batches.values():
                # In the order in which they would be sent.
                with dq.lock:
                    while dq:
                        batch = dq[0]
                        if batch.has_reached_delivery_timeout(self._delivery_timeout_ms, now):
                            dq.popleft()
                            batch.abort_record_appends()
                            expired_batches.append(batch)
                        else:
                            self.maybe_update_next_batch_expiry_time(batch)
                            break
        return expired_batches

    def get_delivery_timeout_ms(self) -> int:
        """Return the delivery timeout: the milliseconds from a batch's creation to its acknowledgement.

        :origin: clients.producer.internals.RecordAccumulator#getDeliveryTimeoutMs()
        """
        return self._delivery_timeout_ms

    def reenqueue(self, batch: ProducerBatch, now: int) -> None:
        """Put a batch back for a retry. The sender has checked that its delivery timeout has not passed.

        :origin: clients.producer.internals.RecordAccumulator#reenqueue(ProducerBatch, long)
        """
        batch.reenqueued(now)
        dq = self._get_or_create_deque(batch.topic_partition)
        with dq.lock:
            if self._transaction_manager is not None:
                self._insert_in_sequence_order(dq, batch)
            else:
                dq.appendleft(batch)

    def split_and_reenqueue(self, big_batch: ProducerBatch) -> int:
        """Replace a batch that a broker found too large by its parts; return their number.

        The topic's compression ratio becomes the ratio of this batch, or 1 if that is higher. So the next
        batches are small enough, whatever their content.

        :origin: clients.producer.internals.RecordAccumulator#splitAndReenqueue(ProducerBatch)
        """
        CompressionRatioEstimator.set_estimation(big_batch.topic_partition.topic(), self._compression.type(),
                                                 max(1.0, big_batch.compression_ratio()))
        dq = big_batch.split(self._batch_size)
        num_split_batches = len(dq)
        partition_dequeue = self._get_or_create_deque(big_batch.topic_partition)
        while dq:
            batch = dq.pop()
            self._incomplete.add(batch)
            # The parts start with no attempts.
            with partition_dequeue.lock:
                if self._transaction_manager is not None:
                    # The parts have sequences already.
                    self._transaction_manager.add_in_flight_batch(batch)
                    self._insert_in_sequence_order(partition_dequeue, batch)
                else:
                    partition_dequeue.appendleft(batch)
        return num_split_batches

    def _insert_in_sequence_order(self, dq: BatchDeque, batch: ProducerBatch) -> None:
        """Insert a batch before the first batch with a later sequence, and before batches without a sequence.

        If one of several batches in flight fails, the later ones fail too, because the broker expects the
        failed sequence. They return in any order, possibly from several brokers. All sequences in a deque
        have one producer id. The caller holds the lock of ``dq``. Raises IllegalStateException for a batch
        without a sequence, and for a batch that the TransactionManager does not have in flight.

        :origin: clients.producer.internals.RecordAccumulator#insertInSequenceOrder(Deque<ProducerBatch>, ProducerBatch)
        """  # noqa: E501
        if batch.base_sequence() == RecordBatch.NO_SEQUENCE:
            raise IllegalStateException("Trying to re-enqueue a batch which doesn't have a sequence even "
                                        "though idempotency is enabled.")

        assert self._transaction_manager is not None
        if not self._transaction_manager.has_inflight_batches(batch.topic_partition):
            raise IllegalStateException(
                "We are re-enqueueing a batch which is not tracked as part of the in flight requests. "
                f"batch.topicPartition: {batch.topic_partition}; batch.baseSequence: {batch.base_sequence()}")

        # DEVIATION D331: 0 comes after 2^31 - 1.
        if dq and dq[0].has_sequence() and precedes(dq[0].base_sequence(), batch.base_sequence()):
            ordered_batches: list[ProducerBatch] = []
            while dq and dq[0].has_sequence() and precedes(dq[0].base_sequence(), batch.base_sequence()):
                ordered_batches.append(dq.popleft())

            self._log.debug("A batch of sequence %s for %s goes to place %s", batch.base_sequence(),
                            batch.topic_partition, len(ordered_batches))
            dq.appendleft(batch)

            for ordered_batch in reversed(ordered_batches):
                dq.appendleft(ordered_batch)
        else:
            dq.appendleft(batch)

    def _batch_ready(self, exhausted: bool, part: TopicPartition, leader: Node, waited_time_ms: int,
                     backing_off: bool, backoff_attempts: int, full: bool, next_ready_check_delay_ms: int,
                     ready_nodes: set[Node]) -> int:
        """Add ``leader`` to ``ready_nodes`` if the first batch of a partition is ready.

        Return the milliseconds until the next check, for the partitions so far. If a later partition makes
        the leader ready meanwhile, that check finds nothing to do.

        :origin: clients.producer.internals.RecordAccumulator#batchReady(boolean, TopicPartition, Node, long, boolean, int, boolean, long, Set<Node>)
        """  # noqa: E501
        if leader not in ready_nodes and not self._is_muted(part):
            time_to_wait_ms = (self._retry_backoff.backoff(max(backoff_attempts - 1, 0))
                               if backing_off else self._linger_ms)
            expired = waited_time_ms >= time_to_wait_ms
            transaction_completing = (self._transaction_manager is not None
                                      and self._transaction_manager.is_completing())
            sendable = (full or expired or exhausted or self._closed or self._flush_in_progress()
                        or transaction_completing)
            if sendable and not backing_off:
                ready_nodes.add(leader)
            else:
                time_left_ms = max(time_to_wait_ms - waited_time_ms, 0)
                next_ready_check_delay_ms = min(time_left_ms, next_ready_check_delay_ms)
        return next_ready_check_delay_ms

    def _partition_ready(self, metadata_snapshot: MetadataSnapshot, now_ms: int, topic: str,
                         topic_info: _TopicInfo, next_ready_check_delay_ms: int, ready_nodes: set[Node],
                         unknown_leader_topics: set[str]) -> int:
        """Add the leaders with ready batches of a topic, and pass the load to the partitioner.

        A topic with batches for a partition without a leader goes to ``unknown_leader_topics``. Return the
        milliseconds until the next check.

        :origin: clients.producer.internals.RecordAccumulator#partitionReady(MetadataSnapshot, long, String, TopicInfo, long, Set<Node>, Set<String>)
        """  # noqa: E501
        batches = topic_info.batches.items()
        # The load counts once each partition has a deque; otherwise a partition without a deque would never
        # be chosen.
        queue_sizes: list[int] | None = None
        partition_ids: list[int] | None = None
        if (self._enable_adaptive_partitioning
                and len(batches) >= len(metadata_snapshot.cluster().partitions_for_topic(topic))):
            queue_sizes = [0] * len(batches)
            partition_ids = [0] * len(queue_sizes)

        queue_sizes_index = -1
        exhausted = self._free.queued() > 0
        for partition, dq in batches:
            part = TopicPartition(topic, partition)

            leader = metadata_snapshot.cluster().leader_for(part)
            if leader is not None and partition_ids is not None:
                # This applies to an empty deque, too.
                queue_sizes_index += 1
                partition_ids[queue_sizes_index] = part.partition()

            leader_epoch = metadata_snapshot.leader_epoch_for(part)

            # Appending threads wait for this lock, so only the necessary work is done under it.
            with dq.lock:
                if not dq:
                    continue
                batch = dq[0]

                waited_time_ms = batch.waited_time_ms(now_ms)
                batch.maybe_update_leader_epoch(leader_epoch)
                backing_off = self._should_backoff(batch.has_leader_changed_for_the_ongoing_retry(), batch,
                                                   waited_time_ms)
                backoff_attempts = batch.attempts()
                deque_size = len(dq)
                full = deque_size > 1 or batch.is_full()

            if leader is None:
                unknown_leader_topics.add(part.topic())
            else:
                if queue_sizes is not None:
                    queue_sizes[queue_sizes_index] = deque_size
                if self._partition_availability_timeout_ms > 0:
                    node_latency_stats = self._node_stats.get(leader.id())
                    if node_latency_stats is not None:
                        # The ready time is read first, because the writer sets it last. So the difference is
                        # never too large while another thread updates both.
                        ready_time_ms = node_latency_stats.ready_time_ms
                        if (ready_time_ms - node_latency_stats.drain_time_ms
                                > self._partition_availability_timeout_ms):
                            queue_sizes_index -= 1

                next_ready_check_delay_ms = self._batch_ready(
                    exhausted, part, leader, waited_time_ms, backing_off, backoff_attempts, full,
                    next_ready_check_delay_ms, ready_nodes)

        topic_info.built_in_partitioner.update_partition_load_stats(queue_sizes, partition_ids,
                                                                    queue_sizes_index + 1)
        return next_ready_check_delay_ms

    def ready(self, metadata_snapshot: MetadataSnapshot, now_ms: int) -> ReadyCheckResult:
        """Return the ready nodes, the time until the next check, and the topics without leaders.

        A node is ready if it leads an unmuted partition whose first batch does not back off, and if one more
        condition holds. The batch is full or has lingered, threads wait for exhausted memory, a flush or the
        end of a transaction is under way, or the accumulator is closed. Called by the sender's thread.

        :origin: clients.producer.internals.RecordAccumulator#ready(MetadataSnapshot, long)
        """
        ready_nodes: set[Node] = set()
        next_ready_check_delay_ms = _LONG_MAX_VALUE
        unknown_leader_topics: set[str] = set()
        # The loop is by topic, because a topic's partitioner needs the topic's whole load.
        for topic, topic_info in self._topic_info_map.items():
            next_ready_check_delay_ms = self._partition_ready(
                metadata_snapshot, now_ms, topic, topic_info, next_ready_check_delay_ms, ready_nodes,
                unknown_leader_topics)
        return self.ReadyCheckResult(ready_nodes, next_ready_check_delay_ms, unknown_leader_topics)

    def has_undrained(self) -> bool:
        """Return whether any deque has a batch.

        :origin: clients.producer.internals.RecordAccumulator#hasUndrained()
        """
        for topic_info in self._topic_info_map.values():
            for dq in topic_info.batches.values():
                with dq.lock:
                    if dq:
                        return True
        return False

    def _should_backoff(self, has_leader_changed: bool, batch: ProducerBatch, waited_time_ms: int) -> bool:
        """Return whether a retried batch still backs off. It does not if its leader has changed.

        :origin: clients.producer.internals.RecordAccumulator#shouldBackoff(boolean, ProducerBatch, long)
        """
        should_wait_more = (batch.attempts() > 0
                            and waited_time_ms < self._retry_backoff.backoff(batch.attempts() - 1))
        should_backoff = not has_leader_changed and should_wait_more
        if self._log.is_trace_enabled():
            if should_backoff:
                self._log.trace("%s backs off", batch)
            else:
                self._log.trace("%s does not back off: it would wait: %s; its leader has changed: %s", batch,
                                should_wait_more, has_leader_changed)
        elif self._log.is_debug_enabled() and has_leader_changed:
            self._log.debug("%s does not back off, since its leader has changed", batch)
        return should_backoff

    def _should_stop_drain_batches_for_partition(self, first: ProducerBatch, tp: TopicPartition) -> bool:
        """Return whether the state of the idempotent producer forbids sending ``first`` now.

        :origin: clients.producer.internals.RecordAccumulator#shouldStopDrainBatchesForPartition(ProducerBatch, TopicPartition)
        """  # noqa: E501
        if self._transaction_manager is not None:
            if not self._transaction_manager.is_send_to_partition_allowed(tp):
                return True

            producer_id_and_epoch = self._transaction_manager.producer_id_and_epoch()
            if not producer_id_and_epoch.is_valid():
                # There is no producer id yet, or a new one is requested.
                return True

            if not first.has_sequence():
                if (self._transaction_manager.has_inflight_batches(tp)
                        and self._transaction_manager.has_stale_producer_id_and_epoch(tp)):
                    # With its new epoch the batch would begin at sequence 0, and could be written before
                    # those in flight.
                    return True

                if self._transaction_manager.has_unresolved_sequence(first.topic_partition):
                    # Earlier batches failed here after they were sent, and the broker may have them or not.
                    return True

            first_in_flight_sequence = self._transaction_manager.first_in_flight_sequence(
                first.topic_partition)
            if (first_in_flight_sequence != RecordBatch.NO_SEQUENCE and first.has_sequence()
                    and first.base_sequence() != first_in_flight_sequence):
                # A retried batch waits until it is the first in flight: one request at a time.
                return True
        return False

    def _drain_batches_for_one_node(self, metadata_snapshot: MetadataSnapshot, node: Node, max_size: int,
                                    now: int) -> list[ProducerBatch]:
        """Take one batch from each deque of a node's partitions, up to ``max_size`` bytes in total.

        :origin: clients.producer.internals.RecordAccumulator#drainBatchesForOneNode(MetadataSnapshot, Node, int, long)
        """  # noqa: E501
        size = 0
        parts = metadata_snapshot.cluster().partitions_for_node(node.id())
        ready: list[ProducerBatch] = []
        if not parts:
            return ready
        # Each node's drain continues where it stopped, so that no partition starves.
        drain_index = self._get_drain_index(node.id_string())
        start = drain_index = drain_index % len(parts)
        is_first = True
        while is_first or start != drain_index:
            is_first = False
            part = parts[drain_index]

            tp = TopicPartition(part.topic(), part.partition())
            self._update_drain_index(node.id_string(), drain_index)
            drain_index = (drain_index + 1) % len(parts)
            # A muted partition has a batch in flight.
            if self._is_muted(tp):
                continue
            dq = self.get_deque(tp)
            if dq is None:
                continue

            leader_epoch = metadata_snapshot.leader_epoch_for(tp)

            with dq.lock:
                if not dq:
                    continue
                first = dq[0]

                first.maybe_update_leader_epoch(leader_epoch)
                if self._should_backoff(first.has_leader_changed_for_the_ongoing_retry(), first,
                                        first.waited_time_ms(now)):
                    continue

                if size + first.estimated_size_in_bytes() > max_size and ready:
                    # One batch is always sent, even if its compression was overestimated.
                    break
                else:
                    if self._should_stop_drain_batches_for_partition(first, tp):
                        break

                batch = dq.popleft()

                is_transactional = (self._transaction_manager is not None
                                    and self._transaction_manager.is_transactional())
                producer_id_and_epoch = (None if self._transaction_manager is None
                                         else self._transaction_manager.producer_id_and_epoch())
                if (self._transaction_manager is not None and producer_id_and_epoch is not None
                        and not batch.has_sequence()):
                    # The partition may have an older epoch: none of its batches is in flight, as checked
                    # above.
                    self._transaction_manager.maybe_update_producer_id_and_epoch(batch.topic_partition)

                    # A batch with a sequence keeps the sequence. The broker may have the batch from an
                    # earlier attempt, and would not recognise it under another sequence.
                    batch.set_producer_state(
                        producer_id_and_epoch,
                        self._transaction_manager.sequence_number(batch.topic_partition), is_transactional)
                    self._transaction_manager.increment_sequence_number(batch.topic_partition,
                                                                        batch.record_count)
                    self._log.debug("A batch for %s has producer id %s, epoch %s and sequence %s", tp,
                                    producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch,
                                    batch.base_sequence())

                    self._transaction_manager.add_in_flight_batch(batch)

            # Done without the lock, because the header needs a checksum over all records.
            batch.close()
            size += batch.records().size_in_bytes()
            ready.append(batch)

            batch.drained(now)
        return ready

    def _get_drain_index(self, id_string: str) -> int:
        """Return the index at which the drain of a node continues.

        :origin: clients.producer.internals.RecordAccumulator#getDrainIndex(String)
        """
        return self._nodes_drain_index.setdefault(id_string, 0)

    def _update_drain_index(self, id_string: str, drain_index: int) -> None:
        """Set the index at which the drain of a node continues.

        :origin: clients.producer.internals.RecordAccumulator#updateDrainIndex(String, int)
        """
        self._nodes_drain_index[id_string] = drain_index

    def drain(self, metadata_snapshot: MetadataSnapshot, nodes: Collection[Node], max_size: int,
              now: int) -> dict[int, list[ProducerBatch]]:
        """Take batches for each node, up to ``max_size`` bytes in total, and return them by node id.

        Called by the sender's thread.

        :origin: clients.producer.internals.RecordAccumulator#drain(MetadataSnapshot, Set<Node>, int, long)
        """
        if not nodes:
            return {}

        batches: dict[int, list[ProducerBatch]] = {}
        for node in nodes:
            ready = self._drain_batches_for_one_node(metadata_snapshot, node, max_size, now)
            batches[node.id()] = ready
        return batches

    def update_node_latency_stats(self, node_id: int, now_ms: int, can_drain: bool) -> None:
        """Record that there is data for a node, and with ``can_drain`` that the node accepts it.

        A node whose two times differ by more than the availability timeout is not chosen. Without such a
        timeout nothing is recorded.

        :origin: clients.producer.internals.RecordAccumulator#updateNodeLatencyStats(Integer, long, boolean)
        """
        if self._partition_availability_timeout_ms <= 0:
            return

        # The drain time is set first: see _partition_ready.
        node_latency_stats = self._node_stats.compute_if_absent(
            node_id, lambda node_id: self.NodeLatencyStats(now_ms))
        if can_drain:
            node_latency_stats.drain_time_ms = now_ms
        node_latency_stats.ready_time_ms = now_ms

    def get_node_latency_stats(self, node_id: int) -> NodeLatencyStats | None:
        """Return the two times of a node, for tests.

        :origin: clients.producer.internals.RecordAccumulator#getNodeLatencyStats(Integer)
        """
        return self._node_stats.get(node_id)

    def get_built_in_partitioner(self, topic: str) -> BuiltInPartitioner:
        """Return the partitioner of a topic with records, for tests.

        :origin: clients.producer.internals.RecordAccumulator#getBuiltInPartitioner(String)
        """
        topic_info = self._topic_info_map.get(topic)
        assert topic_info is not None
        return topic_info.built_in_partitioner

    def next_expiry_time_ms(self) -> int:
        """Return the time in milliseconds at which the first batch expires.

        :origin: clients.producer.internals.RecordAccumulator#nextExpiryTimeMs()
        """
        return self._next_batch_expiry_time_ms

    def get_deque(self, tp: TopicPartition) -> BatchDeque | None:
        """Return the deque of a partition, or None if the partition has had no record.

        The deque's lock guards it.

        :origin: clients.producer.internals.RecordAccumulator#getDeque(TopicPartition)
        """
        topic_info = self._topic_info_map.get(tp.topic())
        if topic_info is None:
            return None
        return topic_info.batches.get(tp.partition())

    def _get_or_create_deque(self, tp: TopicPartition) -> BatchDeque:
        """Return the deque of a partition; create it if necessary.

        :origin: clients.producer.internals.RecordAccumulator#getOrCreateDeque(TopicPartition)
        """
        topic_info = self._topic_info_map.compute_if_absent(tp.topic(), self._new_topic_info)
        return topic_info.batches.compute_if_absent(tp.partition(), BatchDeque.of_partition)

    def _new_topic_info(self, topic: str) -> _TopicInfo:
        return self._TopicInfo(self._log_context, topic, self._batch_size)

    def deallocate(self, batch: ProducerBatch) -> None:
        """Remove a completed batch. Its buffer stays out of the pool while a request uses it.

        :origin: clients.producer.internals.RecordAccumulator#deallocate(ProducerBatch)
        """
        self._incomplete.remove(batch)
        # A part of a split batch does not use the pool's memory.
        if not batch.is_split_batch():
            # DEVIATION D324: see begin_request.
            with self._requests_lock:
                if batch in self._requests:
                    self._requests[batch] = True
                    return
            self._free.deallocate_size(batch.buffer(), batch.initial_capacity())

    def begin_request(self, batch: ProducerBatch) -> None:
        """Keep the buffer of a drained batch out of the pool until ``end_request``.

        A request is written from views of that buffer. The batch can complete during the write, by its
        delivery timeout or an abort. If another partition then filled the buffer, its records would reach the
        wrong topic. Called by the sender's thread for each drained batch, before anything else can happen to
        the batch.
        """
        with self._requests_lock:
            self._requests[batch] = False

    def end_request(self, batch: ProducerBatch) -> None:
        """Record that no request uses the batch: its response has arrived, or its connection is closed.

        If the batch is completed already, its buffer is returned to the pool now. A second call does nothing.
        """
        with self._requests_lock:
            has_ended = self._requests.pop(batch, False)
        if has_ended:
            self._free.deallocate_size(batch.buffer(), batch.initial_capacity())

    def end_requests(self) -> None:
        """End all requests, which will get no response. Called by the sender's thread at its end."""
        for batch in list(self._requests):
            self.end_request(batch)

    def buffer_pool_available_memory(self) -> int:
        """Return the free bytes of the pool, for tests.

        :origin: clients.producer.internals.RecordAccumulator#bufferPoolAvailableMemory()
        """
        return self._free.available_memory()

    def _flush_in_progress(self) -> bool:
        """Return whether a thread waits for a flush.

        :origin: clients.producer.internals.RecordAccumulator#flushInProgress()
        """
        return self._flushes_in_progress.get() > 0

    def begin_flush(self) -> None:
        """Make all batches ready immediately, until ``await_flush_completion`` returns.

        :origin: clients.producer.internals.RecordAccumulator#beginFlush()
        """
        self._flushes_in_progress.increment_and_get()

    def _are_appends_in_progress(self) -> bool:
        """Return whether a thread is in ``append``.

        :origin: clients.producer.internals.RecordAccumulator#appendsInProgress()
        """
        return bool(self._appends_in_progress)

    def await_flush_completion(self) -> None:
        """Wait until all current batches are done, and the batches that they were split into.

        :origin: clients.producer.internals.RecordAccumulator#awaitFlushCompletion()
        """
        try:
            # This waits for results instead of batches, so that the batches' memory can be freed.
            for result in self._incomplete.request_results():
                # DEVIATION D321: the parts of a split batch are awaited, too.
                result.await_all()
        finally:
            self._flushes_in_progress.decrement_and_get()

    def has_incomplete(self) -> bool:
        """Return whether a batch is not done.

        :origin: clients.producer.internals.RecordAccumulator#hasIncomplete()
        """
        return not self._incomplete.is_empty()

    def abort_incomplete_batches(self) -> None:
        """Fail all batches after a forced close of the sender.

        A thread in ``append`` may wait for memory, or may add a batch before it sees that the accumulator is
        closed. So this repeats until no append is in progress, and then once more.

        :origin: clients.producer.internals.RecordAccumulator#abortIncompleteBatches()
        """
        while True:
            self._abort_batches()
            if not self._are_appends_in_progress():
                break
        self._abort_batches()
        self._topic_info_map.clear()

    def _abort_batches(self) -> None:
        """Fail all batches with the error of a closed producer.

        :origin: clients.producer.internals.RecordAccumulator#abortBatches()
        """
        self.abort_batches(KafkaException("Producer is closed forcefully."))

    def abort_batches(self, reason: Exception) -> None:
        """Fail all batches, sent or not.

        :origin: clients.producer.internals.RecordAccumulator#abortBatches(RuntimeException)
        """
        for batch in self._incomplete.copy_all():
            dq = self._get_or_create_deque(batch.topic_partition)
            with dq.lock:
                batch.abort_record_appends()
                if batch in dq:
                    dq.remove(batch)
            batch.abort(reason)
            self.deallocate(batch)

    def abort_undrained_batches(self, reason: Exception) -> None:
        """Fail the batches that were never sent.

        :origin: clients.producer.internals.RecordAccumulator#abortUndrainedBatches(RuntimeException)
        """
        for batch in self._incomplete.copy_all():
            dq = self._get_or_create_deque(batch.topic_partition)
            aborted = False
            with dq.lock:
                if (self._transaction_manager is not None and not batch.has_sequence()
                        or self._transaction_manager is None and not batch.is_closed()):
                    aborted = True
                    batch.abort_record_appends()
                    if batch in dq:
                        dq.remove(batch)
            if aborted:
                batch.abort(reason)
                self.deallocate(batch)

    def mute_partition(self, tp: TopicPartition) -> None:
        """Mute a partition: its batches are not drained.

        :origin: clients.producer.internals.RecordAccumulator#mutePartition(TopicPartition)
        """
        self._muted.add(tp)

    def unmute_partition(self, tp: TopicPartition) -> None:
        """Unmute a partition: its batches are drained again.

        :origin: clients.producer.internals.RecordAccumulator#unmutePartition(TopicPartition)
        """
        self._muted.discard(tp)

    def close(self) -> None:
        """Refuse further records, and make all batches ready. Threads that wait for memory fail.

        :origin: clients.producer.internals.RecordAccumulator#close()
        """
        self._closed = True
        self._free.close()

    class PartitionerConfig:
        """The settings of the sticky partitioner. Immutable.

        :origin: clients.producer.internals.RecordAccumulator.PartitionerConfig
        """

        __slots__ = ("_enable_adaptive_partitioning", "_partition_availability_timeout_ms")

        def __init__(self, enable_adaptive_partitioning: bool = False,
                     partition_availability_timeout_ms: int = 0) -> None:
            """Store whether load counts, and the milliseconds after which a node that takes no data is not
            chosen, 0 for never.

            :origin: clients.producer.internals.RecordAccumulator.PartitionerConfig#PartitionerConfig(boolean, long)
            :origin: clients.producer.internals.RecordAccumulator.PartitionerConfig#PartitionerConfig()
            """  # noqa: E501
            self._enable_adaptive_partitioning = enable_adaptive_partitioning
            self._partition_availability_timeout_ms = partition_availability_timeout_ms

    class RecordAppendResult:
        """The result of an append: the record's future, or None if the record needs a new batch.

        :origin: clients.producer.internals.RecordAccumulator.RecordAppendResult
        """

        __slots__ = ("future", "batch_is_full", "new_batch_created", "abort_for_new_batch", "appended_bytes")

        def __init__(self, future: FutureRecordMetadata | None, batch_is_full: bool, new_batch_created: bool,
                     abort_for_new_batch: bool, appended_bytes: int) -> None:
            """Store all arguments; the future is None if the record was not appended.

            :origin: clients.producer.internals.RecordAccumulator.RecordAppendResult#RecordAppendResult(FutureRecordMetadata, boolean, boolean, boolean, int)
            """  # noqa: E501
            self.future = future
            self.batch_is_full = batch_is_full
            self.new_batch_created = new_batch_created
            self.abort_for_new_batch = abort_for_new_batch
            self.appended_bytes = appended_bytes

    class AppendCallbacks(ABC):
        """A callback that gets the partition as soon as it is chosen.

        :origin: clients.producer.internals.RecordAccumulator.AppendCallbacks
        """

        __slots__ = ()

        @abstractmethod
        def set_partition(self, partition: int) -> None:
            """Set the partition's number.

            Called again with another number if a thread has switched meanwhile.

            :origin: clients.producer.internals.RecordAccumulator.AppendCallbacks#setPartition(int)
            """

        @abstractmethod
        def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
            """Do what a Callback does."""

        def when_done(self) -> Callback | None:
            """Return the callback for the end of the record's batch, or None if it would do nothing.

            Not in Kafka.
            """
            return self

    class ReadyCheckResult:
        """The nodes with batches to send.

        :origin: clients.producer.internals.RecordAccumulator.ReadyCheckResult
        """

        __slots__ = ("ready_nodes", "next_ready_check_delay_ms", "unknown_leader_topics")

        def __init__(self, ready_nodes: set[Node], next_ready_check_delay_ms: int,
                     unknown_leader_topics: set[str]) -> None:
            """Store all arguments.

            :origin: clients.producer.internals.RecordAccumulator.ReadyCheckResult#ReadyCheckResult(Set<Node>, long, Set<String>)
            """  # noqa: E501
            self.ready_nodes = ready_nodes
            self.next_ready_check_delay_ms = next_ready_check_delay_ms
            self.unknown_leader_topics = unknown_leader_topics

    class _TopicInfo:
        """The deques of a topic by partition, and its partitioner.

        :origin: clients.producer.internals.RecordAccumulator.TopicInfo
        """

        __slots__ = ("batches", "built_in_partitioner")

        def __init__(self, log_context: LogContext, topic: str, sticky_batch_size: int) -> None:
            """Start without deques.

            :origin: clients.producer.internals.RecordAccumulator.TopicInfo#TopicInfo(LogContext, String, int)
            """
            self.batches: CopyOnWriteMap[int, BatchDeque] = CopyOnWriteMap()
            self.built_in_partitioner = BuiltInPartitioner(log_context, topic, sticky_batch_size)

    class NodeLatencyStats:
        """The last time that a node had data to send, and the last time that it accepted data, in
        milliseconds.

        :origin: clients.producer.internals.RecordAccumulator.NodeLatencyStats
        """

        __slots__ = ("ready_time_ms", "drain_time_ms")

        def __init__(self, now_ms: int) -> None:
            """Start with the current time for both.

            :origin: clients.producer.internals.RecordAccumulator.NodeLatencyStats#NodeLatencyStats(long)
            """
            self.ready_time_ms = now_ms
            self.drain_time_ms = now_ms

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch of records for one partition, from its first record until all of its futures are done.

While a batch is in a deque, the lock of the deque guards it. From the drain on the sender's thread owns it.
Any thread may set the final state: if an expiry, an abort and a response meet, the first one wins, and it
alone completes the futures.

=============  ==============================  ===============================================
final state    entered by                      what follows
=============  ==============================  ===============================================
None                                           any of the others
ABORTED        ``abort``                       later results are ignored
FAILED         ``complete_exceptionally``      later results are ignored
SUCCEEDED      ``complete``                    a later result raises IllegalStateException
=============  ==============================  ===============================================
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from typing import Callable

from kreactor.clients.producer.callback import Callback
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.future_records_metadata import FutureRecordsMetadata
from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.common.errors import RecordBatchTooLargeException
from kreactor.common.header.header import Header
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import KeyAndValue, MemoryRecordsBuilder
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.common.utils.time import Time
from kreactor.jdk.atomic import AtomicInteger, AtomicReference
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

log = LogContext().logger(f"{__name__}.ProducerBatch")


class ProducerBatch:
    """Records that are queued or in flight, with their futures and callbacks.

    :origin: clients.producer.internals.ProducerBatch
    """

    __slots__ = ("created_ms", "topic_partition", "produce_future", "_thunks", "_records_builder",
                 "_attempts", "_is_split_batch", "_final_state", "record_count", "max_record_size",
                 "_last_attempt_ms", "_last_append_time", "_drained_ms", "_retry", "_reopened",
                 "_current_leader_epoch", "_attempts_when_leader_last_changed")

    class FinalState(Enum):
        """The outcome of a batch.

        :origin: clients.producer.internals.ProducerBatch.FinalState
        """

        ABORTED = auto()
        FAILED = auto()
        SUCCEEDED = auto()

    def __init__(self, tp: TopicPartition, records_builder: MemoryRecordsBuilder, created_ms: int,
                 is_split_batch: bool = False) -> None:
        """Store records with ``records_builder``; times are in milliseconds.

        :origin: clients.producer.internals.ProducerBatch#ProducerBatch(TopicPartition, MemoryRecordsBuilder, long)
        :origin: clients.producer.internals.ProducerBatch#ProducerBatch(TopicPartition, MemoryRecordsBuilder, long, boolean)
        """  # noqa: E501
        self.created_ms = created_ms
        self.topic_partition = tp
        self.produce_future = ProduceRequestResult(tp)
        self._thunks: list[ProducerBatch._Thunk] = []
        self._records_builder = records_builder
        self._attempts = AtomicInteger(0)
        self._is_split_batch = is_split_batch
        self._final_state: AtomicReference[ProducerBatch.FinalState] = AtomicReference(None)
        self.record_count = 0
        self.max_record_size = 0
        self._last_attempt_ms = created_ms
        self._last_append_time = created_ms
        self._drained_ms = 0
        self._retry = False
        self._reopened = False
        # The epoch of the leader that gets the batch, None while it is unknown.
        self._current_leader_epoch: int | None = None
        # The attempt that first used this epoch.
        self._attempts_when_leader_last_changed = 0
        compression_ratio_estimation = CompressionRatioEstimator.estimation(
            tp.topic(), records_builder.compression().type())
        records_builder.set_estimated_compression_ratio(compression_ratio_estimation)

    def maybe_update_leader_epoch(self, latest_leader_epoch: int | None) -> None:
        """Store the epoch of the leader, if it is later than the stored one.

        :origin: clients.producer.internals.ProducerBatch#maybeUpdateLeaderEpoch(OptionalInt)
        """
        if latest_leader_epoch is not None and (
                self._current_leader_epoch is None or self._current_leader_epoch < latest_leader_epoch):
            log.trace("%s goes to a leader of epoch %s in attempt %s, after epoch %s since attempt %s", self,
                      latest_leader_epoch, self._attempts.get(), self._current_leader_epoch,
                      self._attempts_when_leader_last_changed)
            self._attempts_when_leader_last_changed = self.attempts()
            self._current_leader_epoch = latest_leader_epoch
        else:
            log.trace("%s stays with its leader of epoch %s since attempt %s: epoch %s is not later, attempt "
                      "%s", self, self._current_leader_epoch, self._attempts_when_leader_last_changed,
                      latest_leader_epoch, self._attempts.get())

    def has_leader_changed_for_the_ongoing_retry(self) -> bool:
        """Return whether this is a retry and the first attempt with the current leader.

        :origin: clients.producer.internals.ProducerBatch#hasLeaderChangedForTheOngoingRetry()
        """
        attempts = self.attempts()
        is_retry = attempts >= 1
        if not is_retry:
            return False
        return attempts == self._attempts_when_leader_last_changed

    def try_append(self, timestamp: int, key: BytesLike | None, value: BytesLike | None,
                   headers: Sequence[Header], callback: Callback | None,
                   now: int) -> FutureRecordMetadata | None:
        """Append a record and return its future, or None if there is no room for it.

        :origin: clients.producer.internals.ProducerBatch#tryAppend(long, byte[], byte[], Header[], Callback, long)
        """  # noqa: E501
        try:
            # DEVIATION D265: has_room_for and append in one, which encodes the record once.
            if not self._records_builder.try_append(timestamp, key, value, headers):
                return None
            self.max_record_size = max(
                self.max_record_size, AbstractRecords.estimate_size_in_bytes_upper_bound(
                    self.magic(), self._records_builder.compression().type(), key, value, headers))
            self._last_append_time = now
            future = self._future_of(timestamp, key, value)
            # Kept for a split, which chains each future to a smaller batch.
            self._thunks.append(self._Thunk(callback, future))
            self.record_count += 1
            return future
        except BaseException:
            # DEVIATION D323: Ctrl-C can arrive when the record is in the batch already. If the record were
            # not counted then, the broker would refuse the sequence of the next batch.
            if self._records_builder.num_records() > self.record_count:
                del self._thunks[self.record_count:]
                self._thunks.append(self._Thunk(callback, self._future_of(timestamp, key, value)))
                self.record_count += 1
            raise

    def try_append_all(self, records: Sequence[KeyAndValue], sizes: Sequence[int], start: int, end: int,
                       stop_after: int, now: int) -> FutureRecordsMetadata | None:
        """Append records ``start`` to ``end`` while there is room; return one future, or None for no record.

        ``sizes`` has the estimated size of each record. The append stops with the record by which the batch
        has grown by an estimated ``stop_after`` bytes. Not in Kafka; see append_all.
        """
        first = self.record_count
        try:
            count = self._records_builder.append_all(
                records, start, end, self._records_builder.estimated_size_in_bytes() + stop_after)
            if not count:
                return None
            future = FutureRecordsMetadata(self.produce_future, first, count)
            max_record_size = max(self.max_record_size, max(sizes[start:start + count]))
            self._thunks.extend([self._Thunk(None, future)] * count)
            self.max_record_size = max_record_size
            self._last_append_time = now
            self.record_count = first + count
            return future
        except BaseException:
            # DEVIATION D323: as in try_append.
            missing = self._records_builder.num_records() - self.record_count
            if missing:
                del self._thunks[self.record_count:]
                future = FutureRecordsMetadata(self.produce_future, self.record_count, missing)
                self._thunks.extend([self._Thunk(None, future)] * missing)
                self.record_count += missing
            raise

    def _future_of(self, timestamp: int, key: BytesLike | None,
                   value: BytesLike | None) -> FutureRecordMetadata:
        """Return the future of the next record."""
        return FutureRecordMetadata(self.produce_future, self.record_count, timestamp,
                                    -1 if key is None else len(key), -1 if value is None else len(value),
                                    Time.SYSTEM)

    def _try_append_for_split(self, timestamp: int, key: ByteBuffer | None, value: ByteBuffer | None,
                              headers: Sequence[Header], thunk: _Thunk) -> bool:
        """Append a record of a larger batch, and chain its future; return whether there was room.

        :origin: clients.producer.internals.ProducerBatch#tryAppendForSplit(long, ByteBuffer, ByteBuffer, Header[], Thunk)
        """  # noqa: E501
        if not self._records_builder.has_room_for(timestamp, key, value, headers):
            return False
        else:
            self._records_builder.append(timestamp, key, value, headers)
            self.max_record_size = max(
                self.max_record_size, AbstractRecords.estimate_size_in_bytes_upper_bound(
                    self.magic(), self._records_builder.compression().type(), key, value, headers))
            future = FutureRecordMetadata(self.produce_future, self.record_count, timestamp,
                                          -1 if key is None else key.remaining(),
                                          -1 if value is None else value.remaining(), Time.SYSTEM)
            thunk.future.chain(future)
            self._thunks.append(thunk)
            self.record_count += 1
            return True

    def abort(self, exception: Exception) -> None:
        """Fail all records with ``exception``. Raises IllegalStateException if the batch has ended.

        :origin: clients.producer.internals.ProducerBatch#abort(RuntimeException)
        """
        if not self._final_state.compare_and_set(None, self.FinalState.ABORTED):
            raise IllegalStateException(
                f"Batch has already been completed in final state {self._name_of(self.final_state())}")

        log.trace("Aborting a batch for %s: %r", self.topic_partition, exception)
        self._complete_future_and_fire_callbacks(ProduceResponse.INVALID_OFFSET, RecordBatch.NO_TIMESTAMP,
                                                 lambda index: exception)

    def is_done(self) -> bool:
        """Return whether the batch has ended.

        :origin: clients.producer.internals.ProducerBatch#isDone()
        """
        return self.final_state() is not None

    def complete(self, base_offset: int, log_append_time: int) -> bool:
        """Complete the batch successfully; return False if the batch has failed already.

        :origin: clients.producer.internals.ProducerBatch#complete(long, long)
        """
        return self._done(base_offset, log_append_time, None, None)

    def complete_exceptionally(self, top_level_exception: Exception,
                               record_exceptions: Callable[[int], Exception]) -> bool:
        """Fail each record with the exception of its index; return False if the batch has failed already.

        Raises TypeError unless both arguments are given.

        :origin: clients.producer.internals.ProducerBatch#completeExceptionally(RuntimeException, Function<Integer,RuntimeException>)
        """  # noqa: E501
        if top_level_exception is None or record_exceptions is None:
            raise TypeError("a failed batch has an exception, and one for each record")
        return self._done(ProduceResponse.INVALID_OFFSET, RecordBatch.NO_TIMESTAMP, top_level_exception,
                          record_exceptions)

    def _done(self, base_offset: int, log_append_time: int, top_level_exception: Exception | None,
              record_exceptions: Callable[[int], Exception] | None) -> bool:
        """Enter a final state; return whether this call did.

        A batch may fail first and succeed later: its delivery timeout can pass, or the producer can be
        closed, before the response of a broker that has written the batch. Raises IllegalStateException after
        a success.

        :origin: clients.producer.internals.ProducerBatch#done(long, long, RuntimeException, Function<Integer,RuntimeException>)
        """  # noqa: E501
        try_final_state = (self.FinalState.SUCCEEDED if top_level_exception is None
                           else self.FinalState.FAILED)
        if try_final_state is self.FinalState.SUCCEEDED:
            log.trace("A batch for %s is written at offset %s", self.topic_partition, base_offset)
        else:
            log.trace("A batch for %s failed: %r", self.topic_partition, top_level_exception)

        if self._final_state.compare_and_set(None, try_final_state):
            self._complete_future_and_fire_callbacks(base_offset, log_append_time, record_exceptions)
            return True

        if self.final_state() is not self.FinalState.SUCCEEDED:
            if try_final_state is self.FinalState.SUCCEEDED:
                log.debug("A batch for %s that had been %s is written at offset %s", self.topic_partition,
                          self._name_of(self.final_state()), base_offset)
            else:
                log.debug("A batch for %s stays %s: it had ended before it was %s", self.topic_partition,
                          self._name_of(self.final_state()), try_final_state.name)
        else:
            raise IllegalStateException(
                f"A {self._name_of(self.final_state())} batch must not attempt another state change to "
                f"{try_final_state.name}")
        return False

    def _complete_future_and_fire_callbacks(self, base_offset: int, log_append_time: int,
                                            record_exceptions: Callable[[int], Exception] | None) -> None:
        """Set the result, call the callbacks in the order of the records, then wake the waiting threads.

        :origin: clients.producer.internals.ProducerBatch#completeFutureAndFireCallbacks(long, long, Function<Integer,RuntimeException>)
        """  # noqa: E501
        # Set first, because the callbacks' metadata are built from it.
        self.produce_future.set(base_offset, log_append_time, record_exceptions)

        for i, thunk in enumerate(self._thunks):
            try:
                if thunk.callback is not None:
                    if record_exceptions is None:
                        metadata = thunk.future.value()
                        thunk.callback(metadata, None)
                    else:
                        exception = record_exceptions(i)
                        thunk.callback(None, exception)
            # DEVIATION D492: also what is no Exception, so that the other records are completed.
            except BaseException as e:
                log.error("A callback of a record for %s raised", self.topic_partition, exc=e)

        self.produce_future.done()

    def split(self, split_batch_size: int) -> deque[ProducerBatch]:
        """Return smaller batches with all records, and complete this batch; its futures are chained to those
        batches.

        A batch takes ``split_batch_size`` bytes, or one record. Raises IllegalStateException without records,
        IllegalArgumentException for uncompressed records of an old magic.

        :origin: clients.producer.internals.ProducerBatch#split(int)
        """
        batches: deque[ProducerBatch] = deque()
        memory_records = self._records_builder.build()

        record_batch_iter = iter(memory_records.batches())
        record_batch = next(record_batch_iter, None)
        if record_batch is None:
            raise IllegalStateException("Cannot split an empty producer batch.")

        if record_batch.magic() < RecordBatch.MAGIC_VALUE_V2 and not record_batch.is_compressed():
            raise IllegalArgumentException("Batch splitting cannot be used with non-compressed messages with "
                                           "version v0 and v1")

        if next(record_batch_iter, None) is not None:
            raise IllegalArgumentException("A producer batch should only have one record batch.")

        thunk_iter = iter(self._thunks)
        # The new batches keep this batch's creation time.
        batch: ProducerBatch | None = None

        for record in record_batch:
            thunk = next(thunk_iter)
            if batch is None:
                batch = self._create_batch_off_accumulator_for_record(record, split_batch_size)

            # An empty batch always has room for a record.
            if not batch._try_append_for_split(record.timestamp(), record.key(), record.value(),
                                               record.headers(), thunk):
                batches.append(batch)
                batch.close_for_record_appends()
                batch = self._create_batch_off_accumulator_for_record(record, split_batch_size)
                batch._try_append_for_split(record.timestamp(), record.key(), record.value(),
                                            record.headers(), thunk)

        if batch is not None:
            batches.append(batch)
            batch.close_for_record_appends()

        # DEVIATION D321: a flush that waits for this batch also waits for the batches of the split.
        for new_batch in batches:
            self.produce_future.add_dependent(new_batch.produce_future)

        self.produce_future.set(ProduceResponse.INVALID_OFFSET, RecordBatch.NO_TIMESTAMP,
                                lambda index: RecordBatchTooLargeException())
        self.produce_future.done()

        if self.has_sequence():
            sequence = self.base_sequence()
            producer_id_and_epoch = ProducerIdAndEpoch(self.producer_id(), self.producer_epoch())
            for new_batch in batches:
                new_batch.set_producer_state(producer_id_and_epoch, sequence, self.is_transactional())
                # DEVIATION D322: 0 follows the largest sequence.
                sequence = DefaultRecordBatch.increment_sequence(sequence, new_batch.record_count)
        return batches

    def _create_batch_off_accumulator_for_record(self, record: Record, batch_size: int) -> ProducerBatch:
        """Return a batch with room for ``record``; its memory is not the pool's.

        The drain sets the producer's state, as for every batch.

        :origin: clients.producer.internals.ProducerBatch#createBatchOffAccumulatorForRecord(Record, int)
        """
        initial_size = max(AbstractRecords.estimate_size_in_bytes_upper_bound(
            self.magic(), self._records_builder.compression().type(), record.key(), record.value(),
            record.headers()), batch_size)
        buffer = ByteBuffer.allocate(initial_size)

        builder = MemoryRecords.builder(buffer, self._records_builder.compression(),
                                        TimestampType.CREATE_TIME, 0, magic=self.magic())
        return ProducerBatch(self.topic_partition, builder, self.created_ms, True)

    def is_compressed(self) -> bool:
        """Return whether there is a codec.

        :origin: clients.producer.internals.ProducerBatch#isCompressed()
        """
        return self._records_builder.compression().type() is not CompressionType.NONE

    class _Thunk:
        """A record's callback, if any, and the future whose metadata the callback gets.

        :origin: clients.producer.internals.ProducerBatch.Thunk
        """

        __slots__ = ("callback", "future")

        def __init__(self, callback: Callback | None, future: FutureRecordMetadata) -> None:
            """Store both arguments.

            :origin: clients.producer.internals.ProducerBatch.Thunk#Thunk(Callback, FutureRecordMetadata)
            """
            self.callback = callback
            self.future = future

    def __str__(self) -> str:
        """:origin: clients.producer.internals.ProducerBatch#toString()"""
        return f"ProducerBatch(topicPartition={self.topic_partition}, recordCount={self.record_count})"

    def __repr__(self) -> str:
        final_state = self._final_state.get()
        state = "open" if final_state is None else final_state.name
        retry = ", in retry" if self._retry else ""
        return (f"ProducerBatch({self.topic_partition}, {self.record_count} records, {state}, "
                f"{self._attempts.get()} attempts{retry})")

    def has_reached_delivery_timeout(self, delivery_timeout_ms: int, now: int) -> bool:
        """Return whether the delivery timeout in milliseconds has passed since the batch was created.

        :origin: clients.producer.internals.ProducerBatch#hasReachedDeliveryTimeout(long, long)
        """
        return delivery_timeout_ms <= now - self.created_ms

    def final_state(self) -> FinalState | None:
        """Return the final state, or None.

        :origin: clients.producer.internals.ProducerBatch#finalState()
        """
        return self._final_state.get()

    @staticmethod
    def _name_of(state: FinalState | None) -> str:
        return "null" if state is None else state.name

    def attempts(self) -> int:
        """Return the number of times that the batch was put back for a retry.

        :origin: clients.producer.internals.ProducerBatch#attempts()
        """
        return self._attempts.get()

    def reenqueued(self, now: int) -> None:
        """Record that the batch was put back for a retry.

        :origin: clients.producer.internals.ProducerBatch#reenqueued(long)
        """
        self._attempts.get_and_increment()
        self._last_attempt_ms = max(self._last_append_time, now)
        self._last_append_time = max(self._last_append_time, now)
        self._retry = True

    def queue_time_ms(self) -> int:
        """Return the milliseconds from creation to the last drain.

        :origin: clients.producer.internals.ProducerBatch#queueTimeMs()
        """
        return self._drained_ms - self.created_ms

    def waited_time_ms(self, now_ms: int) -> int:
        """Return the milliseconds since creation, or since the last put-back.

        :origin: clients.producer.internals.ProducerBatch#waitedTimeMs(long)
        """
        return max(0, now_ms - self._last_attempt_ms)

    def drained(self, now_ms: int) -> None:
        """Record that the batch was taken out of its deque.

        :origin: clients.producer.internals.ProducerBatch#drained(long)
        """
        self._drained_ms = max(self._drained_ms, now_ms)

    def is_split_batch(self) -> bool:
        """Return whether the batch is a part of a larger one, so its memory is not the pool's.

        :origin: clients.producer.internals.ProducerBatch#isSplitBatch()
        """
        return self._is_split_batch

    def in_retry(self) -> bool:
        """Return whether the batch was put back for a retry.

        :origin: clients.producer.internals.ProducerBatch#inRetry()
        """
        return self._retry

    def records(self) -> MemoryRecords:
        """Return the built records.

        :origin: clients.producer.internals.ProducerBatch#records()
        """
        return self._records_builder.build()

    def estimated_size_in_bytes(self) -> int:
        """Return the size in bytes; an estimate if the batch is compressed and not built.

        :origin: clients.producer.internals.ProducerBatch#estimatedSizeInBytes()
        """
        return self._records_builder.estimated_size_in_bytes()

    def compression_ratio(self) -> float:
        """Return the ratio of the compressed size to the uncompressed size. The batch must be closed.

        :origin: clients.producer.internals.ProducerBatch#compressionRatio()
        """
        return self._records_builder.compression_ratio()

    def is_full(self) -> bool:
        """Return whether the batch takes no more records.

        :origin: clients.producer.internals.ProducerBatch#isFull()
        """
        return self._records_builder.is_full()

    def set_producer_state(self, producer_id_and_epoch: ProducerIdAndEpoch, base_sequence: int,
                           is_transactional: bool) -> None:
        """Set the producer id, epoch and base sequence. Raises IllegalStateException once it is closed.

        :origin: clients.producer.internals.ProducerBatch#setProducerState(ProducerIdAndEpoch, int, boolean)
        """
        self._records_builder.set_producer_state(
            producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch, base_sequence, is_transactional)

    def reset_producer_state(self, producer_id_and_epoch: ProducerIdAndEpoch, base_sequence: int) -> None:
        """Open the header again, with another sequence.

        :origin: clients.producer.internals.ProducerBatch#resetProducerState(ProducerIdAndEpoch, int)
        """
        log.info("A batch for %s changes its sequence from %s to %s", self.topic_partition,
                 self.base_sequence(), base_sequence)
        self._reopened = True
        self._records_builder.reopen_and_rewrite_producer_state(
            producer_id_and_epoch.producer_id, producer_id_and_epoch.epoch, base_sequence,
            self.is_transactional())

    def close_for_record_appends(self) -> None:
        """Refuse further records, and release the codec: only the header can change from now on.

        :origin: clients.producer.internals.ProducerBatch#closeForRecordAppends()
        """
        self._records_builder.close_for_record_appends()

    def close(self) -> None:
        """Write the header, and update the topic's estimated compression ratio.

        :origin: clients.producer.internals.ProducerBatch#close()
        """
        self._records_builder.close()
        if not self._records_builder.is_control_batch():
            CompressionRatioEstimator.update_estimation(
                self.topic_partition.topic(), self._records_builder.compression().type(),
                self._records_builder.compression_ratio())
        self._reopened = False

    def abort_record_appends(self) -> None:
        """Drop the records, so that none can be sent.

        ``abort`` completes the futures. The two methods are separate because callbacks are not called under
        the deque's lock.

        :origin: clients.producer.internals.ProducerBatch#abortRecordAppends()
        """
        self._records_builder.abort()

    def is_closed(self) -> bool:
        """Return whether the header is written.

        :origin: clients.producer.internals.ProducerBatch#isClosed()
        """
        return self._records_builder.is_closed()

    def buffer(self) -> ByteBuffer:
        """Return the current buffer, which is not the initial one if that was too small.

        :origin: clients.producer.internals.ProducerBatch#buffer()
        """
        return self._records_builder.buffer()

    def initial_capacity(self) -> int:
        """Return the capacity of the initial buffer in bytes, which the pool has counted.

        :origin: clients.producer.internals.ProducerBatch#initialCapacity()
        """
        return self._records_builder.initial_capacity()

    def is_writable(self) -> bool:
        """Return whether the header is not written yet.

        :origin: clients.producer.internals.ProducerBatch#isWritable()
        """
        return not self._records_builder.is_closed()

    def magic(self) -> int:
        """Return the version of the format.

        :origin: clients.producer.internals.ProducerBatch#magic()
        """
        return self._records_builder.magic()

    def producer_id(self) -> int:
        """Return the producer's id, or -1.

        :origin: clients.producer.internals.ProducerBatch#producerId()
        """
        return self._records_builder.producer_id()

    def producer_epoch(self) -> int:
        """Return the producer's epoch, or -1.

        :origin: clients.producer.internals.ProducerBatch#producerEpoch()
        """
        return self._records_builder.producer_epoch()

    def base_sequence(self) -> int:
        """Return the sequence of the first record, or -1.

        :origin: clients.producer.internals.ProducerBatch#baseSequence()
        """
        return self._records_builder.base_sequence()

    def last_sequence(self) -> int:
        """Return the sequence of the last record.

        :origin: clients.producer.internals.ProducerBatch#lastSequence()
        """
        # DEVIATION D322: 0 follows the largest sequence; Java's int becomes negative.
        return DefaultRecordBatch.increment_sequence(self._records_builder.base_sequence(),
                                                     self._records_builder.num_records() - 1)

    def has_sequence(self) -> bool:
        """Return whether the producer's state is set.

        :origin: clients.producer.internals.ProducerBatch#hasSequence()
        """
        return self.base_sequence() != RecordBatch.NO_SEQUENCE

    def is_transactional(self) -> bool:
        """Return whether the batch is part of a transaction.

        :origin: clients.producer.internals.ProducerBatch#isTransactional()
        """
        return self._records_builder.is_transactional()

    def sequence_has_been_reset(self) -> bool:
        """Return whether the header must be written again with another sequence.

        :origin: clients.producer.internals.ProducerBatch#sequenceHasBeenReset()
        """
        return self._reopened

    def current_leader_epoch(self) -> int | None:
        """Return the epoch of the leader, if it is known.

        :origin: clients.producer.internals.ProducerBatch#currentLeaderEpoch()
        """
        return self._current_leader_epoch

    def attempts_when_leader_last_changed(self) -> int:
        """Return the first attempt with the current leader.

        :origin: clients.producer.internals.ProducerBatch#attemptsWhenLeaderLastChanged()
        """
        return self._attempts_when_leader_last_changed

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.FutureRecordMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The future of one record, which reads the result of its batch."""

from __future__ import annotations

from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import TimeoutException
from kreactor.jdk.time_unit import TimeUnit

_LONG_MAX_VALUE = 2**63 - 1


class FutureRecordMetadata:
    """The metadata of a record once its batch is done. Read by any thread.

    If the batch was too large for the broker and was split, this future delegates to the record's future in
    the smaller batch. ``_next_record_metadata`` is set before the large batch is done, so a waiting thread
    sees it.

    :origin: clients.producer.internals.FutureRecordMetadata
    """

    __slots__ = ("_result", "_batch_index", "_create_timestamp", "_serialized_key_size",
                 "_serialized_value_size", "_time", "_next_record_metadata")

    def __init__(self, result: ProduceRequestResult, batch_index: int, create_timestamp: int,
                 serialized_key_size: int, serialized_value_size: int, time: Time) -> None:
        """Make the future of the record with an index in its batch; sizes are in bytes, -1 for None.

        :origin: clients.producer.internals.FutureRecordMetadata#FutureRecordMetadata(ProduceRequestResult, int, long, int, int, Time)
        """  # noqa: E501
        self._result = result
        self._batch_index = batch_index
        self._create_timestamp = create_timestamp
        self._serialized_key_size = serialized_key_size
        self._serialized_value_size = serialized_value_size
        self._time = time
        self._next_record_metadata: FutureRecordMetadata | None = None

    def cancel(self, interrupt: bool = False) -> bool:
        """Return False: a record cannot be taken back.

        :origin: clients.producer.internals.FutureRecordMetadata#cancel(boolean)
        """
        return False

    def is_cancelled(self) -> bool:
        """Return False.

        :origin: clients.producer.internals.FutureRecordMetadata#isCancelled()
        """
        return False

    def get(self, timeout: int | None = None, unit: TimeUnit = TimeUnit.MILLISECONDS) -> RecordMetadata:
        """Wait for the metadata and return them; raise the record's error if it failed.

        Raises the TimeoutException of ``java.util.concurrent`` after the time-out; None waits without limit.

        :origin: clients.producer.internals.FutureRecordMetadata#get()
        :origin: clients.producer.internals.FutureRecordMetadata#get(long, TimeUnit)
        """
        # DEVIATION D484: a loop over the futures of the splits. Kafka calls the next future's method, one
        # level of the stack for each split.
        future = self
        if timeout is None:
            while True:
                future._result.await_()
                if future._next_record_metadata is None:
                    return future._value_or_error()
                future = future._next_record_metadata
        # The sum stays a Java long.
        now = self._time.milliseconds()
        deadline = min(_LONG_MAX_VALUE, now + unit.to_millis(timeout))
        while True:
            occurred = future._result.await_timeout(timeout, unit)
            if not occurred:
                raise TimeoutException(f"Timeout after waiting for {unit.to_millis(timeout)} ms.")
            if future._next_record_metadata is None:
                return future._value_or_error()
            timeout, unit = deadline - self._time.milliseconds(), TimeUnit.MILLISECONDS
            future = future._next_record_metadata

    def chain(self, future_record_metadata: FutureRecordMetadata) -> None:
        """Delegate to the record's future in the smaller batch that has the record now.

        :origin: clients.producer.internals.FutureRecordMetadata#chain(FutureRecordMetadata)
        """
        last = self._last()
        last._next_record_metadata = future_record_metadata
        # A record whose batch is split many times would have a long way to its future. The batches in between
        # are done, so this future skips them. A thread that waits for one of them follows its own link.
        self._next_record_metadata = future_record_metadata

    def _last(self) -> FutureRecordMetadata:
        """Return the future of the record in the batch that has the record now."""
        future = self
        while future._next_record_metadata is not None:
            future = future._next_record_metadata
        return future

    def result(self) -> ProduceRequestResult:
        """Return the result of the batch that the record was appended to."""
        return self._result

    def _value_or_error(self) -> RecordMetadata:
        """Return the metadata, or raise the record's error.

        :origin: clients.producer.internals.FutureRecordMetadata#valueOrError()
        """
        exception = self._result.error(self._batch_index)
        if exception is not None:
            # DEVIATION D320: the exception itself is raised, not an ExecutionException.
            raise exception
        else:
            return self.value()

    def value(self) -> RecordMetadata:
        """Return the metadata without waiting. Raises TypeError before the result is set.

        :origin: clients.producer.internals.FutureRecordMetadata#value()
        """
        future = self._last()
        return RecordMetadata(future._result.topic_partition(), future._result.base_offset(),
                              future._batch_index, future._timestamp(), future._serialized_key_size,
                              future._serialized_value_size)

    def _timestamp(self) -> int:
        """Return the time of the append if the topic uses append times, else the record's timestamp.

        :origin: clients.producer.internals.FutureRecordMetadata#timestamp()
        """
        return (self._result.log_append_time() if self._result.has_log_append_time()
                else self._create_timestamp)

    def is_done(self) -> bool:
        """Return whether ``get`` would not wait.

        :origin: clients.producer.internals.FutureRecordMetadata#isDone()
        """
        return self._last()._result.completed()

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
        if timeout is None:
            self._result.await_()
            if self._next_record_metadata is not None:
                return self._next_record_metadata.get()
            return self._value_or_error()
        # The sum stays a Java long.
        now = self._time.milliseconds()
        timeout_millis = unit.to_millis(timeout)
        deadline = min(_LONG_MAX_VALUE, now + timeout_millis)
        occurred = self._result.await_timeout(timeout, unit)
        if not occurred:
            raise TimeoutException(f"Timeout after waiting for {timeout_millis} ms.")
        if self._next_record_metadata is not None:
            return self._next_record_metadata.get(deadline - self._time.milliseconds(), TimeUnit.MILLISECONDS)
        return self._value_or_error()

    def chain(self, future_record_metadata: FutureRecordMetadata) -> None:
        """Delegate to the record's future in the smaller batch that has the record now.

        :origin: clients.producer.internals.FutureRecordMetadata#chain(FutureRecordMetadata)
        """
        if self._next_record_metadata is None:
            self._next_record_metadata = future_record_metadata
        else:
            self._next_record_metadata.chain(future_record_metadata)

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
        if self._next_record_metadata is not None:
            return self._next_record_metadata.value()
        return RecordMetadata(self._result.topic_partition(), self._result.base_offset(), self._batch_index,
                              self._timestamp(), self._serialized_key_size, self._serialized_value_size)

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
        if self._next_record_metadata is not None:
            return self._next_record_metadata.is_done()
        return self._result.completed()

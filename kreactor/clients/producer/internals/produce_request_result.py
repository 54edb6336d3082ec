# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProduceRequestResult of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of one batch, which the futures of its records share.

The sender calls ``set`` and then ``done``. The latch guarantees this order to every waiting thread. A thread
that reads without waiting may see a part of the result.
"""

from __future__ import annotations

from typing import Callable

from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.time_unit import TimeUnit


class ProduceRequestResult:
    """The result of a batch. Set once, by the sender's thread or by an aborting thread; read by any thread.

    :origin: clients.producer.internals.ProduceRequestResult
    """

    __slots__ = ("_latch", "_topic_partition", "_base_offset", "_log_append_time", "_errors_by_index",
                 "_dependents")

    def __init__(self, topic_partition: TopicPartition) -> None:
        """:origin: clients.producer.internals.ProduceRequestResult#ProduceRequestResult(TopicPartition)"""
        self._latch = CountDownLatch(1)
        self._topic_partition = topic_partition
        self._base_offset: int | None = None
        self._log_append_time = RecordBatch.NO_TIMESTAMP
        self._errors_by_index: Callable[[int], Exception | None] | None = None
        # The results of the batches that this batch was split into; complete before ``done``.
        self._dependents: list[ProduceRequestResult] = []

    def set(self, base_offset: int, log_append_time: int,
            errors_by_index: Callable[[int], Exception | None] | None) -> None:
        """Set the offset of the first record, the time of the append or -1, and the error by index or None.

        :origin: clients.producer.internals.ProduceRequestResult#set(long, long, Function<Integer,RuntimeException>)
        """  # noqa: E501
        self._base_offset = base_offset
        self._log_append_time = log_append_time
        self._errors_by_index = errors_by_index

    def done(self) -> None:
        """Wake the waiting threads. Raises IllegalStateException before ``set``.

        :origin: clients.producer.internals.ProduceRequestResult#done()
        """
        if self._base_offset is None:
            raise IllegalStateException("The method `set` must be invoked before this method.")
        self._latch.count_down()

    def fail_in_child(self, exception: Exception) -> None:
        """Complete with ``exception`` in a forked child, where a thread of the parent may hold the latch."""
        if not self.completed():
            self.set(-1, RecordBatch.NO_TIMESTAMP, lambda index: exception)
            self._latch = CountDownLatch(0)

    def await_(self) -> None:
        """Wait until the request is done.

        :origin: clients.producer.internals.ProduceRequestResult#await()
        """
        self._latch.await_()

    def await_timeout(self, timeout: int, unit: TimeUnit) -> bool:
        """Wait until the request is done or the time is over; return whether it is done.

        :origin: clients.producer.internals.ProduceRequestResult#await(long, TimeUnit)
        """
        return self._latch.await_timeout(unit.to_millis(timeout))

    def add_dependent(self, dependent: ProduceRequestResult) -> None:
        """Add the result of a smaller batch that has some of the records now. Called before ``done``."""
        self._dependents.append(dependent)

    def was_split(self) -> bool:
        """Return whether the batch was split into smaller ones because of its size. Final once done."""
        return bool(self._dependents)

    def await_all(self) -> None:
        """Wait until this result and the results of all smaller batches of a split are done.

        A smaller batch can be split again.
        """
        # DEVIATION D321: flush uses this method.
        results = [self]
        for result in results:
            result.await_()
            results.extend(result._dependents)

    def base_offset(self) -> int:
        """Return the offset of the first record. Raises TypeError before ``set``.

        :origin: clients.producer.internals.ProduceRequestResult#baseOffset()
        """
        base_offset = self._base_offset
        if base_offset is None:
            raise TypeError("the result is not set")
        return base_offset

    def has_log_append_time(self) -> bool:
        """Return whether the topic uses append times.

        :origin: clients.producer.internals.ProduceRequestResult#hasLogAppendTime()
        """
        return self._log_append_time != RecordBatch.NO_TIMESTAMP

    def log_append_time(self) -> int:
        """Return the time of the append in milliseconds since 1970, or -1.

        :origin: clients.producer.internals.ProduceRequestResult#logAppendTime()
        """
        return self._log_append_time

    def error(self, batch_index: int) -> Exception | None:
        """Return the error of the record with an index, or None.

        :origin: clients.producer.internals.ProduceRequestResult#error(int)
        """
        errors_by_index = self._errors_by_index
        return None if errors_by_index is None else errors_by_index(batch_index)

    def topic_partition(self) -> TopicPartition:
        """Return the partition of the batch.

        :origin: clients.producer.internals.ProduceRequestResult#topicPartition()
        """
        return self._topic_partition

    def completed(self) -> bool:
        """Return whether the request is done.

        :origin: clients.producer.internals.ProduceRequestResult#completed()
        """
        return self._latch.get_count() == 0

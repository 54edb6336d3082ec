# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The futures of ``KafkaProducer.send_all``: for the records in one batch, and for all records.

Not in Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.clients.producer.producer import RecordFuture
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.utils.timer import Timer
from kreactor.jdk.exceptions import TimeoutException
from kreactor.jdk.time_unit import TimeUnit

_LONG_MAX_VALUE = 2**63 - 1


class FutureRecordsMetadata(FutureRecordMetadata):
    """The future of adjacent records in one batch. Read by any thread.

    If the batch is split, it chains this future to the future of each record, in order. If a part is split
    again, the futures of that part's records are chained once more. So a future in ``_chained`` whose own
    batch was split does not count.
    """

    __slots__ = ("_first", "_count", "_chained")

    def __init__(self, result: ProduceRequestResult, first: int, count: int) -> None:
        """Make the future of ``count`` records; the first has the given index in its batch."""
        super().__init__(result, first, RecordBatch.NO_TIMESTAMP, -1, -1, Time.SYSTEM)
        self._first = first
        self._count = count
        self._chained: list[FutureRecordMetadata] = []

    def count(self) -> int:
        """Return the number of records."""
        return self._count

    def chain(self, future_record_metadata: FutureRecordMetadata) -> None:
        """Add the future of one of the records in a smaller batch."""
        self._chained.append(future_record_metadata)

    def is_done(self) -> bool:
        """Return whether ``offsets`` would not wait."""
        return self._result.completed() and all(
            future.result().completed() for future in list(self._chained))

    def offsets(self, timer: Timer) -> Sequence[int]:
        """Wait for the offsets of the records; empty if the broker does not report them.

        Raises the error of the first failed record, and TimeoutException.
        """
        result = self._result
        _await(result, timer)
        if result.was_split():
            return [offset for offset in self._offsets_of_parts(timer) if offset >= 0]
        for index in range(self._first, self._first + self._count):
            error = result.error(index)
            if error is not None:
                raise error
        base_offset = result.base_offset()
        if base_offset < 0:
            return ()
        return range(base_offset + self._first, base_offset + self._first + self._count)

    def _offsets_of_parts(self, timer: Timer) -> Iterator[int]:
        # The list can grow meanwhile, because a part is chained before its whole batch is done.
        for future in self._chained:
            _await(future.result(), timer)
            if not future.result().was_split():
                yield future.get().offset()


def _await(result: ProduceRequestResult, timer: Timer) -> None:
    """Wait until ``result`` is done. Raises TimeoutException."""
    timer.update()
    if not result.await_timeout(timer.remaining_ms(), TimeUnit.MILLISECONDS):
        raise _timeout(timer)


def _timeout(timer: Timer) -> TimeoutException:
    """Return the exception for a time-out."""
    return TimeoutException(f"Timeout after waiting for {timer.timeout_ms()} ms.")


class SendAllFuture:
    """The one future of all records of a ``send_all``.

    The sending thread fills it; then any thread may read it.
    """

    __slots__ = ("_futures", "_queued", "_exception")

    def __init__(self) -> None:
        """Start without records."""
        self._futures: list[RecordFuture] = []
        self._queued = 0
        self._exception: Exception | None = None

    def add(self, future: RecordFuture, count: int) -> None:
        """Add the future of the next ``count`` queued records. Called by ``send_all``."""
        self._futures.append(future)
        self._queued += count

    def fail(self, exception: Exception) -> None:
        """Set the exception because of which the next record was not queued. Called by ``send_all``."""
        self._exception = exception

    def queued(self) -> int:
        """Return the number of queued records: all, or those before the first refused one."""
        return self._queued

    def cancel(self, interrupt: bool = False) -> bool:
        """Return False: records cannot be taken back."""
        return False

    def is_cancelled(self) -> bool:
        """Return False."""
        return False

    def is_done(self) -> bool:
        """Return whether ``get`` would not wait."""
        return all(future.is_done() for future in self._futures)

    def get(self, timeout: int | None = None,
            unit: TimeUnit = TimeUnit.MILLISECONDS) -> dict[TopicPartition, list[range]]:
        """Wait until all records are acknowledged; return their offsets by partition.

        Consecutive offsets form one range. With acks=0 there are none. Raises the error of the first failed
        record; other records may be written. If a record was not queued, raises its exception once the
        records before it are written. Raises the TimeoutException of ``java.util.concurrent`` after
        ``timeout``; None waits without limit.
        """
        timer = Time.SYSTEM.timer(_LONG_MAX_VALUE if timeout is None else unit.to_millis(timeout))
        offsets: dict[TopicPartition, list[range]] = {}
        for future in self._futures:
            if isinstance(future, FutureRecordsMetadata):
                found = future.offsets(timer)
                partition = future.result().topic_partition()
            else:
                try:
                    timer.update()
                    metadata = future.get(timer.remaining_ms())
                except TimeoutException:
                    raise _timeout(timer) from None
                found = (metadata.offset(),) if metadata.has_offset() else ()
                partition = TopicPartition(metadata.topic(), metadata.partition())
            ranges = offsets.setdefault(partition, [])
            for part in (found,) if isinstance(found, range) else [range(each, each + 1) for each in found]:
                if ranges and ranges[-1].stop == part.start:
                    ranges[-1] = range(ranges[-1].start, part.stop)
                else:
                    ranges.append(part)
        if self._exception is not None:
            raise self._exception
        return offsets

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The futures of ``KafkaProducer.send_all``: of the records in one batch, and of all. Not in Kafka."""

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
    """The future of records that stand side by side in one batch. Read by any thread.

    Where the batch is split, the batch leads this future on to that of each record, in their order. Where a
    part is split again, it does so once more for the records of that part: a future in ``_chained`` whose
    own batch was split counts for nothing.
    """

    __slots__ = ("_first", "_count", "_chained")

    def __init__(self, result: ProduceRequestResult, first: int, count: int) -> None:
        """Be the future of ``count`` records, the first of which has that index in its batch."""
        super().__init__(result, first, RecordBatch.NO_TIMESTAMP, -1, -1, Time.SYSTEM)
        self._first = first
        self._count = count
        self._chained: list[FutureRecordMetadata] = []

    def count(self) -> int:
        """Return the number of records."""
        return self._count

    def chain(self, future_record_metadata: FutureRecordMetadata) -> None:
        """Take the future that one of the records has in a smaller batch."""
        self._chained.append(future_record_metadata)

    def is_done(self) -> bool:
        """Return whether ``offsets`` would not wait."""
        return self._result.completed() and all(
            future.result().completed() for future in list(self._chained))

    def offsets(self, timer: Timer) -> Sequence[int]:
        """Return the offsets of the records, none where the broker does not tell them.

        Waits. Raises what the first record that failed did, and TimeoutException.
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
        # The list can grow meanwhile: a part is chained before the batch that it is a part of is done.
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
    """Return what to raise when the time is up."""
    return TimeoutException(f"Timeout after waiting for {timer.timeout_ms()} ms.")


class SendAllFuture:
    """The one future of all records of a ``send_all``. The thread that sends fills it; then any may read."""

    __slots__ = ("_futures", "_queued", "_exception")

    def __init__(self) -> None:
        """Begin with no record."""
        self._futures: list[RecordFuture] = []
        self._queued = 0
        self._exception: Exception | None = None

    def add(self, future: RecordFuture, count: int) -> None:
        """Take the future of the next ``count`` records, which are queued. Called by ``send_all``."""
        self._futures.append(future)
        self._queued += count

    def fail(self, exception: Exception) -> None:
        """Take what the next record could not be queued for. Called by ``send_all``."""
        self._exception = exception

    def queued(self) -> int:
        """Return how many records were queued: all, or those before the first that could not be."""
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
        """Return the offsets of all records by partition, waiting until all are acknowledged.

        Offsets that follow each other are one range. With acks=0 there are none. Raises what the first record
        that failed did: others may be written. Raises what a record could not be queued for once those before
        it are written. Raises the TimeoutException of ``java.util.concurrent`` if that takes longer than
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

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RequestUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Helpers of requests."""

from __future__ import annotations

from functools import cache
from operator import methodcaller
from typing import TYPE_CHECKING, Callable

from kreactor.common.protocol.message_util import append_message
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.protocol.message import Message
    from kreactor.common.record.memory_records import MemoryRecords
    from kreactor.common.requests.produce_request import ProduceRequest

_IS_TRANSACTIONAL: Callable[[RecordBatch], bool] = methodcaller("is_transactional")


@cache
def _memory_records() -> type[MemoryRecords]:
    """Return MemoryRecords. Imported here, because only code that reads records needs the class."""
    from kreactor.common.record.memory_records import MemoryRecords
    return MemoryRecords


class RequestUtils:
    """:origin: common.requests.RequestUtils"""

    @staticmethod
    def get_leader_epoch(leader_epoch: int) -> int | None:
        """Return an epoch of the wire as a number, or None for -1.

        :origin: common.requests.RequestUtils#getLeaderEpoch(int)
        """
        return None if leader_epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH else leader_epoch

    @staticmethod
    def has_transactional_records(request: ProduceRequest) -> bool:
        """Return whether a batch in the request belongs to a transaction.

        :origin: common.requests.RequestUtils#hasTransactionalRecords(ProduceRequest)
        """
        return RequestUtils._flag(request, _IS_TRANSACTIONAL)

    @staticmethod
    def _flag(request: ProduceRequest, predicate: Callable[[RecordBatch], bool]) -> bool:
        """Return whether ``predicate`` holds for the first batch of a partition.

        :origin: common.requests.RequestUtils#flag(ProduceRequest, Predicate<RecordBatch>)
        """
        for topic in request.data().topic_data:
            for partition in topic.partition_data:
                records = RequestUtils.records_of(partition.records)
                if records is not None:
                    partition.records = records  # kept, so that the buffer is wrapped only once
                    for batch in records.batches():
                        if predicate(batch):
                            return True
                        break
        return False

    @staticmethod
    def records_of(records: object) -> Records | None:
        """Return the records of a message's field. A buffer becomes MemoryRecords.

        Returns None for missing records, or for records that are not readable.
        """
        memory_records = _memory_records()
        # The usual case. An isinstance test of an abstract class takes longer than the whole method.
        if type(records) is memory_records:
            return records
        if isinstance(records, ByteBuffer):
            return memory_records.readable_records(records)
        return records if isinstance(records, Records) else None

    @staticmethod
    def serialize(header: Message, header_version: int, api_message: Message, api_version: int) -> ByteBuffer:
        """Return header and message in one buffer.

        :origin: common.requests.RequestUtils#serialize(Message, short, Message, short)
        """
        out = header.write(bytearray(), header_version, [])
        return ByteBuffer.wrap(append_message(out, api_message, api_version))

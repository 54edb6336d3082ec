# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.AbstractRecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The properties that every batch format derives from other properties."""

from __future__ import annotations

from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.record_batch import RecordBatch


class AbstractRecordBatch(RecordBatch):
    """Base of all batches.

    :origin: common.record.AbstractRecordBatch
    """

    __slots__ = ()

    def has_producer_id(self) -> bool:
        """:origin: common.record.AbstractRecordBatch#hasProducerId()"""
        return RecordBatch.NO_PRODUCER_ID < self.producer_id()

    def next_offset(self) -> int:
        """:origin: common.record.AbstractRecordBatch#nextOffset()"""
        return self.last_offset() + 1

    def is_compressed(self) -> bool:
        """:origin: common.record.AbstractRecordBatch#isCompressed()"""
        return self.compression_type() is not CompressionType.NONE

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordBatchIterator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An iterator over the batches of a stream."""

from __future__ import annotations

from typing import TypeVar

from kreactor.common.errors import CorruptRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.log_input_stream import LogInputStream
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.abstract_iterator import AbstractIterator
from kreactor.jdk.exceptions import EOFException

T = TypeVar("T", bound=RecordBatch)


class RecordBatchIterator(AbstractIterator[T]):
    """Iterates over batches. Raises CorruptRecordException or KafkaException where the stream raises OSError.

    :origin: common.record.RecordBatchIterator
    """

    __slots__ = ("_log_input_stream",)

    def __init__(self, log_input_stream: LogInputStream[T]) -> None:
        """:origin: common.record.RecordBatchIterator#RecordBatchIterator(LogInputStream<T>)"""
        super().__init__()
        self._log_input_stream = log_input_stream

    def make_next(self) -> T | None:
        """:origin: common.record.RecordBatchIterator#makeNext()"""
        try:
            batch = self._log_input_stream.next_batch()
            if batch is None:
                self.all_done()
            return batch
        except EOFException as e:
            raise CorruptRecordException("Unexpected EOF while attempting to read the next batch", e) from e
        except OSError as e:
            raise KafkaException(cause=e) from e

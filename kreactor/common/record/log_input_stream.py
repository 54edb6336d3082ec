# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.LogInputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a reader of batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kreactor.common.record.record_batch import RecordBatch

T_co = TypeVar("T_co", bound=RecordBatch, covariant=True)


class LogInputStream(ABC, Generic[T_co]):
    """Reads batches of one level: a log's batches, or the messages in a compressed batch of magic 0 or 1.

    A batch may be a view that reads its records on demand.

    :origin: common.record.LogInputStream
    """

    __slots__ = ()

    @abstractmethod
    def next_batch(self) -> T_co | None:
        """Return the next batch, or None if no complete batch is left. Raises OSError.

        :origin: common.record.LogInputStream#nextBatch()
        """

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.IncompleteBatches of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All batches that are not done: the queued ones and the ones in flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Lock

if TYPE_CHECKING:
    from kreactor.clients.producer.internals.producer_batch import ProducerBatch


class IncompleteBatches:
    """A set of batches, the oldest first. Called by any thread; its lock guards ``_incomplete``.

    :origin: clients.producer.internals.IncompleteBatches
    """

    __slots__ = ("_incomplete", "_lock")

    def __init__(self) -> None:
        """:origin: clients.producer.internals.IncompleteBatches#IncompleteBatches()"""
        self._incomplete: dict[ProducerBatch, None] = {}
        self._lock = Lock()

    def forget_in_child(self) -> None:
        """Make a new lock in a forked child, because a thread of the parent may hold the old one."""
        self._lock = Lock()

    def add(self, batch: ProducerBatch) -> None:
        """Add a batch.

        :origin: clients.producer.internals.IncompleteBatches#add(ProducerBatch)
        """
        with self._lock:
            self._incomplete[batch] = None

    def remove(self, batch: ProducerBatch) -> None:
        """Remove a batch. Raises IllegalStateException if it is not there.

        :origin: clients.producer.internals.IncompleteBatches#remove(ProducerBatch)
        """
        with self._lock:
            removed = batch in self._incomplete
            self._incomplete.pop(batch, None)
            if not removed:
                raise IllegalStateException(
                    "Remove from the incomplete set failed. This should be impossible.")

    def copy_all(self) -> Sequence[ProducerBatch]:
        """Return a copy of the current batches.

        :origin: clients.producer.internals.IncompleteBatches#copyAll()
        """
        with self._lock:
            return list(self._incomplete)

    def request_results(self) -> Sequence[ProduceRequestResult]:
        """Return the results of the current batches.

        :origin: clients.producer.internals.IncompleteBatches#requestResults()
        """
        with self._lock:
            return [batch.produce_future for batch in self._incomplete]

    def is_empty(self) -> bool:
        """Return whether all batches are done.

        :origin: clients.producer.internals.IncompleteBatches#isEmpty()
        """
        with self._lock:
            return not self._incomplete

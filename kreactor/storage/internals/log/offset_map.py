# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.OffsetMap of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The latest offset of each key, for a limited number of keys."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.jdk.nio_buffer import ByteBuffer


class OffsetMap(ABC):
    """Used by one thread at a time.

    :origin: storage.internals.log.OffsetMap
    """

    __slots__ = ()

    @abstractmethod
    def slots(self) -> int:
        """Return the number of keys that fit.

        :origin: storage.internals.log.OffsetMap#slots()
        """

    @abstractmethod
    def put(self, key: ByteBuffer, offset: int) -> None:
        """Set the offset of ``key``, which also becomes the latest offset.

        :origin: storage.internals.log.OffsetMap#put(ByteBuffer, long)
        """

    @abstractmethod
    def get(self, key: ByteBuffer) -> int:
        """Return the offset of ``key``, -1 if it has none.

        :origin: storage.internals.log.OffsetMap#get(ByteBuffer)
        """

    @abstractmethod
    def update_latest_offset(self, offset: int) -> None:
        """Set the latest offset; its record may have no key.

        :origin: storage.internals.log.OffsetMap#updateLatestOffset(long)
        """

    @abstractmethod
    def clear(self) -> None:
        """Remove all keys.

        :origin: storage.internals.log.OffsetMap#clear()
        """

    @abstractmethod
    def size(self) -> int:
        """Return the number of keys.

        :origin: storage.internals.log.OffsetMap#size()
        """

    @abstractmethod
    def latest_offset(self) -> int:
        """Return the latest offset, -1 at first.

        :origin: storage.internals.log.OffsetMap#latestOffset()
        """

    def utilization(self) -> float:
        """Return the used share of the slots.

        :origin: storage.internals.log.OffsetMap#utilization()
        """
        return self.size() / self.slots()

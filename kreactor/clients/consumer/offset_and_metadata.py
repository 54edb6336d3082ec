# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.consumer.OffsetAndMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A committed offset of a group in a partition."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalArgumentException


class OffsetAndMetadata:
    """An offset with the committer's metadata text. Immutable.

    :origin: clients.consumer.OffsetAndMetadata
    """

    __slots__ = ("_offset", "_metadata", "_leader_epoch")

    def __init__(self, offset: int, metadata: str | None = "", leader_epoch: int | None = None) -> None:
        """``leader_epoch`` is the leader epoch of the last consumed record.

        The coordinator stores an empty text instead of None, so this class does the same.

        Raises IllegalArgumentException if the offset is negative.

        :origin: clients.consumer.OffsetAndMetadata#OffsetAndMetadata(long, Optional<Integer>, String)
        :origin: clients.consumer.OffsetAndMetadata#OffsetAndMetadata(long, String)
        :origin: clients.consumer.OffsetAndMetadata#OffsetAndMetadata(long)
        """
        if offset < 0:
            raise IllegalArgumentException("Invalid negative offset")

        self._offset = offset
        self._leader_epoch = leader_epoch
        self._metadata = "" if metadata is None else metadata

    def offset(self) -> int:
        """Return the offset.

        :origin: clients.consumer.OffsetAndMetadata#offset()
        """
        return self._offset

    def metadata(self) -> str:
        """Return the text.

        :origin: clients.consumer.OffsetAndMetadata#metadata()
        """
        return self._metadata

    def leader_epoch(self) -> int | None:
        """Return the leader epoch, or None if it is not known.

        :origin: clients.consumer.OffsetAndMetadata#leaderEpoch()
        """
        if self._leader_epoch is None or self._leader_epoch < 0:
            return None
        return self._leader_epoch

    def __eq__(self, o: object) -> bool:
        """Compare all fields.

        :origin: clients.consumer.OffsetAndMetadata#equals(Object)
        """
        if self is o:
            return True
        if type(o) is not type(self):
            return False
        assert isinstance(o, OffsetAndMetadata)
        return (self._offset == o._offset and self._metadata == o._metadata
                and self._leader_epoch == o._leader_epoch)

    def __hash__(self) -> int:
        """Hash all fields.

        :origin: clients.consumer.OffsetAndMetadata#hashCode()
        """
        return hash((self._offset, self._metadata, self._leader_epoch))

    def __str__(self) -> str:
        """Return all fields as text.

        :origin: clients.consumer.OffsetAndMetadata#toString()
        """
        leader_epoch = "null" if self._leader_epoch is None else self._leader_epoch
        return (f"OffsetAndMetadata{{offset={self._offset}, leaderEpoch={leader_epoch}, "
                f"metadata='{self._metadata}'}}")

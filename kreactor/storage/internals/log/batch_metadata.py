# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.BatchMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The place of one batch of a producer."""

from __future__ import annotations

from typing import NamedTuple

_MAX_INT = 2**31 - 1


class BatchMetadata(NamedTuple):
    """The position of a producer's batch. The time is the batch's latest, in milliseconds.

    :origin: storage.internals.log.BatchMetadata
    """

    last_seq: int
    last_offset: int
    offset_delta: int
    timestamp: int

    def first_seq(self) -> int:
        """Return the first sequence number. Sequence numbers wrap from the largest int to 0.

        :origin: storage.internals.log.BatchMetadata#firstSeq()
        """
        first = self.last_seq - self.offset_delta
        return first if first >= 0 else first + _MAX_INT + 1

    def first_offset(self) -> int:
        """Return the first offset.

        :origin: storage.internals.log.BatchMetadata#firstOffset()
        """
        return self.last_offset - self.offset_delta

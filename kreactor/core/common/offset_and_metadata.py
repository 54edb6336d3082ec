# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.common.OffsetAndMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A committed offset, and its consumer's metadata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class OffsetAndMetadata:
    """Times are in milliseconds. Only old requests and records have an ``expire_timestamp``.

    ``metadata`` is None if the request had none.

    Kafka's class and its companion are one class here.

    :origin: kafka.common.OffsetAndMetadata
    :origin: kafka.common.OffsetAndMetadata
    """

    NO_METADATA: ClassVar[str] = ""

    offset: int
    leader_epoch: int | None
    metadata: str | None
    commit_timestamp: int
    expire_timestamp: int | None

    def __str__(self) -> str:
        """:origin: kafka.common.OffsetAndMetadata#toString"""
        leader_epoch = "Optional.empty" if self.leader_epoch is None else f"Optional[{self.leader_epoch}]"
        expire_timestamp = "None" if self.expire_timestamp is None else f"Some({self.expire_timestamp})"
        return (f"OffsetAndMetadata(offset={self.offset}, leaderEpoch={leader_epoch}, "
                f"metadata={self.metadata}, commitTimestamp={self.commit_timestamp}, "
                f"expireTimestamp={expire_timestamp})")

    @staticmethod
    def of(offset: int, metadata: str | None, commit_timestamp: int,
           expire_timestamp: int | None = None) -> OffsetAndMetadata:
        """Return an offset without a leader epoch.

        :origin: kafka.common.OffsetAndMetadata#apply(Long, String, Long)
        :origin: kafka.common.OffsetAndMetadata#apply(Long, String, Long, Long)
        """
        return OffsetAndMetadata(offset, None, metadata, commit_timestamp, expire_timestamp)

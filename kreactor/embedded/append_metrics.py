# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Counters of what a log refuses to append. The broker gives a log one that has meters behind it."""

from __future__ import annotations


class AppendMetrics:
    """Counts nothing. Methods are called by the thread that appends, before it raises."""

    __slots__ = ()

    def record_bytes_rejected(self, topic: str, size: int) -> None:
        """Count the bytes of records whose batch is too large."""

    def record_invalid_magic(self) -> None:
        """Count a batch or a record of a format that the first batch does not have."""

    def record_invalid_offset(self) -> None:
        """Count a batch whose offsets, count or kind a client may not send."""

    def record_invalid_sequence(self) -> None:
        """Count a batch of an idempotent producer without a sequence."""

    def record_invalid_checksums(self) -> None:
        """Count a batch or a record with a wrong checksum."""

    def record_no_key_compacted_topic(self) -> None:
        """Count a record without a key for a compacted topic."""


NO_APPEND_METRICS = AppendMetrics()

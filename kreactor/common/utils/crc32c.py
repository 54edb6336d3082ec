# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Crc32C of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The checksum of record batches, computed with CPU instructions."""

from __future__ import annotations

from kreactor.jdk.checksums import crc32c
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class Checksum:
    """``java.util.zip.Checksum`` with CRC-32C: an incremental checksum."""

    __slots__ = ("_value",)

    def __init__(self) -> None:
        self._value = 0

    def update(self, data: BytesLike) -> None:
        """Add data."""
        self._value = crc32c(data, self._value)

    def get_value(self) -> int:
        """Return the checksum of all data so far, 0..2**32-1."""
        return self._value

    def reset(self) -> None:
        """Start again without data."""
        self._value = 0


class Crc32C:
    """CRC-32C (Castagnoli).

    :origin: common.utils.Crc32C
    """

    @staticmethod
    def compute(data: BytesLike | ByteBuffer, offset: int, size: int) -> int:
        """Return the checksum, 0..2**32-1, of ``size`` bytes from ``offset``.

        In a ByteBuffer ``offset`` is relative to the position, which does not change.

        :origin: common.utils.Crc32C#compute(byte[], int, int)
        :origin: common.utils.Crc32C#compute(ByteBuffer, int, int)
        """
        view = data.view() if isinstance(data, ByteBuffer) else memoryview(data)
        part = view[offset:offset + size]
        if offset < 0 or size < 0 or len(part) != size:
            raise IndexError(f"{size} bytes from {offset} reach outside 0..{len(view)}")
        return int(crc32c(part))

    @staticmethod
    def create() -> Checksum:
        """Return a new incremental checksum.

        :origin: common.utils.Crc32C#create()
        """
        return Checksum()

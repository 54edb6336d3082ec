# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.GzipOutputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Compresses to gzip."""

from __future__ import annotations

import zlib

from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import BytesLike


class GzipOutputStream(OutputStream):
    """Writes one gzip member. zlib's own buffer replaces Java's buffer behind the codec.

    :origin: common.compress.GzipOutputStream
    """

    __slots__ = ("_out", "_compressor")

    def __init__(self, out: OutputStream, level: int) -> None:
        """Compress into ``out``. ``close`` does not close ``out``.

        :origin: common.compress.GzipOutputStream#GzipOutputStream(OutputStream, int, int)
        """
        self._out = out
        self._compressor: zlib._Compress | None = zlib.compressobj(level, zlib.DEFLATED, 16 + zlib.MAX_WBITS)

    def write(self, data: BytesLike) -> None:
        """Compress ``data``. Raises OSError after ``close``."""
        if self._compressor is None:
            raise OSError("Stream closed")
        compressed = self._compressor.compress(data)
        if compressed:
            self._out.write(compressed)

    def close(self) -> None:
        """Write the remaining output of zlib, the checksum and the length."""
        compressor, self._compressor = self._compressor, None
        if compressor is not None:
            self._out.write(compressor.flush())

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.xerial.snappy.SnappyOutputStream``: a header, then compressed blocks, each after its length."""

from __future__ import annotations

import struct
from types import ModuleType

from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import BytesLike

# The format's name, its version, and the minimum version of a compatible reader.
MAGIC_HEADER = b"\x82SNAPPY\x00"
HEADER = MAGIC_HEADER + struct.pack(">ii", 1, 1)

# The size of a block before compression in bytes, as in snappy-java.
_BLOCK_SIZE = 32 * 1024
_INT = struct.Struct(">i")


class SnappyOutputStream(OutputStream):
    """Writes the format of snappy-java. Used by one thread."""

    __slots__ = ("_out", "_compress", "_buffer", "_header_written", "_closed")

    def __init__(self, out: OutputStream, snappy: ModuleType) -> None:
        """Compress into ``out``. ``close`` does not close ``out``."""
        self._out = out
        self._compress = snappy.compress
        self._buffer = bytearray()
        self._header_written = False
        self._closed = False

    def write(self, data: BytesLike) -> None:
        """Compress ``data``. Raises OSError after ``close``."""
        if self._closed:
            raise OSError("Stream is closed")
        buffer = self._buffer
        buffer += data
        if len(buffer) > _BLOCK_SIZE:
            whole = len(buffer) - len(buffer) % _BLOCK_SIZE
            for start in range(0, whole, _BLOCK_SIZE):
                self._write_block(bytes(buffer[start:start + _BLOCK_SIZE]))
            del buffer[:whole]

    def flush(self) -> None:
        """Write the pending data as a block."""
        if not self._closed:
            self._write_block(bytes(self._buffer))
            self._buffer.clear()

    def close(self) -> None:
        """Write the pending data. The format has no end mark."""
        self.flush()
        self._closed = True

    def _write_block(self, data: bytes) -> None:
        if not self._header_written:
            self._out.write(HEADER)
            self._header_written = True
        if data:
            compressed = self._compress(data)
            self._out.write(_INT.pack(len(compressed)))
            self._out.write(compressed)

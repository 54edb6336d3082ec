# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.xerial.snappy.SnappyInputStream``: decompresses block by block.

Data without the header is one block of plain snappy. Some producers send this, and snappy-java accepts it.
"""

from __future__ import annotations

import struct
from types import ModuleType

from kreactor.common.compress.snappy_output_stream import HEADER, MAGIC_HEADER
from kreactor.jdk.io_streams import InputStream
from kreactor.jdk.nio_buffer import ByteBuffer

_INT = struct.Struct(">i")

# The first four bytes of a header, read as a block length, because streams may be concatenated.
_MAGIC_HEADER_HEAD: int = _INT.unpack_from(MAGIC_HEADER)[0]
_MIN_COMPATIBLE_VERSION = 1

# The maximum output of one byte of snappy: 64 bytes for a copy of 3. A header that claims more is invalid.
_MAX_EXPANSION = 22


class SnappyInputStream(InputStream):
    """Keeps one decompressed block. Used by one thread."""

    __slots__ = ("_source", "_position", "_decompress", "_block", "_block_position")

    def __init__(self, buffer: ByteBuffer, snappy: ModuleType) -> None:
        """Raises OSError if ``buffer`` starts with data that snappy-java refuses."""
        self._source = buffer.view()
        self._position = 0
        self._decompress = snappy.decompress
        self._block = memoryview(b"")
        self._block_position = 0
        source = self._source
        if not source:
            raise OSError("Cannot decompress empty stream")
        if len(source) < len(HEADER) or source[:len(MAGIC_HEADER)] != MAGIC_HEADER:
            self._position = len(source)
            self._block = self._decompressed(source)
        else:
            self._read_header()

    def read(self) -> int:
        """Return the next byte, or -1. Raises OSError."""
        position = self._block_position
        if position >= len(self._block) and not self._next_block():
            return -1
        position = self._block_position
        self._block_position = position + 1
        return self._block[position]

    def read_into(self, target: memoryview) -> int:
        """Fill ``target`` with the available data. Raises OSError."""
        wanted = len(target)
        done = 0
        while done < wanted:
            position = self._block_position
            left = len(self._block) - position
            if left == 0:
                if not self._next_block():
                    return done if done else -1
                continue
            count = min(left, wanted - done)
            target[done:done + count] = self._block[position:position + count]
            self._block_position = position + count
            done += count
        return done

    def available(self) -> int:
        """Return the number of decompressed bytes, or if 0, whether another block exists."""
        left = len(self._block) - self._block_position
        if left == 0 and self._next_block():
            left = len(self._block)
        return left

    def close(self) -> None:
        """Release the data."""
        self._source = self._block = memoryview(b"")
        self._position = self._block_position = 0

    def _read_header(self) -> None:
        version = _INT.unpack_from(self._source, self._position + len(MAGIC_HEADER))[0]
        if version < _MIN_COMPATIBLE_VERSION:
            raise OSError(f"Compressed with an incompatible codec version {version}. "
                          f"At least version {_MIN_COMPATIBLE_VERSION} is required")
        self._position += len(HEADER)

    def _next_block(self) -> bool:
        """Decompress the next non-empty block; return whether it exists. Raises OSError."""
        source = self._source
        while True:
            left = len(source) - self._position
            # Fewer bytes than a length count as the end, as in snappy-java.
            if left < 4:
                return False
            size = _INT.unpack_from(source, self._position)[0]
            if size == _MAGIC_HEADER_HEAD:
                if left < len(HEADER):
                    raise OSError("failed to read a header of concatenated data")
                self._read_header()
                continue
            if size < 0:
                raise OSError("chunkSize is too big or negative : " + str(size))
            start = self._position + 4
            if size > left - 4:
                raise OSError("failed to read chunk")
            self._position = start + size
            self._block = self._decompressed(source[start:start + size])
            self._block_position = 0
            if self._block:
                return True

    def _decompressed(self, data: memoryview) -> memoryview:
        """Return the contents of a block, after a check of its claimed size. Raises OSError."""
        claimed = shift = 0
        for index, byte in enumerate(data[:5]):
            claimed |= (byte & 0x7F) << shift
            shift += 7
            if byte < 128:
                break
        else:
            raise OSError("corrupt snappy data: no length")
        if claimed > (len(data) - index) * _MAX_EXPANSION:
            raise OSError(f"corrupt snappy data: {claimed} bytes cannot be in a block of {len(data)}")
        try:
            return memoryview(self._decompress(bytes(data)))
        except Exception as e:
            # The class of the exception depends on the version of the package, so all are caught.
            raise OSError(f"corrupt snappy data: {type(e).__name__} {e}") from e

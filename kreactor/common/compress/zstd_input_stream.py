# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``com.github.luben.zstd.ZstdInputStream``: decompresses frames on demand.

The library accepts a truncated frame as complete without an error. Therefore, at the end of the data, this
class walks over all block headers. The last frame must end where the data ends.

Needs ``zstandard``.
"""

from __future__ import annotations

import zstandard

from kreactor.common.compress.zstd_contexts import ZstdContexts
from kreactor.jdk.io_streams import InputStream
from kreactor.jdk.nio_buffer import ByteBuffer

_MAGIC = 0xFD2FB528
# The 16 magic numbers of skippable frames.
_SKIPPABLE_MAGIC = 0x184D2A50
_DICTIONARY_ID_SIZES = (0, 1, 2, 4)
_CONTENT_SIZE_SIZES = (0, 2, 4, 8)
_RLE_BLOCK = 1
_CONTEXTS = ZstdContexts(zstandard.ZstdDecompressor)


class ZstdInputStream(InputStream):
    """Reads the frames of a buffer as one stream. Used by one thread."""

    __slots__ = ("_source", "_context", "_reader", "_finished")

    def __init__(self, buffer: ByteBuffer) -> None:
        """Read ``buffer`` in place."""
        self._source = buffer.view()
        self._context: zstandard.ZstdDecompressor | None = _CONTEXTS.take()
        self._reader = self._context.stream_reader(self._source, read_across_frames=True)
        self._finished = False

    def read(self) -> int:
        """Return the next byte, or -1. Raises OSError."""
        one = bytearray(1)
        return one[0] if self.read_into(memoryview(one)) == 1 else -1

    def read_into(self, target: memoryview) -> int:
        """Fill ``target`` with the available data. Raises OSError."""
        if len(target) == 0:
            return 0
        if self._finished:
            return -1
        try:
            count = self._reader.readinto(target)
        except zstandard.ZstdError as e:
            raise OSError(f"corrupt zstd data: {e}") from e
        if count:
            return count
        self._finished = True
        if not _ends_with_a_frame(self._source):
            raise OSError("Truncated source")
        return -1

    def available(self) -> int:
        """Return 1 until the end is reached."""
        return 0 if self._finished else 1

    def close(self) -> None:
        """Release the data."""
        self._finished = True
        self._reader.close()  # type: ignore[no-untyped-call]  # its stub says nothing
        self._source = memoryview(b"")
        context, self._context = self._context, None
        if context is not None:
            _CONTEXTS.give_back(context)


def _ends_with_a_frame(source: memoryview) -> bool:
    """Return whether ``source`` consists of complete frames. Decompresses no block."""
    position, end = 0, len(source)
    while position < end:
        magic = int.from_bytes(source[position:position + 4], "little")
        position += 4
        if magic & 0xFFFFFFF0 == _SKIPPABLE_MAGIC:
            position += 4 + int.from_bytes(source[position:position + 4], "little")
            continue
        if magic != _MAGIC or position >= end:
            return False
        descriptor = source[position]
        single_segment = descriptor >> 5 & 1
        position += 1 + (0 if single_segment else 1) + _DICTIONARY_ID_SIZES[descriptor & 3]
        position += _CONTENT_SIZE_SIZES[descriptor >> 6] or single_segment
        last = 0
        while not last:
            if position + 3 > end:
                return False
            header = int.from_bytes(source[position:position + 3], "little")
            last = header & 1
            position += 3 + (1 if header >> 1 & 3 == _RLE_BLOCK else header >> 3)
        position += 4 if descriptor >> 2 & 1 else 0
    return position == end

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.zip.GZIPInputStream``: decompresses gzip on demand."""

from __future__ import annotations

import zlib

from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.io_streams import InputStream
from kreactor.jdk.native_memory import account
from kreactor.jdk.nio_buffer import ByteBuffer

# The memory of zlib for decompression in bytes: its state and its window.
_DECOMPRESSOR_SIZE = 40 << 10
# The bytes of compressed data passed to zlib at a time. zlib returns the unused rest as a copy.
_INPUT_STEP = 8 * 1024
# The minimum size of a member. Fewer bytes after a member are ignored.
_SHORTEST_MEMBER = 18
_MAGIC = b"\x1f\x8b"


class GZIPInputStream(InputStream):
    """Reads the members of a buffer as one stream. zlib verifies the checksums. Used by one thread."""

    __slots__ = ("_source", "_position", "_decompressor", "_rest", "_finished")

    def __init__(self, buffer: ByteBuffer) -> None:
        """Raises OSError if ``buffer`` does not start with a valid header."""
        self._source = buffer.view()
        self._position = 0
        self._rest = b""
        self._finished = False
        if len(self._source) < 10:
            raise EOFException("the gzip header is truncated")
        if self._source[:2] != _MAGIC:
            raise OSError("Not in GZIP format")
        if self._source[2] != zlib.DEFLATED:
            raise OSError("Unsupported compression method")
        self._decompressor = self._new_decompressor()

    def read(self) -> int:
        """Return the next byte, or -1. Raises OSError."""
        one = bytearray(1)
        return one[0] if self.read_into(memoryview(one)) == 1 else -1

    def read_into(self, target: memoryview) -> int:
        """Fill the beginning of ``target`` with the output of one step of the codec. Raises OSError."""
        wanted = len(target)
        if wanted == 0:
            return 0
        while not self._finished:
            decompressor = self._decompressor
            if not self._rest and not decompressor.eof:
                self._rest = bytes(self._source[self._position:self._position + _INPUT_STEP])
                self._position += len(self._rest)
            try:
                data = decompressor.decompress(self._rest, wanted)
            except zlib.error as e:
                raise OSError(f"corrupt gzip data: {e}") from e
            consumed_all = not decompressor.unconsumed_tail
            self._rest = decompressor.unconsumed_tail
            if decompressor.eof:
                self._next_member(decompressor.unused_data)
            if data:
                target[:len(data)] = data
                return len(data)
            if not self._finished and consumed_all and self._position >= len(self._source) and not self._rest:
                raise EOFException("Unexpected end of ZLIB input stream")
        return -1

    def _next_member(self, unused: bytes) -> None:
        """Continue with the next member, if one follows. Other data is ignored, as in Java."""
        left = len(unused) + len(self._source) - self._position
        beginning = unused[:2] if len(unused) >= 2 else unused + bytes(self._source[self._position:][:2])
        if left > _SHORTEST_MEMBER and beginning.startswith(_MAGIC):
            self._decompressor = self._new_decompressor()
            self._rest = unused
        else:
            self._finished = True
            self._rest = b""

    @staticmethod
    def _new_decompressor() -> zlib._Decompress:
        account(_DECOMPRESSOR_SIZE)
        return zlib.decompressobj(16 + zlib.MAX_WBITS)

    def available(self) -> int:
        """Return 1 until the end is reached, as in Java."""
        return 0 if self._finished else 1

    def close(self) -> None:
        """Release the data."""
        self._finished = True
        self._source = memoryview(b"")
        self._rest = b""

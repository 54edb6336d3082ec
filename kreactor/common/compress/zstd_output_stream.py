# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``com.github.luben.zstd.ZstdOutputStream``: one frame, without checksum and size. Needs ``zstandard``."""

from __future__ import annotations

import functools

import zstandard

from kreactor.common.compress.zstd_contexts import ZstdContexts
from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import BytesLike


@functools.cache
def _contexts(level: int) -> ZstdContexts[zstandard.ZstdCompressor]:
    """Return the contexts for a level."""
    return ZstdContexts(lambda: zstandard.ZstdCompressor(level=level))


class ZstdOutputStream(OutputStream):
    """Writes one frame. Used by one thread."""

    __slots__ = ("_out", "_contexts", "_context", "_compressor")

    def __init__(self, out: OutputStream, level: int) -> None:
        """Compress into ``out``. ``close`` does not close ``out``."""
        self._out = out
        self._contexts = _contexts(level)
        self._context = self._contexts.take()
        self._compressor: zstandard.ZstdCompressionObj | None = self._context.compressobj()

    def write(self, data: BytesLike) -> None:
        """Compress ``data``. Raises OSError after ``close``."""
        if self._compressor is None:
            raise OSError("Stream closed")
        compressed = self._compressor.compress(data)
        if compressed:
            self._out.write(compressed)

    def flush(self) -> None:
        """Write the pending data of the codec as a block."""
        if self._compressor is not None:
            self._out.write(self._compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))

    def close(self) -> None:
        """Write the pending data of the codec and the end of the frame."""
        compressor, self._compressor = self._compressor, None
        if compressor is not None:
            self._out.write(compressor.flush())
            self._contexts.give_back(self._context)

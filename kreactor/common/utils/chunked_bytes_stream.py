# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ChunkedBytesStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A stream that reads its source in chunks, because every read of a decompressor calls native code."""

from __future__ import annotations

from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.io_streams import InputStream


class ChunkedBytesStream(InputStream):
    """Keeps one chunk of its source in a buffer of a BufferSupplier.

    :origin: common.utils.ChunkedBytesStream
    """

    __slots__ = ("_in", "_buffer_supplier", "_intermediate_buf", "_count", "_pos", "_intermediate_buf_ref",
                 "_delegate_skip_to_source_stream")

    def __init__(self, source: InputStream, buffer_supplier: BufferSupplier, intermediate_buf_size: int,
                 delegate_skip_to_source_stream: bool) -> None:
        """Own ``source``. With ``push_skip_to_source_stream``, ``skip`` beyond the chunk skips in ``source``.

        :origin: common.utils.ChunkedBytesStream#ChunkedBytesStream(InputStream, BufferSupplier, int, boolean)
        """
        self._in = source
        self._buffer_supplier = buffer_supplier
        self._intermediate_buf_ref = buffer_supplier.get(intermediate_buf_size)
        self._intermediate_buf: memoryview | None = self._intermediate_buf_ref.view()
        # The unread part of the chunk lies between pos and count.
        self._count = 0
        self._pos = 0
        self._delegate_skip_to_source_stream = delegate_skip_to_source_stream

    def _get_buf_if_open(self) -> memoryview:
        """Return the buffer. Raises OSError if the stream is closed.

        :origin: common.utils.ChunkedBytesStream#getBufIfOpen()
        """
        buffer = self._intermediate_buf
        if buffer is None:
            raise OSError("Stream closed")
        return buffer

    def read(self) -> int:
        """:origin: common.utils.ChunkedBytesStream#read()"""
        pos = self._pos
        if pos >= self._count:
            self._fill()
            pos = self._pos
            if pos >= self._count:
                return -1
        self._pos = pos + 1
        return self._get_buf_if_open()[pos]

    def _fill(self) -> int:
        """Read the next chunk into the buffer; return its size, or -1 at the end.

        :origin: common.utils.ChunkedBytesStream#fill()
        """
        buffer = self._get_buf_if_open()
        self._pos = 0
        self._count = 0
        n = self._in.read_into(buffer)
        if n > 0:
            self._count = n
        return n

    def close(self) -> None:
        """Release the buffer and close the source.

        :origin: common.utils.ChunkedBytesStream#close()
        """
        buffer, self._intermediate_buf = self._intermediate_buf, None
        self._pos = self._count = 0
        if buffer is not None:
            self._buffer_supplier.release(self._intermediate_buf_ref)
            self._in.close()

    def read_into(self, target: memoryview) -> int:
        """Fill ``target`` with several reads of the source if necessary, or up to the end.

        :origin: common.utils.ChunkedBytesStream#read(byte[], int, int)
        """
        self._get_buf_if_open()
        length = len(target)
        if length == 0:
            return 0
        n = 0
        while True:
            nread = self._read1(target[n:])
            if nread <= 0:
                return nread if n == 0 else n
            n += nread
            if n >= length:
                return n
            if self._in.available() <= 0:
                return n

    def read_n_bytes(self, count: int) -> bytes:
        """Return ``count`` bytes, or fewer at the end; with one copy if the chunk has all of them."""
        pos = self._pos
        end = pos + count
        if pos <= end <= self._count:
            self._pos = end
            return bytes(self._get_buf_if_open()[pos:end])
        return super().read_n_bytes(count)

    def _read1(self, target: memoryview) -> int:
        """Read from the chunk, or with one read of the source.

        A ``target`` larger than the chunk is read directly.

        :origin: common.utils.ChunkedBytesStream#read1(byte[], int, int)
        """
        avail = self._count - self._pos
        if avail <= 0:
            if len(target) >= len(self._get_buf_if_open()):
                return self._in.read_into(target)
            self._fill()
            avail = self._count - self._pos
            if avail <= 0:
                return -1
        cnt = min(avail, len(target))
        target[:cnt] = self._get_buf_if_open()[self._pos:self._pos + cnt]
        self._pos += cnt
        return cnt

    def skip(self, count: int) -> int:
        """Skip ``count`` bytes, or fewer at the end; return the number skipped.

        :origin: common.utils.ChunkedBytesStream#skip(long)
        """
        self._get_buf_if_open()
        if count <= 0:
            return 0
        remaining = count

        bytes_skipped = min(self._count - self._pos, remaining)
        self._pos += bytes_skipped
        remaining -= bytes_skipped

        while remaining > 0:
            if self._delegate_skip_to_source_stream:
                delegate_bytes_skipped = self._in.skip(remaining)
                if delegate_bytes_skipped == 0:
                    # A skip of 0 bytes may not be the end of the source. A read decides.
                    if self.read() == -1:
                        break
                    remaining -= 1
                elif delegate_bytes_skipped > remaining or delegate_bytes_skipped < 0:
                    raise OSError("Unable to skip exactly")
                remaining -= delegate_bytes_skipped
            else:
                if self._pos >= self._count:
                    self._fill()
                    if self._pos >= self._count:
                        break
                bytes_skipped = min(self._count - self._pos, remaining)
                self._pos += bytes_skipped
                remaining -= bytes_skipped
        return count - remaining

    def source_stream(self) -> InputStream:
        """Return the source.

        :origin: common.utils.ChunkedBytesStream#sourceStream()
        """
        return self._in

    def available(self) -> int:
        """:origin: common.utils.ChunkedBytesStream#available()"""
        self._get_buf_if_open()
        return self._count - self._pos + self._in.available()

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.io.InputStream`` and ``OutputStream``, as far as batches are read and written through them.

Not the stdlib's ``io``: there a short read at the end and a read of nothing look alike, and the streams
here are told apart by -1. Owner: one thread at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

from kreactor.jdk.nio_buffer import BytesLike

S = TypeVar("S", bound="InputStream")
O = TypeVar("O", bound="OutputStream")  # noqa: E741

# How much of a claimed length is read before more memory is taken for the rest of it.
_READ_STEP = 1 << 16


class InputStream(ABC):
    """Bytes that come in order. A failure is an OSError."""

    __slots__ = ()

    @abstractmethod
    def read(self) -> int:
        """Return the next byte, 0..255, or -1 at the end."""

    @abstractmethod
    def read_into(self, target: memoryview) -> int:
        """Fill ``target``, or its beginning; return the bytes read, -1 at the end."""

    def read_n_bytes(self, count: int) -> bytes:
        """Return ``count`` bytes, or what there is until the end if that is less.

        Memory is taken as bytes arrive, never for a claim that nothing stands behind.
        """
        parts = []
        while count > 0:
            buffer = memoryview(bytearray(min(count, _READ_STEP)))
            read = self.read_into(buffer)
            if read < 0:
                break
            parts.append(buffer[:read])
            count -= read
        return b"".join(parts)

    def skip(self, count: int) -> int:
        """Pass over up to ``count`` bytes; return how many."""
        skipped = 0
        while skipped < count:
            read = self.read_into(memoryview(bytearray(min(count - skipped, 2048))))
            if read < 0:
                break
            skipped += read
        return skipped

    def available(self) -> int:
        """Return how many bytes can surely be had without waiting, 0 if that is not known."""
        return 0

    def close(self) -> None:
        """Give back what the stream holds. A second call does nothing."""

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()


class OutputStream(ABC):
    """Takes bytes in order. A failure is an OSError."""

    __slots__ = ()

    def write_byte(self, value: int) -> None:
        """Write one byte, given as a number of -128..255."""
        self.write(bytes((value & 0xFF,)))

    @abstractmethod
    def write(self, data: BytesLike) -> None:
        """Write all of ``data``."""

    def flush(self) -> None:
        """Pass on what is held back, as far as the format allows."""

    def close(self) -> None:
        """Write what completes the stream. A second call does nothing."""

    def __enter__(self: O) -> O:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()


class BufferedOutputStream(OutputStream):
    """``java.io.BufferedOutputStream``: passes small writes on together. Used by one thread."""

    __slots__ = ("_out", "_size", "_buffer")

    def __init__(self, out: OutputStream, size: int) -> None:
        """Hold back up to ``size`` bytes from ``out``, which is closed with this stream."""
        self._out = out
        self._size = size
        self._buffer = bytearray()

    def write(self, data: BytesLike) -> None:
        """Pass on what is held back where ``data`` does not fit behind it."""
        if len(self._buffer) + len(data) > self._size:
            self._write_buffer()
            if len(data) >= self._size:
                self._out.write(data)
                return
        self._buffer += data

    def flush(self) -> None:
        """Pass on what is held back, and flush the stream below."""
        self._write_buffer()
        self._out.flush()

    def close(self) -> None:
        """Pass on what is held back, and close the stream below, also where that raises."""
        # Later writes go to the closed stream, which refuses them.
        self._size = 0
        try:
            self._write_buffer()
        finally:
            self._out.close()

    def _write_buffer(self) -> None:
        if self._buffer:
            self._out.write(self._buffer)
            self._buffer.clear()

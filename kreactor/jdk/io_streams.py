# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.io.InputStream`` and ``OutputStream``, as far as batches need them.

The stdlib's ``io`` does not fit, because there an empty read does not tell the end of the stream. Here the
end is -1, as in Java. Owner: one thread at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

from kreactor.jdk.nio_buffer import BytesLike

S = TypeVar("S", bound="InputStream")
O = TypeVar("O", bound="OutputStream")  # noqa: E741

# The bytes of an announced length that are read before memory is allocated for the rest.
_READ_STEP = 1 << 16


class InputStream(ABC):
    """A stream of bytes to read. A failure is an OSError."""

    __slots__ = ()

    @abstractmethod
    def read(self) -> int:
        """Return the next byte, 0..255, or -1 at the end."""

    @abstractmethod
    def read_into(self, target: memoryview) -> int:
        """Read into ``target``; return the number of bytes read, -1 at the end."""

    def read_n_bytes(self, count: int) -> bytes:
        """Return ``count`` bytes, or all remaining bytes if there are fewer.

        Memory is allocated as bytes arrive, never for an announced length alone.
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
        """Skip up to ``count`` bytes; return the number of skipped bytes."""
        skipped = 0
        while skipped < count:
            read = self.read_into(memoryview(bytearray(min(count - skipped, 2048))))
            if read < 0:
                break
            skipped += read
        return skipped

    def available(self) -> int:
        """Return how many bytes can surely be read without waiting, 0 if the number is unknown."""
        return 0

    def close(self) -> None:
        """Release the stream's resources. A second call does nothing."""

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()


class OutputStream(ABC):
    """A stream to write bytes to. A failure is an OSError."""

    __slots__ = ()

    def write_byte(self, value: int) -> None:
        """Write one byte, given as a number of -128..255."""
        self.write(bytes((value & 0xFF,)))

    @abstractmethod
    def write(self, data: BytesLike) -> None:
        """Write all of ``data``."""

    def flush(self) -> None:
        """Pass on the buffered bytes, as far as the format allows."""

    def close(self) -> None:
        """Write the end of the stream. A second call does nothing."""

    def __enter__(self: O) -> O:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()


class BufferedOutputStream(OutputStream):
    """``java.io.BufferedOutputStream``: collects small writes into larger ones. Owner: one thread."""

    __slots__ = ("_out", "_size", "_buffer")

    def __init__(self, out: OutputStream, size: int) -> None:
        """Buffer up to ``size`` bytes for ``out``, which is closed with this stream."""
        self._out = out
        self._size = size
        self._buffer = bytearray()

    def write(self, data: BytesLike) -> None:
        """Buffer ``data``; pass on the buffered bytes first if ``data`` does not fit behind them."""
        if len(self._buffer) + len(data) > self._size:
            self._write_buffer()
            if len(data) >= self._size:
                self._out.write(data)
                return
        self._buffer += data

    def flush(self) -> None:
        """Pass on the buffered bytes, and flush the stream below."""
        self._write_buffer()
        self._out.flush()

    def close(self) -> None:
        """Pass on the buffered bytes, and close the stream below, even if the first step raises."""
        # Later writes go directly to the closed stream, which refuses them.
        self._size = 0
        try:
            self._write_buffer()
        finally:
            self._out.close()

    def _write_buffer(self) -> None:
        if self._buffer:
            self._out.write(self._buffer)
            self._buffer.clear()

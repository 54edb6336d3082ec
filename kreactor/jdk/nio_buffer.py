# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.nio.ByteBuffer``: a region of memory with a position and a limit, big-endian.

Role: all bytes move through the port in buffers. Slicing, duplicating, and reads from and writes to a socket
copy no bytes: every view shares one block of memory.

Owner: the thread that holds the buffer; two threads must not use it at once.

Invariant: ``0 <= position <= limit <= capacity``.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable

from kreactor.jdk.exceptions import (
    BufferOverflowException,
    BufferUnderflowException,
    IllegalArgumentException,
)
from kreactor.jdk.native_memory import account

BytesLike = bytes | bytearray | memoryview

_SHORT = struct.Struct(">h")
_INT = struct.Struct(">i")
_UNSIGNED_INT = struct.Struct(">I")
_LONG = struct.Struct(">q")

_unpack_short: Callable[[memoryview, int], tuple[int]] = _SHORT.unpack_from
_unpack_int: Callable[[memoryview, int], tuple[int]] = _INT.unpack_from


# From this size on, memory is mapped instead of allocated. A bytearray writes its zeros at once, so all of it
# is resident before a byte has arrived: 4 MB for a 4-byte size field, for each connection. A mapping's pages
# become resident with the bytes. Below this size, reusing freed memory is faster than new pages, and the
# kernel itself buffers as much for a connection.
MAPPED = 64 << 10


class MappedMemory(mmap.mmap):
    """Zeroed memory that becomes resident page by page when it is touched."""

    @staticmethod
    def of(capacity: int) -> MappedMemory:
        """Return ``capacity`` zeroed bytes. Raises MemoryError."""
        # DEVIATION D281: fact: PyPy's collector sees the few bytes of a mapping's object, not the mapped
        # memory. Consequence: the collector runs seldom, and unused mappings accumulate: 2 GB under a load of
        # 900 KB Produce requests. Choice: the size of each mapping is reported to PyPy. Cost: PyPy's
        # collector runs more often; CPython is not affected.
        account(capacity)
        try:
            if hasattr(mmap, "MAP_PRIVATE"):
                return MappedMemory(-1, capacity, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            return MappedMemory(-1, capacity)
        except OSError as e:
            raise MemoryError(f"{capacity} bytes: {e}") from e

    def is_viewed(self) -> bool:
        """Return whether a view of the mapping may exist."""
        if not _VIEWS_ARE_KNOWN:
            return True
        try:
            # Python refuses to resize a mapping while a view of it exists.
            self.resize(len(self))
            return False
        except BufferError:
            return True


def _views_are_known() -> bool:
    """Return whether this interpreter and system report views of a mapping."""
    memory = MappedMemory.of(mmap.PAGESIZE)
    with memoryview(memory):
        try:
            memory.resize(len(memory))
            return False
        except BufferError:
            pass
        except (OSError, SystemError, ValueError):
            return False
    try:
        memory.resize(len(memory))
        return True
    except (BufferError, OSError, SystemError, ValueError):
        return False


_VIEWS_ARE_KNOWN = _views_are_known()


class ByteBuffer:
    """A view of a block of memory. Positions, limits and sizes are in bytes."""

    # Memory pools use weak references to detect buffers that were dropped without release.
    __slots__ = ("_memory", "_position", "_limit", "_capacity", "__weakref__")

    def __init__(self, memory: memoryview, position: int, limit: int) -> None:
        """Make a buffer on ``memory``, a one-dimensional view of unsigned bytes. Prefer the factories."""
        self._memory = memory
        self._position = position
        self._limit = limit
        self._capacity = len(memory)

    @staticmethod
    def allocate(capacity: int) -> ByteBuffer:
        """Return a zeroed buffer of ``capacity`` bytes.

        Raises IllegalArgumentException if ``capacity`` is negative.
        """
        if capacity < 0:
            raise IllegalArgumentException(f"capacity < 0: ({capacity} < 0)")
        memory = bytearray(capacity) if capacity < MAPPED else MappedMemory.of(capacity)
        return ByteBuffer(memoryview(memory), 0, capacity)

    @staticmethod
    def wrap(array: BytesLike) -> ByteBuffer:
        """Return a buffer over ``array`` itself, read-only if ``array`` is."""
        memory = memoryview(array)
        if memory.format != "B" or memory.ndim != 1:
            memory = memory.cast("B")
        return ByteBuffer(memory, 0, len(memory))

    # -- position and limit ----------------------------------------------------------------------

    def capacity(self) -> int:
        """Return the size of the whole block."""
        return self._capacity

    def position(self) -> int:
        """Return the index of the next relative read or write."""
        return self._position

    def set_position(self, position: int) -> ByteBuffer:
        """Move the position. Raises IllegalArgumentException outside ``0..limit``."""
        if not 0 <= position <= self._limit:
            raise IllegalArgumentException(f"newPosition {position} outside 0..{self._limit}")
        self._position = position
        return self

    def limit(self) -> int:
        """Return the index after the last byte that may be read or written."""
        return self._limit

    def set_limit(self, limit: int) -> ByteBuffer:
        """Move the limit; a position beyond it follows. Raises IllegalArgumentException past capacity."""
        if not 0 <= limit <= self._capacity:
            raise IllegalArgumentException(f"newLimit {limit} outside 0..{self._capacity}")
        self._limit = limit
        if self._position > limit:
            self._position = limit
        return self

    def remaining(self) -> int:
        """Return the number of bytes between position and limit."""
        return self._limit - self._position

    def has_remaining(self) -> bool:
        """Return whether anything is left between position and limit."""
        return self._position < self._limit

    def rewind(self) -> ByteBuffer:
        """Set the position to the start; the limit stays."""
        self._position = 0
        return self

    def flip(self) -> ByteBuffer:
        """Switch from writing to reading: the written bytes lie between position and limit."""
        self._limit = self._position
        self._position = 0
        return self

    def clear(self) -> ByteBuffer:
        """Open the whole block for writing; nothing is erased."""
        self._position = 0
        self._limit = self._capacity
        return self

    def compact(self) -> ByteBuffer:
        """Move the remaining bytes to the start, and open the rest of the block for writing."""
        remaining = self._limit - self._position
        if self._position:
            self._memory[:remaining] = self._memory[self._position:self._limit]
        self._position = remaining
        self._limit = self._capacity
        return self

    # -- views -----------------------------------------------------------------------------------

    def view(self) -> memoryview:
        """Return the bytes between position and limit, shared. The position stays."""
        return self._memory[self._position:self._limit]

    def to_bytes(self) -> bytes:
        """Return a copy of the bytes between position and limit. The position stays."""
        return bytes(self._memory[self._position:self._limit])

    def slice(self) -> ByteBuffer:
        """Return a buffer whose whole block is the memory between this buffer's position and limit."""
        return ByteBuffer(self._memory[self._position:self._limit], 0, self._limit - self._position)

    def duplicate(self) -> ByteBuffer:
        """Return a buffer on the same block, with a position and a limit of its own."""
        return ByteBuffer(self._memory, self._position, self._limit)

    # -- relative reads and writes ---------------------------------------------------------------

    def advance(self, count: int) -> ByteBuffer:
        """Move the position forward by ``count``, after a transfer that used the memory directly."""
        self._position += count
        return self

    def get(self) -> int:
        """Read one byte, as a number of -128..127. Raises BufferUnderflowException at the limit."""
        position = self._take(1)
        value = self._memory[position]
        return value - 256 if value > 127 else value

    def get_bytes(self, count: int) -> memoryview:
        """Read ``count`` bytes, shared. Raises BufferUnderflowException if fewer are left."""
        position = self._take(count)
        return self._memory[position:position + count]

    def get_short(self) -> int:
        """Read a signed 16-bit number. Raises BufferUnderflowException."""
        position = self._position
        after = position + 2
        if after > self._limit:
            self._take(2)
        self._position = after
        value, = _unpack_short(self._memory, position)
        return value

    def get_int(self) -> int:
        """Read a signed 32-bit number. Raises BufferUnderflowException."""
        position = self._position
        after = position + 4
        if after > self._limit:
            self._take(4)
        self._position = after
        value, = _unpack_int(self._memory, position)
        return value

    def get_long(self) -> int:
        """Read a signed 64-bit number. Raises BufferUnderflowException."""
        return int(_LONG.unpack_from(self._memory, self._take(8))[0])

    def put(self, source: BytesLike | ByteBuffer) -> ByteBuffer:
        """Write all of ``source``; a source buffer is drained. Raises BufferOverflowException."""
        if isinstance(source, ByteBuffer):
            view = source.view()
            self.put(view)
            source._position = source._limit
            return self
        position = self._make_room(len(source))
        self._memory[position:position + len(source)] = source
        return self

    def put_byte(self, value: int) -> ByteBuffer:
        """Write one byte, given as a number of -128..255. Raises BufferOverflowException."""
        self._memory[self._make_room(1)] = value & 0xFF
        return self

    def put_short(self, value: int) -> ByteBuffer:
        """Write a signed 16-bit number. Raises BufferOverflowException."""
        _SHORT.pack_into(self._memory, self._make_room(2), value)
        return self

    def put_int(self, value: int) -> ByteBuffer:
        """Write a signed 32-bit number. Raises BufferOverflowException."""
        _INT.pack_into(self._memory, self._make_room(4), value)
        return self

    def put_long(self, value: int) -> ByteBuffer:
        """Write a signed 64-bit number. Raises BufferOverflowException."""
        _LONG.pack_into(self._memory, self._make_room(8), value)
        return self

    # -- absolute reads and writes: the index counts from the start of the block -------------------

    def get_at(self, index: int) -> int:
        """Read the signed byte at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 1)
        value = self._memory[index]
        return value - 256 if value > 127 else value

    def get_short_at(self, index: int) -> int:
        """Read the signed 16-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 2)
        return int(_SHORT.unpack_from(self._memory, index)[0])

    def get_int_at(self, index: int) -> int:
        """Read the signed 32-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 4)
        return int(_INT.unpack_from(self._memory, index)[0])

    def get_unsigned_int_at(self, index: int) -> int:
        """Read the unsigned 32-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 4)
        return int(_UNSIGNED_INT.unpack_from(self._memory, index)[0])

    def get_long_at(self, index: int) -> int:
        """Read the signed 64-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 8)
        return int(_LONG.unpack_from(self._memory, index)[0])

    def put_at(self, index: int, value: int) -> ByteBuffer:
        """Write one byte at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 1)
        self._memory[index] = value & 0xFF
        return self

    def put_short_at(self, index: int, value: int) -> ByteBuffer:
        """Write a signed 16-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 2)
        _SHORT.pack_into(self._memory, index, value)
        return self

    def put_int_at(self, index: int, value: int) -> ByteBuffer:
        """Write a signed 32-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 4)
        _INT.pack_into(self._memory, index, value)
        return self

    def put_unsigned_int_at(self, index: int, value: int) -> ByteBuffer:
        """Write an unsigned 32-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 4)
        _UNSIGNED_INT.pack_into(self._memory, index, value)
        return self

    def put_long_at(self, index: int, value: int) -> ByteBuffer:
        """Write a signed 64-bit number at ``index``. Raises IndexError past the limit."""
        self._check_index(index, 8)
        _LONG.pack_into(self._memory, index, value)
        return self

    # --------------------------------------------------------------------------------------------

    def _take(self, count: int) -> int:
        position = self._position
        after = position + count
        if after > self._limit:
            raise BufferUnderflowException(f"{count} bytes wanted, {self._limit - position} left")
        self._position = after
        return position

    def _make_room(self, count: int) -> int:
        position = self._position
        after = position + count
        if after > self._limit:
            raise BufferOverflowException(f"{count} bytes to write, room for {self._limit - position}")
        self._position = after
        return position

    def _check_index(self, index: int, count: int) -> None:
        if index < 0 or index + count > self._limit:
            raise IndexError(f"{count} bytes at {index} reach outside 0..{self._limit}")

    def __repr__(self) -> str:
        return f"ByteBuffer[pos={self._position} lim={self._limit} cap={self._capacity}]"

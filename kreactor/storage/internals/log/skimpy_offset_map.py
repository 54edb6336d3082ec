# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.SkimpyOffsetMap of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Stores keys by their hashes alone, in a table of a fixed size in bytes.

Two keys with one hash count as one key; with MD5 that does not happen by chance. An entry is the hash and the
offset. The first four bytes of the hash give its slot. If that slot is used, the four bytes from the second
byte on give the next one. This continues up to the last four bytes. Then the slots after the last one follow.
"""

from __future__ import annotations

import hashlib
import struct

from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.log.offset_map import OffsetMap

_LONG = struct.Struct(">q")
_EMPTY = bytes(24)


class SkimpyOffsetMap(OffsetMap):
    """Used by one thread at a time.

    :origin: storage.internals.log.SkimpyOffsetMap
    """

    __slots__ = ("_bytes", "_memory", "_digest", "_hash_size", "bytes_per_entry", "_slots", "_entries",
                 "_lookups", "_probes", "_last_offset")

    def __init__(self, memory: int, hash_algorithm: str = "MD5") -> None:
        """Allocate ``memory`` bytes. Raises ValueError for an unknown algorithm.

        :origin: storage.internals.log.SkimpyOffsetMap#SkimpyOffsetMap(int)
        :origin: storage.internals.log.SkimpyOffsetMap#SkimpyOffsetMap(int, String)
        """
        self._memory = memory
        # DEVIATION D290: an anonymous mapping. A bytearray would write to all of its memory at once.
        self._bytes = Floor.mmap.mmap(-1, memory)
        self._digest = hashlib.new(hash_algorithm.replace("-", ""), usedforsecurity=False)
        self._hash_size = self._digest.digest_size
        self.bytes_per_entry = self._hash_size + 8
        self._slots = memory // self.bytes_per_entry
        self._entries = 0
        self._lookups = 0
        self._probes = 0
        self._last_offset = -1

    def slots(self) -> int:
        """:origin: storage.internals.log.SkimpyOffsetMap#slots()"""
        return self._slots

    def get(self, key: ByteBuffer) -> int:
        """:origin: storage.internals.log.SkimpyOffsetMap#get(ByteBuffer)"""
        self._lookups += 1
        hash_ = self._hash_into(key)
        hash_size, table = self._hash_size, self._bytes
        # In a full table, no empty slot ends the search.
        max_attempts = self._slots + hash_size - 4
        for attempt in range(max_attempts):
            pos = self._position_of(hash_, attempt)
            if table[pos:pos + hash_size] == hash_:
                offset: int = _LONG.unpack_from(table, pos + hash_size)[0]
                return offset
            if self._is_empty(pos):
                return -1
        return -1

    def put(self, key: ByteBuffer, offset: int) -> None:
        """Raises IllegalArgumentException if the table is full.

        :origin: storage.internals.log.SkimpyOffsetMap#put(ByteBuffer, long)
        """
        if self._entries >= self._slots:
            raise IllegalArgumentException(
                f"Attempted to add a new entry to a full offset map, entries: {self._entries}, "
                f"slots: {self._slots}")

        self._lookups += 1
        hash_ = self._hash_into(key)
        hash_size, table = self._hash_size, self._bytes

        attempt = 0
        pos = self._position_of(hash_, attempt)
        while not self._is_empty(pos):
            if table[pos:pos + hash_size] == hash_:
                _LONG.pack_into(table, pos + hash_size, offset)
                self._last_offset = offset
                return
            attempt += 1
            pos = self._position_of(hash_, attempt)

        table[pos:pos + hash_size] = hash_
        _LONG.pack_into(table, pos + hash_size, offset)
        self._last_offset = offset
        self._entries += 1

    def update_latest_offset(self, offset: int) -> None:
        """:origin: storage.internals.log.SkimpyOffsetMap#updateLatestOffset(long)"""
        self._last_offset = offset

    def clear(self) -> None:
        """:origin: storage.internals.log.SkimpyOffsetMap#clear()"""
        if self._entries:
            self._bytes.close()
            self._bytes = Floor.mmap.mmap(-1, self._memory)
        self._entries = 0
        self._lookups = 0
        self._probes = 0
        self._last_offset = -1

    def size(self) -> int:
        """:origin: storage.internals.log.SkimpyOffsetMap#size()"""
        return self._entries

    def latest_offset(self) -> int:
        """:origin: storage.internals.log.SkimpyOffsetMap#latestOffset()"""
        return self._last_offset

    def collision_rate(self) -> float:
        """Return the average number of slots that a lookup skips.

        :origin: storage.internals.log.SkimpyOffsetMap#collisionRate()
        """
        return (self._probes - self._lookups) / self._lookups

    def _is_empty(self, position: int) -> bool:
        """:origin: storage.internals.log.SkimpyOffsetMap#isEmpty(int)"""
        return self._bytes[position:position + 24] == _EMPTY

    def _position_of(self, hash_: bytes, attempt: int) -> int:
        """Return the table position of a hash for the given attempt.

        :origin: storage.internals.log.SkimpyOffsetMap#positionOf(byte[], int)
        """
        last = self._hash_size - 4
        at = min(attempt, last)
        probe = int.from_bytes(hash_[at:at + 4], "big", signed=True) + max(0, attempt - last)
        slot = Utils.abs(probe) % self._slots
        self._probes += 1
        return slot * self.bytes_per_entry

    def _hash_into(self, key: ByteBuffer) -> bytes:
        """:origin: storage.internals.log.SkimpyOffsetMap#hashInto(ByteBuffer, byte[])"""
        digest = self._digest.copy()
        digest.update(key.view())
        return digest.digest()

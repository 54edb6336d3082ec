# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.memory.GarbageCollectedMemoryPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A pool for hunting leaks: it notices buffers that were dropped without a release, and says so.

Weak references tell. Their callbacks run wherever the last reference goes or the garbage collector
happens to start: on any thread, in the middle of anything, with any lock held, this pool's, the log's or
a queue's own included. So a callback here takes no lock: it is the ``enqueue`` of a
ReferenceQueue, which is made to be re-entered. A thread of the pool's does the work, and holds no lock
while it waits. A reference whose buffer was released is gone before it can call anything.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Callable

from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.reference_queue import ReferenceQueue

if TYPE_CHECKING:
    from kreactor.common.metrics.sensor import Sensor

OMITTED = {
    "common.memory.GarbageCollectedMemoryPool.BufferReference#BufferReference(ByteBuffer)":
        "the constructor with a queue that is None",
}


class GarbageCollectedMemoryPool(SimpleMemoryPool):
    """A SimpleMemoryPool that takes back what was dropped. A development aid.

    ``_buffers_in_flight`` is guarded by the pool's lock. Its keys keep the references alive, without which
    they would tell nothing; its values are what can be known of a buffer that is gone.

    :origin: common.memory.GarbageCollectedMemoryPool
    """

    __slots__ = ("_garbage_collected_buffers", "_buffers_in_flight", "_gc_listener_thread", "_alive")

    def __init__(self, size_bytes: int, max_single_allocation_size: int, strict: bool,
                 oom_period_sensor: Sensor | None) -> None:
        """Start the thread that listens.

        :origin: common.memory.GarbageCollectedMemoryPool#GarbageCollectedMemoryPool(long, int, boolean, Sensor)
        """  # noqa: E501
        super().__init__(size_bytes, max_single_allocation_size, strict, oom_period_sensor)
        # None ends the listener, as an interrupt does there.
        self._garbage_collected_buffers: ReferenceQueue[
            GarbageCollectedMemoryPool.BufferReference | None] = ReferenceQueue()
        self._buffers_in_flight: dict[GarbageCollectedMemoryPool.BufferReference,
                                      GarbageCollectedMemoryPool.BufferMetadata] = {}
        self._alive = True
        gc_listener = GarbageCollectedMemoryPool.GarbageCollectionListener(self)
        self._gc_listener_thread = threading.Thread(
            target=gc_listener.run, name="memory pool GC listener", daemon=True)
        self._gc_listener_thread.start()

    def _buffer_to_be_returned(self, just_allocated: ByteBuffer) -> None:
        """Watch the buffer.

        :origin: common.memory.GarbageCollectedMemoryPool#bufferToBeReturned(ByteBuffer)
        """
        ref = GarbageCollectedMemoryPool.BufferReference(
            just_allocated, self._garbage_collected_buffers.enqueue)
        metadata = GarbageCollectedMemoryPool.BufferMetadata(just_allocated.capacity())
        with self._lock:
            previous = self._buffers_in_flight.get(ref)
            self._buffers_in_flight[ref] = metadata
        if previous is not None:
            raise IllegalStateException(
                f"allocated buffer identity {hash(ref)} already registered as in use?!")

        self._log.trace("allocated a buffer of %s bytes, identity %s", just_allocated.capacity(), hash(ref))

    def _buffer_to_be_released(self, just_released: ByteBuffer) -> None:
        """Watch the buffer no longer.

        Raises IllegalArgumentException if it is not out: released twice, or not from here. It cannot have
        been taken for dropped while the caller holds it, finalizers of what the collector gives up apart.

        :origin: common.memory.GarbageCollectedMemoryPool#bufferToBeReleased(ByteBuffer)
        """
        ref = GarbageCollectedMemoryPool.BufferReference(just_released, None)
        with self._lock:
            metadata = self._buffers_in_flight.pop(ref, None)
        if metadata is None:
            raise IllegalArgumentException(f"returned buffer {hash(ref)} was never allocated by this pool")
        if metadata._size_bytes != just_released.capacity():
            raise IllegalStateException(
                f"buffer {hash(ref)} has capacity {just_released.capacity()} but recorded as "
                f"{metadata._size_bytes}")
        self._log.trace("released a buffer of %s bytes, identity %s", metadata._size_bytes, hash(ref))

    def close(self) -> None:
        """End the thread that listens. Buffers may still be released.

        :origin: common.memory.GarbageCollectedMemoryPool#close()
        """
        self._alive = False
        self._garbage_collected_buffers.enqueue(None)

    class GarbageCollectionListener:
        """The loop of the listening thread.

        :origin: common.memory.GarbageCollectedMemoryPool.GarbageCollectionListener
        """

        __slots__ = ("_pool",)

        def __init__(self, pool: GarbageCollectedMemoryPool) -> None:
            """Listen for ``pool``, which is implied in Java."""
            self._pool = pool

        def run(self) -> None:
            """Take back buffers as they are found dropped, until the pool is closed.

            One that was released can be among them, if its reference outlived it a little.

            :origin: common.memory.GarbageCollectedMemoryPool.GarbageCollectionListener#run()
            """
            pool = self._pool
            while pool._alive:
                ref = pool._garbage_collected_buffers.remove()
                if ref is None:
                    continue
                with pool._lock:
                    metadata = pool._buffers_in_flight.pop(ref, None)
                    if metadata is None:
                        continue
                    pool._available_memory += metadata._size_bytes
                pool._log.error("a buffer of %s bytes, identity %s, was dropped and not released: a bug",
                                metadata._size_bytes, hash(ref))
            pool._log.info("GC listener ends")

    class BufferMetadata:
        """The reference to a buffer that is out, and its size.

        :origin: common.memory.GarbageCollectedMemoryPool.BufferMetadata
        """

        __slots__ = ("_size_bytes",)

        def __init__(self, size_bytes: int) -> None:
            """Keep the size.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferMetadata#BufferMetadata(int)
            """
            self._size_bytes = size_bytes

    class BufferReference(weakref.ref[ByteBuffer]):
        """A weak reference that finds its like: equal to one on the same buffer while that lives, then to
        itself alone, under a hash that stays.

        :origin: common.memory.GarbageCollectedMemoryPool.BufferReference
        """

        __slots__ = ("_hash_code",)

        _hash_code: int

        def __new__(cls, referent: ByteBuffer,
                    callback: Callable[[GarbageCollectedMemoryPool.BufferReference], object] | None,
                    ) -> GarbageCollectedMemoryPool.BufferReference:
            """Refer to ``referent``; ``callback`` gets this reference when it is dropped.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferReference#BufferReference(ByteBuffer, ReferenceQueue<?superByteBuffer>)
            """  # noqa: E501
            self = super().__new__(cls, referent, callback)
            self._hash_code = id(referent)
            return self

        def __eq__(self, other: object) -> bool:
            """Compare by identity: of the references, or of the buffers if both are there.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferReference#equals(Object)
            """
            if self is other:
                return True
            if not isinstance(other, GarbageCollectedMemoryPool.BufferReference):
                return False
            if self._hash_code != other._hash_code:
                return False
            this_buf = self()
            if this_buf is None:
                return False
            that_buf = other()
            return this_buf is that_buf

        def __hash__(self) -> int:
            """Return the identity of the buffer, also when it is gone.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferReference#hashCode()
            """
            return self._hash_code

    def __str__(self) -> str:
        """Return what is used, what there is, and in how many buffers.

        :origin: common.memory.GarbageCollectedMemoryPool#toString()
        """
        allocated = self._size_bytes - self._available_memory
        return (f"GarbageCollectedMemoryPool{{{Utils.format_bytes(allocated)}/"
                f"{Utils.format_bytes(self._size_bytes)} used in {len(self._buffers_in_flight)} buffers}}")

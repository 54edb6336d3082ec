# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.memory.GarbageCollectedMemoryPool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A pool that finds leaks: it detects and logs buffers that were dropped without a release.

Weak references detect the drop. The callback of a weak reference runs where the last strong reference is
dropped or the garbage collector starts. This can be any thread that holds any lock, also the lock of this
pool, of a logger or of a queue. Therefore the callback takes no lock: it is the reentrant ``enqueue`` of a
ReferenceQueue. A thread of the pool processes the queue, and holds no lock while it waits. Releasing a buffer
deletes its weak reference, so that no callback runs.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Callable

from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.reference_queue import ReferenceQueue
from kreactor.jdk.threads import Thread

if TYPE_CHECKING:
    from kreactor.common.metrics.sensor import Sensor


class GarbageCollectedMemoryPool(SimpleMemoryPool):
    """A SimpleMemoryPool that takes back dropped buffers. Used for development.

    ``_buffers_in_flight`` is guarded by the pool's lock. Its keys keep the weak references alive, because a
    dead one makes no callback. Its values describe buffers that may be gone.

    :origin: common.memory.GarbageCollectedMemoryPool
    """

    __slots__ = ("_garbage_collected_buffers", "_buffers_in_flight", "_gc_listener_thread", "_alive")

    def __init__(self, size_bytes: int, max_single_allocation_size: int, strict: bool,
                 oom_period_sensor: Sensor | None) -> None:
        """Start the listener thread.

        :origin: common.memory.GarbageCollectedMemoryPool#GarbageCollectedMemoryPool(long, int, boolean, Sensor)
        """  # noqa: E501
        super().__init__(size_bytes, max_single_allocation_size, strict, oom_period_sensor)
        # None ends the listener, as an interrupt does in the origin.
        self._garbage_collected_buffers: ReferenceQueue[
            GarbageCollectedMemoryPool.BufferReference | None] = ReferenceQueue()
        self._buffers_in_flight: dict[GarbageCollectedMemoryPool.BufferReference,
                                      GarbageCollectedMemoryPool.BufferMetadata] = {}
        self._alive = True
        gc_listener = GarbageCollectedMemoryPool.GarbageCollectionListener(self)
        self._gc_listener_thread = Thread(
            target=gc_listener.run, name="memory pool GC listener", daemon=True)
        self._gc_listener_thread.start()

    def _buffer_to_be_returned(self, just_allocated: ByteBuffer) -> None:
        """Start to watch the buffer.

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
        """Stop watching the buffer.

        Raises IllegalArgumentException for a buffer released twice or not allocated by this pool. The
        listener cannot treat the buffer as dropped while the caller has a reference, except in finalizers of
        collected objects.

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
        """Stop the listener thread. Callers may still release buffers.

        :origin: common.memory.GarbageCollectedMemoryPool#close()
        """
        self._alive = False
        self._garbage_collected_buffers.enqueue(None)

    class GarbageCollectionListener:
        """The loop of the listener thread.

        :origin: common.memory.GarbageCollectedMemoryPool.GarbageCollectionListener
        """

        __slots__ = ("_pool",)

        def __init__(self, pool: GarbageCollectedMemoryPool) -> None:
            """Listen for ``pool``. In Java the enclosing object is implicit."""
            self._pool = pool

        def run(self) -> None:
            """Take back dropped buffers until the pool is closed.

            The queue can also have a released buffer whose weak reference lived slightly longer.

            :origin: common.memory.GarbageCollectedMemoryPool.GarbageCollectionListener#run()
            """
            pool = self._pool
            while pool._alive:
                try:
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
                # DEVIATION D494: the origin's thread ends, and the pool loses each later buffer.
                except BaseException as e:
                    pool._log.error("taking back a buffer failed", exc=e)
            pool._log.info("GC listener ends")

    class BufferMetadata:
        """The size of an allocated buffer.

        :origin: common.memory.GarbageCollectedMemoryPool.BufferMetadata
        """

        __slots__ = ("_size_bytes",)

        def __init__(self, size_bytes: int) -> None:
            """Keep the size.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferMetadata#BufferMetadata(int)
            """
            self._size_bytes = size_bytes

    class BufferReference(weakref.ref[ByteBuffer]):
        """A weak reference as a dict key.

        While the buffer exists, it equals every reference to the same buffer. Afterwards it equals only
        itself. Its hash never changes.

        :origin: common.memory.GarbageCollectedMemoryPool.BufferReference
        """

        __slots__ = ("_hash_code",)

        _hash_code: int

        def __new__(cls, referent: ByteBuffer,
                    callback: Callable[[GarbageCollectedMemoryPool.BufferReference], object] | None,
                    ) -> GarbageCollectedMemoryPool.BufferReference:
            """Refer to ``referent``. ``callback`` is called with this reference when ``referent`` is dropped.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferReference#BufferReference(ByteBuffer, ReferenceQueue<?superByteBuffer>)
            """  # noqa: E501
            self = super().__new__(cls, referent, callback)
            self._hash_code = id(referent)
            return self

        def __eq__(self, other: object) -> bool:
            """Compare the identities of the references, or of the buffers if both exist.

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
            """Return the identity of the buffer, also after its end.

            :origin: common.memory.GarbageCollectedMemoryPool.BufferReference#hashCode()
            """
            return self._hash_code

    def __str__(self) -> str:
        """Return the used bytes, the size and the number of buffers.

        :origin: common.memory.GarbageCollectedMemoryPool#toString()
        """
        allocated = self._size_bytes - self._available_memory
        return (f"GarbageCollectedMemoryPool{{{Utils.format_bytes(allocated)}/"
                f"{Utils.format_bytes(self._size_bytes)} used in {len(self._buffers_in_flight)} buffers}}")

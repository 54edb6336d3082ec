# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent``: queues over ``queue.Queue``, a latch, a future.

Everything here is safe for use by any thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from threading import get_ident
from typing import Callable, Generic, Sequence, TypeVar

from kreactor.jdk.exceptions import IllegalArgumentException, TimeoutException

log = logging.getLogger(__name__)

T = TypeVar("T")
U = TypeVar("U")


class _HandOver(queue.Queue[T]):
    """A ``queue.Queue`` that wakes no more threads than it takes.

    The standard one wakes a getter for each element put. Where getters are quick, most of them find that
    another was quicker, after two switches of threads. Here at most one getter is on its way at any time:
    a put wakes one only if none is, and whoever takes an element and leaves others wakes the next. Hence

    *nothing waits that could be taken*: while there are elements and idle getters, one of them is on its
    way; it was woken, and has not looked yet. A getter that blocks on what it took delays nobody.

    The getter that was idle last goes first: what it needs is still in the caches. Of those that put and
    find no room, each is woken by an element that goes.

    *With patience* nobody is woken while a getter is busy that is likely to be back before another could be
    there. Getters that are quick get in each other's way: they want the same interpreter and the same locks,
    and each has to be woken and put to sleep for it. So another one is woken only if none has come for an
    element for ``patience_ms``: then those that are busy are held up. That is looked at by each put, by one
    that finds no room at once, and by ``look_after``, which must be called now and then while elements wait:
    nothing waits for longer than that, and the patience. Who puts several elements, and then has to wait
    himself, looks after them last: who is woken earlier finds him still busy with the interpreter.
    """

    # DEVIATION D100: one getter is woken, not one for each element.

    def __init__(self, maxsize: int = 0, patience_ms: float = 0) -> None:
        super().__init__(maxsize)
        # Guarded by the mutex: the getters that sleep, each on a lock of its own; how many of those that
        # were woken have not looked yet; how many wait for room.
        self._idle: list[threading.Lock] = []
        self._on_their_way = 0
        self._putters = 0
        self._patience_ns = round(patience_ms * 1_000_000)
        # With patience, guarded too: the threads that took an element and have not come back, and when one
        # came last. A thread that never comes back is no reason to be patient for longer than that.
        self._busy: set[int] = set()
        # Each thread comes and goes by itself.
        self._about_to_look: set[int] = set()
        self._taken_at = 0

    def put(self, item: T, block: bool = True, timeout: float | None = None) -> None:
        with self.mutex:
            if 0 < self.maxsize <= len(self.queue):
                if self._idle and not self._on_their_way:
                    self._wake()
                self._putters += 1
                try:
                    if not block or not self.not_full.wait_for(
                            lambda: len(self.queue) < self.maxsize, timeout):
                        raise queue.Full
                finally:
                    self._putters -= 1
            self.queue.append(item)
            if self._idle and not self._on_their_way and get_ident() not in self._about_to_look:
                self._maybe_wake()

    def put_for_another(self, item: T) -> None:
        """Append ``item``, waiting for room, and wake a getter for it whoever is busy."""
        self.put(item)
        with self.mutex:
            if self._idle:
                self._wake()

    def get(self, block: bool = True, timeout: float | None = None) -> T:
        item = self.poll_timeout(0 if not block else None if timeout is None else timeout * 1000)
        if item is None:
            raise queue.Empty
        return item

    def poll_timeout(self, timeout_ms: float | None) -> T | None:
        """Remove and return the head, or None if none came within ``timeout_ms``, which None leaves open."""
        with self.mutex:
            if self.queue:
                return self._taken()
            if self._patience_ns:
                self._busy.discard(get_ident())
        if timeout_ms == 0:
            return None
        deadline = None if timeout_ms is None else time.monotonic() + _seconds(timeout_ms)
        while True:
            bell = threading.Lock()
            bell.acquire()
            with self.mutex:
                if self.queue:
                    return self._taken()
                self._idle.append(bell)
            try:
                bell.acquire(timeout=-1 if deadline is None else _time_left(deadline))
            except BaseException:
                # What a signal raises: who waits no more must not be waited for.
                with self.mutex:
                    self._arrive(bell)
                    if self.queue and self._idle and not self._on_their_way:
                        self._wake()
                raise
            with self.mutex:
                self._arrive(bell)
                if self.queue:
                    return self._taken()
            if deadline is not None and time.monotonic() >= deadline:
                return None

    def take_out_all(self) -> list[T]:
        """Remove and return all elements."""
        with self.mutex:
            items = list(self.queue)
            self.queue.clear()
            if self._putters:
                self.not_full.notify_all()
        return items

    def _taken(self) -> T:
        item: T = self.queue.popleft()
        if self._patience_ns:
            self._busy.add(get_ident())
            self._taken_at = time.monotonic_ns()
        elif self.queue and self._idle and not self._on_their_way:
            self._wake()
        if self._putters:
            self.not_full.notify()
        return item

    def _arrive(self, bell: threading.Lock) -> None:
        """Be awake: nobody has rung, or this getter is on its way no more."""
        if bell in self._idle:
            self._idle.remove(bell)
        else:
            self._on_their_way -= 1

    def hold_back(self) -> None:
        """Wake nobody for what this thread puts before it calls ``look_after``, as it is about to."""
        self._about_to_look.add(get_ident())

    def look_after(self) -> bool:
        """Wake a getter if elements wait and nobody comes for them; return whether to look again."""
        self._about_to_look.discard(get_ident())
        if not self.queue:
            return False
        with self.mutex:
            if self._idle and not self._on_their_way:
                self._maybe_wake()
            return bool(self.queue and self._idle)

    def _maybe_wake(self) -> None:
        if not self._busy or time.monotonic_ns() - self._taken_at >= self._patience_ns:
            self._wake()

    def _wake(self) -> None:
        self._on_their_way += 1
        self._idle.pop().release()


class ArrayBlockingQueue(Generic[T]):
    """A first-in first-out queue of at most ``capacity`` elements, none of which is None."""

    __slots__ = ("_queue", "put", "take", "poll_timeout")

    def __init__(self, capacity: int, patience_ms: float = 0) -> None:
        """Raises IllegalArgumentException if ``capacity`` is below 1."""
        if capacity < 1:
            raise IllegalArgumentException(f"capacity {capacity} < 1")
        self._queue: _HandOver[T] = _HandOver(capacity, patience_ms)
        # Append an element, waiting for room as long as it takes.
        self.put: Callable[[T], None] = self._queue.put
        # Remove and return the head, waiting for one as long as it takes.
        self.take: Callable[[], T] = self._queue.get
        # Remove and return the head, or None if none came within so many milliseconds.
        self.poll_timeout: Callable[[float], T | None] = self._queue.poll_timeout

    def offer(self, element: T) -> bool:
        """Append ``element`` if there is room now; return whether there was."""
        try:
            self._queue.put(element, block=False)
        except queue.Full:
            return False
        return True

    def poll(self) -> T | None:
        """Remove and return the head, or None if there is none now."""
        return self._queue.poll_timeout(0) if self._queue.queue else None

    def size(self) -> int:
        """Return the number of elements."""
        return len(self._queue.queue)

    def is_empty(self) -> bool:
        """Return whether there are no elements."""
        return not self._queue.queue

    def clear(self) -> None:
        """Remove all elements and let the threads that wait for room go on."""
        self._queue.take_out_all()


class PatientBlockingQueue(ArrayBlockingQueue[T]):
    """One whose getters are many and quick, and that somebody looks after; see ``_HandOver``."""

    __slots__ = ("put_for_another", "hold_back", "look_after")

    def __init__(self, capacity: int, patience_ms: float) -> None:
        """Raises IllegalArgumentException if ``capacity`` is below 1."""
        super().__init__(capacity, patience_ms)
        # Append an element, waiting for room, and wake a thread for it whoever is busy.
        self.put_for_another: Callable[[T], None] = self._queue.put_for_another
        # Wake nobody for what this thread puts before it looks after the queue, as it is about to.
        self.hold_back: Callable[[], None] = self._queue.hold_back
        # Wake a thread if elements wait and nobody comes for them; return whether to look again.
        self.look_after: Callable[[], bool] = self._queue.look_after


class CountDownLatch:
    """A gate that opens, for good, when it has been counted down to zero."""

    __slots__ = ("_condition", "_count")

    def __init__(self, count: int) -> None:
        """Raises IllegalArgumentException if ``count`` is negative."""
        if count < 0:
            raise IllegalArgumentException("count < 0")
        self._condition = threading.Condition()
        self._count = count

    def count_down(self) -> None:
        """Count one down; at zero let the waiters go. Below zero it does not go."""
        with self._condition:
            if self._count > 0:
                self._count -= 1
                if self._count == 0:
                    self._condition.notify_all()

    def get_count(self) -> int:
        """Return what is left to count."""
        return self._count

    def await_(self) -> None:
        """Wait until the count is zero."""
        with self._condition:
            self._condition.wait_for(lambda: self._count == 0)

    def await_timeout(self, timeout_ms: int) -> bool:
        """Wait until the count is zero or ``timeout_ms`` have passed; return whether it is zero."""
        with self._condition:
            return self._condition.wait_for(lambda: self._count == 0, _seconds(timeout_ms))


class CompletableFuture(Generic[T]):
    """A result that is there once somebody completes it, with a value or an exception; the first wins."""

    __slots__ = ("_condition", "_done", "_value", "_exception", "_callbacks")

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._done = False
        self._value: T | None = None
        self._exception: BaseException | None = None
        self._callbacks: list[Callable[[T | None, BaseException | None], None]] = []

    @staticmethod
    def completed_future(value: T) -> CompletableFuture[T]:
        """Return a future that is complete already."""
        future: CompletableFuture[T] = CompletableFuture()
        future.complete(value)
        return future

    @staticmethod
    def all_of(futures: Sequence[CompletableFuture[T]]) -> CompletableFuture[None]:
        """Return a future that completes when all ``futures`` have, with the exception of one that failed."""
        combined: CompletableFuture[None] = CompletableFuture()
        latch = CountDownLatch(len(futures))

        def one_done(_value: T | None, _exception: BaseException | None) -> None:
            latch.count_down()
            if latch.get_count() == 0:
                for future in futures:
                    if future._exception is not None:
                        combined.complete_exceptionally(future._exception)
                        return
                combined.complete(None)

        if not futures:
            combined.complete(None)
        for future in futures:
            future.when_complete(one_done)
        return combined

    def complete(self, value: T) -> bool:
        """Give the value; return False if the future was complete already."""
        return self._finish(value, None)

    def complete_exceptionally(self, exception: BaseException) -> bool:
        """Give the exception; return False if the future was complete already."""
        return self._finish(None, exception)

    def is_done(self) -> bool:
        """Return whether the future is complete, in either way."""
        return self._done

    def is_completed_exceptionally(self) -> bool:
        """Return whether the future is complete with an exception."""
        return self._exception is not None

    def get(self, timeout_ms: int | None = None) -> T | None:
        """Return the value, waiting for it; raise the exception if that is what came.

        Raises TimeoutException if nothing came within ``timeout_ms``; None waits without limit.
        """
        with self._condition:
            timeout = None if timeout_ms is None else _seconds(timeout_ms)
            if not self._condition.wait_for(lambda: self._done, timeout):
                raise TimeoutException(f"no result after {timeout_ms} ms")
        if self._exception is not None:
            raise self._exception
        return self._value

    def when_complete(self, action: Callable[[T | None, BaseException | None], None]) -> None:
        """Call ``action(value, exception)``, one of them None, once complete.

        It runs on the thread that completes the future, or on the caller's if it is complete. What the
        action raises is logged: in Java the stage that ``whenComplete`` returns has it, which nobody reads.
        """
        with self._condition:
            if not self._done:
                self._callbacks.append(action)
                return
        self._call(action)

    def handle(self, fn: Callable[[T | None, BaseException | None], U]) -> CompletableFuture[U]:
        """Return a future that gets what ``fn(value, exception)`` returns or raises; as ``when_complete``."""
        future: CompletableFuture[U] = CompletableFuture()

        def run(value: T | None, exception: BaseException | None) -> None:
            try:
                result = fn(value, exception)
            except BaseException as e:
                future.complete_exceptionally(e)
            else:
                future.complete(result)

        self.when_complete(run)
        return future

    def exceptionally(self, fn: Callable[[BaseException], object]) -> None:
        """Call ``fn`` with the exception if that is what comes, as ``when_complete``."""
        def run(_value: T | None, exception: BaseException | None) -> None:
            if exception is not None:
                fn(exception)

        self.when_complete(run)

    def _finish(self, value: T | None, exception: BaseException | None) -> bool:
        with self._condition:
            if self._done:
                return False
            self._value, self._exception, self._done = value, exception, True
            callbacks, self._callbacks = self._callbacks, []
            self._condition.notify_all()
        for callback in callbacks:
            self._call(callback)
        return True

    def _call(self, action: Callable[[T | None, BaseException | None], None]) -> None:
        try:
            action(self._value, self._exception)
        except BaseException:
            log.exception("what was to be done with the result of a future failed")


def _time_left(deadline: float) -> float:
    """Return the seconds until ``deadline``; a sum of two times can be rounded beyond what Python takes."""
    return max(0.0, min(deadline - time.monotonic(), threading.TIMEOUT_MAX))


def _seconds(timeout_ms: float) -> float:
    return _possible(timeout_ms / 1000)


def _possible(timeout: float) -> float:
    """Return a time-out as Python takes it: none that is negative, and none that is too long."""
    return max(0.0, min(timeout, threading.TIMEOUT_MAX))

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent``: queues over ``queue.Queue``, a latch, a future.

Everything here is safe for use by any thread.
"""

from __future__ import annotations

import queue
import threading
from typing import Callable, Generic, Sequence, TypeVar

from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalArgumentException, TimeoutException
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.loggers import get_logger

log = get_logger(__name__)

T = TypeVar("T")
U = TypeVar("U")


class _BlockingQueue(queue.Queue[T]):
    """Java's names for ``queue.Queue``: a first-in first-out queue.

    Its lock and its conditions are the floor's. ``put`` and ``get`` are called without a time-out, which they
    would take from a clock of their own.
    """

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__(maxsize)
        self.mutex = Lock()
        self.not_empty = Condition(self.mutex)
        self.not_full = Condition(self.mutex)
        self.all_tasks_done = Condition(self.mutex)

    def take(self) -> T:
        """Remove and return the head; wait without limit for an element."""
        return self.get()

    def poll(self) -> T | None:
        """Remove and return the head, or None if there is none now."""
        if not self.queue:
            return None
        try:
            return self.get_nowait()
        except queue.Empty:
            return None  # another thread has removed the last element

    def poll_timeout(self, timeout_ms: float) -> T | None:
        """Remove and return the head, or None if none came within ``timeout_ms``."""
        with self.not_empty:
            if not Clock.wait_for(self.not_empty, self._qsize, timeout_ms / 1000):
                return None
            element: T = self._get()
            self.not_full.notify()
            return element

    def size(self) -> int:
        """Return the number of elements."""
        return len(self.queue)

    def is_empty(self) -> bool:
        """Return whether there are no elements."""
        return not self.queue

    def clear(self) -> None:
        """Remove all elements, and wake the threads that wait for room."""
        try:
            while True:
                self.get_nowait()
        except queue.Empty:
            pass


class ArrayBlockingQueue(_BlockingQueue[T]):
    """A queue of at most ``capacity`` elements. ``put`` waits without limit for room."""

    def __init__(self, capacity: int) -> None:
        """Raises IllegalArgumentException if ``capacity`` is below 1: ``queue.Queue`` would have no bound."""
        if capacity < 1:
            raise IllegalArgumentException(f"capacity {capacity} < 1")
        super().__init__(capacity)

    def offer(self, element: T) -> bool:
        """Append ``element`` if there is room now; return whether there was."""
        try:
            self.put_nowait(element)
        except queue.Full:
            return False
        return True


class LinkedBlockingDeque(_BlockingQueue[T]):
    """A queue without a bound. Only the methods that a queue has, too."""


class ConcurrentLinkedQueue(_BlockingQueue[T]):
    """A queue without a bound. No thread waits for its elements."""

    def add(self, element: T) -> None:
        """Append an element."""
        self.put(element)


class Event(threading.Event):
    """Python's event, for modules without an origin: Java has none."""

    def __init__(self) -> None:
        super().__init__()
        # A private name of the base class, which waits by nothing else.
        self._cond = Condition(Lock())


class CountDownLatch:
    """A gate that opens permanently when it has been counted down to zero."""

    __slots__ = ("_condition", "_count")

    def __init__(self, count: int) -> None:
        """Raises IllegalArgumentException if ``count`` is negative."""
        if count < 0:
            raise IllegalArgumentException("count < 0")
        self._condition = Condition()
        self._count = count

    def count_down(self) -> None:
        """Subtract one; at zero wake the waiting threads. The count never gets below zero."""
        with self._condition:
            if self._count > 0:
                self._count -= 1
                if self._count == 0:
                    self._condition.notify_all()

    def get_count(self) -> int:
        """Return the remaining count."""
        return self._count

    def await_(self) -> None:
        """Wait until the count is zero."""
        with self._condition:
            self._condition.wait_for(lambda: self._count == 0)

    def await_timeout(self, timeout_ms: int) -> bool:
        """Wait until the count is zero or ``timeout_ms`` have passed; return whether it is zero."""
        with self._condition:
            return Clock.wait_for(self._condition, lambda: self._count == 0, timeout_ms / 1000)


class CompletableFuture(Generic[T]):
    """A result that some thread completes with a value or an exception. The first completion counts."""

    __slots__ = ("_condition", "_done", "_value", "_exception", "_callbacks")

    def __init__(self) -> None:
        self._condition = Condition()
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
        """Return a future that completes after all ``futures``; it fails if one of them fails."""
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
        """Set the value; return False if the future was complete already."""
        return self._finish(value, None)

    def complete_exceptionally(self, exception: BaseException) -> bool:
        """Set the exception; return False if the future was complete already."""
        return self._finish(None, exception)

    def is_done(self) -> bool:
        """Return whether the future is complete, with a value or an exception."""
        return self._done

    def is_completed_exceptionally(self) -> bool:
        """Return whether the future is complete with an exception."""
        return self._exception is not None

    def get(self, timeout_ms: int | None = None) -> T | None:
        """Wait for the result; return the value or raise the exception.

        Raises TimeoutException if the future is not complete after ``timeout_ms``; None waits without limit.
        """
        with self._condition:
            if timeout_ms is None:
                self._condition.wait_for(lambda: self._done)
            elif not Clock.wait_for(self._condition, lambda: self._done, timeout_ms / 1000):
                raise TimeoutException(f"no result after {timeout_ms} ms")
        if self._exception is not None:
            raise self._exception
        return self._value

    def when_complete(self, action: Callable[[T | None, BaseException | None], None]) -> None:
        """Call ``action(value, exception)``, one of them None, once complete.

        The action runs on the thread that completes the future, or on the caller's thread if the future is
        complete. An exception of the action is logged. In Java the stage that ``whenComplete`` returns holds
        it, and Kafka does not read that stage.
        """
        with self._condition:
            if not self._done:
                self._callbacks.append(action)
                return
        self._run_callback(action)

    def handle(self, fn: Callable[[T | None, BaseException | None], U]) -> CompletableFuture[U]:
        """Return a future with the result or exception of ``fn(value, exception)``; as ``when_complete``."""
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
        """Call ``fn`` with the exception if the future fails; as ``when_complete``."""
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
            self._run_callback(callback)
        return True

    def _run_callback(self, action: Callable[[T | None, BaseException | None], None]) -> None:
        try:
            action(self._value, self._exception)
        except BaseException:
            log.exception("what was to be done with the result of a future failed")


def thread_yield() -> None:
    """``Thread.yield``: let another thread run that waits for the interpreter or the processor."""
    Clock.sleep(0)

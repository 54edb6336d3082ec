# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.MockTime of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A clock for tests that moves only when a test moves it."""

from __future__ import annotations

from typing import Callable

from kreactor.common.errors import TimeoutException
from kreactor.common.utils.time import Time
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Condition, Lock


class MockTime(Time):
    """A clock that ``sleep`` moves instead of waiting. For use by any thread.

    The two clocks start at different values, as the real ones do, so that code that confuses them fails.

    :origin: common.utils.MockTime
    """

    __slots__ = ("_lock", "_listeners", "_auto_tick_ms", "_time_ms", "_high_res_time_ns",
                 "__weakref__")

    # The thread that moves the clock calls each listener, without arguments, after every move.
    # :origin: common.utils.MockTime.Listener
    Listener = Callable[[], None]

    def __init__(self, auto_tick_ms: int = 0, current_time_ms: int | None = None,
                 current_high_res_time_ns: int | None = None) -> None:
        """Start both clocks, by default at the real time; each reading first moves them by ``auto_tick_ms``.

        :origin: common.utils.MockTime#MockTime()
        :origin: common.utils.MockTime#MockTime(long)
        :origin: common.utils.MockTime#MockTime(long, long, long)
        """
        self._lock = Lock()
        # Replaced, never changed: a move calls the listeners that were registered when it began.
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._auto_tick_ms = auto_tick_ms
        self._time_ms = Clock.epoch_ms() if current_time_ms is None else current_time_ms
        self._high_res_time_ns = (
            Clock.nanoseconds() if current_high_res_time_ns is None else current_high_res_time_ns)
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Continue from the time of the fork, in a forked child, independently of the parent's clock."""
        self._lock = Lock()

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every move from now on.

        :origin: common.utils.MockTime#addListener(Listener)
        """
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def remove_listener(self, listener: Callable[[], None]) -> None:
        """Stop calling ``listener``. A move that is under way may still call it."""
        with self._lock:
            self._listeners = tuple(other for other in self._listeners if other != listener)

    def milliseconds(self) -> int:
        """Return the time of day, in milliseconds.

        :origin: common.utils.MockTime#milliseconds()
        """
        self._maybe_sleep(self._auto_tick_ms)
        return self._time_ms

    def nanoseconds(self) -> int:
        """Return the monotonic clock, in nanoseconds.

        :origin: common.utils.MockTime#nanoseconds()
        """
        self._maybe_sleep(self._auto_tick_ms)
        return self._high_res_time_ns

    def _maybe_sleep(self, ms: int) -> None:
        """Move both clocks by ``auto_tick_ms``, if that is not 0.

        :origin: common.utils.MockTime#maybeSleep(long)
        """
        if ms != 0:
            self.sleep(ms)

    def sleep(self, ms: int) -> None:
        """Move both clocks by ``ms`` milliseconds, and call the listeners.

        :origin: common.utils.MockTime#sleep(long)
        """
        with self._lock:
            self._time_ms += ms
            self._high_res_time_ns += ms * 1_000_000
        self._tick()

    def advance(self, ms: int) -> None:
        """Move both clocks by ``ms`` milliseconds.

        On return, a broker on this clock has run its due tasks.
        """
        self.sleep(ms)

    def wait_object(self, obj: Condition, condition: Callable[[], bool], deadline_ms: int) -> None:
        """Wait on ``obj`` as ``Time.wait_object`` says; each move of this clock checks the condition again.

        The lock of ``obj`` must be reentrant, like a Condition's lock, because reading this clock may move
        it.

        :origin: common.utils.MockTime#waitObject(Object, Supplier<Boolean>, long)
        """
        def listener() -> None:
            with obj:
                obj.notify()

        self.add_listener(listener)
        try:
            with obj:
                while self.milliseconds() < deadline_ms and not condition():
                    obj.wait()
                if not condition():
                    raise TimeoutException("Condition not satisfied before deadline")
        finally:
            self.remove_listener(listener)

    def set_current_time_ms(self, new_ms: int) -> None:
        """Set both clocks to ``new_ms``, and call the listeners.

        Raises IllegalArgumentException if ``new_ms`` is in the past; the time of day is still set to it.

        :origin: common.utils.MockTime#setCurrentTimeMs(long)
        """
        with self._lock:
            old_ms, self._time_ms = self._time_ms, new_ms

        if old_ms > new_ms:
            raise IllegalArgumentException(
                f"Setting the time to {new_ms} while current time {old_ms} is newer; this is not allowed")

        with self._lock:
            self._high_res_time_ns = new_ms * 1_000_000
        self._tick()

    def _tick(self) -> None:
        """Call the listeners.

        :origin: common.utils.MockTime#tick()
        """
        for listener in self._listeners:
            listener()

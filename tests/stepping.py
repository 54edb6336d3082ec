# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Races, forced: a thread stopped at a named point, until the test has done what must come in between.

A point is the begin or the end of a method of one object, which is wrapped for that; nothing in the product
knows of it. ``with stopped_at(processor, "_process_new_responses") as stop:`` stops the next thread that
calls the method; ``stop.wait()`` returns when one stands there, ``stop.go()`` lets it go on.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator

# How long anything may take that is sure to happen.
PATIENCE_S = 120.0
# How long anything may take that nothing but a wakeup brings about.
WOKEN_S = 10.0


class Stop:
    """A point where one thread is stopped, once."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._taken = False
        self._arrived = threading.Event()
        self._open = threading.Event()

    def wait(self) -> None:
        """Wait until a thread stands here."""
        assert self._arrived.wait(PATIENCE_S), f"nobody came to {self._where}"

    def arrived(self) -> bool:
        """Return whether a thread stands here, or has stood here."""
        return self._arrived.is_set()

    def go(self) -> None:
        """Let the thread go; whoever comes later is not stopped."""
        self._open.set()

    def _pass(self) -> None:
        with self._lock:
            first, self._taken = not self._taken, True
        if first and not self._open.is_set():
            self._arrived.set()
            assert self._open.wait(PATIENCE_S), f"nobody let the thread at {self._where} go"


@contextmanager
def stopped_at(
    target: Any,
    name: str,
    *,
    after: bool = False,
    when: Callable[..., bool] = lambda *args, **kwargs: True,
) -> Iterator[Stop]:
    """Stop the next thread that calls method ``name`` of ``target``: before the method runs, or ``after``.

    ``when`` gets the arguments and says whether this is the call that is meant. Leaving the block lets the
    thread go.
    """
    stop = Stop(f"{type(target).__name__}.{name}")
    original = getattr(target, name)

    def stopping(*args: Any, **kwargs: Any) -> Any:
        meant = when(*args, **kwargs)
        if meant and not after:
            stop._pass()
        try:
            return original(*args, **kwargs)
        finally:
            if meant and after:
                stop._pass()

    setattr(target, name, stopping)
    try:
        yield stop
    finally:
        stop.go()
        delattr(target, name)


def wait_until(condition: Callable[[], object], message: str = "it did not come about",
               patience_s: float = PATIENCE_S) -> None:
    """Look again and again until ``condition`` holds."""
    deadline = time.monotonic() + patience_s
    pause = 0.0002
    while not condition():
        assert time.monotonic() < deadline, message
        time.sleep(pause)
        pause = min(pause * 2, 0.01)


def interrupt_main_thread(waits: Callable[[], object]) -> None:
    """Send SIGINT to this process until its main thread no longer ``waits``.

    A signal that comes just before the wait begins does not end the wait. The next one comes seconds later,
    when the first has long had its effect.
    """
    while waits():
        os.kill(os.getpid(), signal.SIGINT)
        deadline = time.monotonic() + 3
        while waits() and time.monotonic() < deadline:
            time.sleep(0.001)


class Sleeps:
    """Stands in for the object on which one thread sleeps, and on which others wake it.

    Each sleep lasts until an event or a wakeup, whatever its timeout. A wakeup by another thread returns once
    the sleeper has made its round and sleeps again, or has ended. So a thread that wakes before it has done
    what it wakes for is too late, and nothing else ends the sleep.
    """

    def __init__(self, target: Any, sleep: str) -> None:
        self._target = target
        self._sleep = getattr(target, sleep)
        self._count = 0
        self._sleeper: threading.Thread | None = None
        self._is_sleeping = False
        setattr(self, sleep, self._sleep_on)

    def _sleep_on(self, timeout_ms: int, *args: Any) -> Any:
        self._sleeper = threading.current_thread()
        self._count += 1
        self._is_sleeping = timeout_ms > 0
        try:
            return self._sleep(2**31 - 1 if timeout_ms > 0 else timeout_ms, *args)
        finally:
            self._is_sleeping = False

    def wait_for_sleep(self) -> None:
        """Wait until the sleeper sleeps."""
        wait_until(lambda: self._is_sleeping, "the thread does not go to sleep")

    def wakeup(self) -> None:
        """Wake the sleeper, and wait until it sleeps again."""
        before = self._count
        self._target.wakeup()
        sleeper = self._sleeper
        if sleeper is not None and sleeper is not threading.current_thread():
            wait_until(lambda: not sleeper.is_alive() or (self._count > before and self._is_sleeping),
                       "the thread does not go to sleep again")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


@contextmanager
def overtaken_by_the_sleeper(owner: Any, name: str, sleep: str) -> Iterator[Sleeps]:
    """Put a ``Sleeps`` in the place of attribute ``name`` of ``owner``, and wait until its thread sleeps.

    ``sleep`` is the method that sleeps for a number of milliseconds. Leaving the block wakes the thread.
    """
    target = getattr(owner, name)
    sleeps = Sleeps(target, sleep)
    setattr(owner, name, sleeps)
    try:
        target.wakeup()
        sleeps.wait_for_sleep()
        yield sleeps
    finally:
        setattr(owner, name, target)
        target.wakeup()


class Background:
    """A call on a thread of its own, whose result or exception the test collects."""

    def __init__(self, call: Callable[[], Any], name: str = "background") -> None:
        self._result: Any = None
        self._error: BaseException | None = None
        self._call = call
        self._thread = threading.Thread(target=self._run, name=name)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as e:
            self._error = e

    def is_done(self) -> bool:
        """Return whether the call has returned."""
        return not self._thread.is_alive()

    def result(self, patience_s: float = PATIENCE_S) -> Any:
        """Return what the call returned, waiting for it; raise what it raised."""
        self._thread.join(patience_s)
        assert not self._thread.is_alive(), f"{self._thread.name} does not come back"
        if self._error is not None:
            raise self._error
        return self._result


class WatchedLock:
    """A lock that says when it is asked for."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock
        self.was_asked_for = False

    def __enter__(self) -> Any:
        self.was_asked_for = True
        return self._lock.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._lock.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lock, name)


@contextmanager
def held_up_by(owner: Any, name: str, call: Callable[[], Any]) -> Iterator[Background]:
    """Have ``call`` wait on another thread for the lock of ``owner`` while the caller holds it."""
    lock = getattr(owner, name)
    watched = WatchedLock(lock)
    setattr(owner, name, watched)
    try:
        with lock:
            background = Background(call)
            wait_until(lambda: watched.was_asked_for or background.is_done(), "nobody asks for the lock")
            assert not background.is_done(), "it did not ask for the lock"
            yield background
    finally:
        setattr(owner, name, lock)

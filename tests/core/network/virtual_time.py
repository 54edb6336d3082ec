# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A clock on which several threads sleep and wait without any time passing for the test.

One thread runs at a time. When it sleeps, waits or ends, the clock jumps to the moment at which the next
one wakes. A minute of waiting is over at once, and runs the same way every time.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from typing import Any, Callable

from kreactor.common.utils.time import Time

PATIENCE_S = 120.0


class _Sleeper:
    __slots__ = ("awake", "scheduled")

    def __init__(self) -> None:
        self.awake = False
        self.scheduled = False


class Task:
    """A call on a thread that lives on the clock."""

    def __init__(self, time: VirtualTime, call: Callable[[], Any]) -> None:
        self._time = time
        self._call = call
        self._result: Any = None
        self._error: BaseException | None = None
        self._done = False
        self.thread = threading.Thread(target=self._run, name="on virtual time", daemon=True)

    def _run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as e:
            self._error = e
        self._done = True
        self._time._end()

    def is_waiting(self) -> bool:
        """Return whether the call waits, now that nothing moves any more without help from outside."""
        self._time.settle()
        return not self._done

    def result(self) -> Any:
        """Return what the call returned, or raise what it raised; it must not be waiting."""
        assert not self.is_waiting(), "the call waits"
        self.thread.join(PATIENCE_S)
        if self._error is not None:
            raise self._error
        return self._result


class VirtualTime(Time):
    """The clock. ``sleep`` is for calls that ``start`` has started."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._now_ms = 1_700_000_000_000
        self._order = itertools.count()
        self._schedule: list[tuple[int, int, _Sleeper]] = []
        self._running = 0

    def milliseconds(self) -> int:
        return self._now_ms

    def nanoseconds(self) -> int:
        return self._now_ms * 1_000_000

    def sleep(self, ms: int) -> None:
        sleeper = _Sleeper()
        self.wake(sleeper, ms)
        self.pause(sleeper)

    def wait_object(self, obj: threading.Condition, condition: Callable[[], bool], deadline_ms: int) -> None:
        raise AssertionError("nobody waits so here")

    def start(self, *calls: Callable[[], Any]) -> list[Task]:
        """Begin calls, all at this moment."""
        tasks = [Task(self, call) for call in calls]
        with self._lock:
            for task in tasks:
                sleeper = _Sleeper()
                heapq.heappush(self._schedule, (self._now_ms, next(self._order), sleeper))
                call = task._call
                task._call = lambda call=call, sleeper=sleeper: (self._await(sleeper), call())[1]
                task.thread.start()
            self._advance()
        return tasks

    def run(self, *calls: Callable[[], Any]) -> list[Any]:
        """Make calls side by side; return their results."""
        return [task.result() for task in self.start(*calls)]

    def settle(self) -> None:
        """Wait until every call has ended, or waits for something that no time brings."""
        with self._lock:
            settled = self._lock.wait_for(lambda: not self._running and not self._schedule, PATIENCE_S)
            assert settled, "a call neither waits nor ends"

    def wake(self, sleeper: _Sleeper, in_ms: int) -> None:
        """Wake ``sleeper`` in so many ms, at the latest."""
        with self._lock:
            if not sleeper.awake:
                heapq.heappush(self._schedule, (self._now_ms + in_ms, next(self._order), sleeper))
                if in_ms == 0:
                    self._advance()

    def pause(self, sleeper: _Sleeper) -> None:
        """Let others run until ``sleeper`` is woken."""
        with self._lock:
            self._running -= 1
            self._advance()
            self._lock.notify_all()
        self._await(sleeper)

    def _await(self, sleeper: _Sleeper) -> None:
        with self._lock:
            while not sleeper.awake:
                self._lock.wait()

    def _end(self) -> None:
        with self._lock:
            self._running -= 1
            self._advance()
            self._lock.notify_all()

    def _advance(self) -> None:
        """If nobody runs, wake who is next."""
        while not self._running and self._schedule:
            at_ms, _, sleeper = heapq.heappop(self._schedule)
            if not sleeper.awake:
                self._now_ms = max(self._now_ms, at_ms)
                sleeper.awake = True
                self._running += 1
                self._lock.notify_all()


class VirtualCondition(threading.Condition):
    """A condition whose timed waits last as long as the clock says."""

    def __init__(self, time: VirtualTime) -> None:
        super().__init__(threading.RLock())
        self._time = time
        self._sleepers: list[_Sleeper] = []

    def wait(self, timeout: float | None = None) -> bool:
        sleeper = _Sleeper()
        self._sleepers.append(sleeper)
        if timeout is not None:
            self._time.wake(sleeper, round(timeout * 1000))
        saved = self._release_save()  # type: ignore[attr-defined]
        try:
            self._time.pause(sleeper)
        finally:
            self._acquire_restore(saved)  # type: ignore[attr-defined]
        return True

    def notify_all(self) -> None:
        sleepers, self._sleepers = self._sleepers, []
        for sleeper in sleepers:
            self._time.wake(sleeper, 0)

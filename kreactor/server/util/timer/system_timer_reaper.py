# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.SystemTimerReaper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A timer with a thread that drives its clock. Any thread may use it."""

from __future__ import annotations

from kreactor.server.util.shutdownable_thread import ShutdownableThread
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask


class _NoOpTask(TimerTask):
    """A task that is due at once. It only ends the reaper's wait."""

    __slots__ = ()

    def run(self) -> None:
        """Do nothing."""


class SystemTimerReaper(Timer):
    """Delegates to a timer, and drives its clock on a thread of its own.

    :origin: server.util.timer.SystemTimerReaper
    """

    _WORK_TIMEOUT_MS = 200

    class Reaper(ShutdownableThread):
        """The thread that drives the clock.

        :origin: server.util.timer.SystemTimerReaper.Reaper
        """

        _CONTINUES_AFTER_ERROR = True

        def __init__(self, name: str, timer: Timer) -> None:
            """:origin: server.util.timer.SystemTimerReaper.Reaper#Reaper(String)"""
            super().__init__(name, False)
            self._timer = timer

        def do_work(self) -> None:
            """Wait for a task that is due.

            :origin: server.util.timer.SystemTimerReaper.Reaper#doWork()
            """
            self._timer.advance_clock(SystemTimerReaper._WORK_TIMEOUT_MS)

    def __init__(self, reaper_thread_name: str, timer: Timer) -> None:
        """Own ``timer``, and start the thread.

        :origin: server.util.timer.SystemTimerReaper#SystemTimerReaper(String, Timer)
        """
        self._timer = timer
        self._reaper = SystemTimerReaper.Reaper(reaper_thread_name, timer)
        self._reaper.start()

    def add(self, timer_task: TimerTask) -> None:
        """Run ``timer_task`` when its delay is over.

        :origin: server.util.timer.SystemTimerReaper#add(TimerTask)
        """
        self._timer.add(timer_task)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Run the tasks that are due.

        :origin: server.util.timer.SystemTimerReaper#advanceClock(long)
        """
        return self._timer.advance_clock(timeout_ms)

    def size(self) -> int:
        """Return the number of waiting tasks.

        :origin: server.util.timer.SystemTimerReaper#size()
        """
        return self._timer.size()

    def close(self) -> None:
        """End the thread, then the timer.

        :origin: server.util.timer.SystemTimerReaper#close()
        """
        self._reaper.initiate_shutdown()
        # A task that is due ends the reaper's wait early.
        self._timer.add(_NoOpTask(0))
        self._reaper.await_shutdown()
        self._timer.close()

    def is_shutdown(self) -> bool:
        """Return whether the thread has ended.

        :origin: server.util.timer.SystemTimerReaper#isShutdown()
        """
        return self._reaper.is_shutdown_complete()

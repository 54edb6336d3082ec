# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.SystemTimerReaper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A timer with a thread that drives its clock. Any thread may use it."""

from __future__ import annotations

from kreactor.server.util.shutdownable_thread import ShutdownableThread
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask


class _NoOpTask(TimerTask):
    """Due at once; its only use is to end a wait for something due."""

    __slots__ = ()

    def run(self) -> None:
        """Nothing."""


class SystemTimerReaper(Timer):
    """Passes all on to a timer, and drives its clock from a thread of its own.

    :origin: server.util.timer.SystemTimerReaper
    """

    _WORK_TIMEOUT_MS = 200

    class Reaper(ShutdownableThread):
        """The thread.

        :origin: server.util.timer.SystemTimerReaper.Reaper
        """

        def __init__(self, name: str, timer: Timer) -> None:
            """:origin: server.util.timer.SystemTimerReaper.Reaper#Reaper(String)"""
            super().__init__(name, False)
            self._timer = timer

        def do_work(self) -> None:
            """Wait for something due.

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
        """Run ``timer_task`` once its delay is over.

        :origin: server.util.timer.SystemTimerReaper#add(TimerTask)
        """
        self._timer.add(timer_task)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Run what is due.

        :origin: server.util.timer.SystemTimerReaper#advanceClock(long)
        """
        return self._timer.advance_clock(timeout_ms)

    def size(self) -> int:
        """Return the number of tasks that wait.

        :origin: server.util.timer.SystemTimerReaper#size()
        """
        return self._timer.size()

    def close(self) -> None:
        """End the thread, then the timer.

        :origin: server.util.timer.SystemTimerReaper#close()
        """
        self._reaper.initiate_shutdown()
        # Something to do ends the reaper's wait before its time.
        self._timer.add(_NoOpTask(0))
        self._reaper.await_shutdown()
        self._timer.close()

    def is_shutdown(self) -> bool:
        """Return whether the thread has ended.

        :origin: server.util.timer.SystemTimerReaper#isShutdown()
        """
        return self._reaper.is_shutdown_complete()

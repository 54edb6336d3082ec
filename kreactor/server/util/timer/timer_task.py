# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.TimerTask of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A task that runs after a delay.

Any thread may cancel a task, add it to a timer, or query it. ``_task_lock`` guards the entry. It is taken
before the lock of a list, never after it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kreactor.jdk.locks import ReentrantLock

if TYPE_CHECKING:
    from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry


class TimerTask(ABC):
    """Runs once, ``delay_ms`` after it was added to a timer, unless it is cancelled before.

    :origin: server.util.timer.TimerTask
    """

    __slots__ = ("_task_lock", "_timer_task_entry", "_delay_ms")

    def __init__(self, delay_ms: int) -> None:
        """:origin: server.util.timer.TimerTask#TimerTask(long)"""
        self._task_lock = ReentrantLock()
        self._timer_task_entry: TimerTaskEntry | None = None
        self._delay_ms = delay_ms

    @abstractmethod
    def run(self) -> None:
        """Run the task. Called by a thread of the timer."""

    def cancel(self) -> None:
        """Remove the task from its timer, if it is in one.

        :origin: server.util.timer.TimerTask#cancel()
        """
        with self._task_lock:
            if self._timer_task_entry is not None:
                self._timer_task_entry.remove()
            self._timer_task_entry = None

    def is_cancelled(self) -> bool:
        """Return whether the task was cancelled, or never added to a timer.

        :origin: server.util.timer.TimerTask#isCancelled()
        """
        return self._timer_task_entry is None

    def set_timer_task_entry(self, entry: TimerTaskEntry) -> None:
        """Set ``entry``; an earlier entry leaves its list, so that a task waits in one place only.

        :origin: server.util.timer.TimerTask#setTimerTaskEntry(TimerTaskEntry)
        """
        with self._task_lock:
            if self._timer_task_entry is not None and self._timer_task_entry is not entry:
                self._timer_task_entry.remove()
            self._timer_task_entry = entry

    def get_timer_task_entry(self) -> TimerTaskEntry | None:
        """Return the task's entry in a list.

        :origin: server.util.timer.TimerTask#getTimerTaskEntry()
        """
        return self._timer_task_entry

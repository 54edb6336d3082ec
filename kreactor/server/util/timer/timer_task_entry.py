# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.TimerTaskEntry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A task's place in a list of a timer.

``_list``, ``_next`` and ``_prev`` are written under two locks, the list's and then the entry's. ``_list`` is
read without a lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.jdk.locks import ReentrantLock
from kreactor.server.util.timer.timer_task import TimerTask

if TYPE_CHECKING:
    from kreactor.server.util.timer.timer_task_list import TimerTaskList


class TimerTaskEntry:
    """Links a task with the time when it is due, and with its neighbours in a list.

    Each list has one entry without a task, its root.

    :origin: server.util.timer.TimerTaskEntry
    """

    __slots__ = ("_lock", "_timer_task", "_expiration_ms", "_list", "_next", "_prev")

    def __init__(self, timer_task: TimerTask | None, expiration_ms: int) -> None:
        """Take ``timer_task`` over from its former entry.

        :origin: server.util.timer.TimerTaskEntry#TimerTaskEntry(TimerTask, long)
        """
        self._lock = ReentrantLock()
        self._timer_task = timer_task
        self._expiration_ms = expiration_ms
        self._list: TimerTaskList | None = None
        self._next: TimerTaskEntry | None = None
        self._prev: TimerTaskEntry | None = None
        if timer_task is not None:
            timer_task.set_timer_task_entry(self)

    def cancelled(self) -> bool:
        """Return whether the task is cancelled, or has another entry now.

        :origin: server.util.timer.TimerTaskEntry#cancelled()
        """
        return self._timer_task is None or self._timer_task.get_timer_task_entry() is not self

    def remove(self) -> None:
        """Remove the entry from its list.

        The reaper may move the entry from one list to another at the same time. Then ``remove`` of the first
        list finds that the entry belongs to another list, and does nothing. So this method loops. Between the
        two lists the entry is in no list, and this method returns. The entry is already cancelled by then.
        The moving thread sees that, or runs the task once more, which a completed operation ignores.

        :origin: server.util.timer.TimerTaskEntry#remove()
        """
        current_list = self._list
        while current_list is not None:
            current_list.remove(self)
            current_list = self._list

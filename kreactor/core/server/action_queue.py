# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ActionQueue of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Actions that are put off until the thread holds no locks.

An append may complete waiting operations. Completing an operation takes its lock, while the appending handler
already holds others. So the handler queues the completion, and runs the queue when it holds no lock. Any
thread may add actions. Several threads may run the queue at once; each action runs once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import Callable

from kreactor.core.utils.logging import Logging

Action = Callable[[], object]


class ActionQueue(ABC):
    """Holds actions until a thread runs them.

    :origin: kafka.server.ActionQueue
    """

    __slots__ = ()

    @abstractmethod
    def add(self, action: Action) -> None:
        """Put ``action`` at the end.

        :origin: kafka.server.ActionQueue#add
        """

    @abstractmethod
    def try_complete_actions(self) -> None:
        """Run the queued actions.

        :origin: kafka.server.ActionQueue#tryCompleteActions
        """


class DelayedActionQueue(Logging, ActionQueue):
    """A queue that handlers run after each request.

    :origin: kafka.server.DelayedActionQueue
    """

    __slots__ = ("_queue",)

    def __init__(self) -> None:
        """:origin: kafka.server.DelayedActionQueue#DelayedActionQueue"""
        self._queue: deque[Action] = deque()

    def add(self, action: Action) -> None:
        """Put ``action`` at the end.

        :origin: kafka.server.DelayedActionQueue#add
        """
        self._queue.append(action)

    def try_complete_actions(self) -> None:
        """Run the actions that are queued now; actions that these add wait for the next call. Errors are
        logged.

        :origin: kafka.server.DelayedActionQueue#tryCompleteActions
        """
        queue = self._queue
        max_to_complete = len(queue)
        count = 0
        done = False
        while not done and count < max_to_complete:
            try:
                action = queue.popleft()
            except IndexError:
                # Another thread took the last action.
                done = True
            else:
                try:
                    action()
                except BaseException as e:
                    self.error("failed to complete delayed actions", exc=e)
            count += 1

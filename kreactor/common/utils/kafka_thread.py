# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.KafkaThread of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Threads that leave a line in the log when they die of an exception."""

from __future__ import annotations

import threading
from typing import Callable

from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.tracing import begin_thread


class KafkaThread(threading.Thread):
    """A named thread. An exception of its ``run`` is logged, in place of ``threading.excepthook``.

    :origin: common.utils.KafkaThread
    """

    @staticmethod
    def daemon_thread(name: str, runnable: Callable[[], object]) -> KafkaThread:
        """Return a thread that does not keep the process alive.

        Not ``daemon``, which ``threading.Thread`` has as an attribute.

        :origin: common.utils.KafkaThread#daemon(String, Runnable)
        """
        return KafkaThread(name, runnable, True)

    @staticmethod
    def non_daemon(name: str, runnable: Callable[[], object]) -> KafkaThread:
        """Return a thread that keeps the process alive.

        :origin: common.utils.KafkaThread#nonDaemon(String, Runnable)
        """
        return KafkaThread(name, runnable, False)

    def __init__(self, name: str, runnable: Callable[[], object] | None, daemon: bool) -> None:
        """Run ``runnable`` once started; a subclass that overrides ``run`` gives None.

        :origin: common.utils.KafkaThread#KafkaThread(String, boolean)
        :origin: common.utils.KafkaThread#KafkaThread(String, Runnable, boolean)
        """
        super().__init__(None, runnable, name, daemon=daemon)
        self._log = LogContext().logger(type(self))
        self._configure_thread(name)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end, for ``timeout`` seconds at most. Returns at once if not started, as in Java."""
        if self.ident is not None:
            super().join(timeout)

    def _configure_thread(self, name: str) -> None:
        """Put the log in the way of what ``run`` raises, whoever overrides it.

        :origin: common.utils.KafkaThread#configureThread(String, boolean)
        """
        run = self.run

        def run_logged() -> None:
            # DEVIATION D272: coverage has the thread of a test's broker call it for each call and line.
            begin_thread()
            try:
                run()
            except BaseException as e:
                self._log.error("Uncaught exception in thread '%s':", name, exc=e)

        # DEVIATION D21: Python has one hook for the uncaught exceptions of all threads, and it may be taken.
        setattr(self, "run", run_logged)

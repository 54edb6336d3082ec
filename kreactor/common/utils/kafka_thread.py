# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.KafkaThread of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Threads that log an uncaught exception."""

from __future__ import annotations

from typing import Callable

from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.threads import Thread
from kreactor.jdk.tracing import begin_thread


class KafkaThread(Thread):
    """A named thread. It logs an exception of ``run`` and does not call ``threading.excepthook``.

    :origin: common.utils.KafkaThread
    """

    @staticmethod
    def daemon_thread(name: str, runnable: Callable[[], object]) -> KafkaThread:
        """Return a thread that does not keep the process alive.

        The origin's name is ``daemon``, which is an attribute of ``threading.Thread``.

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
        """Create a thread that runs ``runnable``. A subclass that overrides ``run`` passes None.

        :origin: common.utils.KafkaThread#KafkaThread(String, boolean)
        :origin: common.utils.KafkaThread#KafkaThread(String, Runnable, boolean)
        """
        super().__init__(None, runnable, name, daemon=daemon)
        self._log = LogContext().logger(type(self))
        self._configure_thread(name)

    def join(self, timeout: float | None = None) -> None:
        """Join the thread for at most ``timeout`` seconds. As in Java, returns at once if not started."""
        if self.ident is not None:
            super().join(timeout)

    def _configure_thread(self, name: str) -> None:
        """Wrap ``run``, also an overridden one, so that its exceptions are logged.

        :origin: common.utils.KafkaThread#configureThread(String, boolean)
        """
        run = self.run

        def run_logged() -> None:
            # DEVIATION D272: ``begin_thread`` ends coverage's tracing of a thread of a test's broker, which
            # slows down every line.
            begin_thread()
            try:
                run()
            except BaseException as e:
                self._log.error("Uncaught exception in thread '%s':", name, exc=e)

        # DEVIATION D21: Python has only one hook for uncaught exceptions of all threads, and an application
        # may use it.
        setattr(self, "run", run_logged)

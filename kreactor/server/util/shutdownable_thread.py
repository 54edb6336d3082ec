# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.ShutdownableThread of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A thread that repeats its work until its shutdown.

Owner: the thread runs ``do_work``; any thread may call the rest. Two latches tell the states apart:

    shutdown_initiated   shutdown_complete
    closed               closed             not started, or running
    open                 closed             shutdown initiated, still in its last round
    open                 open               ended after the shutdown
    closed               open               ended by an exception: ``is_thread_failed``

*How do_work waits.* ``initiate_shutdown`` interrupts the thread if it is interruptible: a wait raises
InterruptedException, which ends the thread. The ``do_work`` of any other thread must return on its own. It
may wait in three ways: in slices of some hundred milliseconds; with ``pause``, which ``initiate_shutdown``
ends; or for an event that the subclass sets in its own ``initiate_shutdown``, after it has called this one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.utils.exit import Exit
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.threads import Thread
from kreactor.jdk.time_unit import TimeUnit


# The pause after an error, so that an error that returns at once each time keeps no processor busy.
_PAUSE_AFTER_ERROR_MS = 100


class ShutdownableThread(Thread, ABC):
    """Calls ``do_work`` repeatedly, until shutdown, or until an exception if the subclass does not go on.

    It is not a daemon thread: the interpreter waits for its end.

    :origin: server.util.ShutdownableThread
    """

    # DEVIATION D491: whether the thread logs an exception of do_work and begins the next round. The origin's
    # thread ends, and a connection that is throttled then stays muted for ever.
    _CONTINUES_AFTER_ERROR = False

    def __init__(self, name: str, is_interruptible: bool = True, log_prefix: str | None = None) -> None:
        """``log_prefix`` is the prefix of its log lines; by default the thread's name.

        ``initiate_shutdown`` interrupts the thread if ``is_interruptible``.

        :origin: server.util.ShutdownableThread#ShutdownableThread(String)
        :origin: server.util.ShutdownableThread#ShutdownableThread(String, boolean)
        :origin: server.util.ShutdownableThread#ShutdownableThread(String, boolean, String)
        """
        super().__init__(name=name, daemon=False)
        self._is_interruptible = is_interruptible
        self._log_prefix = f"[{name}]: " if log_prefix is None else log_prefix
        self._log = LogContext(self._log_prefix).logger(type(self))
        self._lock = ReentrantLock()
        self._shutdown_initiated = CountDownLatch(1)
        self._shutdown_complete = CountDownLatch(1)
        self._is_started = False

    def shutdown(self) -> None:
        """Initiate the shutdown, and wait until the thread has ended.

        :origin: server.util.ShutdownableThread#shutdown()
        """
        self.initiate_shutdown()
        self.await_shutdown()

    def is_shutdown_initiated(self) -> bool:
        """Return whether the shutdown was initiated.

        :origin: server.util.ShutdownableThread#isShutdownInitiated()
        """
        return self._shutdown_initiated.get_count() == 0

    def is_shutdown_complete(self) -> bool:
        """Return whether the thread has left its loop.

        :origin: server.util.ShutdownableThread#isShutdownComplete()
        """
        return self._shutdown_complete.get_count() == 0

    def is_started(self) -> bool:
        """Return whether the thread has started.

        :origin: server.util.ShutdownableThread#isStarted()
        """
        return self._is_started

    def is_thread_failed(self) -> bool:
        """Return whether an exception ended the thread before its shutdown was initiated.

        :origin: server.util.ShutdownableThread#isThreadFailed()
        """
        return self.is_shutdown_complete() and not self.is_shutdown_initiated()

    def initiate_shutdown(self) -> bool:
        """Have the thread end after the current round; return False if the shutdown was already initiated.

        :origin: server.util.ShutdownableThread#initiateShutdown()
        """
        with self._lock:
            if self.is_running():
                self._log.info("Shutting down")
                self._shutdown_initiated.count_down()
                if self._is_interruptible:
                    self.interrupt()
                return True
            return False

    def await_shutdown(self) -> None:
        """Wait until the thread has ended; returns at once if it never started.

        Raises IllegalStateException if the shutdown was not initiated.

        :origin: server.util.ShutdownableThread#awaitShutdown()
        """
        if not self.is_shutdown_initiated():
            raise IllegalStateException("initiateShutdown() was not called before awaitShutdown()")
        if self._is_started:
            self._shutdown_complete.await_()
        self._log.info("Shutdown completed")

    def pause(self, timeout: int, unit: TimeUnit) -> None:
        """Sleep for ``timeout``, or until ``initiate_shutdown``.

        :origin: server.util.ShutdownableThread#pause(long, TimeUnit)
        """
        if self._shutdown_initiated.await_timeout(unit.to_millis(timeout)):
            self._log.trace("Shutdown initiated while pausing")

    @abstractmethod
    def do_work(self) -> None:
        """Run one round. An exception ends the thread, unless its class sets ``_CONTINUES_AFTER_ERROR``.

        :origin: server.util.ShutdownableThread#doWork()
        """

    def run(self) -> None:
        """Repeat ``do_work``. FatalExitError ends the process.

        :origin: server.util.ShutdownableThread#run()
        """
        self._is_started = True
        self._log.info("Starting")
        try:
            while self.is_running():
                try:
                    self.do_work()
                except FatalExitError:
                    raise
                except BaseException as e:
                    if not self._CONTINUES_AFTER_ERROR:
                        raise
                    self._log.error("Error due to", exc=e)
                    self.pause(_PAUSE_AFTER_ERROR_MS, TimeUnit.MILLISECONDS)
        except FatalExitError as e:
            self._shutdown_initiated.count_down()
            self._shutdown_complete.count_down()
            self._log.info("Stopped")
            Exit.exit(e.status_code())
        except BaseException as e:
            if self.is_running():
                self._log.error("Error due to", exc=e)
        finally:
            self._shutdown_complete.count_down()
        self._log.info("Stopped")

    def is_running(self) -> bool:
        """Return whether the shutdown was not initiated yet.

        :origin: server.util.ShutdownableThread#isRunning()
        """
        return not self.is_shutdown_initiated()

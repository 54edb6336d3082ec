# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Exit of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The one way out of the process, which tests can bar.

``exit`` runs the shutdown hooks first, ``halt`` does not. Both work from any thread; neither unwinds the
stack nor waits for other threads.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from typing import Callable

from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.forks import run_in_child

OMITTED = {
    "common.utils.Exit.Procedure#execute(int, String)": "a procedure is a function",
    "common.utils.Exit.ShutdownHookAdder#addShutdownHook(String, Runnable)": "an adder is a function",
    "common.utils.Exit#DEFAULT_HALT_PROCEDURE": "the function _default_halt",
    "common.utils.Exit#DEFAULT_EXIT_PROCEDURE": "the function _default_exit",
    "common.utils.Exit#DEFAULT_SHUTDOWN_HOOK_ADDER": "the function _add_hook",
    "common.utils.Exit#NOOP_HALT_PROCEDURE": "the function _noop_halt",
    "common.utils.Exit#NOOP_EXIT_PROCEDURE": "the function _noop_exit",
}

log = LogContext().logger(__name__)

# The function that ends the process: takes the status and a message, which may be None.
# :origin: common.utils.Exit.Procedure
Procedure = Callable[[int, "str | None"], None]

# The function that keeps a hook: takes its name, which may be None, and the callable.
# :origin: common.utils.Exit.ShutdownHookAdder
ShutdownHookAdder = Callable[["str | None", Callable[[], object]], None]

_hooks_lock = threading.Lock()
_hooks: list[Callable[[], object]] = []


def _add_hook(name: str | None, runnable: Callable[[], object]) -> None:
    with _hooks_lock:
        if not _hooks:
            atexit.register(_run_hooks)
        _hooks.append(runnable)


def _forget_hooks() -> None:
    """Forget the hooks in a forked child: they end what its parent runs."""
    global _hooks_lock
    _hooks_lock = threading.Lock()
    _hooks.clear()


run_in_child(_forget_hooks)


# DEVIATION D22: hooks run one after another, where Java starts a thread for each: an interpreter that is
# ending starts none.
def _run_hooks() -> None:
    while True:
        with _hooks_lock:
            if not _hooks:
                return
            hook = _hooks.pop(0)
        try:
            hook()
        except BaseException as e:
            # Also a SystemExit: it would end the thread of one hook in Java, and keeps no other from running.
            log.error("A shutdown hook failed", exc=e)


# DEVIATION D23: sys.exit() would end only the thread that calls it, and wait for the others.
def _default_exit(status_code: int, message: str | None) -> None:
    _run_hooks()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
    os._exit(status_code)


def _default_halt(status_code: int, message: str | None) -> None:
    os._exit(status_code)


def _noop_halt(status_code: int, message: str | None) -> None:
    raise IllegalStateException(
        "Halt called after resetting procedures; possible race condition present in test")


def _noop_exit(status_code: int, message: str | None) -> None:
    raise IllegalStateException(
        "Exit called after resetting procedures; possible race condition present in test")


class Exit:
    """Ends the process, in the way that tests may have set. For use by any thread.

    :origin: common.utils.Exit
    """

    _exit_procedure: Procedure = staticmethod(_default_exit)
    _halt_procedure: Procedure = staticmethod(_default_halt)
    _shutdown_hook_adder: ShutdownHookAdder = staticmethod(_add_hook)

    @staticmethod
    def exit(status_code: int, message: str | None = None) -> None:
        """Run the shutdown hooks and end the process.

        :origin: common.utils.Exit#exit(int)
        :origin: common.utils.Exit#exit(int, String)
        """
        Exit._exit_procedure(status_code, message)

    @staticmethod
    def halt(status_code: int, message: str | None = None) -> None:
        """End the process at once.

        :origin: common.utils.Exit#halt(int)
        :origin: common.utils.Exit#halt(int, String)
        """
        Exit._halt_procedure(status_code, message)

    @staticmethod
    def add_shutdown_hook(name: str | None, runnable: Callable[[], object]) -> None:
        """Run ``runnable`` when the process ends, by ``exit`` or as the interpreter ends of itself.

        A signal is not such an end: whoever handles SIGTERM calls ``exit``.

        :origin: common.utils.Exit#addShutdownHook(String, Runnable)
        """
        Exit._shutdown_hook_adder(name, runnable)

    @staticmethod
    def set_exit_procedure(procedure: Procedure) -> None:
        """For tests: call ``procedure`` in place of ending.

        :origin: common.utils.Exit#setExitProcedure(Procedure)
        """
        Exit._exit_procedure = staticmethod(procedure)

    @staticmethod
    def set_halt_procedure(procedure: Procedure) -> None:
        """For tests: call ``procedure`` in place of halting.

        :origin: common.utils.Exit#setHaltProcedure(Procedure)
        """
        Exit._halt_procedure = staticmethod(procedure)

    @staticmethod
    def set_shutdown_hook_adder(shutdown_hook_adder: ShutdownHookAdder) -> None:
        """For tests: give the hooks to ``shutdown_hook_adder``.

        :origin: common.utils.Exit#setShutdownHookAdder(ShutdownHookAdder)
        """
        Exit._shutdown_hook_adder = staticmethod(shutdown_hook_adder)

    @staticmethod
    def reset_exit_procedure() -> None:
        """For tests: forget the procedure. An ``exit`` that comes late raises; it must not end the tests.

        :origin: common.utils.Exit#resetExitProcedure()
        """
        Exit._exit_procedure = staticmethod(_noop_exit)

    @staticmethod
    def reset_halt_procedure() -> None:
        """For tests: forget the procedure. A ``halt`` that comes late raises.

        :origin: common.utils.Exit#resetHaltProcedure()
        """
        Exit._halt_procedure = staticmethod(_noop_halt)

    @staticmethod
    def reset_shutdown_hook_adder() -> None:
        """For tests: run hooks again.

        :origin: common.utils.Exit#resetShutdownHookAdder()
        """
        Exit._shutdown_hook_adder = staticmethod(_add_hook)

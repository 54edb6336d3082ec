# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Exit of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Ends the process. Tests can replace the exit by a procedure.

``exit`` runs the shutdown hooks first, ``halt`` does not. Any thread may call both. Neither unwinds the stack
or waits for other threads.
"""

from __future__ import annotations

import atexit
import logging
import sys
from typing import Callable

from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.locks import Lock

log = LogContext().logger(__name__)

# The type of a function that ends the process. Its arguments are the status and a message or None.
# :origin: common.utils.Exit.Procedure
Procedure = Callable[[int, "str | None"], None]

# The type of a function that registers a hook. Its arguments are the name or None, and the callable.
# :origin: common.utils.Exit.ShutdownHookAdder
ShutdownHookAdder = Callable[["str | None", Callable[[], object]], None]

_hooks_lock = Lock()
_hooks: list[Callable[[], object]] = []


def _add_hook(name: str | None, runnable: Callable[[], object]) -> None:
    with _hooks_lock:
        if not _hooks:
            atexit.register(_run_hooks)
        _hooks.append(runnable)


def _forget_hooks() -> None:
    """Remove the hooks in a forked child, because they shut down objects of the parent."""
    global _hooks_lock
    _hooks_lock = Lock()
    _hooks.clear()


run_in_child(_forget_hooks)


# DEVIATION D22: hooks run one after another. Java starts a thread for each, but an ending interpreter cannot
# start threads.
def _run_hooks() -> None:
    while True:
        with _hooks_lock:
            if not _hooks:
                return
            hook = _hooks.pop(0)
        try:
            hook()
        except BaseException as e:
            # BaseException includes SystemExit. In Java it would end one hook's thread, and the other hooks
            # still run.
            log.error("A shutdown hook failed", exc=e)


# DEVIATION D23: sys.exit() would end only the calling thread, and wait for the others.
def _default_exit(status_code: int, message: str | None) -> None:
    _run_hooks()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
    Floor.os._exit(status_code)


def _default_halt(status_code: int, message: str | None) -> None:
    Floor.os._exit(status_code)


def _noop_halt(status_code: int, message: str | None) -> None:
    raise IllegalStateException(
        "Halt called after resetting procedures; possible race condition present in test")


def _noop_exit(status_code: int, message: str | None) -> None:
    raise IllegalStateException(
        "Exit called after resetting procedures; possible race condition present in test")


class Exit:
    """Ends the process with replaceable procedures. Called by any thread.

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
        """Run ``runnable`` when ``exit`` is called or the interpreter ends.

        A signal does not run the hooks by itself: the handler of SIGTERM calls ``exit``.

        :origin: common.utils.Exit#addShutdownHook(String, Runnable)
        """
        Exit._shutdown_hook_adder(name, runnable)

    @staticmethod
    def set_exit_procedure(procedure: Procedure) -> None:
        """Replace ``exit`` by ``procedure``. Only tests call this.

        :origin: common.utils.Exit#setExitProcedure(Procedure)
        """
        Exit._exit_procedure = staticmethod(procedure)

    @staticmethod
    def set_halt_procedure(procedure: Procedure) -> None:
        """Replace ``halt`` by ``procedure``. Only tests call this.

        :origin: common.utils.Exit#setHaltProcedure(Procedure)
        """
        Exit._halt_procedure = staticmethod(procedure)

    @staticmethod
    def set_shutdown_hook_adder(shutdown_hook_adder: ShutdownHookAdder) -> None:
        """Register later hooks with ``shutdown_hook_adder``. Only tests call this.

        :origin: common.utils.Exit#setShutdownHookAdder(ShutdownHookAdder)
        """
        Exit._shutdown_hook_adder = staticmethod(shutdown_hook_adder)

    @staticmethod
    def reset_exit_procedure() -> None:
        """Remove the test's exit procedure. Only tests call this.

        A late call of ``exit`` then raises, because it must not end the test process.

        :origin: common.utils.Exit#resetExitProcedure()
        """
        Exit._exit_procedure = staticmethod(_noop_exit)

    @staticmethod
    def reset_halt_procedure() -> None:
        """Remove the test's halt procedure. Only tests call this. A late call of ``halt`` then raises.

        :origin: common.utils.Exit#resetHaltProcedure()
        """
        Exit._halt_procedure = staticmethod(_noop_halt)

    @staticmethod
    def reset_shutdown_hook_adder() -> None:
        """Register later hooks as usual again. Only tests call this.

        :origin: common.utils.Exit#resetShutdownHookAdder()
        """
        Exit._shutdown_hook_adder = staticmethod(_add_hook)

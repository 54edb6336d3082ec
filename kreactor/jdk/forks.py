# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Parent state that a forked child process must drop. The JVM never forks; a Python process may.

Fact: a fork copies objects, locks and descriptors, but only the thread that forks. Consequence: a broker in
the child has no threads, and missing threads may hold its locks. Its descriptors keep ports, connections and
file locks in use after the parent has closed them. Choice: each class that owns threads, locks or descriptors
registers its objects here, and each object's ``forget_in_child`` runs first in the child. Cost: one weak
reference for each channel and each open file.

The child has its own descriptor table, but shares the open files with the parent. So an object closes its
descriptors and changes nothing behind them. In particular, it removes no key from an epoll set, because the
parent uses the same set.

Any thread may register objects. The child has one thread during ``forget_in_child``.
"""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import ParamSpec, Protocol

P = ParamSpec("P")


class OwnedByProcess(Protocol):
    """An object that works only in the process that made it."""

    def forget_in_child(self) -> None:
        """Drop threads, locks and descriptors without a change to anything that the parent uses.

        Takes no lock.
        """


_owned: weakref.WeakSet[OwnedByProcess] = weakref.WeakSet()


def owned_by_process(owned: OwnedByProcess) -> None:
    """Call ``owned.forget_in_child`` in each child that is forked from now on, as long as ``owned`` lives."""
    _owned.add(owned)


def run_in_child(forget: Callable[[], object]) -> None:
    """Call ``forget`` in each child that is forked from now on."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def run_at_exit(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Run ``work`` when this process ends by itself, but not when a forked child ends."""
    process = os.getpid()

    def run() -> None:
        if os.getpid() == process:
            work(*args, **kwargs)

    atexit.register(run)


def _forget_owned() -> None:
    # The stack runs all callbacks, even if one raises.
    with ExitStack() as stack:
        for owned in list(_owned):
            stack.callback(owned.forget_in_child)


run_in_child(_forget_owned)

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""State of its parent that a forked child process must not keep. The JVM never forks; a Python process may.

Fact: a fork copies objects, locks and descriptors, and of the threads only the one that forks. Consequence: a
broker in the child has no thread that serves, its locks may be held by threads that do not exist, and its
descriptors keep ports, connections and file locks in use after the parent has closed them. Choice: each class
that owns such a thing registers its objects here, and ``forget_in_child`` of each runs in the child before
anything else does. Cost: one weak reference for each channel and each open file.

A descriptor's number is the child's own, but the open file behind it is shared: an object closes its
descriptors, and changes nothing behind them. Above all no key leaves an epoll set, which is the parent's too.

Any thread registers; a child has one thread when it forgets.
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
        """Give up threads, locks and descriptors, without touching what the parent uses. Takes no lock."""


_owned: weakref.WeakSet[OwnedByProcess] = weakref.WeakSet()


def owned_by_process(owned: OwnedByProcess) -> None:
    """Call ``owned.forget_in_child`` in each child that is forked from now on, as long as ``owned`` lives."""
    _owned.add(owned)


def run_in_child(forget: Callable[[], object]) -> None:
    """Call ``forget`` in each child that is forked from now on."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def run_at_exit(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Do ``work`` when this process ends by itself, but not when one of its forked children does."""
    process = os.getpid()

    def run() -> None:
        if os.getpid() == process:
            work(*args, **kwargs)

    atexit.register(run)


def _forget_owned() -> None:
    # The stack calls all of them, also when one raises.
    with ExitStack() as stack:
        for owned in list(_owned):
            stack.callback(owned.forget_in_child)


run_in_child(_forget_owned)

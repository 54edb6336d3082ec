# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The modules of Python that stand below this floor, and the switch that replaces them.

Fact: a test or a simulation needs another world below a broker: other threads, another clock, a network and a
disk in memory. Consequence: it must reach each lock, wait, clock, random number, select, socket and file.
Choice: all modules above reach the system through this package, and this package reads it from ``Floor`` when
it uses it. No module stores a function of it. Cost: one attribute more for each system call.

A world is an object with the attributes that it replaces:

* ``os``, ``socket``, ``selectors``, ``select``, ``threading``, ``ssl``, ``mmap``, ``fcntl``, ``shutil``,
  ``tempfile``, ``signal`` and ``io`` take the place of the module of the same name;
* ``nanoseconds``, ``seconds``, ``epoch_ns`` and ``sleep`` take the place of the functions of ``clock.Clock``;
* ``random`` and ``getrandbits`` take the place of the methods of ``random_numbers.RANDOM``.

A world that wraps a module returns the module's own attribute for a name that it does not know. Locks,
conditions and threads are made by ``threading.Lock``, ``threading.RLock`` and ``threading.Thread.start``.
Conditions, latches, queues and sleeps of ``threads.Thread`` wait in ``acquire`` of such a lock.

Objects that exist keep their world. So the world is replaced before a broker is made, and put back after the
broker's end. The randomness inside OpenSSL cannot be replaced.
"""

from __future__ import annotations

import io as _io
import mmap as _mmap
import os as _os
import select as _select
import selectors as _selectors
import shutil as _shutil
import signal as _signal
import socket as _socket
import ssl as _ssl
import tempfile as _tempfile
import threading as _threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

try:
    import fcntl as _fcntl
except ImportError:  # not on Windows
    pass


class Floor:
    """The modules of the present world. Read at use, by any thread."""

    fcntl = _fcntl
    io = _io
    mmap = _mmap
    os = _os
    select = _select
    selectors = _selectors
    shutil = _shutil
    signal = _signal
    socket = _socket
    ssl = _ssl
    tempfile = _tempfile
    threading = _threading


_MODULES = ("fcntl", "io", "mmap", "os", "select", "selectors", "shutil", "signal", "socket", "ssl",
            "tempfile", "threading")


@contextmanager
def standing_on(world: object) -> Iterator[None]:
    """Replace the floor by ``world`` in the block, for all threads. Called by one thread at a time."""
    from kreactor.jdk.clock import Clock, NanoClock
    from kreactor.jdk.random_numbers import Generator

    with ExitStack() as stack:
        for owner, names in ((Floor, _MODULES), (NanoClock, ("nanoseconds",)),
                             (Clock, ("seconds", "epoch_ns", "sleep")),
                             (Generator, ("random", "getrandbits"))):
            for name in names:
                if hasattr(world, name):
                    _replace(stack, owner, name, getattr(world, name))
        yield


def _replace(stack: ExitStack, owner: type, name: str, value: object) -> None:
    """Set an attribute of a class, and put the former one back at the end of ``stack``."""
    if name in vars(owner):
        stack.callback(setattr, owner, name, vars(owner)[name])
    else:
        stack.callback(delattr, owner, name)
    setattr(owner, name, staticmethod(value) if callable(value) else value)

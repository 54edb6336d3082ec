# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A bound on the garbage that PyPy's collector leaves, like ``-Xmx`` and ``-Xms`` for the JVM.

DEVIATION D283: fact: PyPy makes its nursery half as large as the processor's last-level cache, and first
collects older objects at eight times that size. Consequence: on a server's processor a broker has 350 MB
resident before its first request, and up to 3 GB before the first full collection. Choice: on PyPy the
command starts its interpreter again, in the same process, with a nursery of 16 MB; a ``PYPY_GC_NURSERY`` of
the user takes precedence. Kafka's start script sets the heap in the same way. Cost: a tenth of a second at
the start.

Called by the main thread, before other threads exist.
"""

from __future__ import annotations

import os
import sys

# PyPy reads the variable once, when it starts.
VARIABLE = "PYPY_GC_NURSERY"
NURSERY = "16M"


def bound_heap() -> None:
    """Start this command again with a small nursery, if PyPy runs it and ``VARIABLE`` is not set.

    Does not return after a restart. Returns if the interpreter cannot be started again.
    """
    if sys.implementation.name != "pypy" or VARIABLE in os.environ or not sys.executable:
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    try:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, VARIABLE: NURSERY})
    except OSError:
        pass  # a broker with a large heap also works

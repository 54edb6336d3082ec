# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Whether coverage and debuggers follow the threads of this package. The JVM has no such functions in Python.

Fact: coverage has each new thread call a function for each call that the thread makes. Consequence: a request
to a broker in the process of a test takes 2.4 times the CPU, for lines that are none of the author's. Choice:
``leave_threads_untraced`` has threads of this package end their tracing before they do anything. Cost: calls
of the author's own code on those threads, such as a fault's predicate, count as not covered;
``KREACTOR_TRACE_THREADS=1`` in the environment has the threads traced.

Any thread calls these functions.
"""

from __future__ import annotations

import os
import sys

_VARIABLE = "KREACTOR_TRACE_THREADS"
_is_untraced = False


def leave_threads_untraced() -> None:
    """Have threads that start from now on untraced, unless the environment asks for tracing."""
    global _is_untraced
    _is_untraced = os.environ.get(_VARIABLE, "0") in ("", "0")


def begin_thread() -> None:
    """Called by a thread of this package before it does anything else."""
    if _is_untraced:
        sys.settrace(None)

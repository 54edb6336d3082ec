# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Whether coverage follows the threads of this package. The JVM has no such trace functions.

Fact: coverage installs a trace function in each new thread, which runs at each call. Consequence: a request
to a broker in a test's process takes 2.4 times the CPU, for lines that are not the test author's. Choice:
after ``leave_threads_untraced`` the threads of this package end coverage's tracing first. A debugger's trace
function stays, so breakpoints stop in these threads. Cost: the author's own code on those threads, such as a
fault's predicate, counts as not covered; ``KREACTOR_TRACE_THREADS=1`` in the environment keeps it covered.

Any thread calls these functions.
"""

from __future__ import annotations

import os
import sys

_VARIABLE = "KREACTOR_TRACE_THREADS"
_COVERAGE = "coverage"
_is_untraced = False


def leave_threads_untraced() -> None:
    """Leave threads that start from now on without coverage, unless the environment asks for it."""
    global _is_untraced
    _is_untraced = os.environ.get(_VARIABLE, "0") in ("", "0")


def begin_thread() -> None:
    """Called by a thread of this package before it does anything else."""
    if _is_untraced and _is_of_coverage(sys.gettrace()):
        sys.settrace(None)


def _is_of_coverage(tracer: object) -> bool:
    # A method has the module of its function, and an object the module of its type.
    modules = (getattr(tracer, "__module__", None), type(tracer).__module__)
    return any(str(each).partition(".")[0] == _COVERAGE for each in modules)

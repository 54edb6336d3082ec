# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``System.nanoTime``, ``System.currentTimeMillis`` and ``Thread.sleep``: a clock that a test cannot change.

Fact: tools for tests change the clock of their process. ``mock.patch("time.monotonic")`` and freezegun
replace attributes of ``time``. freezegun also replaces the attributes of other modules that are functions of
``time``. time-machine keeps the functions, and replaces the C code in the table that all copies of a function
share.

Consequence: the threads of a broker in that process read the test's clock. A frozen clock reaches no
deadline. A mocked one returns the test's numbers, or raises. The clients' time goes on: they may be in other
processes or in C libraries.

Choice: the functions come from a second, private instance of the module ``time``, which is an attribute of no
module. Each function gets a table entry of its own, with the original's C code. So a read runs the same C
code as ``time.monotonic_ns``, without a Python frame, and costs the same. On PyPy a second instance would
reset the first one. There the functions are ``time``'s own, as attributes of a class, where freezegun does
not look. time-machine does not run on PyPy.

Cost: these tools do not freeze a broker; ``mock_time`` of ``kreactor.testing`` does. The import of ``ctypes``
takes some milliseconds. libfaketime still changes this clock, and so does time-machine where the interpreter
has no ``ctypes``: ``warn_if_reached`` says so.

All modules above read the time by these classes, and none stores a function of theirs. So a simulated world
that replaces the attributes of ``NanoClock`` and ``Clock`` reaches every reader.

Called by any thread.
"""

from __future__ import annotations

import functools
import importlib.util
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from types import ModuleType
from typing import Any, TypeVar, cast

log = logging.getLogger(__name__)

T = TypeVar("T")

# The variables that name libraries which the linker loads before all others.
_PRELOADS = ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES")

# The functions' table entries. The functions point to them, so they must live as long as the process.
_entries: list[Any] = []
# The first thread that takes the element gives the warning.
_warnings_due = [True]


def _second_instance(module: ModuleType) -> Any:
    """Return a new instance of a module of the interpreter, with functions of its own."""
    spec = importlib.util.find_spec(module.__name__)
    assert spec is not None and spec.loader is not None
    instance = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(instance)
    return instance


def _with_own_entry(function: Any) -> Any:
    """Return a function with the C code of ``function``. Nothing that changes ``function`` changes it.

    Raises ImportError if the interpreter has no ``ctypes``.
    """
    import ctypes

    api = ctypes.pythonapi

    class Entry(ctypes.Structure):
        """PyMethodDef of the stable ABI."""

        _fields_ = [("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int),
                    ("doc", ctypes.c_char_p)]

    code = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(("PyCFunction_GetFunction", api))
    flags = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(("PyCFunction_GetFlags", api))
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", api))
    entry = Entry(function.__name__.encode(), code(function), flags(function), None)
    _entries.append(entry)
    return make(ctypes.addressof(entry), function.__self__, None)


def _original_during_travel(name: str) -> Callable[[], Any] | None:
    """Return time-machine's own way to a function whose C code it has replaced, or None if it has not."""
    original: Callable[[], Any] | None = getattr(sys.modules.get("_time_machine"), f"original_{name}", None)
    try:
        if original is not None:
            original()
    except ValueError:  # no travel
        return None
    return original


def _function_of_cpython(name: str, function: Any) -> Any:
    """Raises ImportError if the interpreter has no ``ctypes``."""
    original = _original_during_travel(name)
    if original is None:
        return _with_own_entry(function)

    # The code in the entry is time-machine's until this travel ends.
    def read() -> Any:
        try:
            return original()
        except ValueError:
            return function()

    return read


def _functions_of_cpython() -> tuple[dict[str, Any], bool]:
    """Return the functions, and whether time-machine cannot reach them."""
    instance = _second_instance(time)
    functions = {name: getattr(instance, name) for name in ("monotonic", "monotonic_ns", "time_ns", "sleep")}
    try:
        return {name: _function_of_cpython(name, function) for name, function in functions.items()}, True
    except ImportError:
        return functions, False


def _functions_of_pypy() -> dict[str, Any]:
    """Return the functions of ``time``, also if a test has replaced some before this module was loaded."""
    substitutes = {
        "monotonic": lambda: time.clock_gettime(time.CLOCK_MONOTONIC),
        "monotonic_ns": functools.partial(time.clock_gettime_ns, time.CLOCK_MONOTONIC),
        "time_ns": functools.partial(time.clock_gettime_ns, time.CLOCK_REALTIME),
        "sleep": functools.partial(select.select, (), (), ()),
    }
    builtin = type(time.clock_gettime_ns)
    return {name: function if type(function := getattr(time, name)) is builtin else substitute
            for name, substitute in substitutes.items()}


def _as_attribute(function: Any) -> staticmethod[[], Any]:
    """Return what a class must hold, so that ``function`` itself is an attribute of the class's objects.

    A C function needs no staticmethod, which would make each read a third slower.
    """
    is_builtin = type(function) is type(time.clock_gettime_ns)
    return cast("staticmethod[[], Any]", function if is_builtin else staticmethod(function))


if sys.implementation.name == "cpython":
    _found, _is_beyond_time_machine = _functions_of_cpython()
else:
    _found, _is_beyond_time_machine = _functions_of_pypy(), True


class NanoClock:
    """The monotonic clock. Subclasses read it without a Python frame, because they inherit the function."""

    __slots__ = ()

    # Return the nanoseconds since an arbitrary moment, for differences only.
    nanoseconds: staticmethod[[], int] = _as_attribute(_found["monotonic_ns"])


# The default of parameters that take a NanoClock.
NANO_CLOCK = NanoClock()


class Clock(NanoClock):
    """The clocks of the process. Used by the class, without an object."""

    __slots__ = ()

    # Return the seconds since an arbitrary moment, a float, for deadlines.
    seconds: staticmethod[[], float] = _as_attribute(_found["monotonic"])
    # Return the time of day, in nanoseconds since 1970.
    epoch_ns: staticmethod[[], int] = _as_attribute(_found["time_ns"])
    # Sleep for a number of seconds, which is not negative.
    sleep = cast("staticmethod[[float], None]", _as_attribute(_found["sleep"]))

    @staticmethod
    def epoch_ms() -> int:
        """Return the time of day, in milliseconds since 1970."""
        return Clock.epoch_ns() // 1_000_000

    @staticmethod
    def utc() -> datetime:
        """Return the time of day in UTC, as an aware datetime."""
        return datetime.fromtimestamp(Clock.epoch_ns() / 1e9, timezone.utc)

    @staticmethod
    def wait_for(condition: threading.Condition, predicate: Callable[[], T], timeout_s: float) -> T:
        """Wait until ``predicate`` is true, or for ``timeout_s`` seconds; return its last result.

        Called with the lock of ``condition``. ``Condition.wait_for`` reads a clock of its own.
        """
        deadline = Clock.seconds() + timeout_s
        while not (result := predicate()):
            left_s = deadline - Clock.seconds()
            if left_s <= 0:
                break
            condition.wait(min(left_s, threading.TIMEOUT_MAX))
        return result


del _found


def warn_if_reached() -> None:
    """Log one warning for this process if a tool can change this clock. Called before threads wait by it."""
    for variable in _PRELOADS:
        if "faketime" in os.environ.get(variable, ""):
            _warn(f"{variable} loads libfaketime, which changes the time of all code in this process: the "
                  "broker waits for as long as libfaketime says")
    if not _is_beyond_time_machine and "time_machine" in sys.modules:
        _warn("this interpreter has no ctypes, so time-machine also changes the broker's time of day, "
              "from which records get their timestamps")


def _warn(message: str) -> None:
    try:
        _warnings_due.pop()
    except IndexError:
        return
    log.warning("%s", message)

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The clock that no tool for tests changes, and that no module reads around."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from kreactor.common.utils.time import Time
from kreactor.jdk import clock as clock_module
from kreactor.jdk.clock import NANO_CLOCK, Clock, NanoClock, warn_if_reached
from kreactor.jdk.executors import ScheduledThreadPoolExecutor
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.yammer import Meter
from kreactor.testing import MockTime
from tests import packages

ROOT = Path(__file__).parents[2]
# The functions of ``time`` that a test may replace.
PATCHED = ("monotonic", "monotonic_ns", "perf_counter", "sleep", "time", "time_ns", "gmtime", "localtime",
           "strftime")


def exhausted(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return the effect of a mock without values. py4j's thread, which tests with Spark leave, has none."""
    def effect(*args: Any) -> Any:
        if type(threading.current_thread()).__module__.startswith("py4j."):
            return real(*args)
        raise StopIteration
    return effect


@contextmanager
def mocked() -> Iterator[None]:
    with ExitStack() as stack:
        for name in PATCHED:
            stack.enter_context(mock.patch(f"time.{name}", side_effect=exhausted(getattr(time, name))))
        yield


def frozen() -> AbstractContextManager[object]:
    import freezegun

    return freezegun.freeze_time("2001-02-03")


def frozen_without_exceptions() -> AbstractContextManager[object]:
    """freezegun, told to freeze threading and queue, too."""
    import freezegun

    return freezegun.freeze_time("2001-02-03", ignore=[])


def travelled() -> AbstractContextManager[object]:
    import time_machine

    return time_machine.travel("2001-02-03", tick=False)


TOOLS = [pytest.param(mocked, id="mock"), pytest.param(frozen, id="freezegun"),
         pytest.param(travelled, id="time-machine", marks=packages.needs("time_machine"))]


def test_the_thread_that_spark_leaves_keeps_its_time() -> None:
    class FinalizerWorker(threading.Thread):
        """py4j's thread, which sleeps once a second."""

        __module__ = "py4j.clientserver"

    slept: list[Any] = []
    with mocked():
        for kind in (threading.Thread, FinalizerWorker):
            thread = kind(target=lambda: slept.append(sleeps()))
            thread.start()
            thread.join()
    assert slept == [StopIteration, None]


def sleeps() -> Any:
    """Return what time.sleep returns, or the type of its exception."""
    try:
        return time.sleep(0)
    except StopIteration as e:
        return type(e)


@pytest.mark.parametrize("tool", TOOLS)
def test_no_tool_changes_the_clock(tool: Callable[[], AbstractContextManager[object]]) -> None:
    epoch_ms, now_ns, now_s = Clock.epoch_ms(), Clock.nanoseconds(), Clock.seconds()
    with tool():
        Clock.sleep(0.002)
        assert Clock.nanoseconds() - now_ns >= 2_000_000
        assert Clock.seconds() - now_s >= 0.002
        assert Clock.epoch_ms() - epoch_ms >= 1
        assert Clock.utc().year >= 2024
        assert Time.SYSTEM.nanoseconds() - now_ns >= 2_000_000
        assert Time.SYSTEM.milliseconds() - epoch_ms >= 1
        assert MockTime().milliseconds() - epoch_ms >= 1


LATE = """
import sys
from unittest import mock
{setting}
with tool:
    from kreactor.jdk.clock import Clock
    def check():
        before = Clock.nanoseconds(), Clock.seconds(), Clock.epoch_ns()
        Clock.sleep(0.002)
        after = Clock.nanoseconds(), Clock.seconds(), Clock.epoch_ns()
        assert all(b < a for b, a in zip(before, after)), (before, after)
        assert Clock.utc().year >= 2024, Clock.utc()
    check()
check()
with {again}:
    check()
check()
"""
SETTINGS = [
    pytest.param("tool = mock.patch('time.monotonic_ns', side_effect=[])",
                 "mock.patch('time.time_ns', side_effect=[])", id="mock"),
    pytest.param("import freezegun; tool = freezegun.freeze_time('2001-02-03')",
                 "freezegun.freeze_time('2001-02-03')", id="freezegun"),
    pytest.param("import time_machine; tool = time_machine.travel('2001-02-03', tick=False)",
                 "time_machine.travel('2001-02-03', tick=False)", id="time-machine",
                 marks=packages.needs("time_machine")),
]


@pytest.mark.parametrize("setting, again", SETTINGS)
def test_a_module_that_is_loaded_while_time_stands_has_the_same_clock(setting: str, again: str) -> None:
    done = subprocess.run([sys.executable, "-c", LATE.format(setting=setting, again=again)], cwd=ROOT,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_clock_is_that_of_the_system() -> None:
    before = time.monotonic_ns()
    assert before <= Clock.nanoseconds() <= time.monotonic_ns()
    assert before / 1e9 <= Clock.seconds() + 1e-6
    assert abs(Clock.epoch_ns() - time.time_ns()) < 60_000_000_000
    assert NANO_CLOCK.nanoseconds() >= before


# -- what cannot be resisted -----------------------------------------------------------------------


@pytest.fixture
def due_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_module, "_warnings_due", [True])
    for variable in ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES"):
        monkeypatch.delenv(variable, raising=False)


def test_a_clock_out_of_reach_needs_no_warning(due_warning: None, caplog: pytest.LogCaptureFixture) -> None:
    warn_if_reached()
    assert not caplog.records


def test_libfaketime_gets_one_warning(due_warning: None, monkeypatch: pytest.MonkeyPatch,
                                      caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/usr/lib/faketime/libfaketime.so.1")
    warn_if_reached()
    warn_if_reached()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "LD_PRELOAD loads libfaketime" in caplog.text


WITHOUT_CTYPES = """
import logging, sys
sys.modules["ctypes"] = None
from kreactor.jdk.clock import Clock, warn_if_reached
warn_if_reached()
import time_machine
logging.basicConfig(format="%(message)s", stream=sys.stdout)
with time_machine.travel("2001-02-03", tick=False):
    warn_if_reached()
    warn_if_reached()
    before = Clock.nanoseconds()
    Clock.sleep(0.001)
    assert Clock.nanoseconds() > before and Clock.utc().year == 2001
"""


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="ctypes is of use on CPython alone")
@packages.needs("time_machine")
def test_without_ctypes_the_time_of_day_gets_one_warning() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_CTYPES], cwd=ROOT, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("this interpreter has no ctypes") == 1


# -- waits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [pytest.param(mocked, id="mock"),
                                  pytest.param(frozen_without_exceptions, id="freezegun")])
def test_a_timed_wait_ends(tool: Callable[[], AbstractContextManager[object]],
                           monkeypatch: pytest.MonkeyPatch) -> None:
    condition = threading.Condition()
    answers = iter([False, True])
    with tool(), condition:
        now_s = Clock.seconds()
        assert not Clock.wait_for(condition, lambda: False, 0.01)
        assert Clock.seconds() - now_s >= 0.01
        assert not Clock.wait_for(condition, lambda: False, -1)
        waker = threading.Timer(0.001, lambda: _notify(condition))
        waker.start()
        assert Clock.wait_for(condition, lambda: next(answers, True), 1e12)
    waker.join()


def _notify(condition: threading.Condition) -> None:
    with condition:
        condition.notify_all()


# -- the only door ---------------------------------------------------------------------------------


class Standing(NanoClock):
    """A clock of a simulated world."""

    now_ns = 5_000_000_000


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> type[Standing]:
    """Replace the attributes of the floor's clock, after all modules are loaded."""
    monkeypatch.setattr(NanoClock, "nanoseconds", staticmethod(lambda: Standing.now_ns))
    monkeypatch.setattr(Clock, "seconds", staticmethod(lambda: Standing.now_ns / 1e9))
    monkeypatch.setattr(Clock, "epoch_ns", staticmethod(lambda: Standing.now_ns + 7_000_000))
    monkeypatch.setattr(Standing, "now_ns", 5_000_000_000)
    return Standing


def test_a_replaced_clock_reaches_its_readers(simulated: type[Standing]) -> None:
    assert Time.SYSTEM.nanoseconds() == 5_000_000_000
    assert Time.SYSTEM.milliseconds() == 5_007
    assert Time.SYSTEM.hi_res_clock_ms() == 5_000
    assert MockTime().milliseconds() == 5_007
    meter = Meter("events", TimeUnit.SECONDS)
    meter.mark(10)
    simulated.now_ns += 5_000_000_000
    assert meter.mean_rate() == 2.0
    executor = ScheduledThreadPoolExecutor(1, lambda runnable: threading.Thread(target=runnable))
    future = executor.schedule(lambda: None, 60_000)
    assert future.get_delay_ms() == 60_000
    simulated.now_ns += 1_000_000_000
    assert future.get_delay_ms() == 59_000
    executor.shutdown()
    assert executor.await_termination(60_000)


# Not in a user's process with a broker: the suite that judges brokers from outside, and the jobs on Spark.
APART = ("kreactor/conformance/", "kreactor/pipeline/")
DOOR = "kreactor/jdk/clock.py"
# The names that a module may import from the door.
CLASSES = {"Clock", "NanoClock", "NANO_CLOCK", "warn_if_reached"}
# Methods of the clocks of Kafka and of the door: stored, they would outlive a replacement of the door.
METHODS = {"nanoseconds", "milliseconds", "hi_res_clock_ms", "seconds", "epoch_ns", "epoch_ms"}


# Calls whose result keeps a function that they get.
KEEPERS = ("staticmethod", "partial", "functools.partial", "cast")


def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


# A word of each place that the check finds. Most modules, such as those of messages, have none.
WORDS = re.compile(r"\btime\b|clock|now|today|wait|timeout|" + "|".join(sorted(METHODS)))


def _reads_around(source: str) -> Iterator[str]:
    """Yield each place that reads a clock, or a time limit by a clock, around the door."""
    if not WORDS.search(source):
        return
    tree = ast.parse(source)
    parents = _parents(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) if any(alias.name == "time" for alias in names):
                yield f"{node.lineno}: imports time"
            case ast.ImportFrom(module="time"):
                yield f"{node.lineno}: imports from time"
            case ast.ImportFrom(module="kreactor.jdk.clock", names=names):
                if not {alias.name for alias in names} <= CLASSES:
                    yield f"{node.lineno}: imports more than the clock's classes"
            case ast.Call(func=ast.Attribute(attr="now" | "today" | "utcnow")):
                yield f"{node.lineno}: {ast.unparse(node.func)} reads a clock"
            case ast.Call(func=ast.Attribute(attr="wait_for", value=value), args=[_, _, *_]) if (
                    "condition" in ast.unparse(value) or "moved" in ast.unparse(value)):
                yield f"{node.lineno}: Condition.wait_for reads a clock, and Clock.wait_for is there"
            case ast.Call(func=ast.Attribute(attr="get" | "put", value=value), keywords=keywords) if (
                    "queue" in ast.unparse(value) and any(each.arg == "timeout" for each in keywords)):
                yield f"{node.lineno}: a queue's time limit reads a clock"
            case ast.Call(func=ast.Attribute(attr="wait", value=ast.Name(id="child")), args=[_, *_]):
                yield f"{node.lineno}: Popen.wait with a time limit reads a clock"
            case ast.Attribute(attr=attr) if attr in METHODS:
                parent = parents[node]
                # Called, or passed for the time of a call.
                is_used = isinstance(parent, ast.Call) and ast.unparse(parent.func) not in KEEPERS
                if not is_used and isinstance(node.ctx, ast.Load):
                    yield f"{node.lineno}: stores {ast.unparse(node)}"


@pytest.mark.parametrize("line", [
    "import time", "import time as clock", "from time import monotonic", "datetime.now(utc)", "date.today()",
    "from kreactor.jdk.clock import _entries", "self._condition.wait_for(f, 1)", "queue.get(timeout=3)",
    "child.wait(5)", "now = Clock.nanoseconds", "def f(clock=Time.SYSTEM.nanoseconds): pass",
    "class A:\n    clock = staticmethod(Clock.seconds)", "self._now = time.milliseconds",
])
def test_the_check_finds(line: str) -> None:
    assert list(_reads_around(line))


@pytest.mark.parametrize("line", [
    "Clock.nanoseconds()", "from kreactor.jdk.clock import Clock", "self._condition.wait_for(f)",
    "Clock.wait_for(self._condition, f, 1)", "channel.begin(receive, self._time.nanoseconds)",
    "SimpleQueue().get()", "self.milliseconds = 5", "child.wait()",
])
def test_the_check_passes(line: str) -> None:
    assert not list(_reads_around(line))


def test_no_module_reads_a_clock_around_the_door() -> None:
    found = {}
    for path in sorted((ROOT / "kreactor").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name != DOOR and not name.startswith(APART):
            if places := list(_reads_around(path.read_text(encoding="utf-8"))):
                found[name] = places
    assert not found


def test_the_door_holds_no_function_where_freezegun_looks() -> None:
    real = {id(getattr(time, name)) for name in PATCHED}
    assert not [name for name, value in vars(clock_module).items() if id(value) in real]
    assert importlib.util.find_spec("freezegun") is not None

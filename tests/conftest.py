# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures and options of all tests: after each, no thread, descriptor or socket may be left.

Also the order of the files among the workers of pytest-xdist, and the options --quick, --all and
--write-times. tests/times.py describes tests/times.tsv, tests/longer.py what --all adds, and
tests/unchanged.py the tests of tools that a run without --all leaves out.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Generator, Iterator

import hypothesis
import pluggy
import psutil
import pytest

from tests import longer, packages, times, unchanged

pytest_plugins = ["tests.time_limit"]

# How long an example takes says nothing: the machine may be busy.
hypothesis.settings.register_profile("untimed", deadline=None, max_examples=40)
hypothesis.settings.register_profile("all", deadline=None)
hypothesis.settings.load_profile("untimed")

# Without byte code each worker compiles all tests, and each process that a test starts compiles kreactor.
# That is a third of all CPU time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell has what it starts in the background ignore SIGINT, and nohup SIGHUP. Tests send both to processes
# of theirs, which would inherit that.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(_number, _handler)

# How long a thread that was told to end may take to be gone.
GRACE_S = 60.0
# The names of the threads for a broker's tasks begin so.
BACKGROUND = "kreactor-background-"

# A run keeps these with pytest's configuration: the times, the CPU seconds of the longest quick test, the
# files that are left out, the commit that passed, and with --write-times the measured times.
TABLE = pytest.StashKey[times.Times]()
QUICK_TEST_S = pytest.StashKey[float]()
LEFT_OUT = pytest.StashKey[set[str]]()
PASSED = pytest.StashKey[unchanged.Passed]()
Measured = list[tuple[str, float, dict[str, float]]]
MEASURED = pytest.StashKey[Measured]()
# The process's _state() before the tests were imported, and the names of what the imports changed.
STATE = pytest.StashKey[dict[str, object]]()
CHANGED = pytest.StashKey[list[str]]()

# The tests of these folders stay on one worker, since they share what is expensive to start: a JVM.
ON_ONE_WORKER = ("tests/pipeline",)
# How many tests a process runs before it takes what they leave out of the garbage collector's sight.
FREEZE_EACH = 500
TESTS_DONE = pytest.StashKey[int]()
# The CPU seconds of the tests that --quick chooses by their times.
QUICK_S = 40.0
# --quick has these whatever they take: the core of the port, which nearly every change reaches.
ALWAYS_QUICK = tuple(f"tests/{name}.py" for name in (
    "common/network/test_selector", "common/network/test_kafka_channel",
    "common/network/test_channel_builders", "common/network/test_channel_values",
    "common/network/test_network_receive",
    "core/network/test_request_channel", "core/network/test_socket_server", "core/network/test_races"))


def _scope(path: str) -> str:
    """Return the folder or file whose tests stay together."""
    return next((folder for folder in ON_ONE_WORKER if path.startswith(f"{folder}/")), path)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kreactor's own tests")
    group.addoption("--quick", action="store_true", help="only tests that take little CPU time by "
                    "tests/times.tsv, and those of Selector, SocketServer, channels, receives and races")
    group.addoption("--all", action="store_true", help="also tests that are marked longer, more examples, "
                    "and tests of tools that did not change since the commit that last passed")
    group.addoption("--write-times", action="store_true",
                    help="write tests/times.tsv from this run's CPU times")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "longer(reason): longer work, which runs with --all alone")
    longer.run_all(config.getoption("--all"))
    if config.getoption("--all"):
        hypothesis.settings.load_profile("all")
    config.stash[STATE] = _state()
    config.stash[TABLE] = table = times.read()
    config.stash[QUICK_TEST_S] = table.quick(QUICK_S)
    if config.getoption("--write-times"):
        config.pluginmanager.register(_Measuring())
    if hasattr(config, "workerinput"):
        config.stash[LEFT_OUT] = set(config.workerinput["left_out"])
        # After Ctrl-C the run may end before a worker of pytest-xdist has told its end.
        warnings.filterwarnings("ignore", r"(?s).*pytest_sessionfinish\nOSError: cannot send",
                                pluggy.PluggyTeardownRaisedWarning)
        return
    config.stash[PASSED] = passed = unchanged.Passed(config.rootpath, getattr(config, "cache", None))
    config.stash[LEFT_OUT] = set() if config.getoption("--all") else passed.unchanged_tests()
    if config.getoption("--write-times"):
        config.stash[MEASURED] = []
        config.pluginmanager.register(_Collector(config.stash[MEASURED]))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker what the run leaves out, which may not change meanwhile."""
    node.workerinput["left_out"] = sorted(node.config.stash[LEFT_OUT])


def pytest_report_header(config: pytest.Config) -> list[str]:
    if config.getoption("--all") or hasattr(config, "workerinput"):
        return []
    lines = ["left out without --all: tests that are marked longer, and most examples of properties"]
    if config.stash[LEFT_OUT]:
        lines.append(f"left out without --all: {len(config.stash[LEFT_OUT])} files with tests of tools, "
                     f"unchanged since {config.stash[PASSED].commit[:10]} passed")
    return lines


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Skip a file on PyPy if it needs a package that has no build for PyPy."""
    return packages.Module.from_parent(parent, path=module_path)


def _is_quick(path: str, config: pytest.Config) -> bool:
    """Return whether --quick has any test of this file."""
    table, limit = config.stash[TABLE], config.stash[QUICK_TEST_S]
    if path in ALWAYS_QUICK:
        return True
    if path in table.files:
        seconds, number = table.files[path]
        return seconds / number <= limit
    # A file with a slow test and no row for the others has no others, or only short ones.
    return True


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.suffix != ".py":
        return None
    path = collection_path.relative_to(config.rootpath).as_posix()
    if path in config.stash[LEFT_OUT] and not _is_named(collection_path, config):
        return True
    # None leaves the decision to pytest.
    return True if config.getoption("--quick") and not _is_quick(path, config) else None


def _is_whole(config: pytest.Config) -> bool:
    """Return whether no argument of pytest names files."""
    return [*config.args] == [*config.getini("testpaths")]


def _is_named(path: Path, config: pytest.Config) -> bool:
    """Return whether an argument of pytest names this file."""
    folder = config.invocation_params.dir
    return any((folder / arg.partition("::")[0]).resolve() == path for arg in config.args)


def _is_left_out(item: pytest.Item, config: pytest.Config) -> bool:
    if not config.getoption("--all") and item.get_closest_marker("longer") is not None:
        # A test that is named runs.
        return not any(arg.partition("[")[0] == item.nodeid.partition("[")[0] for arg in config.args)
    if not config.getoption("--quick") or times.file_of(item.nodeid) in ALWAYS_QUICK:
        return False
    table, limit = config.stash[TABLE], config.stash[QUICK_TEST_S]
    expensive = {name.rpartition("::")[2] for name in table.fixtures}
    if not expensive.isdisjoint(getattr(item, "fixturenames", ())):
        return True
    known = item.nodeid in table.tests or times.file_of(item.nodeid) in table.files
    return known and table.of(item.nodeid) > limit


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import this worker's part of the test files before all others.

    In a fresh checkout the import compiles a file. Workers with one order would all compile the same files.
    """
    config = session.config
    if not hasattr(config, "workerinput") or not _is_whole(config):
        return
    number, workers = int(config.workerinput["workerid"][2:]), config.workerinput["workercount"]
    for path in sorted((config.rootpath / "tests").rglob("test_*.py"))[number % workers::workers]:
        if not pytest_ignore_collect(path, config):
            # The collection reports the exception.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def _freeze() -> None:
    if hasattr(gc, "freeze"):
        gc.collect()
        gc.freeze()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Take all modules and tests out of the garbage collector's sight.

    They stay to the end. With all tests collected, gc.collect() would look at millions of objects, and take
    0.3 s in each test that calls it.
    """
    _freeze()
    session.config.stash[CHANGED] = _changed(session.config.stash[STATE])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
    """Freeze again between two files, after FREEZE_EACH tests: their reports and caches stay to the end."""
    result = yield
    stash = item.config.stash
    stash[TESTS_DONE] = stash.get(TESTS_DONE, 0) + 1
    if stash[TESTS_DONE] >= FREEZE_EACH and nextitem is not None and nextitem.path != item.path:
        stash[TESTS_DONE] = 0
        _freeze()
    return result


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests out. On a worker, put the slowest files first: the last file runs alone at the end."""
    left_out = [item for item in items if _is_left_out(item, config)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
    if not hasattr(config, "workerinput"):
        return
    table = config.stash[TABLE]
    seconds: dict[str, float] = {}
    for item in items:
        scope = _scope(times.file_of(item.nodeid))
        seconds[scope] = seconds.get(scope, 0.0) + table.of(item.nodeid)
    items.sort(key=lambda item: -seconds[_scope(times.file_of(item.nodeid))])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file on one worker, and those of a folder in ON_ONE_WORKER."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _scope(super()._split_scope(nodeid))

        def remove_node(self, node: Any) -> str | None:
            """Let other workers run what a crashed one has left; return the test that it crashed in.

            pytest-xdist would hand over the finished files, too. The new worker gets one of them, with no
            test to run, and the whole run waits for ever. It would also repeat the test, and crash again.
            """
            files = self.assigned_work.pop(node)
            crashed = next(((tests, nodeid) for tests in files.values()
                            for nodeid, done in tests.items() if not done), None)
            if crashed is None:
                return None
            tests, nodeid = crashed
            tests[nodeid] = True
            self.workqueue.update({file: tests for file, tests in files.items() if not all(tests.values())})
            for other in self.assigned_work:
                self._reschedule(other)
            return nodeid

        def _reschedule(self, node: Any) -> None:
            """Give a worker files until it has more than two tests: with one it waits for the next."""
            if node not in self.registered_collections:
                return  # It collects the tests, in place of a crashed one.
            while not node.shutting_down and (
                    not self.workqueue or self._pending_of(self.assigned_work[node]) <= 2):
                super()._reschedule(node)

    return Scheduling(config, log)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    packages.tell_what_did_not_run(terminalreporter)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    if hasattr(config, "workerinput"):
        return
    if config.getoption("--write-times"):
        times.write(config.stash[MEASURED])
    chosen = any(config.getoption(option) for option in ("keyword", "markexpr", "collectonly", "--quick"))
    if exitstatus == 0 and _is_whole(config) and not chosen:
        config.stash[PASSED].remember()


class _Measuring:
    """Measures each test, in the process that runs it.

    A plugin of its own: the hooks of a conftest.py in a folder do not see fixtures of the session.
    """

    def __init__(self) -> None:
        self._stopwatch = times.Stopwatch()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._stopwatch.begin()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        """Measure the start and the end of a fixture that several tests share."""
        if fixturedef.scope == "function":
            return (yield)
        # One of a module or class has the name of its node, so that it counts for the file.
        owner = fixturedef.baseid if fixturedef.scope == "session" else request.node.nodeid
        name = f"{owner}::{fixturedef.argname}"
        ends: list[Iterator[None]] = []
        # Finalizers run in the reverse order: this one runs last, and that below first.
        fixturedef.addfinalizer(lambda: [next(each, None) for each in ends])
        measured = self._stopwatch.shared(name)
        next(measured)
        try:
            return (yield)
        finally:
            next(measured, None)

            def begin() -> None:
                ends.append(self._stopwatch.shared(name))
                next(ends[-1])

            fixturedef.addfinalizer(begin)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "teardown":
            # An attribute of a report goes from a worker to the main process.
            report.cpu_seconds = self._stopwatch.end()
        return report


class _Collector:
    """Keeps the CPU seconds of all tests, in the main process."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured

    def pytest_runtest_logreport(self, report: Any) -> None:
        if hasattr(report, "cpu_seconds"):
            self._measured.append((report.nodeid, *report.cpu_seconds))


def _descriptors() -> dict[str, str]:
    """Return the open descriptors of this process by number, with what each is."""
    if not os.path.isdir("/proc/self/fd"):
        return {str(number): "?" for number in range(psutil.Process().num_fds())}
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            found[number] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            pass  # the descriptor of the listing itself
    return found


def _left_over(threads: set[threading.Thread], descriptors: dict[str, str]) -> list[str]:
    # The pool of a broker that tests of a module share may grow at any time.
    grows = any(thread.name.startswith(BACKGROUND) for thread in threads)
    new_threads = [f"thread {thread.name}" for thread in threading.enumerate()
                   if thread not in threads and not (grows and thread.name.startswith(BACKGROUND))]
    now = _descriptors()
    if len(now) <= len(descriptors):
        return new_threads
    return new_threads + [f"descriptor {number} {what}" for number, what in sorted(now.items())
                          if descriptors.get(number) != what]


# The time limit has a handler of SIGALRM for each step of a test.
_HANDLERS = {f"the handler of {number.name}": int(number)
             for number in signal.Signals if number.name != "SIGALRM"}


def _state() -> dict[str, object]:
    """Return what a test may change for all tests that run in this process after it."""
    found: dict[str, object] = {name: signal.getsignal(number) for name, number in _HANDLERS.items()}
    found["logging.disable"] = logging.root.manager.disable
    found["the level of the root logger"] = logging.root.level
    found["the working directory"] = os.getcwd()
    found |= {f"the variable {name}": value for name, value in os.environ.items()
              if name != "PYTEST_CURRENT_TEST"}
    return found


def _changed(before: dict[str, object]) -> list[str]:
    """Return the names of what has changed in ``_state``."""
    now = _state()
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


@pytest.fixture(autouse=True)
def nothing_is_left(pytestconfig: pytest.Config) -> Iterator[None]:
    """Fail the test that leaves a thread, a descriptor or a change of the process behind."""
    assert not pytestconfig.stash[CHANGED], f"the import of a test changed {pytestconfig.stash[CHANGED]}"
    threads, descriptors, state = set(threading.enumerate()), _descriptors(), _state()
    yield
    changed = _changed(state)
    assert not changed, f"changed and not restored: {', '.join(changed)}"
    deadline = time.monotonic() + GRACE_S
    left = _left_over(threads, descriptors)
    while left and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
        left = _left_over(threads, descriptors)
    assert not left, f"left behind: {', '.join(left)}"


@pytest.fixture
def refused_connections_are_collected(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Have the test end with the sockets that it made; what is logged of errors would keep them."""
    for name in ("kafka", "aiokafka"):
        caplog.set_level(logging.CRITICAL, name)
    yield
    gc.collect()

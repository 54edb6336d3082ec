# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures and options of all tests: after each, no thread, descriptor or socket may be left.

Also the order of the files among the workers of pytest-xdist, and the options --quick and --write-times.
tests/times.tsv names the slow files, each with the seconds that its tests take.
"""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator

import hypothesis
import psutil
import pytest

from tests import packages

# How long an example takes says nothing: the machine may be busy.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# A shell has what it starts in the background ignore SIGINT, and nohup SIGHUP. Tests send both to processes
# of theirs, which would inherit that.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(_number, _handler)

# How long a thread that was told to end may take to be gone.
GRACE_S = 60.0
# The longest test takes 40 s on an idle machine. A test beyond this limit waits for what never comes.
LIMIT_S = 900.0

TIMES = Path(__file__).with_name("times.tsv")
# A file whose tests take longer is slow.
SLOW_S = 2.5
# The tests of these folders stay on one worker, since they share what is expensive to start: a JVM.
ON_ONE_WORKER = ("tests/pipeline",)


def _times() -> dict[str, float]:
    """Return the slow files, by their path from the root, with their seconds."""
    if not TIMES.exists():
        return {}
    rows = (line.split("\t") for line in TIMES.read_text().splitlines()[1:])
    return {path: float(seconds) for path, seconds in rows}


def _scope(path: str) -> str:
    """Return the folder or file whose tests stay together."""
    return next((folder for folder in ON_ONE_WORKER if path.startswith(f"{folder}/")), path)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kreactor's own tests")
    group.addoption("--quick", action="store_true", help="leave out the files that tests/times.tsv names")
    group.addoption("--write-times", action="store_true", help="write tests/times.tsv from this run's times")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Skip a file on PyPy if it needs a package that has no build for PyPy."""
    return packages.Module.from_parent(parent, path=module_path)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--quick") or collection_path.suffix != ".py":
        return None
    # None leaves the decision to pytest.
    return True if collection_path.relative_to(config.rootpath).as_posix() in _times() else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On a worker, put the slowest files first: one that starts last would run alone at the end."""
    if not hasattr(config, "workerinput"):
        return
    seconds: dict[str, float] = {}
    for path, taken in _times().items():
        seconds[_scope(path)] = seconds.get(_scope(path), 0.0) + taken
    items.sort(key=lambda item: -seconds.get(_scope(item.nodeid.split("::")[0]), 0.0))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file on one worker, and those of a folder in ON_ONE_WORKER."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _scope(super()._split_scope(nodeid))

    return Scheduling(config, log)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if not config.getoption("--write-times") or hasattr(config, "workerinput"):
        return
    seconds: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                path = report.nodeid.split("::")[0]
                seconds[path] = seconds.get(path, 0.0) + report.duration
    rows = sorted((-taken, path) for path, taken in seconds.items() if taken > SLOW_S)
    TIMES.write_text("".join(["file\tseconds\n", *(f"{path}\t{-taken:.1f}\n" for taken, path in rows)]))


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
    new_threads = [f"thread {t.name}" for t in threading.enumerate() if t not in threads]
    now = _descriptors()
    if len(now) <= len(descriptors):
        return new_threads
    return new_threads + [f"descriptor {number} {what}" for number, what in sorted(now.items())
                          if descriptors.get(number) != what]


def _too_long(number: int, frame: object) -> None:
    faulthandler.dump_traceback(sys.__stderr__)
    pytest.fail(f"still not done after {LIMIT_S:.0f} s; standard error shows where each thread is")


def _limited() -> Iterator[None]:
    """Fail the step of a test that takes longer than LIMIT_S, with the stacks of all threads.

    A signal ends the wait of the main thread, which is where a test runs. A test that hangs would otherwise
    stop the whole run, without a word about which test it is.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    yield from _limited()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    yield from _limited()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    yield from _limited()


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Fail the test that leaves a thread or a descriptor behind."""
    threads, descriptors = set(threading.enumerate()), _descriptors()
    yield
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

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A time limit for each test: a test that waits for ever fails, and shows where each thread is.

A plugin of pytest. Setup, call and teardown of a test have the limit each: 120 s, or the seconds of the mark
``@pytest.mark.time_limit(seconds)``. The variable KREACTOR_TEST_LIMIT_S replaces the 120 s and lengthens
the marked limits in proportion, for a machine that is slow or busy.

At the limit a signal interrupts the main thread, where a test runs. The test fails there, and the next test
runs in the same process. A library may defer Python's signals, or the test's cleanup may wait for ever, too.
Then, at one and a half times the limit, faulthandler writes the stacks and ends the process. pytest-xdist
reports the test as failed and replaces such a worker.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import io
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Iterator

import psutil
import pytest

LIMIT_S = 120.0
VARIABLE = "KREACTOR_TEST_LIMIT_S"
# As shares of the limit: when the cleanup of a failed test is interrupted again, and when its process ends.
AGAIN = 1 / 12
END = 1.5

# Pytest calls a test through 35 frames, and the interrupt of the main thread adds some.
_FRAMES_OF_PYTEST = re.compile(r"/(_pytest|pluggy|pytest|xdist|execnet)/|tests/time_limit\.py|frozen runpy")

_stderr = pytest.StashKey[int]()
_exceeded = pytest.StashKey[bool]()
_status = pytest.StashKey[int]()


def limit_of(item: pytest.Item) -> float:
    """Return the seconds that a test may take."""
    general = float(os.environ.get(VARIABLE, LIMIT_S))
    mark = item.get_closest_marker("time_limit")
    return general if mark is None else float(mark.args[0]) * general / LIMIT_S


def state() -> str:
    """Return the stacks of all threads and of asyncio's tasks, and the processes below this one."""
    text = io.StringIO()
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for ident, frame in sys._current_frames().items():
        print(f"Thread {names.get(ident, ident)}, most recent call last:", file=text)
        frames = traceback.extract_stack(frame)
        text.writelines(traceback.format_list(
            [each for each in frames if not _FRAMES_OF_PYTEST.search(each.filename)]))
    for task in [each for each in gc.get_objects() if isinstance(each, asyncio.Task)]:
        if not task.done():
            task.print_stack(file=text)
    for process in psutil.Process().children(recursive=True):
        try:
            command = " ".join(process.cmdline())[:200]
            print(f"Process {process.pid}, {process.status()}: {command}", file=text)
        except psutil.NoSuchProcess:
            continue
    return text.getvalue()


def _limited(item: pytest.Item, when: str) -> Iterator[None]:
    """Fail the step of a test that takes longer than its limit."""
    limit = limit_of(item)
    stderr = item.config.stash[_stderr]

    def interrupt(number: int, frame: object) -> None:
        problem = f"still not done after {limit:.0f} s"
        stacks = state()
        item.config.stash[_exceeded] = True
        # At once: what follows may wait for ever, too.
        os.write(stderr, f"\n{item.nodeid}, {when}: {problem}\n{stacks}".encode(errors="replace"))
        item.add_report_section(when, "threads", stacks)
        pytest.fail(problem)

    faulthandler.dump_traceback_later(limit * END, exit=True, file=stderr)
    try:
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        former = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, limit, limit * AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "time_limit(seconds): the time limit of a test that is long even on an idle machine")
    # During tests pytest has replaced the descriptor.
    config.stash[_stderr] = os.dup(2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    yield from _limited(item, "setup")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    yield from _limited(item, "call")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield from _limited(item, "teardown")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_status] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process in spite of a thread that a failed test has left waiting."""
    os.close(config.stash[_stderr])
    if hasattr(config, "workerinput") or not config.stash.get(_exceeded, False):
        return
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_status])

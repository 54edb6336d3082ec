# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.time_limit import LIMIT_S, VARIABLE, limit_of

ROOT = Path(__file__).parents[1]
LIMIT = 2
# Each wait has an end, so that a test without a limit passes, and an assertion here fails.
EVER_S = 40

LOCK = f"""
import threading

def take(lock):
    lock.acquire(timeout={EVER_S})

def test_waits():
    lock = threading.Lock()
    lock.acquire()
    waiter = threading.Thread(target=take, args=(lock,), name="the waiter")
    waiter.start()
    waiter.join({EVER_S})

def test_next():
    pass
"""
TWO_WAITS = f"""
import time

def test_waits():
    try:
        time.sleep({EVER_S})
    finally:
        time.sleep({EVER_S})
"""
# Signals that Python cannot handle, as while the main thread is inside a library.
BLOCKED = f"""
import signal, time

def sleeps():
    time.sleep({EVER_S})

def test_waits():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    sleeps()

def test_next():
    pass
"""
ASYNC = f"""
import asyncio, subprocess, sys

async def waits():
    await asyncio.sleep({EVER_S})

async def main():
    task = asyncio.create_task(waits())
    await task

def test_waits():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep({EVER_S})"]) as process:
        try:
            asyncio.run(main())
        finally:
            process.kill()
"""


def run(folder: Path, test: str, *arguments: str) -> tuple[int, str, str]:
    """Run a test file with the limit; return status, output and what came on standard error."""
    (folder / "test_it.py").write_text(test)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-p", "no:cacheprovider", *arguments,
         "test_it.py"], cwd=folder, capture_output=True, text=True,
        env={**inherited, "PYTHONPATH": str(ROOT), VARIABLE: str(LIMIT)})
    return done.returncode, done.stdout, done.stderr


def test_a_wait_for_ever_fails_with_the_stacks_of_both_threads_and_the_next_test_runs(tmp_path):
    status, output, error = run(tmp_path, LOCK)
    assert status == 1 and re.search("1 failed, 1 passed in", output)
    assert f"Failed: still not done after {LIMIT} s" in output
    # At once, and once more in the report.
    for shown in (error, output):
        assert re.search(r"Thread the waiter, .*\n(  .*\n)+    lock.acquire\(", shown), shown
        assert re.search(r"Thread MainThread, .*\n(  .*\n)+    waiter.join\(", shown), shown
    assert error.startswith(f"\ntest_it.py::test_waits, call: still not done after {LIMIT} s\n")


def test_a_thread_that_waits_on_does_not_keep_the_process(tmp_path):
    """The status is that of the run."""
    tells = f"acquire(timeout={EVER_S})"
    waits = LOCK.replace(tells, f"{tells}; __import__('os').write(2, b'waited')")
    # Python 3.11 believes that a thread has ended whose join was interrupted.
    waits = waits.replace(f"waiter.join({EVER_S})", f"__import__('time').sleep({EVER_S})")
    status, output, error = run(tmp_path, waits)
    assert status == 1 and re.search("1 failed, 1 passed in", output) and not error.endswith("waited")


def test_a_cleanup_that_waits_is_interrupted_too(tmp_path):
    status, output, error = run(tmp_path, TWO_WAITS)
    assert status == 1 and error.count("call: still not done") == 2 and "1 failed in" in output


def test_a_process_that_defers_signals_ends_with_the_stacks(tmp_path):
    status, _, error = run(tmp_path, BLOCKED)
    assert status == 1 and re.search(r'test_it.py", line \d+ in sleeps\n.* in test_waits\n', error), error


def test_a_worker_that_defers_signals_is_replaced(tmp_path):
    status, output, error = run(tmp_path, BLOCKED, "-n", "1", "--max-worker-restart", "1")
    assert status == 1 and "worker 'gw0' crashed while running 'test_it.py::test_waits'" in output
    assert re.search("1 failed, 1 passed in", output) and "in sleeps" in error


def test_tasks_of_asyncio_and_processes_are_shown(tmp_path):
    status, output, error = run(tmp_path, ASYNC)
    assert status == 1 and "1 failed in" in output
    assert re.search(r"Stack for <Task .* name='Task-2' .*waits\(\)", error), error
    assert re.search(rf"Process \d+, \w+: .* -c import time; time.sleep\({EVER_S}\)", error), error


@pytest.mark.time_limit(240)
@pytest.mark.parametrize("general, limit", [(None, 240.0), ("600", 1200.0)])
def test_a_marked_limit_grows_in_proportion(request, monkeypatch, general, limit):
    monkeypatch.delenv(VARIABLE, raising=False)
    if general is not None:
        monkeypatch.setenv(VARIABLE, general)
    assert limit_of(request.node) == limit


@pytest.mark.parametrize("general, limit", [(None, LIMIT_S), ("600", 600.0)])
def test_the_limit_without_a_mark(request, monkeypatch, general, limit):
    monkeypatch.delenv(VARIABLE, raising=False)
    if general is not None:
        monkeypatch.setenv(VARIABLE, general)
    assert limit_of(request.node) == limit

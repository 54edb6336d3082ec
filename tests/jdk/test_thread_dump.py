# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kreactor.jdk import thread_dump as module
from kreactor.jdk.thread_dump import thread_dump, thread_dumps
from kreactor.testing import Broker

ROOT = Path(__file__).parents[2]
HEAD = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nFull thread dump kreactor \S+ \((cpython|pypy) \d\S+\):\n\n"


class Holder:
    """Has a lock that its thread holds until the end."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.is_held = threading.Event()
        self.end = threading.Event()

    def hold(self) -> None:
        with self._lock:
            self.is_held.set()
            self.end.wait()


@contextmanager
def holding() -> Iterator[Holder]:
    holder = Holder()
    thread = threading.Thread(target=holder.hold, name='a "name"', daemon=True)
    thread.start()
    holder.is_held.wait()
    try:
        yield holder
    finally:
        holder.end.set()
        thread.join()


def test_a_dump() -> None:
    with holding():
        text = thread_dump()
    assert re.match(HEAD, text), text
    main = text.partition("\n\n")[2].partition("\n\n")[0]
    assert main.startswith(f'"{threading.main_thread().name}" #1 tid=0x')
    assert f"\tat {__name__}.test_a_dump(test_thread_dump.py:" in main
    held = re.search(r'"a "name"" #\d+ daemon tid=0x[0-9a-f]{16} nid=\d+[^\n]*\n(.*?)\n\n', text, re.DOTALL)
    assert held is not None, text
    lines = held[1].split("\n")
    assert lines[0] == "   Thread.State: WAITING"
    assert f"\tat {__name__}.Holder.hold(test_thread_dump.py:" in held[1]
    assert re.search(r"\n\t- locked <0x[0-9a-f]{16}> \(Holder._lock, 1 times\)", held[1]), held[1]
    assert re.search(r"\n\t- waiting on <0x[0-9a-f]{16}> \(a (Condition|Event)\)\n", held[1]), held[1]


def read_dump(descriptor: int) -> str:
    """Read a dump, which ends with the thread that writes it; that thread is in thread_dump."""
    data = b""
    while not (b".thread_dump(" in data and data.endswith(b"\n\n")):
        data += os.read(descriptor, 1 << 16)
    return data.decode()


@pytest.mark.parametrize("uses_wakeup_fd", [True, False])
def test_a_signal_prints_a_dump_each_time(uses_wakeup_fd: bool) -> None:
    former = signal.getsignal(signal.SIGQUIT)
    threads, descriptors = set(threading.enumerate()), os.listdir("/dev/fd")
    read_fd, write_fd = os.pipe()
    try:
        with thread_dumps(write_fd, uses_wakeup_fd):
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGQUIT)
                assert '"Signal Dispatcher" #' in read_dump(read_fd)
    finally:
        os.close(read_fd)
        os.close(write_fd)
    assert signal.getsignal(signal.SIGQUIT) == former and set(threading.enumerate()) == threads
    assert os.listdir("/dev/fd") == descriptors


def test_a_dump_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise RuntimeError("dictionary changed size during iteration")

    read_fd, write_fd = os.pipe()
    try:
        with thread_dumps(write_fd):
            with monkeypatch.context() as patched:
                patched.setattr(module, "thread_dump", fail)
                os.kill(os.getpid(), signal.SIGQUIT)
                assert os.read(read_fd, 1 << 16).startswith(b"The thread dump failed: RuntimeError('dict")
            os.kill(os.getpid(), signal.SIGQUIT)
            assert '"Signal Dispatcher" #' in read_dump(read_fd)
    finally:
        os.close(read_fd)
        os.close(write_fd)


def test_an_output_that_is_closed() -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    try:
        with thread_dumps(write_fd):
            os.kill(os.getpid(), signal.SIGQUIT)
    finally:
        os.close(write_fd)


def test_another_thread_has_no_dumps() -> None:
    former = signal.getsignal(signal.SIGQUIT)
    seen = []

    def enter() -> None:
        with thread_dumps():
            seen.append(signal.getsignal(signal.SIGQUIT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [former]


# From 3.12 on Python warns of each fork of a process with threads.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_the_default() -> None:
    read_fd, write_fd = os.pipe()
    try:
        with thread_dumps(write_fd):
            child = os.fork()
            if child == 0:
                try:
                    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                    os.kill(os.getpid(), signal.SIGQUIT)
                    signal.pause()
                finally:
                    os._exit(1)
            _, status = os.waitpid(child, 0)
    finally:
        os.close(read_fd)
        os.close(write_fd)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGQUIT


WAITS = """
import os, signal, sys, threading
from kreactor.jdk.thread_dump import thread_dumps

def take():
    with held:
        started.set()
        for _ in range(2):
            sys.stdin.readline()
            os.kill(os.getpid(), signal.SIGQUIT)
        sys.stdin.readline()

held, started = threading.Lock(), threading.Event()
with thread_dumps():
    thread = threading.Thread(target=take, name="taker")
    thread.start()
    started.wait()
    # The kernel gives the signal to the other thread.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGQUIT})
    with held:
        pass
"""


def test_a_main_thread_that_waits_for_a_lock() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(2):
            process.stdin.write(b"\n")
            process.stdin.flush()
            text = read_dump(process.stdout.fileno())
            assert re.match(HEAD, text) and '"taker" #' in text and '"MainThread" #1 ' in text, text
        process.stdin.close()
        assert process.wait(120) == 0


def test_the_process_of_a_broker(capfd: pytest.CaptureFixture[str]) -> None:
    with Broker(process=True) as broker:
        os.kill(getattr(broker, "pid")(), signal.SIGQUIT)
        errors = ""
        while '"Signal Dispatcher"' not in errors:
            broker.create_topic(f"t{len(broker.topics())}")
            errors += capfd.readouterr().err
    assert "Full thread dump kreactor" in errors and '"data-plane-kafka-network-thread-1-' in errors

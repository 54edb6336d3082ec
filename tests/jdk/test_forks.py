# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A forked child gives up what its parent's threads use, and the parent notices nothing of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.embedded.data_folder import DataFolder
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector
from kreactor.storage.internals.log.log_file import LogFile

ROOT = Path(__file__).parents[2]

# From 3.12 on Python warns of each fork of a process with threads.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def in_child(check: Callable[[], bool]) -> bool:
    """Return what ``check`` returns in a forked child."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            status = 0 if check() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def is_closed(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


def listening() -> ServerSocketChannel:
    channel = ServerSocketChannel.open()
    channel.configure_blocking(False)
    return channel.bind(InetSocketAddress(InetAddress.get_by_name("127.0.0.1"), 0))


def test_a_selector_goes_on_after_its_copy_in_a_child_has_gone() -> None:
    selector, server = Selector.open(), listening()
    key = server.register(selector, SelectionKey.OP_ACCEPT)
    assert selector.select_now() == 0

    def give_up() -> bool:
        descriptors_are_closed = is_closed(number) and not selector.is_open() and not key.is_valid()
        server.close()
        selector.close()
        selector.wakeup()
        return descriptors_are_closed

    number = server.fileno()
    assert in_child(give_up)
    port = server.socket().get_local_port()
    with socket.create_connection(("127.0.0.1", port)):
        assert selector.select(60_000) == 1
        accepted = server.accept()
        assert accepted is not None
        accepted.close()
    selector.close()
    server.close()


def test_a_channel_that_another_thread_is_closing() -> None:
    channel = SocketChannel.open()
    number = channel.fileno()
    with channel._close_lock:
        assert in_child(lambda: channel.close() is None and is_closed(number) and not channel.is_open())
    assert channel.is_open() and not is_closed(number)
    channel.close()


def test_a_selector_that_another_thread_wakes() -> None:
    selector = Selector.open()
    with selector._wakeup._lock:
        assert in_child(lambda: selector.wakeup() is selector and not selector.is_open())
    selector.close()


def test_files_of_a_log_and_the_lock_of_its_folder(tmp_path: Path) -> None:
    folder = DataFolder.open(str(tmp_path))
    file = LogFile.open(tmp_path / "log", os.O_RDWR | os.O_CREAT)
    numbers = file._descriptor(), folder._lock_fd
    assert in_child(lambda: not file.is_open() and all(map(is_closed, numbers)))
    assert file.is_open()
    # The child lives, and the lock is free as soon as the parent lets it go.
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(write_end)
        os.read(read_end, 1)
        os._exit(0)
    try:
        folder.release()
        DataFolder.open(str(tmp_path)).release()
    finally:
        os.close(write_end)
        os.close(read_end)
        assert os.waitpid(pid, 0)[1] == 0
    file.release()


def test_each_is_told_even_if_one_fails() -> None:
    class Owned:
        def __init__(self, fails: bool) -> None:
            self.fails = fails
            self.told = False
            owned_by_process(self)

        def forget_in_child(self) -> None:
            self.told = True
            if self.fails:
                raise ValueError("it fails")

    owned = [Owned(fails) for fails in (True, False, True, False)]
    # The child says what failed, on its standard error, and goes on.
    assert in_child(lambda: all(each.told for each in owned))
    assert not any(each.told for each in owned)


EXITS = """
import os, sys, threading
from kreactor.common.utils.exit import Exit, _hooks_lock
from kreactor.jdk.forks import run_at_exit
Exit.add_shutdown_hook("parent's", lambda: print("hook", flush=True))
run_at_exit(print, "exit", flush=True)
with _hooks_lock:
    pid = os.fork()
if pid == 0:
    Exit.add_shutdown_hook("child's", lambda: print("child's hook", flush=True))
    run_at_exit(print, "child's exit", flush=True)
    sys.exit(5)
print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


def test_hooks_of_the_parent_do_not_run_in_the_child() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXITS], cwd=ROOT, timeout=120, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.split("\n")[:-1]
    assert sorted(lines[:2]) == ["child's exit", "child's hook"]
    assert lines[2] == "child 5" and sorted(lines[3:]) == ["exit", "hook"]


def test_threads_of_the_parent_go_on() -> None:
    """A fork on one thread, while others make channels and close them."""
    ended = threading.Event()
    failures: list[Exception] = []

    def make() -> None:
        try:
            while not ended.is_set():
                SocketChannel.open().close()
        except Exception as e:
            failures.append(e)

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert all(in_child(lambda: True) for _ in range(30))
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not failures

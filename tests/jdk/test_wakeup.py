# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The wakeup against a model of three facts, in every order of calls that its contract allows."""

from __future__ import annotations

import fcntl
import itertools
import os
import struct
import termios
import threading
import time
from collections.abc import Iterator

import pytest

from kreactor.jdk.wakeup import Wakeup


@pytest.fixture
def wakeup() -> Iterator[Wakeup]:
    wakeup = Wakeup()
    yield wakeup
    wakeup.close()


class LateBell:
    """A bell that is rung when the one who waits for it has just given up."""

    def __init__(self, wakeup: Wakeup) -> None:
        self.wakeup = wakeup
        self.lock = wakeup._bell
        self.release = self.lock.release

    def acquire(self, *args, **options) -> bool:
        if not options:
            return self.lock.acquire(timeout=120)
        self.wakeup.wakeup()
        return False


def bytes_in(fd: int) -> int:
    """Return how many bytes wait in a pipe."""
    [count] = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))
    return count


class Guarded:
    """One of the facts of ``LockedWakeup``."""

    def __set_name__(self, owner: type[Wakeup], name: str) -> None:
        self._slot = getattr(Wakeup, name)

    def __get__(self, wakeup: Wakeup, owner: type[Wakeup]) -> object:
        assert wakeup._lock.locked()
        return self._slot.__get__(wakeup, owner)

    def __set__(self, wakeup: Wakeup, value: object) -> None:
        assert wakeup._lock.locked() or not hasattr(wakeup, "_write_fd")
        self._slot.__set__(wakeup, value)


class WrittenGuarded(Guarded):
    """A fact that may be read without the lock."""

    def __get__(self, wakeup: Wakeup, owner: type[Wakeup]) -> object:
        return self._slot.__get__(wakeup, owner)


class LockedWakeup(Wakeup):
    """One whose facts are written under its lock alone, and but for one read under it."""

    __slots__ = ()

    _owed = WrittenGuarded()
    _asleep = Guarded()
    _byte_sent = Guarded()
    _writers = Guarded()
    _at_bell = Guarded()
    _closed = Guarded()


def play(calls: tuple[str, ...]) -> None:
    """Make the calls, and after each compare what can be seen with what must be."""
    wakeup = LockedWakeup()
    owed = asleep = byte = False
    try:
        for call in calls:
            if call == "wakeup":
                wakeup.wakeup()
                owed, byte = True, asleep
            elif call == "prepare":
                asleep = not owed
                assert wakeup.prepare_to_sleep() is asleep
            elif call == "sleep":
                assert wakeup.sleep(0.0) is owed
                owed = False
            else:
                wakeup.end_wait()
                owed = asleep = byte = False
            assert bytes_in(wakeup.fileno()) == byte, calls
    finally:
        wakeup.close()


def is_legal(calls: tuple[str, ...]) -> bool:
    """Return whether each wait that is announced ends before the next; one that is not may end too."""
    waiting = False
    for call in calls:
        if call in ("prepare", "sleep"):
            if waiting:
                return False
            waiting = call == "prepare"
        elif call == "woken":
            waiting = False
    return True


@pytest.mark.parametrize("length", range(1, 8))
def test_every_order_of_calls(length):
    for calls in itertools.product(("wakeup", "prepare", "woken", "sleep"), repeat=length):
        if is_legal(calls):
            play(calls)


def test_after_close_a_wakeup_is_harmless():
    wakeup = Wakeup()
    fd = wakeup.fileno()
    assert wakeup.prepare_to_sleep()
    wakeup.close()
    wakeup.wakeup()
    wakeup.close()
    assert wakeup.fileno() == -1
    with pytest.raises(OSError):
        os.fstat(fd)


def test_neither_end_of_the_pipe_can_block():
    wakeup = Wakeup()
    assert not os.get_blocking(wakeup.fileno())
    assert not os.get_blocking(wakeup._write_fd)
    wakeup.close()


def test_a_wakeup_ends_a_sleep(wakeup):
    def wake() -> None:
        deadline = time.monotonic() + 120
        while not wakeup._at_bell and time.monotonic() < deadline:
            time.sleep(0.001)
        wakeup.wakeup()
        wakeup.wakeup()

    thread = threading.Thread(target=wake)
    thread.start()
    assert wakeup.sleep(10)
    thread.join()
    # The second one came before or after the end of the sleep.
    wakeup.sleep(0)
    assert not wakeup.sleep(0)
    assert not bytes_in(wakeup.fileno())


def test_a_bell_rung_after_the_time_counts_once(wakeup):
    bell = wakeup._bell
    wakeup._bell = LateBell(wakeup)
    assert wakeup.sleep(1.0)
    wakeup._bell = bell
    # A bell that still rang would end the next sleep at once.
    assert bell.locked()
    assert not wakeup.sleep(0.0)


def test_who_is_interrupted_at_the_bell_sleeps_again(wakeup):
    class Interrupted(LateBell):
        def acquire(self, *args, **options) -> bool:
            if options:
                raise KeyboardInterrupt
            return super().acquire()

    bell = wakeup._bell
    wakeup._bell = Interrupted(wakeup)
    with pytest.raises(KeyboardInterrupt):
        wakeup.sleep(1.0)
    wakeup._bell = bell
    assert not wakeup.sleep(0.0)
    wakeup.wakeup()
    assert wakeup.sleep(10)


def test_a_byte_that_is_late_ends_a_later_wait(wakeup, monkeypatch):
    """Another reason ends the wait while the byte that was decided on is not written yet."""
    write = os.write

    def write_late(fd: int, data: bytes) -> int:
        assert wakeup.end_wait()
        assert wakeup.prepare_to_sleep()
        wakeup.wakeup()  # there is one on its way
        return write(fd, data)

    assert wakeup.prepare_to_sleep()
    monkeypatch.setattr("kreactor.jdk.wakeup.Floor.os.write", write_late)
    wakeup.wakeup()
    monkeypatch.undo()
    assert bytes_in(wakeup.fileno()) == 1
    assert wakeup.end_wait()
    assert not bytes_in(wakeup.fileno())
    assert wakeup.prepare_to_sleep()
    wakeup.wakeup()
    assert bytes_in(wakeup.fileno()) == 1 and wakeup.end_wait()


def test_the_pipe_stays_open_for_who_is_about_to_write(wakeup, monkeypatch):
    write = os.write

    def write_late(fd: int, data: bytes) -> int:
        wakeup.close()
        return write(fd, data)

    fds = wakeup.fileno(), wakeup._write_fd
    assert wakeup.prepare_to_sleep()
    monkeypatch.setattr("kreactor.jdk.wakeup.Floor.os.write", write_late)
    wakeup.wakeup()
    assert wakeup.fileno() == -1
    for fd in fds:
        with pytest.raises(OSError):
            os.fstat(fd)


@pytest.mark.parametrize(("timeout", "at_the_bell"), [(None, -1), (0.0, 0.0), (0.5, 0.5)])
def test_a_sleep_lasts_as_long_as_it_is_told(
        wakeup: Wakeup, timeout: float | None, at_the_bell: float) -> None:
    waits: list[float] = []

    class SilentBell:
        def acquire(self, timeout: float) -> bool:
            waits.append(timeout)
            return False

    bell = wakeup._bell
    wakeup._bell = SilentBell()  # type: ignore[assignment]
    assert not wakeup.sleep(timeout)
    wakeup._bell = bell
    assert waits == [at_the_bell]

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The wakeup against a model of three facts, in every order of calls that its contract allows."""

from __future__ import annotations

import fcntl
import itertools
import os
import struct
import termios

import pytest

from kreactor.jdk.wakeup import Wakeup


def bytes_in(fd: int) -> int:
    """Return how many bytes wait in a pipe."""
    [count] = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))
    return count


def play(calls: tuple[str, ...]) -> None:
    """Make the calls, and after each compare what can be seen with what must be."""
    wakeup = Wakeup()
    owed = asleep = byte = False
    try:
        for call in calls:
            if call == "wakeup":
                wakeup.wakeup()
                owed, byte = True, asleep
            elif call == "prepare":
                asleep = not owed
                assert wakeup.prepare_to_sleep() is asleep
            else:
                wakeup.woken()
                owed = asleep = byte = False
            assert bytes_in(wakeup.fileno()) == byte, calls
    finally:
        wakeup.close()


def is_legal(calls: tuple[str, ...]) -> bool:
    """Return whether each wait that is announced ends before the next; one that is not may end too."""
    waiting = False
    for call in calls:
        if call == "prepare":
            if waiting:
                return False
            waiting = True
        elif call == "woken":
            waiting = False
    return True


@pytest.mark.parametrize("length", range(1, 8))
def test_every_order_of_calls(length):
    for calls in itertools.product(("wakeup", "prepare", "woken"), repeat=length):
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

# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import threading

import pytest

from kreactor.common.errors import TimeoutException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.testing.mock_time import MockTime


def test_listeners_are_told_after_each_move() -> None:
    time = MockTime(0, 100, 200)
    seen: list[int] = []
    time.add_listener(lambda: seen.append(time.milliseconds()))
    time.sleep(1)
    time.sleep(0)
    time.set_current_time_ms(200)
    assert seen == [101, 101, 200]


def test_set_current_time_ms() -> None:
    time = MockTime(0, 100, 200)
    time.set_current_time_ms(150)
    assert (time.milliseconds(), time.nanoseconds()) == (150, 150_000_000)
    with pytest.raises(IllegalArgumentException) as caught:
        time.set_current_time_ms(149)
    assert str(caught.value) == ("Setting the time to 149 while current time 150 is newer; "
                                 "this is not allowed")
    assert (time.milliseconds(), time.nanoseconds()) == (149, 150_000_000)


def test_the_clocks_start_at_the_real_ones() -> None:
    time = MockTime()
    assert time.milliseconds() > 1_600_000_000_000
    assert time.nanoseconds() > 0


def test_no_move_is_lost_among_threads() -> None:
    time = MockTime(0, 0, 0)
    threads = [threading.Thread(target=lambda: [time.sleep(1) for _ in range(2000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (time.milliseconds(), time.nanoseconds()) == (8000, 8_000_000_000)


def test_a_wait_that_moves_the_clock_itself() -> None:
    time = MockTime(5, 0, 0)
    # The look at the clock moves it, which notifies the waiter, by its own thread, under its own lock.
    with pytest.raises(TimeoutException):
        time.wait_object(threading.Condition(), lambda: False, 5)

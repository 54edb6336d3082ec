# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The contract of every clock, and what the real one adds."""

from __future__ import annotations

import threading
import time as stdlib_time
from typing import Callable

import pytest

from kreactor.common.errors import TimeoutException
from kreactor.common.utils.system_time import SystemTime
from kreactor.common.utils.time import Time
from kreactor.jdk.clock import NanoClock
from kreactor.testing.mock_time import MockTime

CLOCKS = [pytest.param(lambda: Time.SYSTEM, id="system"), pytest.param(MockTime, id="mock")]


class Waiter(threading.Thread):
    """Waits for a condition on another thread and keeps what that raised."""

    def __init__(self, time: Time, obj: threading.Condition, condition: Callable[[], bool],
                 deadline_ms: int) -> None:
        super().__init__()
        self.caught: Exception | None = None
        self.wait = lambda: time.wait_object(obj, condition, deadline_ms)

    def run(self) -> None:
        try:
            self.wait()
        except Exception as e:
            self.caught = e


@pytest.mark.parametrize("create_time", CLOCKS)
def test_wait_object_timeout(create_time: Callable[[], Time]) -> None:
    time = create_time()
    waiter = Waiter(time, threading.Condition(), lambda: False, time.milliseconds() + 20)
    waiter.start()
    time.sleep(20)
    waiter.join(120)
    assert not waiter.is_alive()
    assert isinstance(waiter.caught, TimeoutException)
    assert str(waiter.caught) == "Condition not satisfied before deadline"


@pytest.mark.parametrize("create_time", CLOCKS)
def test_wait_object_condition_satisfied(create_time: Callable[[], Time]) -> None:
    time = create_time()
    obj = threading.Condition()
    satisfied = False
    deadline_ms = time.milliseconds() + 1_000_000_000
    waiter = Waiter(time, obj, lambda: satisfied, deadline_ms)
    waiter.start()
    with obj:
        satisfied = True
        obj.notify()
    waiter.join(120)
    assert not waiter.is_alive()
    assert time.milliseconds() < deadline_ms
    assert waiter.caught is None


@pytest.mark.parametrize("create_time", CLOCKS)
def test_hi_res_clock_ms(create_time: Callable[[], Time]) -> None:
    time = create_time()
    before = time.nanoseconds()
    assert before // 1_000_000 <= time.hi_res_clock_ms() <= time.nanoseconds() // 1_000_000


def test_system_time_is_the_machines() -> None:
    assert isinstance(Time.SYSTEM, SystemTime)
    before = stdlib_time.time()
    assert int(before * 1000) <= Time.SYSTEM.milliseconds() <= int(stdlib_time.time() * 1000) + 1
    before_ns = stdlib_time.monotonic_ns()
    assert before_ns <= Time.SYSTEM.nanoseconds() <= stdlib_time.monotonic_ns()
    # Several reads per request: nothing of ours may stand before the clock.
    assert Time.SYSTEM.nanoseconds is NanoClock.nanoseconds


def test_system_time_sleeps() -> None:
    before = stdlib_time.monotonic()
    Time.SYSTEM.sleep(10)
    assert stdlib_time.monotonic() - before >= 0.0099
    Time.SYSTEM.sleep(0)
    Time.SYSTEM.sleep(-1)


def test_wait_object_until_a_deadline_that_never_comes() -> None:
    # No condition waits for so long: it waits for as long as it can, and looks again.
    obj, satisfied = threading.Condition(), threading.Event()
    thread = threading.Thread(
        target=lambda: SystemTime().wait_object(obj, satisfied.is_set, 2**63 - 1), daemon=True)
    thread.start()
    satisfied.set()
    with obj:
        obj.notify_all()
    thread.join(60)
    assert not thread.is_alive()

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The order, the waits and the wake-ups of ``DelayQueue``."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.delay_queue import Delayed, DelayQueue
from kreactor.jdk.time_unit import TimeUnit
from tests.stepping import Background, wait_until


class Element(Delayed):
    def __init__(self, due_in_ms: int) -> None:
        self.due_ns = time.monotonic_ns() + due_in_ms * 1_000_000

    def get_delay(self, unit: TimeUnit) -> int:
        return unit.convert(self.due_ns - time.monotonic_ns(), TimeUnit.NANOSECONDS)

    def __lt__(self, other: Delayed, /) -> bool:
        assert isinstance(other, Element)
        return self.due_ns < other.due_ns


def test_nothing_comes_out_before_it_is_due() -> None:
    queue: DelayQueue[Element] = DelayQueue()
    assert queue.poll() is None
    element = Element(60_000)
    assert queue.offer(element)
    assert queue.poll() is None
    assert queue.poll_timeout(0) is None
    assert queue.size() == 1
    element.due_ns = 0
    assert queue.poll() is element
    assert queue.size() == 0


@given(st.lists(st.integers(min_value=-1000, max_value=0)))
def test_what_is_due_comes_out_earliest_first(delays: list[int]) -> None:
    queue: DelayQueue[Element] = DelayQueue()
    elements = [Element(delay) for delay in delays]
    for element in elements:
        queue.offer(element)
    taken = []
    while (element_or_none := queue.poll()) is not None:
        taken.append(element_or_none)
    assert taken == sorted(elements, key=lambda e: e.due_ns)


def test_what_is_due_just_now_is_due() -> None:
    class Now(Element):
        def get_delay(self, unit: TimeUnit) -> int:
            return 0

    queue: DelayQueue[Element] = DelayQueue()
    for take in (queue.poll, lambda: queue.poll_timeout(0)):
        element = Now(0)
        queue.offer(element)
        assert take() is element


def test_a_wait_ends_when_the_head_is_due() -> None:
    queue: DelayQueue[Element] = DelayQueue()
    element = Element(20)
    queue.offer(element)
    assert queue.poll_timeout(60_000) is element
    assert time.monotonic_ns() >= element.due_ns


def test_a_wait_without_anything_due_ends_in_time() -> None:
    queue: DelayQueue[Element] = DelayQueue()
    queue.offer(Element(600_000))
    start = time.monotonic()
    assert queue.poll_timeout(20) is None
    assert 0.02 <= time.monotonic() - start < 120


def test_an_earlier_head_wakes_the_waiter() -> None:
    queue: DelayQueue[Element] = DelayQueue()
    late, early = Element(60_000), Element(0)
    queue.offer(late)
    taken: list[Element | None] = []
    waiter = threading.Thread(target=lambda: taken.append(queue.poll_timeout(60_000)))
    waiter.start()
    queue.offer(early)
    waiter.join(120)
    assert taken == [early]
    assert queue.size() == 1


def test_a_first_element_wakes_a_thread_that_waits() -> None:
    queue: DelayQueue[Element] = DelayQueue()
    element = Element(0)
    waiting = Background(lambda: queue.poll_timeout(30_000))
    wait_until(lambda: queue._available._waiters)  # type: ignore[attr-defined]
    queue.offer(element)
    wait_until(waiting.is_done, "nobody wakes the thread", 10)
    assert waiting.result() is element


def test_a_wait_may_be_longer_than_pythons() -> None:
    queue: DelayQueue[Element] = DelayQueue()
    element = Element(0)
    filler = threading.Timer(0.02, queue.offer, (element,))
    filler.start()
    assert queue.poll_timeout(2**63 - 1) is element
    filler.join()


def test_a_thread_sleeps_until_the_head_is_due_or_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    queue: DelayQueue[Element] = DelayQueue()
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        head.due_ns = 0

    monkeypatch.setattr(queue._available, "wait", wait)
    for timeout_ms in (10_000_000, 1_000_000):
        head = Element(5_000_000)
        queue.offer(head)
        assert queue.poll_timeout(timeout_ms) is head
    assert 4_000 < waits[0] <= 5_000 and 500 < waits[1] <= 1_000 and len(waits) == 2

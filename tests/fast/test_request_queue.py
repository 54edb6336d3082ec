# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The queue that wakes one getter at a time."""

from __future__ import annotations

import queue
import threading
from collections import Counter

import pytest

from kreactor.fast.request_queue import OneAtATimeQueue
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.stepping import Background, wait_until


def waiters(elements: OneAtATimeQueue[int]) -> int:
    return len(elements.not_empty._waiters)  # type: ignore[attr-defined]


def test_it_is_a_queue_with_a_capacity() -> None:
    elements: OneAtATimeQueue[int] = OneAtATimeQueue(2)
    assert isinstance(elements, queue.Queue)
    assert elements.offer(1) and elements.offer(2) and not elements.offer(3)
    assert elements.take() == 1 and elements.poll() == 2 and elements.poll() is None
    with pytest.raises(IllegalArgumentException):
        OneAtATimeQueue(0)


def test_one_getter_is_on_its_way_and_wakes_the_next() -> None:
    elements: OneAtATimeQueue[int] = OneAtATimeQueue(10)
    getters = [Background(elements.take) for _ in range(3)]
    wait_until(lambda: waiters(elements) == 3)
    with elements.mutex:
        for number in range(3):
            elements._put(number)
            elements.not_empty.notify()
        # The notified getter needs the mutex, so it is still on its way.
        assert waiters(elements) == 2
    assert sorted(getter.result() for getter in getters) == [0, 1, 2]
    assert elements.is_empty()


@pytest.mark.parametrize("end", [False, KeyboardInterrupt()], ids=["time-out", "exception"])
def test_a_wait_that_ends_just_after_its_notification_passes_it_on(
    end: bool | BaseException, monkeypatch: pytest.MonkeyPatch,
) -> None:
    elements: OneAtATimeQueue[int] = OneAtATimeQueue(10)
    patient = Background(elements.take)
    wait_until(lambda: waiters(elements) == 1)
    condition, real_wait = elements.not_empty, threading.Condition.wait

    def wait(self: threading.Condition, timeout: float | None = None) -> bool:
        if self is not condition:
            return real_wait(self, timeout)
        if isinstance(end, BaseException):
            raise end
        return end

    with elements.mutex:
        condition._is_on_its_way = True
        elements._put(1)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Condition, "wait", wait)
            try:
                assert not condition.wait(0)
            except KeyboardInterrupt:
                assert isinstance(end, KeyboardInterrupt)
        assert waiters(elements) == 0, "the patient one is notified"
    assert patient.result() == 1


def test_no_element_waits_while_getters_sleep() -> None:
    elements: OneAtATimeQueue[int] = OneAtATimeQueue(4)
    taken: Counter[int] = Counter()

    def get_all() -> None:
        while (element := elements.poll_timeout(60_000)) is not None and element >= 0:
            taken[element] += 1

    getters = [Background(get_all) for _ in range(4)]
    putters = [Background(lambda first=first: [elements.put(first + number) for number in range(500)])
               for first in (0, 500, 1000)]
    for putter in putters:
        putter.result()
    for _ in getters:
        elements.put(-1)
    for getter in getters:
        getter.result()
    assert taken == Counter(range(1500))

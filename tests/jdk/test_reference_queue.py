# Licensed under the Apache License, Version 2.0; see LICENSE.
"""References come out in the order in which they came in, also where one ``enqueue`` interrupts another."""

from __future__ import annotations

import signal

from kreactor.jdk.reference_queue import ReferenceQueue
from tests.stepping import Background


def test_first_in_first_out() -> None:
    queue: ReferenceQueue[int] = ReferenceQueue()
    for number in range(3):
        queue.enqueue(number)
    assert [queue.remove() for _ in range(3)] == [0, 1, 2]
    queue.enqueue(3)
    assert queue.remove() == 3


def test_remove_waits_for_the_next() -> None:
    queue: ReferenceQueue[int] = ReferenceQueue()
    removing = Background(lambda: [queue.remove() for _ in range(1000)])
    for number in range(1000):
        queue.enqueue(number)
    assert removing.result() == list(range(1000))


def test_an_enqueue_may_interrupt_another() -> None:
    """As the collector does: here, the handler of a signal runs between any two instructions."""
    queue: ReferenceQueue[int] = ReferenceQueue()
    interrupted = 0

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted += 1
        queue.enqueue(-1)

    former = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    count = 0
    try:
        while interrupted < 200:
            queue.enqueue(count)
            count += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    removed = [queue.remove() for _ in range(count + interrupted)]
    assert [number for number in removed if number >= 0] == list(range(count))
    assert removed.count(-1) == interrupted

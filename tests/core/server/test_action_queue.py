# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Actions that are put off."""

from __future__ import annotations

from functools import partial

import pytest

from kreactor.core.server.action_queue import DelayedActionQueue
from tests.storage.internals.log.support import run_threads


def test_actions_run_in_order_and_those_they_add_the_next_time() -> None:
    queue = DelayedActionQueue()
    done: list[str] = []

    def first() -> None:
        done.append("first")
        queue.add(lambda: done.append("added"))

    queue.add(first)
    queue.add(lambda: done.append("second"))
    queue.try_complete_actions()
    assert done == ["first", "second"]
    queue.try_complete_actions()
    queue.try_complete_actions()
    assert done == ["first", "second", "added"]


def test_an_action_that_raises_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    queue = DelayedActionQueue()
    done: list[int] = []
    queue.add(lambda: 1 / 0)
    queue.add(lambda: done.append(1))
    queue.try_complete_actions()
    assert done == [1]
    assert any("delayed actions" in record.getMessage() for record in caplog.records)


def test_each_action_runs_once_whoever_runs_the_queue() -> None:
    queue = DelayedActionQueue()
    done: list[int] = []
    for number in range(2000):
        queue.add(partial(done.append, number))
    run_threads(*[queue.try_complete_actions] * 4)
    assert sorted(done) == list(range(2000))


def test_another_was_faster() -> None:
    """An action that runs the queue itself leaves nothing for the run that it is part of."""
    queue = DelayedActionQueue()
    done: list[str] = []
    queue.add(queue.try_complete_actions)
    queue.add(lambda: done.append("once"))
    queue.try_complete_actions()
    assert done == ["once"]

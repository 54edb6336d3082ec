# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A timer that moves with the test."""

from __future__ import annotations

from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.testing.mock_timer import MockTimer


class Task(TimerTask):
    def __init__(self, delay_ms: int, output: list[int]) -> None:
        super().__init__(delay_ms)
        self.output = output

    def run(self) -> None:
        self.output.append(self._delay_ms)


def test_tasks_run_when_the_clock_has_passed_them() -> None:
    timer = MockTimer()
    output: list[int] = []
    tasks = [Task(delay, output) for delay in (0, 20, 10, 30)]
    for task in tasks:
        timer.add(task)
    assert output == [0]
    assert timer.size() == 3
    assert not timer.advance_clock(10)
    assert timer.advance_clock(1)
    assert output == [0, 10]
    tasks[1].cancel()
    assert timer.advance_clock(100)
    assert output == [0, 10, 30]
    assert timer.size() == 0 and timer.task_queue() == []
    timer.close()

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A timer that drives itself."""

from __future__ import annotations

import pytest

from kreactor.common.errors import TimeoutException
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.system_timer_reaper import SystemTimerReaper
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask


class FutureTimerTask(TimerTask):
    def __init__(self, delay_ms: int) -> None:
        super().__init__(delay_ms)
        self.future: CompletableFuture[None] = CompletableFuture()

    def run(self) -> None:
        self.future.complete_exceptionally(TimeoutException(f"nothing within {self._delay_ms} ms"))


def add(timer: Timer, delay_ms: int) -> CompletableFuture[None]:
    task = FutureTimerTask(delay_ms)
    timer.add(task)
    return task.future


def test_reaper() -> None:
    timer = SystemTimerReaper("reaper", SystemTimer("timer"))
    try:
        for future in [add(timer, 10), add(timer, 20), add(timer, 30)]:
            with pytest.raises(TimeoutException):
                future.get(10_000)
        assert timer.size() == 0
    finally:
        timer.close()


class RecordingTimer(Timer):
    def __init__(self) -> None:
        self.closed = 0
        self.added: list[TimerTask] = []

    def add(self, timer_task: TimerTask) -> None:
        self.added.append(timer_task)

    def advance_clock(self, timeout_ms: int) -> bool:
        return False

    def size(self) -> int:
        return len(self.added)

    def close(self) -> None:
        self.closed += 1


def test_reaper_close() -> None:
    timer = RecordingTimer()
    timer_reaper = SystemTimerReaper("reaper", timer)
    assert not timer_reaper.advance_clock(0)
    timer_reaper.close()
    assert timer.closed == 1
    assert timer_reaper.is_shutdown()
    assert len(timer.added) == timer_reaper.size() == 1

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Units of time."""

from __future__ import annotations


import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.clock import Clock
from kreactor.jdk.time_unit import TimeUnit

LONG_MAX_VALUE = 2**63 - 1


def test_lengths() -> None:
    assert [unit.convert(1, TimeUnit.DAYS) for unit in TimeUnit] == [
        86_400 * 10**9, 86_400 * 10**6, 86_400 * 10**3, 86_400, 1_440, 24, 1]
    assert (TimeUnit.DAYS.to_nanos(1), TimeUnit.DAYS.to_millis(1)) == (86_400 * 10**9, 86_400 * 10**3)
    assert list(TimeUnit) == [TimeUnit[name] for name in (
        "NANOSECONDS", "MICROSECONDS", "MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS")]


def test_fractions_are_cut_off_towards_zero() -> None:
    assert TimeUnit.SECONDS.convert(1_999, TimeUnit.MILLISECONDS) == 1
    assert TimeUnit.SECONDS.convert(-1_999, TimeUnit.MILLISECONDS) == -1


def test_conversions_stop_at_the_ends_of_a_long() -> None:
    assert TimeUnit.MILLISECONDS.convert(LONG_MAX_VALUE, TimeUnit.SECONDS) == LONG_MAX_VALUE
    assert TimeUnit.DAYS.to_nanos(-LONG_MAX_VALUE) == -LONG_MAX_VALUE - 1


@given(st.integers(-10**5, 10**5), st.sampled_from(TimeUnit), st.sampled_from(TimeUnit))
def test_there_and_back(duration: int, fine: TimeUnit, coarse: TimeUnit) -> None:
    if fine.value > coarse.value:
        fine, coarse = coarse, fine
    assert coarse.convert(fine.convert(duration, coarse), fine) == duration


def test_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(Clock, "sleep", slept.append)
    TimeUnit.MILLISECONDS.sleep(1_500)
    TimeUnit.SECONDS.sleep(0)
    TimeUnit.SECONDS.sleep(-1)
    assert slept == [1.5]

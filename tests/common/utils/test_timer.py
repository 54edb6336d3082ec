# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.testing.mock_time import MockTime

LONG_MAX = 2**63 - 1


@pytest.fixture
def time() -> MockTime:
    return MockTime()


def test_timer_update(time: MockTime) -> None:
    timer = time.timer(500)
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (500, 500, 0)

    time.sleep(100)
    timer.update()
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (500, 400, 100)
    assert timer.not_expired()

    time.sleep(400)
    timer.update_current_time_ms(time.milliseconds())
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (500, 0, 500)
    assert timer.is_expired()

    time.sleep(200)
    timer.update_current_time_ms(time.milliseconds())
    assert timer.is_expired()
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (500, 0, 700)


def test_timer_update_and_reset(time: MockTime) -> None:
    timer = time.timer(500)
    timer.sleep(200)
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (500, 300, 200)

    timer.update_and_reset(400)
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (400, 400, 0)

    timer.sleep(400)
    assert timer.is_expired()

    timer.update_and_reset(200)
    assert (timer.timeout_ms(), timer.remaining_ms(), timer.elapsed_ms()) == (200, 200, 0)
    assert not timer.is_expired()


def test_timer_reset_uses_current_time(time: MockTime) -> None:
    timer = time.timer(500)
    timer.sleep(200)
    assert timer.remaining_ms() == 300

    time.sleep(300)
    timer.reset(500)
    assert timer.remaining_ms() == 500

    timer.update()
    assert timer.remaining_ms() == 200


def test_timer_reset_deadline_uses_current_time(time: MockTime) -> None:
    timer = time.timer(500)
    timer.sleep(200)
    assert (timer.remaining_ms(), timer.elapsed_ms()) == (300, 200)

    timer.sleep(100)
    timer.reset_deadline(time.milliseconds() + 200)
    assert (timer.timeout_ms(), timer.remaining_ms()) == (200, 200)

    timer.sleep(100)
    assert (timer.timeout_ms(), timer.remaining_ms()) == (200, 100)


def test_timeout_overflow(time: MockTime) -> None:
    timer = time.timer(LONG_MAX)
    assert timer.remaining_ms() == LONG_MAX - timer.current_time_ms()
    assert timer.elapsed_ms() == 0


def test_non_monotonic_update(time: MockTime) -> None:
    timer = time.timer(100)
    current_time_ms = timer.current_time_ms()
    timer.update_current_time_ms(current_time_ms - 1)
    assert timer.current_time_ms() == current_time_ms
    assert (timer.remaining_ms(), timer.elapsed_ms()) == (100, 0)


def test_timer_sleep(time: MockTime) -> None:
    timer = time.timer(500)
    current_time_ms = timer.current_time_ms()

    timer.sleep(200)
    assert timer.current_time_ms() == time.milliseconds() == current_time_ms + 200

    timer.sleep(1000)
    assert timer.current_time_ms() == time.milliseconds() == current_time_ms + 500
    assert timer.is_expired()


def test_negative_times(time: MockTime) -> None:
    with pytest.raises(IllegalArgumentException, match="^Invalid negative timeout -1$"):
        time.timer(-1)
    with pytest.raises(IllegalArgumentException, match="^Invalid negative deadline -1$"):
        time.timer(0).reset_deadline(-1)

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of RetryTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How often a call is tried, and how long it takes."""

from __future__ import annotations

from typing import Callable

import pytest

from kreactor.common.protocol.errors import ExecutionException
from kreactor.common.security.oauthbearer.internals.secured.retry import Retry
from kreactor.common.security.oauthbearer.internals.secured.unretryable_exception import UnretryableException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.testing.mock_time import MockTime


def retryable(*attempts: Exception | None) -> Callable[[], str]:
    remaining = list(attempts)

    def call() -> str:
        e = remaining.pop(0) if remaining else None
        if isinstance(e, OSError):
            raise ExecutionException(str(e)) from e
        if e is not None:
            raise e
        return "success!"

    return call


def run(time: MockTime, wait_ms: int, max_ms: int, *attempts: Exception | None) -> str:
    return Retry[str](wait_ms, max_ms, time).execute(retryable(*attempts))


@pytest.fixture
def time() -> MockTime:
    return MockTime(0, 0, 0)


def test(time) -> None:
    assert run(time, 1000, 10000, OSError("connect"), OSError("timeout"), OSError("read"), None) == "success!"
    assert time.milliseconds() == 1000 + 2000 + 4000


def test_io_exception_failure(time) -> None:
    max_wait_ms = 1000 + 2000 + 3999
    with pytest.raises(ExecutionException, match="connect"):
        run(time, 1000, max_wait_ms, OSError("connect"), OSError("timeout"), OSError("read"),
            OSError("again"))
    assert time.milliseconds() == max_wait_ms


def test_runtime_exception_failure_on_last_attempt(time) -> None:
    with pytest.raises(TypeError, match="null"):
        run(time, 1000, 10000, OSError("connect"), OSError("timeout"), TypeError("null"))
    assert time.milliseconds() == 1000 + 2000


def test_runtime_exception_failure_on_first_attempt(time) -> None:
    with pytest.raises(TypeError, match="null"):
        run(time, 1000, 10000, TypeError("null"), None)
    assert time.milliseconds() == 0


def test_use_max_timeout(time) -> None:
    with pytest.raises(ExecutionException):
        run(time, 5000, 5000, OSError("connect"), OSError("timeout"), OSError("read"))
    assert time.milliseconds() == 5000


def test_what_is_not_tried_again(time) -> None:
    cause = UnretryableException(OSError("no"))
    with pytest.raises(ExecutionException) as raised:
        run(time, 1000, 10000, cause, None)
    assert raised.value.__cause__ is cause
    assert time.milliseconds() == 0
    with pytest.raises(ExecutionException, match="connect"):
        run(time, 1000, 10000, OSError("connect"), cause)
    assert time.milliseconds() == 1000


@pytest.mark.parametrize("wait_ms, max_ms, message", [
    (-1, 0, r"retryBackoffMs value \(-1\) must be non-negative"),
    (0, -1, r"retryBackoffMaxMs value \(-1\) must be non-negative"),
    (2, 1, r"retryBackoffMaxMs value \(1\) is less than retryBackoffMs value \(2\)")])
def test_times_that_cannot_be(wait_ms: int, max_ms: int, message: str) -> None:
    with pytest.raises(IllegalArgumentException, match=message):
        Retry(wait_ms, max_ms)

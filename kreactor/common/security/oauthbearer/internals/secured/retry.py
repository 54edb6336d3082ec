# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of Retry, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Retries a call with exponential backoff until a deadline."""

from __future__ import annotations

from typing import Callable, Generic, TypeVar

from kreactor.common.protocol.errors import ExecutionException
from kreactor.common.security.oauthbearer.internals.secured.unretryable_exception import UnretryableException
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException

R = TypeVar("R")

log = LogContext().logger(f"{__name__}.Retry")


class Retry(Generic[R]):
    """The wait doubles after each attempt, up to the deadline. Times are in milliseconds. Used by one thread.

    :origin: common.security.oauthbearer.internals.secured.Retry
    """

    def __init__(self, retry_backoff_ms: int, retry_backoff_max_ms: int, time: Time = Time.SYSTEM) -> None:
        """Wait ``retry_backoff_ms`` after the first failure, and ``retry_backoff_max_ms`` in total.

        Raises IllegalArgumentException if one is negative, or if the second is below the first.

        :origin: common.security.oauthbearer.internals.secured.Retry#Retry(long, long)
        :origin: common.security.oauthbearer.internals.secured.Retry#Retry(Time, long, long)
        """
        self._time = time
        self._retry_backoff_ms = retry_backoff_ms
        self._retry_backoff_max_ms = retry_backoff_max_ms

        if self._retry_backoff_ms < 0:
            raise IllegalArgumentException(
                f"retryBackoffMs value ({retry_backoff_ms}) must be non-negative")

        if self._retry_backoff_max_ms < 0:
            raise IllegalArgumentException(
                f"retryBackoffMaxMs value ({retry_backoff_max_ms}) must be non-negative")

        if self._retry_backoff_max_ms < self._retry_backoff_ms:
            raise IllegalArgumentException(f"retryBackoffMaxMs value ({retry_backoff_max_ms}) is less than "
                                           f"retryBackoffMs value ({retry_backoff_ms})")

    def execute(self, retryable: Callable[[], R]) -> R:
        """Return the call's result. Raises the first ExecutionException after the deadline.

        An UnretryableException ends the attempts at once. It is raised as an ExecutionException, unless an
        earlier attempt raised one. Any other exception of the call is raised at once.

        :origin: common.security.oauthbearer.internals.secured.Retry#execute(Retryable<R>)
        """
        end_ms = self._time.milliseconds() + self._retry_backoff_max_ms
        curr_attempt = 0
        error: ExecutionException | None = None

        while self._time.milliseconds() <= end_ms:
            curr_attempt += 1

            try:
                return retryable()
            except UnretryableException as e:
                if error is None:
                    error = ExecutionException(str(e))
                    error.__cause__ = e

                break
            except ExecutionException as e:
                log.warn("attempt %s failed", curr_attempt, exc=e)

                if error is None:
                    error = e

                wait_ms = self._retry_backoff_ms * 2 ** (curr_attempt - 1)
                diff = end_ms - self._time.milliseconds()
                wait_ms = min(wait_ms, diff)

                if wait_ms <= 0:
                    break

                log.warn("attempt %s failed: next attempt in %s ms", curr_attempt, wait_ms, exc=e)

                self._time.sleep(wait_ms)

        if error is None:
            error = ExecutionException("no attempt was made")
            error.__cause__ = IllegalStateException(
                "Exhausted all retry attempts but no attempt returned value or encountered exception")

        raise error

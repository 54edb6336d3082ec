# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.TransactionalRequestResult of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a transactional request, for which a thread of the application waits.

The sender thread completes it once. Any thread may wait for it and read it.
"""

from __future__ import annotations

from kreactor.common.errors import InterruptException, TimeoutException
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import InterruptedException
from kreactor.jdk.time_unit import TimeUnit

_LONG_MAX_VALUE = 2**63 - 1


class TransactionalRequestResult:
    """A latch with an optional error.

    :origin: clients.producer.internals.TransactionalRequestResult
    """

    __slots__ = ("_latch", "_error", "_operation", "_is_acked")

    def __init__(self, operation: str) -> None:
        """``operation`` names the request in the texts of exceptions.

        :origin: clients.producer.internals.TransactionalRequestResult#TransactionalRequestResult(String)
        :origin: clients.producer.internals.TransactionalRequestResult#TransactionalRequestResult(CountDownLatch, String)
        """  # noqa: E501
        self._latch = CountDownLatch(1)
        self._error: Exception | None = None
        self._operation = operation
        # Whether a waiting thread has seen the result. Until then a call that timed out can be repeated.
        self._is_acked = False

    def fail(self, error: Exception) -> None:
        """Complete the result with an error.

        :origin: clients.producer.internals.TransactionalRequestResult#fail(RuntimeException)
        """
        self._error = error
        self._latch.count_down()

    def done(self) -> None:
        """Complete the result.

        :origin: clients.producer.internals.TransactionalRequestResult#done()
        """
        self._latch.count_down()

    def await_(self) -> None:
        """Wait for the result without limit. Raises the error, if there is one.

        :origin: clients.producer.internals.TransactionalRequestResult#await()
        """
        self.await_timeout(_LONG_MAX_VALUE, TimeUnit.MILLISECONDS)

    def await_timeout(self, timeout: int, unit: TimeUnit) -> None:
        """Wait for the result, for at most ``timeout`` in ``unit``.

        Raises the error, if there is one, TimeoutException if there is no result yet, or InterruptException.

        :origin: clients.producer.internals.TransactionalRequestResult#await(long, TimeUnit)
        """
        try:
            success = self._latch.await_timeout(unit.to_millis(timeout))
        except InterruptedException as e:
            raise InterruptException(f"Received interrupt while awaiting {self._operation}", e) from e
        if not success:
            raise TimeoutException(f"Timeout expired after {unit.to_millis(timeout)}ms while awaiting "
                                   f"{self._operation}")
        self._is_acked = True
        if self._error is not None:
            raise self._error

    def error(self) -> Exception | None:
        """Return the error, or None.

        :origin: clients.producer.internals.TransactionalRequestResult#error()
        """
        return self._error

    def is_successful(self) -> bool:
        """Return whether the request has completed without an error.

        :origin: clients.producer.internals.TransactionalRequestResult#isSuccessful()
        """
        return self.is_completed() and self._error is None

    def is_completed(self) -> bool:
        """Return whether there is a result.

        :origin: clients.producer.internals.TransactionalRequestResult#isCompleted()
        """
        return self._latch.get_count() == 0

    def is_acked(self) -> bool:
        """Return whether a waiting thread has seen the result.

        :origin: clients.producer.internals.TransactionalRequestResult#isAcked()
        """
        return self._is_acked

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.internals.FatalExitError of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error that a thread cannot live with, nor the process."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalArgumentException


class FatalExitError(BaseException):
    """Asks whoever runs the thread to end the process, once no lock is held any more.

    Raised in servers and tools only. An ``Error`` in Java, so not an ``Exception`` here: only those who
    name it catch it.

    :origin: common.internals.FatalExitError
    """

    def __init__(self, status_code: int = 1) -> None:
        """Raises IllegalArgumentException if ``status_code``, the process's, is 0.

        :origin: common.internals.FatalExitError#FatalExitError(int)
        :origin: common.internals.FatalExitError#FatalExitError()
        """
        if status_code == 0:
            raise IllegalArgumentException("statusCode must not be 0")
        super().__init__(status_code)
        self._status_code = status_code

    def status_code(self) -> int:
        """Return the exit status that the process should end with.

        :origin: common.internals.FatalExitError#statusCode()
        """
        return self._status_code

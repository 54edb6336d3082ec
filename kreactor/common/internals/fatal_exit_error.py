# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.internals.FatalExitError of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error that must end the process."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalArgumentException


class FatalExitError(BaseException):
    """Makes the thread's main loop end the process, where the thread holds no lock.

    Only servers and tools raise it. It is an ``Error`` in Java, so not an ``Exception`` here: only an
    explicit handler catches it.

    :origin: common.internals.FatalExitError
    """

    def __init__(self, status_code: int = 1) -> None:
        """``status_code`` is the exit status of the process. Raises IllegalArgumentException for 0.

        :origin: common.internals.FatalExitError#FatalExitError(int)
        :origin: common.internals.FatalExitError#FatalExitError()
        """
        if status_code == 0:
            raise IllegalArgumentException("statusCode must not be 0")
        super().__init__(status_code)
        self._status_code = status_code

    def status_code(self) -> int:
        """Return the exit status of the process.

        :origin: common.internals.FatalExitError#statusCode()
        """
        return self._status_code

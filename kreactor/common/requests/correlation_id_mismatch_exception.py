# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CorrelationIdMismatchException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of a response with a wrong correlation id."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalStateException


class CorrelationIdMismatchException(IllegalStateException):
    """The response has another correlation id than the request.

    :origin: common.requests.CorrelationIdMismatchException
    """

    def __init__(self, message: str, request_correlation_id: int, response_correlation_id: int) -> None:
        """:origin: common.requests.CorrelationIdMismatchException#CorrelationIdMismatchException(String,
            int, int)
        """
        super().__init__(message)
        self._request_correlation_id = request_correlation_id
        self._response_correlation_id = response_correlation_id

    def request_correlation_id(self) -> int:
        """Return the correlation id of the request.

        :origin: common.requests.CorrelationIdMismatchException#requestCorrelationId()
        """
        return self._request_correlation_id

    def response_correlation_id(self) -> int:
        """Return the correlation id of the response.

        :origin: common.requests.CorrelationIdMismatchException#responseCorrelationId()
        """
        return self._response_correlation_id

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EnvelopeResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The controller's response to a forwarded request, which the broker returns to the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.envelope_response_data import EnvelopeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class EnvelopeResponse(AbstractResponse):
    """The response in an envelope. The envelope's error differs from the error of the response inside.

    :origin: common.requests.EnvelopeResponse
    """

    __slots__ = ("_data",)

    @staticmethod
    def of(response_data: ByteBuffer | None, error: Errors) -> EnvelopeResponse:
        """Return an envelope around a response with its header, or without a response.

        :origin: common.requests.EnvelopeResponse#EnvelopeResponse(ByteBuffer, Errors)
        :origin: common.requests.EnvelopeResponse#EnvelopeResponse(Errors)
        """
        return EnvelopeResponse(EnvelopeResponseData(response_data=response_data, error_code=error.code))

    def __init__(self, data: EnvelopeResponseData) -> None:
        """:origin: common.requests.EnvelopeResponse#EnvelopeResponse(EnvelopeResponseData)"""
        super().__init__(ApiKeys.ENVELOPE)
        self._data = data

    def response_data(self) -> ByteBuffer | None:
        """Return the response with its header.

        :origin: common.requests.EnvelopeResponse#responseData()
        """
        return self._data.response_data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.EnvelopeResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.EnvelopeResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def data(self) -> EnvelopeResponseData:
        """:origin: common.requests.EnvelopeResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.EnvelopeResponse#throttleTimeMs()"""
        return AbstractResponse.DEFAULT_THROTTLE_TIME

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """Do nothing, because the response has no throttle time.

        :origin: common.requests.EnvelopeResponse#maybeSetThrottleTimeMs(int)
        """

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> EnvelopeResponse:
        """:origin: common.requests.EnvelopeResponse#parse(ByteBuffer, short)"""
        return EnvelopeResponse(EnvelopeResponseData.read(buffer, version))

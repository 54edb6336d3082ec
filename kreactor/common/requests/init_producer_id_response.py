# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.InitProducerIdResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The assigned producer id and epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class InitProducerIdResponse(AbstractResponse):
    """:origin: common.requests.InitProducerIdResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: InitProducerIdResponseData) -> None:
        """:origin: common.requests.InitProducerIdResponse#InitProducerIdResponse(InitProducerIdResponseData)
        """
        super().__init__(ApiKeys.INIT_PRODUCER_ID)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.InitProducerIdResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.InitProducerIdResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.InitProducerIdResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> InitProducerIdResponseData:
        """:origin: common.requests.InitProducerIdResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> InitProducerIdResponse:
        """:origin: common.requests.InitProducerIdResponse#parse(ByteBuffer, short)"""
        return InitProducerIdResponse(InitProducerIdResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.InitProducerIdResponse#toString()"""
        return str(self._data)

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.InitProducerIdResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.InitProducerIdResponse#shouldClientThrottle(short)"""
        return version >= 1

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.HeartbeatResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a heartbeat."""

from __future__ import annotations

from kreactor.common.message.heartbeat_response_data import HeartbeatResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class HeartbeatResponse(AbstractResponse):
    """:origin: common.requests.HeartbeatResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: HeartbeatResponseData) -> None:
        """:origin: common.requests.HeartbeatResponse#HeartbeatResponse(HeartbeatResponseData)"""
        super().__init__(ApiKeys.HEARTBEAT)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.HeartbeatResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.HeartbeatResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.HeartbeatResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.HeartbeatResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> HeartbeatResponseData:
        """:origin: common.requests.HeartbeatResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> HeartbeatResponse:
        """:origin: common.requests.HeartbeatResponse#parse(ByteBuffer, short)"""
        return HeartbeatResponse(HeartbeatResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.HeartbeatResponse#shouldClientThrottle(short)"""
        return version >= 2

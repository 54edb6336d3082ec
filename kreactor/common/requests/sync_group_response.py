# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SyncGroupResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The assignment of a member."""

from __future__ import annotations

from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class SyncGroupResponse(AbstractResponse):
    """:origin: common.requests.SyncGroupResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: SyncGroupResponseData) -> None:
        """:origin: common.requests.SyncGroupResponse#SyncGroupResponse(SyncGroupResponseData)"""
        super().__init__(ApiKeys.SYNC_GROUP)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.SyncGroupResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.SyncGroupResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.SyncGroupResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.SyncGroupResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> SyncGroupResponseData:
        """:origin: common.requests.SyncGroupResponse#data()"""
        return self._data

    def __str__(self) -> str:
        """:origin: common.requests.SyncGroupResponse#toString()"""
        return str(self._data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> SyncGroupResponse:
        """:origin: common.requests.SyncGroupResponse#parse(ByteBuffer, short)"""
        return SyncGroupResponse(SyncGroupResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.SyncGroupResponse#shouldClientThrottle(short)"""
        return version >= 2

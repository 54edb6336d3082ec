# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.JoinGroupResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The generation of a member; for the leader, with all members."""

from __future__ import annotations

from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class JoinGroupResponse(AbstractResponse):
    """:origin: common.requests.JoinGroupResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: JoinGroupResponseData, version: int) -> None:
        """:origin: common.requests.JoinGroupResponse#JoinGroupResponse(JoinGroupResponseData, short)"""
        super().__init__(ApiKeys.JOIN_GROUP)
        self._data = data
        # Below version 7 a null protocol name becomes empty. From version 7 on an empty one becomes null.
        if version < 7 and data.protocol_name is None:
            data.protocol_name = ""
        if version >= 7 and data.protocol_name == "":
            data.protocol_name = None

    def data(self) -> JoinGroupResponseData:
        """:origin: common.requests.JoinGroupResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.JoinGroupResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.JoinGroupResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.JoinGroupResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.JoinGroupResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> JoinGroupResponse:
        """:origin: common.requests.JoinGroupResponse#parse(ByteBuffer, short)"""
        return JoinGroupResponse(JoinGroupResponseData.read(buffer, version), version)

    def __str__(self) -> str:
        """:origin: common.requests.JoinGroupResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.JoinGroupResponse#shouldClientThrottle(short)"""
        return version >= 3

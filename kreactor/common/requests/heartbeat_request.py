# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.HeartbeatRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The heartbeat of a group member."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.heartbeat_response_data import HeartbeatResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.heartbeat_response import HeartbeatResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class HeartbeatRequest(AbstractRequest):
    """:origin: common.requests.HeartbeatRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["HeartbeatRequest"]):
        """:origin: common.requests.HeartbeatRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: HeartbeatRequestData) -> None:
            """:origin: common.requests.HeartbeatRequest.Builder#Builder(HeartbeatRequestData)"""
            super().__init__(ApiKeys.HEARTBEAT)
            self._data = data

        def build_version(self, version: int) -> HeartbeatRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.HeartbeatRequest.Builder#build(short)
            """
            if self._data.group_instance_id is not None and version < 3:
                raise UnsupportedVersionException(
                    f"The broker heartbeat protocol version {version} does not support usage of config "
                    "group.instance.id.")
            return HeartbeatRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.HeartbeatRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: HeartbeatRequestData, version: int) -> None:
        """:origin: common.requests.HeartbeatRequest#HeartbeatRequest(HeartbeatRequestData, short)"""
        super().__init__(ApiKeys.HEARTBEAT, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> HeartbeatResponse:
        """:origin: common.requests.HeartbeatRequest#getErrorResponse(int, Throwable)"""
        response_data = HeartbeatResponseData(error_code=Errors.for_exception(e).code)
        if self._version >= 1:
            response_data.throttle_time_ms = throttle_time_ms
        return HeartbeatResponse(response_data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> HeartbeatRequest:
        """:origin: common.requests.HeartbeatRequest#parse(ByteBuffer, short)"""
        return HeartbeatRequest(HeartbeatRequestData.read(buffer, version), version)

    def data(self) -> HeartbeatRequestData:
        """:origin: common.requests.HeartbeatRequest#data()"""
        return self._data

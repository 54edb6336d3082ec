# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The heartbeat of a member of a consumer group of the new protocol (KIP-848)."""

from __future__ import annotations

from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ConsumerGroupHeartbeatRequest(AbstractRequest):
    """:origin: common.requests.ConsumerGroupHeartbeatRequest"""

    __slots__ = ("_data",)

    # The epochs to leave the group, to leave temporarily as a static member, and to join.
    LEAVE_GROUP_MEMBER_EPOCH = -1
    LEAVE_GROUP_STATIC_MEMBER_EPOCH = -2
    JOIN_GROUP_MEMBER_EPOCH = 0

    class Builder(AbstractRequest.Builder["ConsumerGroupHeartbeatRequest"]):
        """:origin: common.requests.ConsumerGroupHeartbeatRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ConsumerGroupHeartbeatRequestData,
                     enable_unstable_last_version: bool = False) -> None:
            """
            :origin: common.requests.ConsumerGroupHeartbeatRequest.Builder#Builder(ConsumerGroupHeartbeatRequestData, boolean)
            """  # noqa: E501
            super().__init__(
                ApiKeys.CONSUMER_GROUP_HEARTBEAT, enable_unstable_last_version=enable_unstable_last_version)
            self._data = data

        def build_version(self, version: int) -> ConsumerGroupHeartbeatRequest:
            """:origin: common.requests.ConsumerGroupHeartbeatRequest.Builder#build(short)"""
            return ConsumerGroupHeartbeatRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ConsumerGroupHeartbeatRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ConsumerGroupHeartbeatRequestData, version: int) -> None:
        """
        :origin: common.requests.ConsumerGroupHeartbeatRequest#ConsumerGroupHeartbeatRequest(ConsumerGroupHeartbeatRequestData, short)
        """  # noqa: E501
        super().__init__(ApiKeys.CONSUMER_GROUP_HEARTBEAT, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> ConsumerGroupHeartbeatResponse:
        """:origin: common.requests.ConsumerGroupHeartbeatRequest#getErrorResponse(int, Throwable)"""
        return ConsumerGroupHeartbeatResponse(ConsumerGroupHeartbeatResponseData(
            throttle_time_ms=throttle_time_ms, error_code=Errors.for_exception(e).code))

    def data(self) -> ConsumerGroupHeartbeatRequestData:
        """:origin: common.requests.ConsumerGroupHeartbeatRequest#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ConsumerGroupHeartbeatRequest:
        """:origin: common.requests.ConsumerGroupHeartbeatRequest#parse(ByteBuffer, short)"""
        return ConsumerGroupHeartbeatRequest(ConsumerGroupHeartbeatRequestData.read(buffer, version), version)

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The epoch and the assignment of a member of a group of the new protocol (KIP-848)."""

from __future__ import annotations

from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ConsumerGroupHeartbeatResponse(AbstractResponse):
    """:origin: common.requests.ConsumerGroupHeartbeatResponse"""

    __slots__ = ("_data",)

    # The code of Kafka 4.0's INVALID_REGULAR_EXPRESSION, which ``Errors`` lacks.
    INVALID_REGULAR_EXPRESSION = 128

    def __init__(self, data: ConsumerGroupHeartbeatResponseData) -> None:
        """
        :origin: common.requests.ConsumerGroupHeartbeatResponse#ConsumerGroupHeartbeatResponse(ConsumerGroupHeartbeatResponseData)
        """  # noqa: E501
        super().__init__(ApiKeys.CONSUMER_GROUP_HEARTBEAT)
        self._data = data

    def data(self) -> ConsumerGroupHeartbeatResponseData:
        """:origin: common.requests.ConsumerGroupHeartbeatResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ConsumerGroupHeartbeatResponse#errorCounts()"""
        # DEVIATION D516: ``for_code`` would log a warning for a client's fault, and the metrics of errors
        # would have UNKNOWN_SERVER_ERROR.
        if self._data.error_code == self.INVALID_REGULAR_EXPRESSION:
            return {Errors.INVALID_REQUEST: 1}
        return {Errors.for_code(self._data.error_code): 1}

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ConsumerGroupHeartbeatResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ConsumerGroupHeartbeatResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ConsumerGroupHeartbeatResponse:
        """:origin: common.requests.ConsumerGroupHeartbeatResponse#parse(ByteBuffer, short)"""
        return ConsumerGroupHeartbeatResponse(ConsumerGroupHeartbeatResponseData.read(buffer, version))

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ConsumerGroupDescribeResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of groups of the new protocol (KIP-848)."""

from __future__ import annotations

from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ConsumerGroupDescribeResponse(AbstractResponse):
    """:origin: common.requests.ConsumerGroupDescribeResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ConsumerGroupDescribeResponseData) -> None:
        """
        :origin: common.requests.ConsumerGroupDescribeResponse#ConsumerGroupDescribeResponse(ConsumerGroupDescribeResponseData)
        """  # noqa: E501
        super().__init__(ApiKeys.CONSUMER_GROUP_DESCRIBE)
        self._data = data

    def data(self) -> ConsumerGroupDescribeResponseData:
        """:origin: common.requests.ConsumerGroupDescribeResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ConsumerGroupDescribeResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        for group in self._data.groups:
            self._update_error_counts(counts, Errors.for_code(group.error_code))
        return counts

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ConsumerGroupDescribeResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ConsumerGroupDescribeResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ConsumerGroupDescribeResponse:
        """:origin: common.requests.ConsumerGroupDescribeResponse#parse(ByteBuffer, short)"""
        return ConsumerGroupDescribeResponse(ConsumerGroupDescribeResponseData.read(buffer, version))

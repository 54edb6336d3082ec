# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeTopicPartitionsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The described topics with their partitions, up to the requested number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeTopicPartitionsResponse(AbstractResponse):
    """:origin: common.requests.DescribeTopicPartitionsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeTopicPartitionsResponseData) -> None:
        """:origin: common.requests.DescribeTopicPartitionsResponse#DescribeTopicPartitionsResponse(
            DescribeTopicPartitionsResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_TOPIC_PARTITIONS)
        self._data = data

    def data(self) -> DescribeTopicPartitionsResponseData:
        """:origin: common.requests.DescribeTopicPartitionsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeTopicPartitionsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeTopicPartitionsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeTopicPartitionsResponse#shouldClientThrottle(short)"""
        return True

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeTopicPartitionsResponse#errorCounts()"""
        error_counts: dict[Errors, int] = {}
        for topic in self._data.topics:
            for partition in topic.partitions:
                self._update_error_counts(error_counts, Errors.for_code(partition.error_code))
            self._update_error_counts(error_counts, Errors.for_code(topic.error_code))
        return error_counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeTopicPartitionsResponse:
        """:origin: common.requests.DescribeTopicPartitionsResponse#parse(ByteBuffer, short)"""
        return DescribeTopicPartitionsResponse(DescribeTopicPartitionsResponseData.read(buffer, version))

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeProducersResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The active producers of each partition, or its error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeProducersResponse(AbstractResponse):
    """:origin: common.requests.DescribeProducersResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeProducersResponseData) -> None:
        """:origin: common.requests.DescribeProducersResponse#DescribeProducersResponse(
            DescribeProducersResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_PRODUCERS)
        self._data = data

    def data(self) -> DescribeProducersResponseData:
        """:origin: common.requests.DescribeProducersResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeProducersResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition_response.error_code)
            for topic_response in self._data.topics for partition_response in topic_response.partitions)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeProducersResponse:
        """:origin: common.requests.DescribeProducersResponse#parse(ByteBuffer, short)"""
        return DescribeProducersResponse(DescribeProducersResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.DescribeProducersResponse#toString()"""
        return str(self._data)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeProducersResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeProducersResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

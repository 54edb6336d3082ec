# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeClusterResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The brokers, or controllers, of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeClusterResponse(AbstractResponse):
    """:origin: common.requests.DescribeClusterResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeClusterResponseData) -> None:
        """:origin: common.requests.DescribeClusterResponse#DescribeClusterResponse(
            DescribeClusterResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_CLUSTER)
        self._data = data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeClusterResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeClusterResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeClusterResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def data(self) -> DescribeClusterResponseData:
        """:origin: common.requests.DescribeClusterResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeClusterResponse:
        """:origin: common.requests.DescribeClusterResponse#parse(ByteBuffer, short)"""
        return DescribeClusterResponse(DescribeClusterResponseData.read(buffer, version))

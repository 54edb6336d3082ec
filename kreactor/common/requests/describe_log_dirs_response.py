# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeLogDirsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Log directories and their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_log_dirs_response_data import DescribeLogDirsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeLogDirsResponse(AbstractResponse):
    """:origin: common.requests.DescribeLogDirsResponse"""

    __slots__ = ("_data",)

    INVALID_OFFSET_LAG = -1
    UNKNOWN_VOLUME_BYTES = -1

    def __init__(self, data: DescribeLogDirsResponseData) -> None:
        """:origin: common.requests.DescribeLogDirsResponse#DescribeLogDirsResponse(
            DescribeLogDirsResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_LOG_DIRS)
        self._data = data

    def data(self) -> DescribeLogDirsResponseData:
        """:origin: common.requests.DescribeLogDirsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeLogDirsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeLogDirsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeLogDirsResponse#errorCounts()"""
        error_counts = {Errors.for_code(self._data.error_code): 1}
        for result in self._data.results:
            self._update_error_counts(error_counts, Errors.for_code(result.error_code))
        return error_counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeLogDirsResponse:
        """:origin: common.requests.DescribeLogDirsResponse#parse(ByteBuffer, short)"""
        return DescribeLogDirsResponse(DescribeLogDirsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeLogDirsResponse#shouldClientThrottle(short)"""
        return version >= 1

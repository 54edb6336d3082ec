# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeLogDirsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe the log directories of partitions."""

from __future__ import annotations

from kreactor.common.message.describe_log_dirs_request_data import DescribeLogDirsRequestData
from kreactor.common.message.describe_log_dirs_response_data import DescribeLogDirsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_log_dirs_response import DescribeLogDirsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeLogDirsRequest(AbstractRequest):
    """:origin: common.requests.DescribeLogDirsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeLogDirsRequest"]):
        """:origin: common.requests.DescribeLogDirsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeLogDirsRequestData) -> None:
            """:origin: common.requests.DescribeLogDirsRequest.Builder#Builder(DescribeLogDirsRequestData)"""
            super().__init__(ApiKeys.DESCRIBE_LOG_DIRS)
            self._data = data

        def build_version(self, version: int) -> DescribeLogDirsRequest:
            """:origin: common.requests.DescribeLogDirsRequest.Builder#build(short)"""
            return DescribeLogDirsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeLogDirsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeLogDirsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeLogDirsRequest#DescribeLogDirsRequest(DescribeLogDirsRequestData,
            short)
        """
        super().__init__(ApiKeys.DESCRIBE_LOG_DIRS, version)
        self._data = data

    def data(self) -> DescribeLogDirsRequestData:
        """:origin: common.requests.DescribeLogDirsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DescribeLogDirsResponse:
        """:origin: common.requests.DescribeLogDirsRequest#getErrorResponse(int, Throwable)"""
        return DescribeLogDirsResponse(DescribeLogDirsResponseData(
            throttle_time_ms=throttle_time_ms, error_code=Errors.for_exception(e).code))

    def is_all_topic_partitions(self) -> bool:
        """Return whether the request includes all partitions.

        :origin: common.requests.DescribeLogDirsRequest#isAllTopicPartitions()
        """
        return self._data.topics is None

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeLogDirsRequest:
        """:origin: common.requests.DescribeLogDirsRequest#parse(ByteBuffer, short)"""
        return DescribeLogDirsRequest(DescribeLogDirsRequestData.read(buffer, version), version)

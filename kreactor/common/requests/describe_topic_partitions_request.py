# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeTopicPartitionsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe topics, with a maximum number of partitions per response."""

from __future__ import annotations

from kreactor.common.message.describe_topic_partitions_request_data import DescribeTopicPartitionsRequestData
from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_topic_partitions_response import DescribeTopicPartitionsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeTopicPartitionsRequest(AbstractRequest):
    """:origin: common.requests.DescribeTopicPartitionsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeTopicPartitionsRequest"]):
        """:origin: common.requests.DescribeTopicPartitionsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeTopicPartitionsRequestData) -> None:
            """:origin: common.requests.DescribeTopicPartitionsRequest.Builder#Builder(
                DescribeTopicPartitionsRequestData)
            """
            super().__init__(ApiKeys.DESCRIBE_TOPIC_PARTITIONS)
            self._data = data

        def build_version(self, version: int) -> DescribeTopicPartitionsRequest:
            """:origin: common.requests.DescribeTopicPartitionsRequest.Builder#build(short)"""
            return DescribeTopicPartitionsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeTopicPartitionsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeTopicPartitionsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeTopicPartitionsRequest#DescribeTopicPartitionsRequest(
            DescribeTopicPartitionsRequestData, short)
        """
        super().__init__(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, version)
        self._data = data

    def data(self) -> DescribeTopicPartitionsRequestData:
        """:origin: common.requests.DescribeTopicPartitionsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> DescribeTopicPartitionsResponse:
        """:origin: common.requests.DescribeTopicPartitionsRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        return DescribeTopicPartitionsResponse(DescribeTopicPartitionsResponseData(
            topics=[DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic(
                name=topic.name, error_code=error.code, is_internal=False, partitions=[])
                for topic in self._data.topics],
            throttle_time_ms=throttle_time_ms))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeTopicPartitionsRequest:
        """:origin: common.requests.DescribeTopicPartitionsRequest#parse(ByteBuffer, short)"""
        return DescribeTopicPartitionsRequest(
            DescribeTopicPartitionsRequestData.read(buffer, version), version)

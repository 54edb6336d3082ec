# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeProducersRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe the active producers of partitions."""

from __future__ import annotations

from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_producers_response import DescribeProducersResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeProducersRequest(AbstractRequest):
    """:origin: common.requests.DescribeProducersRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeProducersRequest"]):
        """:origin: common.requests.DescribeProducersRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeProducersRequestData) -> None:
            """
            :origin: common.requests.DescribeProducersRequest.Builder#Builder(DescribeProducersRequestData)
            """
            super().__init__(ApiKeys.DESCRIBE_PRODUCERS)
            self._data = data

        def add_topic(self, topic: str) -> DescribeProducersRequestData.TopicRequest:
            """Add a topic and return its entry. The caller adds the partitions.

            :origin: common.requests.DescribeProducersRequest.Builder#addTopic(String)
            """
            topic_request = DescribeProducersRequestData.TopicRequest(name=topic)
            self._data.topics.append(topic_request)
            return topic_request

        def build_version(self, version: int) -> DescribeProducersRequest:
            """:origin: common.requests.DescribeProducersRequest.Builder#build(short)"""
            return DescribeProducersRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeProducersRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeProducersRequestData, version: int) -> None:
        """:origin: common.requests.DescribeProducersRequest#DescribeProducersRequest(
            DescribeProducersRequestData, short)
        """
        super().__init__(ApiKeys.DESCRIBE_PRODUCERS, version)
        self._data = data

    def data(self) -> DescribeProducersRequestData:
        """:origin: common.requests.DescribeProducersRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> DescribeProducersResponse:
        """:origin: common.requests.DescribeProducersRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        response = DescribeProducersResponseData()
        for topic_request in self._data.topics:
            response.topics.append(DescribeProducersResponseData.TopicResponse(
                name=topic_request.name,
                partitions=[
                    DescribeProducersResponseData.PartitionResponse(
                        partition_index=partition_id, error_code=error.code)
                    for partition_id in topic_request.partition_indexes]))
        return DescribeProducersResponse(response)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeProducersRequest:
        """:origin: common.requests.DescribeProducersRequest#parse(ByteBuffer, short)"""
        return DescribeProducersRequest(DescribeProducersRequestData.read(buffer, version), version)

    def to_string(self, verbose: bool) -> str:
        """:origin: common.requests.DescribeProducersRequest#toString(boolean)"""
        return str(self._data)

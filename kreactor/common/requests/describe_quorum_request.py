# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeQuorumRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for the replication state of the quorum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.describe_quorum_response_data import DescribeQuorumResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_quorum_response import DescribeQuorumResponse
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition


class DescribeQuorumRequest(AbstractRequest):
    """:origin: common.requests.DescribeQuorumRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeQuorumRequest"]):
        """:origin: common.requests.DescribeQuorumRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeQuorumRequestData) -> None:
            """:origin: common.requests.DescribeQuorumRequest.Builder#Builder(DescribeQuorumRequestData)"""
            super().__init__(ApiKeys.DESCRIBE_QUORUM)
            self._data = data

        def build_version(self, version: int) -> DescribeQuorumRequest:
            """:origin: common.requests.DescribeQuorumRequest.Builder#build(short)"""
            return DescribeQuorumRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeQuorumRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeQuorumRequestData, version: int) -> None:
        """:origin: common.requests.DescribeQuorumRequest#DescribeQuorumRequest(DescribeQuorumRequestData,
            short)
        """
        super().__init__(ApiKeys.DESCRIBE_QUORUM, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeQuorumRequest:
        """:origin: common.requests.DescribeQuorumRequest#parse(ByteBuffer, short)"""
        return DescribeQuorumRequest(DescribeQuorumRequestData.read(buffer, version), version)

    @staticmethod
    def singleton_request(topic_partition: TopicPartition) -> DescribeQuorumRequestData:
        """Return the data of a request for one partition.

        :origin: common.requests.DescribeQuorumRequest#singletonRequest(TopicPartition)
        """
        return DescribeQuorumRequestData(topics=[DescribeQuorumRequestData.TopicData(
            topic_name=topic_partition.topic(),
            partitions=[DescribeQuorumRequestData.PartitionData(
                partition_index=topic_partition.partition())])])

    def data(self) -> DescribeQuorumRequestData:
        """:origin: common.requests.DescribeQuorumRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DescribeQuorumResponse:
        """:origin: common.requests.DescribeQuorumRequest#getErrorResponse(int, Throwable)"""
        return DescribeQuorumResponse(
            DescribeQuorumRequest.get_top_level_error_response(Errors.for_exception(e)))

    @staticmethod
    def get_partition_level_error_response(data: DescribeQuorumRequestData,
                                           error: Errors) -> DescribeQuorumResponseData:
        """Return the data of a response with ``error`` in each partition.

        :origin: common.requests.DescribeQuorumRequest#getPartitionLevelErrorResponse(
            DescribeQuorumRequestData, Errors)
        """
        return DescribeQuorumResponseData(topics=[
            DescribeQuorumResponseData.TopicData(topic_name=topic.topic_name, partitions=[
                DescribeQuorumResponseData.PartitionData(
                    partition_index=partition.partition_index, error_code=error.code)
                for partition in topic.partitions])
            for topic in data.topics])

    @staticmethod
    def get_top_level_error_response(top_level_error: Errors) -> DescribeQuorumResponseData:
        """Return the data of a response with a top-level error.

        :origin: common.requests.DescribeQuorumRequest#getTopLevelErrorResponse(Errors)
        """
        return DescribeQuorumResponseData(error_code=top_level_error.code)

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeQuorumResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The leader's view of the replication state of the quorum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_quorum_response_data import DescribeQuorumResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeQuorumResponse(AbstractResponse):
    """:origin: common.requests.DescribeQuorumResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeQuorumResponseData) -> None:
        """:origin: common.requests.DescribeQuorumResponse#DescribeQuorumResponse(DescribeQuorumResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_QUORUM)
        self._data = data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeQuorumResponse#errorCounts()"""
        errors = {Errors.for_code(self._data.error_code): 1}
        for topic in self._data.topics:
            for partition in topic.partitions:
                self._update_error_counts(errors, Errors.for_code(partition.error_code))
        return errors

    def data(self) -> DescribeQuorumResponseData:
        """:origin: common.requests.DescribeQuorumResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeQuorumResponse#throttleTimeMs()"""
        return AbstractResponse.DEFAULT_THROTTLE_TIME

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """Do nothing, because the response has no throttle time.

        :origin: common.requests.DescribeQuorumResponse#maybeSetThrottleTimeMs(int)
        """

    @staticmethod
    def singleton_response(
            topic_partition: TopicPartition,
            partition_data: DescribeQuorumResponseData.PartitionData) -> DescribeQuorumResponseData:
        """Return the data of a response with the state of one partition.

        :origin: common.requests.DescribeQuorumResponse#singletonResponse(TopicPartition, PartitionData)
        """
        partition_data.partition_index = topic_partition.partition()
        return DescribeQuorumResponseData(topics=[DescribeQuorumResponseData.TopicData(
            topic_name=topic_partition.topic(), partitions=[partition_data])])

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeQuorumResponse:
        """:origin: common.requests.DescribeQuorumResponse#parse(ByteBuffer, short)"""
        return DescribeQuorumResponse(DescribeQuorumResponseData.read(buffer, version))

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListOffsetsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of offset look-ups, by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.jdk.nio_buffer import ByteBuffer


class ListOffsetsResponse(AbstractResponse):
    """:origin: common.requests.ListOffsetsResponse"""

    __slots__ = ("_data",)

    UNKNOWN_TIMESTAMP = -1
    UNKNOWN_OFFSET = -1
    UNKNOWN_EPOCH = RecordBatch.NO_PARTITION_LEADER_EPOCH

    def __init__(self, data: ListOffsetsResponseData) -> None:
        """:origin: common.requests.ListOffsetsResponse#ListOffsetsResponse(ListOffsetsResponseData)"""
        super().__init__(ApiKeys.LIST_OFFSETS)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ListOffsetsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ListOffsetsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def data(self) -> ListOffsetsResponseData:
        """:origin: common.requests.ListOffsetsResponse#data()"""
        return self._data

    def topics(self) -> list[ListOffsetsResponseData.ListOffsetsTopicResponse]:
        """Return the results by topic.

        :origin: common.requests.ListOffsetsResponse#topics()
        """
        return self._data.topics

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ListOffsetsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition.error_code)
            for topic in self._data.topics for partition in topic.partitions)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListOffsetsResponse:
        """:origin: common.requests.ListOffsetsResponse#parse(ByteBuffer, short)"""
        return ListOffsetsResponse(ListOffsetsResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.ListOffsetsResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ListOffsetsResponse#shouldClientThrottle(short)"""
        return version >= 3

    @staticmethod
    def singleton_list_offsets_topic_response(
            tp: TopicPartition, error: Errors, timestamp: int, offset: int,
            epoch: int) -> ListOffsetsResponseData.ListOffsetsTopicResponse:
        """Return the entry with the offset of one partition.

        :origin: common.requests.ListOffsetsResponse#singletonListOffsetsTopicResponse(TopicPartition,
            Errors, long, long, int)
        """
        return ListOffsetsResponseData.ListOffsetsTopicResponse(name=tp.topic(), partitions=[
            ListOffsetsResponseData.ListOffsetsPartitionResponse(
                partition_index=tp.partition(), error_code=error.code, timestamp=timestamp, offset=offset,
                leader_epoch=epoch)])

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.WriteTxnMarkersResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of writing markers, by producer and partition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.message.write_txn_markers_response_data import WriteTxnMarkersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.topic_partition import TopicPartition

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer

WritableTxnMarkerResult = WriteTxnMarkersResponseData.WritableTxnMarkerResult
WritableTxnMarkerTopicResult = WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult
WritableTxnMarkerPartitionResult = WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult


class WriteTxnMarkersResponse(AbstractResponse):
    """:origin: common.requests.WriteTxnMarkersResponse"""

    __slots__ = ("_data",)

    @staticmethod
    def of(errors: Mapping[int, Mapping[TopicPartition, Errors]]) -> WriteTxnMarkersResponse:
        """Return the response with these errors, by producer id.

        :origin: common.requests.WriteTxnMarkersResponse#WriteTxnMarkersResponse(Map<Long,Map<TopicPartition,Errors>>)
        """  # noqa: E501
        markers = []
        for producer_id, errors_per_partition in errors.items():
            response_topic_data_map: dict[str, WritableTxnMarkerTopicResult] = {}
            for topic_partition, error in errors_per_partition.items():
                topic_name = topic_partition.topic()
                topic = response_topic_data_map.setdefault(
                    topic_name, WritableTxnMarkerTopicResult(name=topic_name))
                topic.partitions.append(WritableTxnMarkerPartitionResult(
                    error_code=error.code, partition_index=topic_partition.partition()))
            markers.append(WritableTxnMarkerResult(
                producer_id=producer_id, topics=list(response_topic_data_map.values())))
        return WriteTxnMarkersResponse(WriteTxnMarkersResponseData(markers=markers))

    def __init__(self, data: WriteTxnMarkersResponseData) -> None:
        """:origin: common.requests.WriteTxnMarkersResponse#WriteTxnMarkersResponse(
            WriteTxnMarkersResponseData)
        """
        super().__init__(ApiKeys.WRITE_TXN_MARKERS)
        self._data = data

    def data(self) -> WriteTxnMarkersResponseData:
        """:origin: common.requests.WriteTxnMarkersResponse#data()"""
        return self._data

    def errors_by_producer_id(self) -> dict[int, dict[TopicPartition, Errors]]:
        """Return the errors of partitions by producer id.

        :origin: common.requests.WriteTxnMarkersResponse#errorsByProducerId()
        """
        return {
            marker.producer_id: {
                TopicPartition(topic.name, partition_result.partition_index):
                Errors.for_code(partition_result.error_code)
                for topic in marker.topics for partition_result in topic.partitions}
            for marker in self._data.markers}

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.WriteTxnMarkersResponse#throttleTimeMs()"""
        return self.DEFAULT_THROTTLE_TIME

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """Do nothing, because the response has no throttle time.

        :origin: common.requests.WriteTxnMarkersResponse#maybeSetThrottleTimeMs(int)
        """

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.WriteTxnMarkersResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition_result.error_code)
            for marker in self._data.markers for topic in marker.topics
            for partition_result in topic.partitions)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> WriteTxnMarkersResponse:
        """:origin: common.requests.WriteTxnMarkersResponse#parse(ByteBuffer, short)"""
        return WriteTxnMarkersResponse(WriteTxnMarkersResponseData.read(buffer, version))

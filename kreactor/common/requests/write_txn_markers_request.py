# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.WriteTxnMarkersRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A coordinator's request to write transaction markers to partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer

WritableTxnMarker = WriteTxnMarkersRequestData.WritableTxnMarker
WritableTxnMarkerTopic = WriteTxnMarkersRequestData.WritableTxnMarkerTopic


class WriteTxnMarkersRequest(AbstractRequest):
    """:origin: common.requests.WriteTxnMarkersRequest"""

    __slots__ = ("_data",)

    class TxnMarkerEntry(NamedTuple):
        """The end of one transaction in partitions. Immutable.

        :origin: common.requests.WriteTxnMarkersRequest.TxnMarkerEntry
        """

        producer_id: int
        producer_epoch: int
        coordinator_epoch: int
        transaction_result: TransactionResult
        partitions: tuple[TopicPartition, ...]

        def __str__(self) -> str:
            """:origin: common.requests.WriteTxnMarkersRequest.TxnMarkerEntry#toString()"""
            return (f"TxnMarkerEntry{{producerId={self.producer_id}, producerEpoch={self.producer_epoch}, "
                    f"coordinatorEpoch={self.coordinator_epoch}, result={self.transaction_result.name}, "
                    f"partitions=[{', '.join(map(str, self.partitions))}]}}")

    class Builder(AbstractRequest.Builder["WriteTxnMarkersRequest"]):
        """:origin: common.requests.WriteTxnMarkersRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: WriteTxnMarkersRequestData, version: int | None = None) -> None:
            """Allow any version, or one given version.

            :origin: common.requests.WriteTxnMarkersRequest.Builder#Builder(WriteTxnMarkersRequestData)
            """
            super().__init__(ApiKeys.WRITE_TXN_MARKERS, version, version)
            self._data = data

        @staticmethod
        def of(version: int, markers: Sequence[WriteTxnMarkersRequest.TxnMarkerEntry],
               ) -> WriteTxnMarkersRequest.Builder:
            """Return the builder of a request with these markers.

            :origin: common.requests.WriteTxnMarkersRequest.Builder#Builder(short, List<TxnMarkerEntry>)
            """
            data_markers = []
            for marker in markers:
                topic_map: dict[str, WritableTxnMarkerTopic] = {}
                for topic_partition in marker.partitions:
                    name = topic_partition.topic()
                    topic = topic_map.setdefault(name, WritableTxnMarkerTopic(name=name))
                    topic.partition_indexes.append(topic_partition.partition())
                data_markers.append(WritableTxnMarker(
                    producer_id=marker.producer_id,
                    producer_epoch=marker.producer_epoch,
                    coordinator_epoch=marker.coordinator_epoch,
                    transaction_result=marker.transaction_result.id(),
                    topics=list(topic_map.values())))
            return WriteTxnMarkersRequest.Builder(WriteTxnMarkersRequestData(markers=data_markers), version)

        def build_version(self, version: int) -> WriteTxnMarkersRequest:
            """:origin: common.requests.WriteTxnMarkersRequest.Builder#build(short)"""
            return WriteTxnMarkersRequest(self._data, version)

    def __init__(self, data: WriteTxnMarkersRequestData, version: int) -> None:
        """:origin: common.requests.WriteTxnMarkersRequest#WriteTxnMarkersRequest(WriteTxnMarkersRequestData,
            short)
        """
        super().__init__(ApiKeys.WRITE_TXN_MARKERS, version)
        self._data = data

    def data(self) -> WriteTxnMarkersRequestData:
        """:origin: common.requests.WriteTxnMarkersRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> WriteTxnMarkersResponse:
        """:origin: common.requests.WriteTxnMarkersRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        return WriteTxnMarkersResponse.of({
            marker_entry.producer_id: {
                TopicPartition(topic.name, partition): error
                for topic in marker_entry.topics for partition in topic.partition_indexes}
            for marker_entry in self._data.markers})

    def markers(self) -> list[TxnMarkerEntry]:
        """Return the markers.

        :origin: common.requests.WriteTxnMarkersRequest#markers()
        """
        return [
            WriteTxnMarkersRequest.TxnMarkerEntry(
                marker_entry.producer_id,
                marker_entry.producer_epoch,
                marker_entry.coordinator_epoch,
                TransactionResult.for_id(marker_entry.transaction_result),
                tuple(TopicPartition(topic.name, partition)
                      for topic in marker_entry.topics for partition in topic.partition_indexes))
            for marker_entry in self._data.markers]

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> WriteTxnMarkersRequest:
        """:origin: common.requests.WriteTxnMarkersRequest#parse(ByteBuffer, short)"""
        return WriteTxnMarkersRequest(WriteTxnMarkersRequestData.read(buffer, version), version)

    def __eq__(self, other: object) -> bool:
        """:origin: common.requests.WriteTxnMarkersRequest#equals(Object)"""
        return isinstance(other, WriteTxnMarkersRequest) and self._data == other._data

    def __hash__(self) -> int:
        """:origin: common.requests.WriteTxnMarkersRequest#hashCode()"""
        # Hashed by text: messages are not hashable because they are mutable, and equal ones have equal text.
        return hash(str(self._data))

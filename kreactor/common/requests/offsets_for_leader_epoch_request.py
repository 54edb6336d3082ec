# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for the end offsets of leader epochs."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.offsets_for_leader_epoch_response import OffsetsForLeaderEpochResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class OffsetsForLeaderEpochRequest(AbstractRequest):
    """:origin: common.requests.OffsetsForLeaderEpochRequest"""

    CONSUMER_REPLICA_ID = -1
    DEBUGGING_REPLICA_ID = -2

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["OffsetsForLeaderEpochRequest"]):
        """:origin: common.requests.OffsetsForLeaderEpochRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, oldest_allowed_version: int, latest_allowed_version: int,
                     data: OffsetForLeaderEpochRequestData) -> None:
            """:origin: common.requests.OffsetsForLeaderEpochRequest.Builder#Builder(short, short,
                OffsetForLeaderEpochRequestData)
            """
            super().__init__(ApiKeys.OFFSET_FOR_LEADER_EPOCH, oldest_allowed_version, latest_allowed_version)
            self._data = data

        @staticmethod
        def for_consumer(
            epochs_by_partition: list[OffsetForLeaderEpochRequestData.OffsetForLeaderTopic],
        ) -> OffsetsForLeaderEpochRequest.Builder:
            """Return the builder of a consumer's request, which needs version 3 or above.

            :origin: common.requests.OffsetsForLeaderEpochRequest.Builder#forConsumer(
                OffsetForLeaderTopicCollection)
            """
            return OffsetsForLeaderEpochRequest.Builder(
                3, ApiKeys.OFFSET_FOR_LEADER_EPOCH.latest_version(), OffsetForLeaderEpochRequestData(
                    replica_id=OffsetsForLeaderEpochRequest.CONSUMER_REPLICA_ID, topics=epochs_by_partition))

        @staticmethod
        def for_follower(
            version: int, epochs_by_partition: list[OffsetForLeaderEpochRequestData.OffsetForLeaderTopic],
            replica_id: int,
        ) -> OffsetsForLeaderEpochRequest.Builder:
            """Return the builder of a broker's request.

            :origin: common.requests.OffsetsForLeaderEpochRequest.Builder#forFollower(short,
                OffsetForLeaderTopicCollection, int)
            """
            return OffsetsForLeaderEpochRequest.Builder(version, version, OffsetForLeaderEpochRequestData(
                replica_id=replica_id, topics=epochs_by_partition))

        def build_version(self, version: int) -> OffsetsForLeaderEpochRequest:
            """:origin: common.requests.OffsetsForLeaderEpochRequest.Builder#build(short)"""
            if not self.oldest_allowed_version() <= version <= self.latest_allowed_version():
                raise UnsupportedVersionException(f"Cannot build {self} with version {version}")
            return OffsetsForLeaderEpochRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.OffsetsForLeaderEpochRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: OffsetForLeaderEpochRequestData, version: int) -> None:
        """:origin: common.requests.OffsetsForLeaderEpochRequest#OffsetsForLeaderEpochRequest(
            OffsetForLeaderEpochRequestData, short)
        """
        super().__init__(ApiKeys.OFFSET_FOR_LEADER_EPOCH, version)
        self._data = data

    def data(self) -> OffsetForLeaderEpochRequestData:
        """:origin: common.requests.OffsetsForLeaderEpochRequest#data()"""
        return self._data

    def replica_id(self) -> int:
        """Return the id of the requesting broker, or a special id of other clients.

        :origin: common.requests.OffsetsForLeaderEpochRequest#replicaId()
        """
        return self._data.replica_id

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetsForLeaderEpochRequest:
        """:origin: common.requests.OffsetsForLeaderEpochRequest#parse(ByteBuffer, short)"""
        return OffsetsForLeaderEpochRequest(OffsetForLeaderEpochRequestData.read(buffer, version), version)

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> OffsetsForLeaderEpochResponse:
        """:origin: common.requests.OffsetsForLeaderEpochRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        return OffsetsForLeaderEpochResponse(OffsetForLeaderEpochResponseData(topics=[
            OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult(topic=topic.topic, partitions=[
                OffsetForLeaderEpochResponseData.EpochEndOffset(
                    partition=partition.partition, error_code=error.code,
                    leader_epoch=OffsetsForLeaderEpochResponse.UNDEFINED_EPOCH,
                    end_offset=OffsetsForLeaderEpochResponse.UNDEFINED_EPOCH_OFFSET)
                for partition in topic.partitions])
            for topic in self._data.topics]))

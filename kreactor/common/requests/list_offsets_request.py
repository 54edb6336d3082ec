# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListOffsetsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for offsets at a timestamp or at the ends of a log."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer


class ListOffsetsRequest(AbstractRequest):
    """Requests offsets. Timestamps are in milliseconds. Negative ones mean an end of the log.

    :origin: common.requests.ListOffsetsRequest
    """

    __slots__ = ("_data", "_duplicate_partitions")

    EARLIEST_TIMESTAMP = -2
    LATEST_TIMESTAMP = -1
    MAX_TIMESTAMP = -3
    # The first offset on the broker's own disk, with tiered storage.
    EARLIEST_LOCAL_TIMESTAMP = -4
    CONSUMER_REPLICA_ID = -1
    DEBUGGING_REPLICA_ID = -2

    class Builder(AbstractRequest.Builder["ListOffsetsRequest"]):
        """:origin: common.requests.ListOffsetsRequest.Builder"""

        __slots__ = ("_data",)

        @staticmethod
        def for_replica(allowed_version: int, replica_id: int) -> ListOffsetsRequest.Builder:
            """Return the builder of a replica's request.

            :origin: common.requests.ListOffsetsRequest.Builder#forReplica(short, int)
            """
            return ListOffsetsRequest.Builder(0, allowed_version, replica_id, IsolationLevel.READ_UNCOMMITTED)

        @staticmethod
        def for_consumer(require_timestamp: bool, isolation_level: IsolationLevel,
                         require_max_timestamp: bool) -> ListOffsetsRequest.Builder:
            """Return the builder of a consumer's request, for versions that support the required features.

            :origin: common.requests.ListOffsetsRequest.Builder#forConsumer(boolean, IsolationLevel, boolean)
            """
            min_version = 0
            if require_max_timestamp:
                min_version = 7
            elif isolation_level is IsolationLevel.READ_COMMITTED:
                min_version = 2
            elif require_timestamp:
                min_version = 1
            return ListOffsetsRequest.Builder(min_version, ApiKeys.LIST_OFFSETS.latest_version(),
                                              ListOffsetsRequest.CONSUMER_REPLICA_ID, isolation_level)

        def __init__(self, oldest_allowed_version: int, latest_allowed_version: int, replica_id: int,
                     isolation_level: IsolationLevel) -> None:
            """Allow the versions from ``oldest_allowed_version`` to ``latest_allowed_version``.

            :origin: common.requests.ListOffsetsRequest.Builder#Builder(short, short, int, IsolationLevel)
            """
            super().__init__(ApiKeys.LIST_OFFSETS, oldest_allowed_version, latest_allowed_version)
            self._data = ListOffsetsRequestData(isolation_level=isolation_level.id(), replica_id=replica_id)

        def set_target_times(
                self, topics: list[ListOffsetsRequestData.ListOffsetsTopic]) -> ListOffsetsRequest.Builder:
            """Set the requested timestamps.

            :origin: common.requests.ListOffsetsRequest.Builder#setTargetTimes(List<ListOffsetsTopic>)
            """
            self._data.topics = topics
            return self

        def build_version(self, version: int) -> ListOffsetsRequest:
            """:origin: common.requests.ListOffsetsRequest.Builder#build(short)"""
            return ListOffsetsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ListOffsetsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ListOffsetsRequestData, version: int) -> None:
        """:origin: common.requests.ListOffsetsRequest#ListOffsetsRequest(ListOffsetsRequestData, short)"""
        super().__init__(ApiKeys.LIST_OFFSETS, version)
        self._data = data
        self._duplicate_partitions: set[TopicPartition] = set()
        partitions: set[TopicPartition] = set()
        for topic in data.topics:
            for partition in topic.partitions:
                topic_partition = TopicPartition(topic.name, partition.partition_index)
                if topic_partition in partitions:
                    self._duplicate_partitions.add(topic_partition)
                partitions.add(topic_partition)

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> ListOffsetsResponse:
        """:origin: common.requests.ListOffsetsRequest#getErrorResponse(int, Throwable)"""
        version_id = self._version
        error_code = Errors.for_exception(e).code
        responses = []
        for topic in self._data.topics:
            partitions = []
            for partition in topic.partitions:
                partition_response = ListOffsetsResponseData.ListOffsetsPartitionResponse(
                    error_code=error_code, partition_index=partition.partition_index)
                if version_id == 0:
                    partition_response.old_style_offsets = []
                else:
                    partition_response.offset = ListOffsetsResponse.UNKNOWN_OFFSET
                    partition_response.timestamp = ListOffsetsResponse.UNKNOWN_TIMESTAMP
                partitions.append(partition_response)
            responses.append(ListOffsetsResponseData.ListOffsetsTopicResponse(
                name=topic.name, partitions=partitions))
        return ListOffsetsResponse(
            ListOffsetsResponseData(throttle_time_ms=throttle_time_ms, topics=responses))

    def data(self) -> ListOffsetsRequestData:
        """:origin: common.requests.ListOffsetsRequest#data()"""
        return self._data

    def replica_id(self) -> int:
        """Return the id of the requesting replica, -1 for a consumer.

        :origin: common.requests.ListOffsetsRequest#replicaId()
        """
        return self._data.replica_id

    def isolation_level(self) -> IsolationLevel:
        """Return the isolation level. Raises IllegalArgumentException.

        :origin: common.requests.ListOffsetsRequest#isolationLevel()
        """
        return IsolationLevel.for_id(self._data.isolation_level)

    def topics(self) -> list[ListOffsetsRequestData.ListOffsetsTopic]:
        """Return the requested topics.

        :origin: common.requests.ListOffsetsRequest#topics()
        """
        return self._data.topics

    def duplicate_partitions(self) -> set[TopicPartition]:
        """Return the partitions that occur more than once in the request, which is an error.

        :origin: common.requests.ListOffsetsRequest#duplicatePartitions()
        """
        return self._duplicate_partitions

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListOffsetsRequest:
        """:origin: common.requests.ListOffsetsRequest#parse(ByteBuffer, short)"""
        return ListOffsetsRequest(ListOffsetsRequestData.read(buffer, version), version)

    @staticmethod
    def to_list_offsets_topics(
            timestamps_to_search: Mapping[TopicPartition, ListOffsetsRequestData.ListOffsetsPartition]
    ) -> list[ListOffsetsRequestData.ListOffsetsTopic]:
        """Group partitions by topic.

        :origin: common.requests.ListOffsetsRequest#toListOffsetsTopics(
            Map<TopicPartition,ListOffsetsPartition>)
        """
        topics: dict[str, ListOffsetsRequestData.ListOffsetsTopic] = {}
        for topic_partition, partition in timestamps_to_search.items():
            name = topic_partition.topic()
            if name not in topics:
                topics[name] = ListOffsetsRequestData.ListOffsetsTopic(name=name)
            topics[name].partitions.append(partition)
        return list(topics.values())

    @staticmethod
    def singleton_request_data(topic: str, partition_index: int, timestamp: int,
                               max_num_offsets: int) -> ListOffsetsRequestData.ListOffsetsTopic:
        """Return the data of a request for one offset.

        :origin: common.requests.ListOffsetsRequest#singletonRequestData(String, int, long, int)
        """
        return ListOffsetsRequestData.ListOffsetsTopic(name=topic, partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(
                partition_index=partition_index, timestamp=timestamp, max_num_offsets=max_num_offsets)])

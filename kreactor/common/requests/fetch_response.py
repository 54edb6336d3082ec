# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.FetchResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The fetched records, by partition.

The records of a partition are the log's records: in memory, or on disk and sent from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import records_size
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.node import Node
    from kreactor.common.record.records import Records


class FetchResponse(AbstractResponse):
    """:origin: common.requests.FetchResponse"""

    __slots__ = ("_data", "_response_data")

    INVALID_HIGH_WATERMARK = -1
    INVALID_LAST_STABLE_OFFSET = -1
    INVALID_LOG_START_OFFSET = -1
    INVALID_PREFERRED_REPLICA_ID = -1

    def data(self) -> FetchResponseData:
        """:origin: common.requests.FetchResponse#data()"""
        return self._data

    def __init__(self, fetch_response_data: FetchResponseData) -> None:
        """:origin: common.requests.FetchResponse#FetchResponse(FetchResponseData)"""
        super().__init__(ApiKeys.FETCH)
        self._data = fetch_response_data
        # Computed on first use, by any thread. Two threads may both compute the same value.
        self._response_data: dict[TopicPartition, FetchResponseData.PartitionData] | None = None

    def error(self) -> Errors:
        """Return the top-level error.

        :origin: common.requests.FetchResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def response_data(self, topic_names: Mapping[Uuid, str],
                      version: int) -> dict[TopicPartition, FetchResponseData.PartitionData]:
        """Return the partitions by name. From version 13 on, omits topics whose id is not in ``topic_names``.

        :origin: common.requests.FetchResponse#responseData(Map<Uuid,String>, short)
        """
        response_data = self._response_data
        if response_data is None:
            response_data = {}
            for topic in self._data.responses:
                name = topic.topic if version < 13 else topic_names.get(topic.topic_id)
                if name is not None:
                    for partition in topic.partitions:
                        response_data[TopicPartition(name, partition.partition_index)] = partition
            self._response_data = response_data
        return response_data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.FetchResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.FetchResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def session_id(self) -> int:
        """Return the id of the session, 0 for none.

        :origin: common.requests.FetchResponse#sessionId()
        """
        return self._data.session_id

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.FetchResponse#errorCounts()"""
        error_counts: dict[Errors, int] = {}
        self._update_error_counts(error_counts, self.error())
        for topic in self._data.responses:
            for partition in topic.partitions:
                error = Errors.for_code(partition.error_code)
                error_counts[error] = error_counts.get(error, 0) + 1
        return error_counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> FetchResponse:
        """:origin: common.requests.FetchResponse#parse(ByteBuffer, short)"""
        return FetchResponse(FetchResponseData.read(buffer, version))

    def topic_ids(self) -> set[Uuid]:
        """Return the ids of the topics, empty below version 13.

        :origin: common.requests.FetchResponse#topicIds()
        """
        return {topic.topic_id for topic in self._data.responses if topic.topic_id != Uuid.ZERO_UUID}

    @staticmethod
    def size_of(version: int,
                part_iterator: Iterable[tuple[TopicIdPartition, FetchResponseData.PartitionData]]) -> int:
        """Return the size of a response with these partitions in bytes, with records and size prefix.

        :origin: common.requests.FetchResponse#sizeOf(short, Iterator<Entry<TopicIdPartition,PartitionData>>)
        """
        data = FetchResponse._to_message(Errors.NONE, 0, FetchMetadata.INVALID_SESSION_ID, part_iterator, ())
        return 4 + data.serialized_size(version)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.FetchResponse#shouldClientThrottle(short)"""
        return version >= 8

    @staticmethod
    def is_diverging_epoch(partition_response: FetchResponseData.PartitionData) -> bool:
        """Return whether the follower's log diverges from the leader's.

        :origin: common.requests.FetchResponse#isDivergingEpoch(PartitionData)
        """
        return partition_response.diverging_epoch.epoch >= 0

    @staticmethod
    def is_preferred_replica(partition_response: FetchResponseData.PartitionData) -> bool:
        """Return whether the response has a preferred read replica.

        :origin: common.requests.FetchResponse#isPreferredReplica(PartitionData)
        """
        return partition_response.preferred_read_replica != FetchResponse.INVALID_PREFERRED_REPLICA_ID

    @staticmethod
    def partition_response(topic_id_partition: TopicIdPartition,
                           error: Errors) -> FetchResponseData.PartitionData:
        """Return the entry of a partition with ``error``.

        :origin: common.requests.FetchResponse#partitionResponse(TopicIdPartition, Errors)
        """
        return FetchResponse.partition_response_partition(topic_id_partition.partition(), error)

    @staticmethod
    def partition_response_partition(partition: int, error: Errors) -> FetchResponseData.PartitionData:
        """Return the entry of a partition with ``error``.

        :origin: common.requests.FetchResponse#partitionResponse(int, Errors)
        """
        return FetchResponseData.PartitionData(partition_index=partition, error_code=error.code,
                                               high_watermark=FetchResponse.INVALID_HIGH_WATERMARK)

    @staticmethod
    def records_or_fail(partition: FetchResponseData.PartitionData) -> Records:
        """Return the records, or empty records if the field is None.

        Raises TypeError for records that are not converted yet.

        :origin: common.requests.FetchResponse#recordsOrFail(PartitionData)
        """
        from kreactor.common.record.memory_records import MemoryRecords
        if partition.records is None:
            return MemoryRecords.EMPTY
        records = RequestUtils.records_of(partition.records)
        if records is not None:
            return records
        raise TypeError(f"The record type is {type(partition.records).__name__}, which is not a subtype of "
                        "Records. This method is only safe to call if the `FetchResponse` was deserialized "
                        "from bytes.")

    @staticmethod
    def records_size(partition: FetchResponseData.PartitionData) -> int:
        """Return the size of the records in bytes, 0 for none.

        :origin: common.requests.FetchResponse#recordsSize(PartitionData)
        """
        return records_size(partition.records)

    @staticmethod
    def of(error: Errors, throttle_time_ms: int, session_id: int,
           response_data: Mapping[TopicIdPartition, FetchResponseData.PartitionData],
           node_endpoints: Iterable[Node] = ()) -> FetchResponse:
        """Return the response with these partitions and the endpoints of current leaders.

        :origin: common.requests.FetchResponse#of(Errors, int, int,
            LinkedHashMap<TopicIdPartition,PartitionData>)
        :origin: common.requests.FetchResponse#of(Errors, int, int,
            LinkedHashMap<TopicIdPartition,PartitionData>, List<Node>)
        """
        return FetchResponse(FetchResponse._to_message(
            error, throttle_time_ms, session_id, response_data.items(), node_endpoints))

    @staticmethod
    def _matching_topic(previous_topic: FetchResponseData.FetchableTopicResponse | None,
                        current_topic: TopicIdPartition) -> bool:
        """Return whether a partition belongs to the previous topic entry, by id if it has one.

        :origin: common.requests.FetchResponse#matchingTopic(FetchableTopicResponse, TopicIdPartition)
        """
        if previous_topic is None:
            return False
        if previous_topic.topic_id != Uuid.ZERO_UUID:
            return previous_topic.topic_id == current_topic.topic_id()
        return previous_topic.topic == current_topic.topic()

    @staticmethod
    def _to_message(error: Errors, throttle_time_ms: int, session_id: int,
                    part_iterator: Iterable[tuple[TopicIdPartition, FetchResponseData.PartitionData]],
                    node_endpoints: Iterable[Node]) -> FetchResponseData:
        """Group adjacent partitions by topic. The order of partitions matters.

        :origin: common.requests.FetchResponse#toMessage(Errors, int, int,
            Iterator<Entry<TopicIdPartition,PartitionData>>, List<Node>)
        """
        topics: list[FetchResponseData.FetchableTopicResponse] = []
        for topic_id_partition, partition_data in part_iterator:
            # The partition index is set here, so the code that creates the data need not set it.
            partition_data.partition_index = topic_id_partition.partition()
            previous_topic = topics[-1] if topics else None
            if previous_topic and FetchResponse._matching_topic(previous_topic, topic_id_partition):
                previous_topic.partitions.append(partition_data)
            else:
                topics.append(FetchResponseData.FetchableTopicResponse(
                    topic=topic_id_partition.topic() or "", topic_id=topic_id_partition.topic_id(),
                    partitions=[partition_data]))
        return FetchResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.code, session_id=session_id, responses=topics,
            node_endpoints=[
                FetchResponseData.NodeEndpoint(node_id=endpoint.id(), host=endpoint.host() or "",
                                               port=endpoint.port(), rack=endpoint.rack())
                for endpoint in node_endpoints])

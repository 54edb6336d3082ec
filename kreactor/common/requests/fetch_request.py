# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.FetchRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to fetch records of partitions, with a minimum size and a maximum wait."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import java_text


class FetchRequest(AbstractRequest):
    """:origin: common.requests.FetchRequest"""

    __slots__ = ("_data", "_fetch_data", "_to_forget", "_metadata")

    CONSUMER_REPLICA_ID = -1
    # The limit for versions that have no limit for the whole response.
    DEFAULT_RESPONSE_MAX_BYTES = 0x7FFFFFFF
    INVALID_LOG_START_OFFSET = -1
    ORDINARY_CONSUMER_ID = -1
    DEBUGGING_CONSUMER_ID = -2
    FUTURE_LOCAL_REPLICA_ID = -3

    class PartitionData:
        """The fetch position in one partition. An epoch is None if the client has none. Immutable.

        :origin: common.requests.FetchRequest.PartitionData
        """

        __slots__ = ("topic_id", "fetch_offset", "log_start_offset", "max_bytes", "current_leader_epoch",
                     "last_fetched_epoch")

        def __init__(self, topic_id: Uuid, fetch_offset: int, log_start_offset: int, max_bytes: int,
                     current_leader_epoch: int | None, last_fetched_epoch: int | None = None) -> None:
            """:origin: common.requests.FetchRequest.PartitionData#PartitionData(Uuid, long, long, int,
                Optional<Integer>)
            :origin: common.requests.FetchRequest.PartitionData#PartitionData(Uuid, long, long, int,
                Optional<Integer>, Optional<Integer>)
            """
            self.topic_id = topic_id
            self.fetch_offset = fetch_offset
            self.log_start_offset = log_start_offset
            self.max_bytes = max_bytes
            self.current_leader_epoch = current_leader_epoch
            self.last_fetched_epoch = last_fetched_epoch

        def __eq__(self, other: object) -> bool:
            """:origin: common.requests.FetchRequest.PartitionData#equals(Object)"""
            return (isinstance(other, FetchRequest.PartitionData) and self.topic_id == other.topic_id
                    and self.fetch_offset == other.fetch_offset
                    and self.log_start_offset == other.log_start_offset
                    and self.max_bytes == other.max_bytes
                    and self.current_leader_epoch == other.current_leader_epoch
                    and self.last_fetched_epoch == other.last_fetched_epoch)

        def __hash__(self) -> int:
            """:origin: common.requests.FetchRequest.PartitionData#hashCode()"""
            return hash((self.topic_id, self.fetch_offset, self.log_start_offset, self.max_bytes,
                         self.current_leader_epoch, self.last_fetched_epoch))

        def __str__(self) -> str:
            """:origin: common.requests.FetchRequest.PartitionData#toString()"""
            return (f"PartitionData(topicId={self.topic_id}, fetchOffset={self.fetch_offset}, "
                    f"logStartOffset={self.log_start_offset}, maxBytes={self.max_bytes}, "
                    f"currentLeaderEpoch={_optional_text(self.current_leader_epoch)}, "
                    f"lastFetchedEpoch={_optional_text(self.last_fetched_epoch)})")

        __repr__ = __str__

    @staticmethod
    def _optional_epoch(raw_epoch_value: int) -> int | None:
        """Return an epoch of the wire as a number, or None for a negative one.

        :origin: common.requests.FetchRequest#optionalEpoch(int)
        """
        return None if raw_epoch_value < 0 else raw_epoch_value

    class SimpleBuilder(AbstractRequest.Builder["FetchRequest"]):
        """Builds a replica's request from data with the replica state of version 15 and later.

        :origin: common.requests.FetchRequest.SimpleBuilder
        """

        __slots__ = ("_fetch_request_data",)

        def __init__(self, fetch_request_data: FetchRequestData) -> None:
            """:origin: common.requests.FetchRequest.SimpleBuilder#SimpleBuilder(FetchRequestData)"""
            super().__init__(ApiKeys.FETCH)
            self._fetch_request_data = fetch_request_data

        def build_version(self, version: int) -> FetchRequest:
            """Convert the data to ``version``, and build the request. Raises IllegalStateException.

            :origin: common.requests.FetchRequest.SimpleBuilder#build(short)
            """
            data = self._fetch_request_data
            if data.replica_id >= 0:
                raise IllegalStateException(
                    "The replica id should be placed in the replicaState of a fetchRequestData")
            if version < 15:
                data.replica_id = data.replica_state.replica_id
                data.replica_state = FetchRequestData.ReplicaState()
            return FetchRequest(data, version)

    class Builder(AbstractRequest.Builder["FetchRequest"]):
        """:origin: common.requests.FetchRequest.Builder"""

        __slots__ = ("_max_wait", "_min_bytes", "_replica_id", "_replica_epoch", "_to_fetch",
                     "_isolation_level", "_max_bytes", "_metadata", "_removed", "_replaced", "_rack_id")

        @staticmethod
        def for_consumer(
                max_version: int, max_wait: int, min_bytes: int,
                fetch_data: Mapping[TopicPartition, FetchRequest.PartitionData]) -> FetchRequest.Builder:
            """Return the builder of a consumer's request. ``max_wait`` is in milliseconds.

            :origin: common.requests.FetchRequest.Builder#forConsumer(short, int, int,
                Map<TopicPartition,PartitionData>)
            """
            return FetchRequest.Builder(ApiKeys.FETCH.oldest_version(), max_version,
                                        FetchRequest.CONSUMER_REPLICA_ID, -1, max_wait, min_bytes, fetch_data)

        @staticmethod
        def for_replica(
                allowed_version: int, replica_id: int, replica_epoch: int, max_wait: int, min_bytes: int,
                fetch_data: Mapping[TopicPartition, FetchRequest.PartitionData]) -> FetchRequest.Builder:
            """Return the builder of a replica's request.

            :origin: common.requests.FetchRequest.Builder#forReplica(short, int, long, int, int,
                Map<TopicPartition,PartitionData>)
            """
            return FetchRequest.Builder(allowed_version, allowed_version, replica_id, replica_epoch, max_wait,
                                        min_bytes, fetch_data)

        def __init__(self, min_version: int, max_version: int, replica_id: int, replica_epoch: int,
                     max_wait: int, min_bytes: int,
                     fetch_data: Mapping[TopicPartition, FetchRequest.PartitionData]) -> None:
            """:origin: common.requests.FetchRequest.Builder#Builder(short, short, int, long, int, int,
                Map<TopicPartition,PartitionData>)
            """
            super().__init__(ApiKeys.FETCH, min_version, max_version)
            self._replica_id = replica_id
            self._replica_epoch = replica_epoch
            self._max_wait = max_wait
            self._min_bytes = min_bytes
            self._to_fetch = fetch_data
            self._isolation_level = IsolationLevel.READ_UNCOMMITTED
            self._max_bytes = FetchRequest.DEFAULT_RESPONSE_MAX_BYTES
            self._metadata = FetchMetadata.LEGACY
            self._removed: list[TopicIdPartition] = []
            self._replaced: list[TopicIdPartition] = []
            self._rack_id = ""

        def isolation_level(self, isolation_level: IsolationLevel) -> FetchRequest.Builder:
            """Set the isolation level.

            :origin: common.requests.FetchRequest.Builder#isolationLevel(IsolationLevel)
            """
            self._isolation_level = isolation_level
            return self

        def metadata(self) -> FetchMetadata:
            """Return the session id and epoch.

            :origin: common.requests.FetchRequest.Builder#metadata()
            """
            return self._metadata

        def metadata_set(self, metadata: FetchMetadata) -> FetchRequest.Builder:
            """Set the session id and epoch.

            :origin: common.requests.FetchRequest.Builder#metadata(FetchMetadata)
            """
            self._metadata = metadata
            return self

        def rack_id(self, rack_id: str) -> FetchRequest.Builder:
            """Set the consumer's rack.

            :origin: common.requests.FetchRequest.Builder#rackId(String)
            """
            self._rack_id = rack_id
            return self

        def fetch_data(self) -> Mapping[TopicPartition, FetchRequest.PartitionData]:
            """Return the partitions to fetch.

            :origin: common.requests.FetchRequest.Builder#fetchData()
            """
            return self._to_fetch

        def set_max_bytes(self, max_bytes: int) -> FetchRequest.Builder:
            """Set the limit for the whole response in bytes.

            :origin: common.requests.FetchRequest.Builder#setMaxBytes(int)
            """
            self._max_bytes = max_bytes
            return self

        def removed_set(self, removed: list[TopicIdPartition]) -> FetchRequest.Builder:
            """Set the partitions to remove from the session.

            :origin: common.requests.FetchRequest.Builder#removed(List<TopicIdPartition>)
            """
            self._removed = removed
            return self

        def replaced_set(self, replaced: list[TopicIdPartition]) -> FetchRequest.Builder:
            """Set the partitions to replace in the session, because their topic id changed.

            :origin: common.requests.FetchRequest.Builder#replaced(List<TopicIdPartition>)
            """
            self._replaced = replaced
            return self

        def _add_to_forgotten_topic_map(
                self, to_forget: list[TopicIdPartition],
                forgotten_topic_map: dict[str | None, FetchRequestData.ForgottenTopic]) -> None:
            """Group partitions by topic.

            :origin: common.requests.FetchRequest.Builder#addToForgottenTopicMap(List<TopicIdPartition>,
                Map<String,ForgottenTopic>)
            """
            for topic_id_partition in to_forget:
                topic = topic_id_partition.topic()
                forgotten_topic = forgotten_topic_map.get(topic)
                if forgotten_topic is None:
                    forgotten_topic = FetchRequestData.ForgottenTopic(
                        topic=topic or "", topic_id=topic_id_partition.topic_id())
                    forgotten_topic_map[topic] = forgotten_topic
                forgotten_topic.partitions.append(topic_id_partition.partition())

        def build_version(self, version: int) -> FetchRequest:
            """:origin: common.requests.FetchRequest.Builder#build(short)"""
            if version < 3:
                self._max_bytes = FetchRequest.DEFAULT_RESPONSE_MAX_BYTES
            data = FetchRequestData(max_wait_ms=self._max_wait, min_bytes=self._min_bytes,
                                    max_bytes=self._max_bytes, isolation_level=self._isolation_level.id())
            if version < 15:
                data.replica_id = self._replica_id
            else:
                data.replica_state = FetchRequestData.ReplicaState(
                    replica_id=self._replica_id, replica_epoch=self._replica_epoch)
            forgotten_topic_map: dict[str | None, FetchRequestData.ForgottenTopic] = {}
            self._add_to_forgotten_topic_map(self._removed, forgotten_topic_map)
            # A version with topic names only would remove the new partition with the old one.
            if version >= 13:
                self._add_to_forgotten_topic_map(self._replaced, forgotten_topic_map)
            data.forgotten_topics_data = list(forgotten_topic_map.values())
            # Only adjacent partitions of a topic share its entry, because the order of partitions matters.
            fetch_topic: FetchRequestData.FetchTopic | None = None
            for topic_partition, partition_data in self._to_fetch.items():
                if fetch_topic is None or topic_partition.topic() != fetch_topic.topic:
                    fetch_topic = FetchRequestData.FetchTopic(
                        topic=topic_partition.topic(), topic_id=partition_data.topic_id)
                    data.topics.append(fetch_topic)
                fetch_topic.partitions.append(FetchRequestData.FetchPartition(
                    partition=topic_partition.partition(),
                    current_leader_epoch=_epoch_on_wire(partition_data.current_leader_epoch),
                    last_fetched_epoch=_epoch_on_wire(partition_data.last_fetched_epoch),
                    fetch_offset=partition_data.fetch_offset,
                    log_start_offset=partition_data.log_start_offset,
                    partition_max_bytes=partition_data.max_bytes))
            if self._metadata is not None:
                data.session_epoch = self._metadata.epoch()
                data.session_id = self._metadata.session_id()
            data.rack_id = self._rack_id
            return FetchRequest(data, version)

        def __str__(self) -> str:
            """:origin: common.requests.FetchRequest.Builder#toString()"""
            return (f"(type=FetchRequest, replicaId={self._replica_id}, maxWait={self._max_wait}, "
                    f"minBytes={self._min_bytes}, maxBytes={self._max_bytes}, "
                    f"fetchData={java_text(self._to_fetch)}, isolationLevel={self._isolation_level.name}, "
                    f"removed={', '.join(map(str, self._removed))}, "
                    f"replaced={', '.join(map(str, self._replaced))}, metadata={self._metadata}, "
                    f"rackId={self._rack_id})")

    @staticmethod
    def replica_id_of(fetch_request_data: FetchRequestData) -> int:
        """Return the replica id of data of any version.

        :origin: common.requests.FetchRequest#replicaId(FetchRequestData)
        """
        if fetch_request_data.replica_id != -1:
            return fetch_request_data.replica_id
        return fetch_request_data.replica_state.replica_id

    def __init__(self, fetch_request_data: FetchRequestData, version: int) -> None:
        """:origin: common.requests.FetchRequest#FetchRequest(FetchRequestData, short)"""
        super().__init__(ApiKeys.FETCH, version)
        self._data = fetch_request_data
        # Both are computed on first use, by any thread. Two threads may both compute the same value.
        self._fetch_data: dict[TopicIdPartition, FetchRequest.PartitionData] | None = None
        self._to_forget: list[TopicIdPartition] | None = None
        self._metadata = FetchMetadata(fetch_request_data.session_id, fetch_request_data.session_epoch)

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> FetchResponse:
        """Return the response with the error at the top.

        Up to version 12 the error is also in each partition, because early versions have no top-level error.

        :origin: common.requests.FetchRequest#getErrorResponse(int, Throwable)
        """
        error = Errors.for_exception(e)
        topics: list[FetchResponseData.FetchableTopicResponse] = []
        if self._version < 13:
            for topic in self._data.topics:
                topics.append(FetchResponseData.FetchableTopicResponse(
                    topic=topic.topic, topic_id=topic.topic_id,
                    partitions=[FetchResponse.partition_response_partition(partition.partition, error)
                                for partition in topic.partitions]))
        return FetchResponse(FetchResponseData(throttle_time_ms=throttle_time_ms, error_code=error.code,
                                               session_id=self._data.session_id, responses=topics))

    def replica_id(self) -> int:
        """Return the id of the fetching replica, -1 for a consumer.

        :origin: common.requests.FetchRequest#replicaId()
        """
        if self._version < 15:
            return self._data.replica_id
        return self._data.replica_state.replica_id

    def replica_epoch(self) -> int:
        """Return the epoch of the fetching replica, -1 for none.

        :origin: common.requests.FetchRequest#replicaEpoch()
        """
        return self._data.replica_state.replica_epoch

    def max_wait(self) -> int:
        """Return the maximum wait for ``min_bytes``, in milliseconds.

        :origin: common.requests.FetchRequest#maxWait()
        """
        return self._data.max_wait_ms

    def min_bytes(self) -> int:
        """Return the minimum size of the response in bytes.

        :origin: common.requests.FetchRequest#minBytes()
        """
        return self._data.min_bytes

    def max_bytes(self) -> int:
        """Return the maximum size of the response in bytes. A first batch may exceed it.

        :origin: common.requests.FetchRequest#maxBytes()
        """
        return self._data.max_bytes

    def fetch_data(self, topic_names: Mapping[Uuid, str]
                   ) -> dict[TopicIdPartition, FetchRequest.PartitionData]:
        """Return the partitions to fetch, in the order of the request.

        From version 13 on the request has only topic ids. A topic whose id is not in ``topic_names`` has no
        name.

        :origin: common.requests.FetchRequest#fetchData(Map<Uuid,String>)
        """
        fetch_data = self._fetch_data
        if fetch_data is None:
            fetch_data = {}
            version = self._version
            optional_epoch = FetchRequest._optional_epoch
            for topic in self._data.topics:
                topic_id = topic.topic_id
                name = topic.topic if version < 13 else topic_names.get(topic_id)
                for partition in topic.partitions:
                    key = TopicIdPartition(topic_id, TopicPartition(name, partition.partition))
                    fetch_data[key] = FetchRequest.PartitionData(
                        topic_id, partition.fetch_offset, partition.log_start_offset,
                        partition.partition_max_bytes, optional_epoch(partition.current_leader_epoch),
                        optional_epoch(partition.last_fetched_epoch))
            self._fetch_data = fetch_data
        return fetch_data

    def forgotten_topics(self, topic_names: Mapping[Uuid, str]) -> list[TopicIdPartition]:
        """Return the partitions to remove from the session, with names as in ``fetch_data``.

        :origin: common.requests.FetchRequest#forgottenTopics(Map<Uuid,String>)
        """
        to_forget = self._to_forget
        if to_forget is None:
            to_forget = []
            for topic in self._data.forgotten_topics_data:
                name = topic.topic if self._version < 13 else topic_names.get(topic.topic_id)
                for partition in topic.partitions:
                    to_forget.append(TopicIdPartition(topic.topic_id, TopicPartition(name, partition)))
            self._to_forget = to_forget
        return to_forget

    def is_from_follower(self) -> bool:
        """Return whether a replica sent the request.

        :origin: common.requests.FetchRequest#isFromFollower()
        """
        return self.replica_id() >= 0

    def isolation_level(self) -> IsolationLevel:
        """Return the isolation level. Raises IllegalArgumentException.

        :origin: common.requests.FetchRequest#isolationLevel()
        """
        return IsolationLevel.for_id(self._data.isolation_level)

    def metadata(self) -> FetchMetadata:
        """Return the session id and epoch.

        :origin: common.requests.FetchRequest#metadata()
        """
        return self._metadata

    def rack_id(self) -> str:
        """Return the consumer's rack, empty for none.

        :origin: common.requests.FetchRequest#rackId()
        """
        return self._data.rack_id

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> FetchRequest:
        """:origin: common.requests.FetchRequest#parse(ByteBuffer, short)"""
        return FetchRequest(FetchRequestData.read(buffer, version), version)

    @staticmethod
    def is_valid_broker_id(broker_id: int) -> bool:
        """Return whether the id is a valid broker id.

        :origin: common.requests.FetchRequest#isValidBrokerId(int)
        """
        return broker_id >= 0

    @staticmethod
    def is_consumer(replica_id: int) -> bool:
        """Return whether the id belongs to a consumer.

        :origin: common.requests.FetchRequest#isConsumer(int)
        """
        return replica_id < 0 and replica_id != FetchRequest.FUTURE_LOCAL_REPLICA_ID

    @staticmethod
    def describe_replica_id(replica_id: int) -> str:
        """Return a description of the replica id.

        :origin: common.requests.FetchRequest#describeReplicaId(int)
        """
        if replica_id == FetchRequest.ORDINARY_CONSUMER_ID:
            return "consumer"
        if replica_id == FetchRequest.DEBUGGING_CONSUMER_ID:
            return "debug consumer"
        if replica_id == FetchRequest.FUTURE_LOCAL_REPLICA_ID:
            return "future local replica"
        if FetchRequest.is_valid_broker_id(replica_id):
            return f"replica [{replica_id}]"
        return f"invalid replica [{replica_id}]"

    def data(self) -> FetchRequestData:
        """:origin: common.requests.FetchRequest#data()"""
        return self._data


def _epoch_on_wire(epoch: int | None) -> int:
    return RecordBatch.NO_PARTITION_LEADER_EPOCH if epoch is None else epoch


def _optional_text(value: int | None) -> str:
    return "Optional.empty" if value is None else f"Optional[{value}]"

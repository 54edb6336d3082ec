# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.MetadataResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One broker's view of the brokers, topics and partitions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from kreactor.common.cluster import Cluster
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.text import java_text

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class MetadataResponse(AbstractResponse):
    """:origin: common.requests.MetadataResponse"""

    __slots__ = ("_data", "_holder_made", "_has_reliable_leader_epochs")

    NO_CONTROLLER_ID = -1
    NO_LEADER_ID = -1
    AUTHORIZED_OPERATIONS_OMITTED = -0x80000000

    def __init__(self, data: MetadataResponseData, version: int) -> None:
        """:origin: common.requests.MetadataResponse#MetadataResponse(MetadataResponseData, short)"""
        super().__init__(ApiKeys.METADATA)
        self._data = data
        # Computed on first use, by any thread. Two threads may both compute the same value.
        # :origin: common.requests.MetadataResponse#holder
        self._holder_made: MetadataResponse._Holder | None = None
        self._has_reliable_leader_epochs = MetadataResponse._has_reliable_leader_epochs_in(version)

    @staticmethod
    def with_reliability(data: MetadataResponseData, has_reliable_leader_epochs: bool) -> MetadataResponse:
        """Return a response with reliable or unreliable leader epochs.

        :origin: common.requests.MetadataResponse#MetadataResponse(MetadataResponseData, boolean)
        """
        response = MetadataResponse(data, 0)
        response._has_reliable_leader_epochs = has_reliable_leader_epochs
        return response

    def data(self) -> MetadataResponseData:
        """:origin: common.requests.MetadataResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.MetadataResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.MetadataResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def errors(self) -> dict[str, Errors]:
        """Return the errors of topics by name. Raises IllegalStateException for a topic without name.

        :origin: common.requests.MetadataResponse#errors()
        """
        errors: dict[str, Errors] = {}
        for metadata in self._data.topics:
            if metadata.name is None:
                raise IllegalStateException("Use errorsByTopicId() when managing topic using topic id")
            if metadata.error_code != Errors.NONE.code:
                errors[metadata.name] = Errors.for_code(metadata.error_code)
        return errors

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.MetadataResponse#errorCounts()"""
        error_counts: dict[Errors, int] = {}
        for metadata in self._data.topics:
            for partition in metadata.partitions:
                self._update_error_counts(error_counts, Errors.for_code(partition.error_code))
            self._update_error_counts(error_counts, Errors.for_code(metadata.error_code))
        return error_counts

    def topics_by_error(self, error: Errors) -> set[str]:
        """Return the names of the topics with this error.

        :origin: common.requests.MetadataResponse#topicsByError(Errors)
        """
        # TopicMetadata.topic explains a missing name.
        return {metadata.name for metadata in self._data.topics  # type: ignore[misc]
                if metadata.error_code == error.code}

    def build_cluster(self) -> Cluster:
        """Return a Cluster of the brokers and the partitions of topics without an error.

        :origin: common.requests.MetadataResponse#buildCluster()
        """
        internal_topics: set[str] = set()
        partitions: list[PartitionInfo] = []
        topic_ids: dict[str, Uuid] = {}

        for metadata in self.topic_metadata():
            if metadata.error() is Errors.NONE:
                if metadata.is_internal():
                    internal_topics.add(metadata.topic())
                if metadata.topic_id() != Uuid.ZERO_UUID:
                    topic_ids[metadata.topic()] = metadata.topic_id()
                for partition_metadata in metadata.partition_metadata():
                    partitions.append(self.to_partition_info(partition_metadata, self._holder()._brokers))
        return Cluster(self._data.cluster_id, self.brokers(), partitions,
                       self.topics_by_error(Errors.TOPIC_AUTHORIZATION_FAILED), internal_topics,
                       self.controller(),
                       invalid_topics=self.topics_by_error(Errors.INVALID_TOPIC_EXCEPTION),
                       topic_ids=topic_ids)

    @staticmethod
    def to_partition_info(metadata: MetadataResponse.PartitionMetadata,
                          nodes_by_id: Mapping[int, Node]) -> PartitionInfo:
        """Return a partition with nodes instead of ids. A leader that is not a known node becomes None.

        :origin: common.requests.MetadataResponse#toPartitionInfo(PartitionMetadata, Map<Integer,Node>)
        """
        return PartitionInfo(
            metadata.topic(), metadata.partition(),
            None if metadata.leader_id is None else nodes_by_id.get(metadata.leader_id),
            MetadataResponse._convert_to_node_array(metadata.replica_ids, nodes_by_id),
            MetadataResponse._convert_to_node_array(metadata.in_sync_replica_ids, nodes_by_id),
            MetadataResponse._convert_to_node_array(metadata.offline_replica_ids, nodes_by_id))

    @staticmethod
    def _convert_to_node_array(replica_ids: Iterable[int], nodes_by_id: Mapping[int, Node]) -> list[Node]:
        """Return the nodes of ids. An unknown node has no host.

        :origin: common.requests.MetadataResponse#convertToNodeArray(List<Integer>, Map<Integer,Node>)
        """
        nodes = []
        for replica_id in replica_ids:
            node = nodes_by_id.get(replica_id)
            nodes.append(Node(replica_id, "", -1) if node is None else node)
        return nodes

    def topic_authorized_operations(self, topic_name: str) -> int | None:
        """Return the authorized operations on a topic as bits, None for a missing topic.

        :origin: common.requests.MetadataResponse#topicAuthorizedOperations(String)
        """
        for topic in self._data.topics:
            if topic.name == topic_name:
                return topic.topic_authorized_operations
        return None

    def cluster_authorized_operations(self) -> int:
        """Return the authorized operations on the cluster as bits.

        :origin: common.requests.MetadataResponse#clusterAuthorizedOperations()
        """
        return self._data.cluster_authorized_operations

    def _holder(self) -> MetadataResponse._Holder:
        """Return the brokers and topics as objects.

        :origin: common.requests.MetadataResponse#holder()
        """
        holder = self._holder_made
        if holder is None:
            self._holder_made = holder = MetadataResponse._Holder(self._data)
        return holder

    def brokers(self) -> Collection[Node]:
        """Return the brokers.

        :origin: common.requests.MetadataResponse#brokers()
        """
        return self._holder()._brokers.values()

    def brokers_by_id(self) -> Mapping[int, Node]:
        """Return the brokers by id.

        :origin: common.requests.MetadataResponse#brokersById()
        """
        return self._holder()._brokers

    def topic_metadata(self) -> list[MetadataResponse.TopicMetadata]:
        """Return the topics.

        :origin: common.requests.MetadataResponse#topicMetadata()
        """
        return self._holder()._topic_metadata

    def controller(self) -> Node | None:
        """Return the controller, or None if it is not one of the brokers.

        :origin: common.requests.MetadataResponse#controller()
        """
        return self._holder()._controller

    def cluster_id(self) -> str | None:
        """Return the id of the cluster, or None in versions without it.

        :origin: common.requests.MetadataResponse#clusterId()
        """
        return self._data.cluster_id

    def has_reliable_leader_epochs(self) -> bool:
        """Return whether the leader epochs may be used in other requests.

        Brokers before 2.4 return old epochs during reassignments. A consumer that uses these is fenced.

        :origin: common.requests.MetadataResponse#hasReliableLeaderEpochs()
        """
        return self._has_reliable_leader_epochs

    @staticmethod
    def _has_reliable_leader_epochs_in(version: int) -> bool:
        """:origin: common.requests.MetadataResponse#hasReliableLeaderEpochs(short)"""
        return version >= 9

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> MetadataResponse:
        """:origin: common.requests.MetadataResponse#parse(ByteBuffer, short)"""
        return MetadataResponse(MetadataResponseData.read(buffer, version), version)

    class TopicMetadata:
        """A topic and its partitions.

        :origin: common.requests.MetadataResponse.TopicMetadata
        """

        __slots__ = ("_error", "_topic", "_topic_id", "_is_internal", "_partition_metadata",
                     "_authorized_operations")

        def __init__(self, error: Errors, topic: str | None, is_internal: bool,
                     partition_metadata: list[MetadataResponse.PartitionMetadata],
                     topic_id: Uuid = Uuid.ZERO_UUID, authorized_operations: int = -0x80000000) -> None:
            """:origin: common.requests.MetadataResponse.TopicMetadata#TopicMetadata(Errors, String, boolean,
                List<PartitionMetadata>)
            :origin: common.requests.MetadataResponse.TopicMetadata#TopicMetadata(Errors, String, Uuid,
                boolean, List<PartitionMetadata>, int)
            """
            self._error = error
            self._topic = topic
            self._topic_id = topic_id
            self._is_internal = is_internal
            self._partition_metadata = partition_metadata
            self._authorized_operations = authorized_operations

        def error(self) -> Errors:
            """Return the error.

            :origin: common.requests.MetadataResponse.TopicMetadata#error()
            """
            return self._error

        # A broker omits the name only if the request has topic ids.
        def topic(self) -> str:
            """Return the name.

            :origin: common.requests.MetadataResponse.TopicMetadata#topic()
            """
            return self._topic  # type: ignore[return-value]  # see above

        def topic_id(self) -> Uuid:
            """Return the id.

            :origin: common.requests.MetadataResponse.TopicMetadata#topicId()
            """
            return self._topic_id

        def is_internal(self) -> bool:
            """Return whether the topic is internal.

            :origin: common.requests.MetadataResponse.TopicMetadata#isInternal()
            """
            return self._is_internal

        def partition_metadata(self) -> list[MetadataResponse.PartitionMetadata]:
            """Return the partitions.

            :origin: common.requests.MetadataResponse.TopicMetadata#partitionMetadata()
            """
            return self._partition_metadata

        def authorized_operations(self) -> int:
            """Return the authorized operations as bits.

            :origin: common.requests.MetadataResponse.TopicMetadata#authorizedOperations()
            """
            return self._authorized_operations

        def __eq__(self, other: object) -> bool:
            """:origin: common.requests.MetadataResponse.TopicMetadata#equals(Object)"""
            return (isinstance(other, MetadataResponse.TopicMetadata)
                    and self._is_internal == other._is_internal and self._error is other._error
                    and self._topic == other._topic and self._topic_id == other._topic_id
                    and self._partition_metadata == other._partition_metadata
                    and self._authorized_operations == other._authorized_operations)

        def __hash__(self) -> int:
            """:origin: common.requests.MetadataResponse.TopicMetadata#hashCode()"""
            return hash((self._error, self._topic, self._is_internal))

        def __str__(self) -> str:
            """:origin: common.requests.MetadataResponse.TopicMetadata#toString()"""
            return (f"TopicMetadata{{error={self._error}, topic='{java_text(self._topic)}', "
                    f"topicId='{self._topic_id}', isInternal={java_text(self._is_internal)}, "
                    f"partitionMetadata={self._partition_metadata}, "
                    f"authorizedOperations={self._authorized_operations}}}")

        __repr__ = __str__

    class PartitionMetadata:
        """A partition, its leader and its replicas. A missing leader or epoch is None. Immutable.

        :origin: common.requests.MetadataResponse.PartitionMetadata
        """

        __slots__ = ("topic_partition", "error", "leader_id", "leader_epoch", "replica_ids",
                     "in_sync_replica_ids", "offline_replica_ids")

        def __init__(self, error: Errors, topic_partition: TopicPartition, leader_id: int | None,
                     leader_epoch: int | None, replica_ids: list[int], in_sync_replica_ids: list[int],
                     offline_replica_ids: list[int]) -> None:
            """:origin: common.requests.MetadataResponse.PartitionMetadata#PartitionMetadata(Errors,
                TopicPartition, Optional<Integer>, Optional<Integer>, List<Integer>, List<Integer>,
                List<Integer>)
            """
            self.error = error
            self.topic_partition = topic_partition
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.replica_ids = replica_ids
            self.in_sync_replica_ids = in_sync_replica_ids
            self.offline_replica_ids = offline_replica_ids

        def partition(self) -> int:
            """Return the partition's number.

            :origin: common.requests.MetadataResponse.PartitionMetadata#partition()
            """
            return self.topic_partition.partition()

        def topic(self) -> str:
            """Return the topic's name.

            :origin: common.requests.MetadataResponse.PartitionMetadata#topic()
            """
            return self.topic_partition.topic()

        def without_leader_epoch(self) -> MetadataResponse.PartitionMetadata:
            """Return a copy without the leader epoch.

            :origin: common.requests.MetadataResponse.PartitionMetadata#withoutLeaderEpoch()
            """
            return MetadataResponse.PartitionMetadata(
                self.error, self.topic_partition, self.leader_id, None, self.replica_ids,
                self.in_sync_replica_ids, self.offline_replica_ids)

        def __str__(self) -> str:
            """:origin: common.requests.MetadataResponse.PartitionMetadata#toString()"""
            leader = "Optional.empty" if self.leader_id is None else f"Optional[{self.leader_id}]"
            epoch = "Optional.empty" if self.leader_epoch is None else f"Optional[{self.leader_epoch}]"
            return (f"PartitionMetadata(error={self.error}, partition={self.topic_partition}, "
                    f"leader={leader}, leaderEpoch={epoch}, "
                    f"replicas={','.join(map(str, self.replica_ids))}, "
                    f"isr={','.join(map(str, self.in_sync_replica_ids))}, "
                    f"offlineReplicas={','.join(map(str, self.offline_replica_ids))})")

        __repr__ = __str__

    class _Holder:
        """The brokers and topics of the data, as objects. Immutable.

        :origin: common.requests.MetadataResponse.Holder
        """

        __slots__ = ("_brokers", "_controller", "_topic_metadata")

        def __init__(self, data: MetadataResponseData) -> None:
            """:origin: common.requests.MetadataResponse.Holder#Holder(MetadataResponseData)"""
            self._brokers = self._create_brokers(data)
            self._topic_metadata = self._create_topic_metadata(data)
            self._controller = self._brokers.get(data.controller_id)

        @staticmethod
        def _create_brokers(data: MetadataResponseData) -> dict[int, Node]:
            """:origin: common.requests.MetadataResponse.Holder#createBrokers(MetadataResponseData)"""
            return {broker.node_id: Node(broker.node_id, broker.host, broker.port, broker.rack)
                    for broker in data.brokers}

        @staticmethod
        def _create_topic_metadata(data: MetadataResponseData) -> list[MetadataResponse.TopicMetadata]:
            """:origin: common.requests.MetadataResponse.Holder#createTopicMetadata(MetadataResponseData)"""
            topics = []
            for topic in data.topics:
                partitions = []
                for partition in topic.partitions:
                    leader_id = None if partition.leader_id < 0 else partition.leader_id
                    partitions.append(MetadataResponse.PartitionMetadata(
                        Errors.for_code(partition.error_code),
                        TopicPartition(topic.name, partition.partition_index), leader_id,
                        RequestUtils.get_leader_epoch(partition.leader_epoch), partition.replica_nodes,
                        partition.isr_nodes, partition.offline_replicas))
                topics.append(MetadataResponse.TopicMetadata(
                    Errors.for_code(topic.error_code), topic.name, topic.is_internal, partitions,
                    topic.topic_id, topic.topic_authorized_operations))
            return topics

    @staticmethod
    def prepare_response(
            version: int, throttle_time_ms: int, brokers: Iterable[Node], cluster_id: str | None,
            controller_id: int, topics: Iterable[MetadataResponseData.MetadataResponseTopic],
            cluster_authorized_operations: int) -> MetadataResponse:
        """Return the response with these fields.

        :origin: common.requests.MetadataResponse#prepareResponse(short, int, Collection<Node>, String, int,
            List<MetadataResponseTopic>, int)
        """
        return MetadataResponse.prepare_response_has_reliable_epoch(
            MetadataResponse._has_reliable_leader_epochs_in(version), throttle_time_ms, brokers, cluster_id,
            controller_id, topics, cluster_authorized_operations)

    @staticmethod
    def prepare_response_has_reliable_epoch(
            has_reliable_epoch: bool, throttle_time_ms: int, brokers: Iterable[Node], cluster_id: str | None,
            controller_id: int, topics: Iterable[MetadataResponseData.MetadataResponseTopic],
            cluster_authorized_operations: int) -> MetadataResponse:
        """Return the response with these fields.

        :origin: common.requests.MetadataResponse#prepareResponse(boolean, int, Collection<Node>, String,
            int, List<MetadataResponseTopic>, int)
        """
        data = MetadataResponseData(
            throttle_time_ms=throttle_time_ms,
            brokers=[MetadataResponseData.MetadataResponseBroker(
                node_id=broker.id(), host=broker.host() or "", port=broker.port(), rack=broker.rack())
                for broker in brokers],
            cluster_id=cluster_id, controller_id=controller_id,
            cluster_authorized_operations=cluster_authorized_operations, topics=list(topics))
        return MetadataResponse.with_reliability(data, has_reliable_epoch)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.MetadataResponse#shouldClientThrottle(short)"""
        return version >= 6

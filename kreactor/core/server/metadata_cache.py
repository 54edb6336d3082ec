# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.MetadataCache and KRaftMetadataCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The nodes and the topics of the cluster.

Kafka's cache follows a controller. This cache looks topics up in the node's own store at each call. A node of
its own leads every partition in the epoch of the partition's log, unless that log is broken. A node of a
cluster in the process answers by the image of the last ``set_image``. Any thread may call it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Callable

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import InvalidTopicException
from kreactor.common.internals.topic import Topic as TopicNames
from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.message.describe_client_quotas_response_data import DescribeClientQuotasResponseData
from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.message.describe_user_scram_credentials_response_data import (
    DescribeUserScramCredentialsResponseData,
)
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.update_metadata_request_data import UpdateMetadataRequestData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicImage, TopicsImage
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.metadata.config_repository import ConfigRepository
from kreactor.core.utils.logging import Logging
from kreactor.image.client_quotas_image import ClientQuotasImage
from kreactor.image.cluster_image import ClusterBroker, ClusterImage, PartitionState
from kreactor.image.scram_image import ScramImage
from kreactor.jdk.random_numbers import RANDOM
from kreactor.metadata.node_storage import (
    StoredClientQuotas,
    StoredConfigs,
    StoredScramCredentials,
    StoredTopics,
    Topic,
)

_NO_LEADER = MetadataResponse.NO_LEADER_ID
# The state of a partition that the image does not have yet.
_NOWHERE = PartitionState((), (), _NO_LEADER, 0)


class _TopicNames(Mapping[Uuid, str]):
    """A live view of topic names by id."""

    __slots__ = ("_topics",)

    def __init__(self, topics: StoredTopics) -> None:
        self._topics = topics

    def __getitem__(self, topic_id: Uuid) -> str:
        topic = self._topics.topic_by_id(topic_id)
        if topic is None:
            raise KeyError(topic_id)
        return topic.name

    def __iter__(self) -> Iterator[Uuid]:
        return iter([topic.topic_id for topic in self._topics.topics().values()])

    def __len__(self) -> int:
        return len(self._topics.topics())


class MetadataCache(Logging, ConfigRepository):
    """
    :origin: kafka.server.MetadataCache
    :origin: kafka.server.MetadataCache
    :origin: kafka.server.metadata.KRaftMetadataCache
    """

    def __init__(self, broker_id: int, topics: StoredTopics,
                 log_of: Callable[[TopicPartition], UnifiedLog | None],
                 configs: StoredConfigs | None = None,
                 client_quotas: StoredClientQuotas | None = None,
                 scram_credentials: StoredScramCredentials | None = None) -> None:
        """Have no endpoints before ``set_endpoints``. Without ``configs``, only topics have settings. Without
        ``client_quotas``, there are no quotas.

        Without ``scram_credentials`` there are no users of SCRAM.

        :origin: kafka.server.metadata.KRaftMetadataCache#KRaftMetadataCache
        """
        self._log_ident = f"[MetadataCache brokerId={broker_id}] "
        self._broker_id = broker_id
        self._topics = topics
        self._log_of = log_of
        self._configs = configs
        self._client_quotas = client_quotas
        self._scram_credentials = scram_credentials
        self._topic_names = _TopicNames(topics)
        # This node, the only one without an image. Replaced, never changed.
        self._this_broker = ClusterBroker(broker_id, None, {})
        # The image of this node's cluster. Replaced, never changed.
        self._current_image: ClusterImage | None = None

    def set_endpoints(self, nodes: Mapping[str, Node]) -> None:
        """Advertise ``nodes`` to clients from now on: this node, by the name of a client's listener."""
        self._this_broker = ClusterBroker(self._broker_id, None, dict(nodes))

    def _brokers(self) -> Iterable[ClusterBroker]:
        image = self._current_image
        return (self._this_broker,) if image is None else image.brokers.values()

    def _broker(self, broker_id: int) -> ClusterBroker | None:
        image = self._current_image
        if image is not None:
            return image.brokers.get(broker_id)
        return self._this_broker if broker_id == self._broker_id else None

    def _partition(self, topic_partition: TopicPartition) -> PartitionState:
        """Return the state of a partition, without a leader if its log is broken or its leader is fenced.

        While all brokers of a cluster shut down, the image keeps leaders that are fenced already.
        """
        image = self._current_image
        partition_log = self._log_of(topic_partition)
        state = (PartitionState((self._broker_id,), (self._broker_id,), self._broker_id,
                                _leader_epoch(partition_log)) if image is None
                 else image.partitions.get(topic_partition) or _NOWHERE)
        if (partition_log is None or partition_log.is_offline()
                or image is not None and not image.is_alive(state.leader)):
            return state._replace(leader=_NO_LEADER)
        return state

    def _maybe_filter_alive_replicas(self, brokers: Iterable[int], listener_name: ListenerName,
                                     filter_unavailable_endpoints: bool) -> list[int]:
        """Return ``brokers``; with the filter, without those that the listener's clients cannot reach.

        :origin: kafka.server.metadata.KRaftMetadataCache#maybeFilterAliveReplicas
        """
        if not filter_unavailable_endpoints:
            return list(brokers)
        return [broker_id for broker_id in brokers
                if (broker := self._broker(broker_id)) is not None and not broker.is_fenced
                and listener_name.value() in broker.nodes]

    def current_image(self) -> ClusterImage | None:
        """Return the image, None for a node of its own.

        :origin: kafka.server.metadata.KRaftMetadataCache#currentImage
        """
        return self._current_image

    def _get_partition_metadata(
        self, topic: Topic, listener_name: ListenerName, error_unavailable_endpoints: bool,
        error_unavailable_listeners: bool,
    ) -> list[MetadataResponseData.MetadataResponsePartition]:
        """:origin: kafka.server.metadata.KRaftMetadataCache#getPartitionMetadata"""
        result = []
        for topic_partition in topic.partitions():
            partition = self._partition(topic_partition)
            filtered_replicas = self._maybe_filter_alive_replicas(
                partition.replicas, listener_name, error_unavailable_endpoints)
            filtered_isr = self._maybe_filter_alive_replicas(
                partition.isr, listener_name, error_unavailable_endpoints)
            leader = self._get_alive_endpoint(partition.leader, listener_name)
            error = Errors.NONE
            if leader is None:
                if self._broker(partition.leader) is None:
                    self.debug("error while fetching metadata for %s: leader not available", topic_partition)
                    error = Errors.LEADER_NOT_AVAILABLE
                else:
                    self.debug("error while fetching metadata for %s: listener %s not found on leader %d",
                               topic_partition, listener_name, partition.leader)
                    error = (Errors.LISTENER_NOT_FOUND if error_unavailable_listeners
                             else Errors.LEADER_NOT_AVAILABLE)
            elif (len(filtered_replicas) < len(partition.replicas)
                    or len(filtered_isr) < len(partition.isr)):
                self.debug("error while fetching metadata for %s: not all replicas can be reached",
                           topic_partition)
                error = Errors.REPLICA_NOT_AVAILABLE
            result.append(MetadataResponseData.MetadataResponsePartition(
                error_code=error.code,
                partition_index=topic_partition.partition(),
                leader_id=_NO_LEADER if leader is None else leader.id(),
                leader_epoch=partition.leader_epoch,
                replica_nodes=filtered_replicas,
                isr_nodes=filtered_isr,
                offline_replicas=self._get_offline_replicas(topic_partition, partition, listener_name)))
        return result

    def _get_partition_metadata_for_describe_topic_response(
        self, topic: Topic, listener_name: ListenerName, start_index: int, max_count: int,
    ) -> tuple[list[DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition], int]:
        """Return partitions from ``start_index`` on, and the next index; -1 if there are no more.

        :origin: kafka.server.metadata.KRaftMetadataCache#getPartitionMetadataForDescribeTopicResponse
        """
        upper_index = min(topic.num_partitions, start_index + max_count)
        next_index = upper_index if upper_index < topic.num_partitions else -1
        result = []
        for topic_partition in topic.partitions()[start_index:upper_index]:
            partition = self._partition(topic_partition)
            leader = self._get_alive_endpoint(partition.leader, listener_name)
            result.append(DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition(
                partition_index=topic_partition.partition(),
                leader_id=_NO_LEADER if leader is None else leader.id(),
                leader_epoch=partition.leader_epoch,
                replica_nodes=self._maybe_filter_alive_replicas(partition.replicas, listener_name, False),
                isr_nodes=self._maybe_filter_alive_replicas(partition.isr, listener_name, False),
                offline_replicas=self._get_offline_replicas(topic_partition, partition, listener_name),
                eligible_leader_replicas=[],
                last_known_elr=[]))
        return result, next_index

    def _get_offline_replicas(self, topic_partition: TopicPartition, partition: PartitionState,
                              listener_name: ListenerName) -> list[int]:
        """:origin: kafka.server.metadata.KRaftMetadataCache#getOfflineReplicas"""
        return [broker_id for broker_id in partition.replicas
                if (broker := self._broker(broker_id)) is None
                or self._is_replica_offline(topic_partition, listener_name, broker)]

    def _is_replica_offline(self, topic_partition: TopicPartition, listener_name: ListenerName,
                            broker: ClusterBroker) -> bool:
        """:origin: kafka.server.metadata.KRaftMetadataCache#isReplicaOffline"""
        return (broker.is_fenced or listener_name.value() not in broker.nodes
                or self._is_replica_in_offline_dir(topic_partition))

    def _is_replica_in_offline_dir(self, topic_partition: TopicPartition) -> bool:
        """:origin: kafka.server.metadata.KRaftMetadataCache#isReplicaInOfflineDir"""
        partition_log = self._log_of(topic_partition)
        return partition_log is None or partition_log.is_offline()

    def _get_alive_endpoint(self, broker_id: int, listener_name: ListenerName) -> Node | None:
        """Return a broker's node for clients of a listener, or None.

        :origin: kafka.server.metadata.KRaftMetadataCache#getAliveEndpoint
        """
        broker = self._broker(broker_id)
        return None if broker is None else broker.nodes.get(listener_name.value())

    def get_topic_metadata(
        self, topics: Iterable[str], listener_name: ListenerName, error_unavailable_endpoints: bool = False,
        error_unavailable_listeners: bool = False,
    ) -> list[MetadataResponseData.MetadataResponseTopic]:
        """Return the existing ones of ``topics``, as clients of a listener see them.

        ``error_unavailable_endpoints`` leaves out nodes that the clients cannot reach, as for Metadata
        version 0. Without ``error_unavailable_listeners``, an unreachable leader counts as no leader, as up
        to version 5.

        :origin: kafka.server.MetadataCache#getTopicMetadata
        """
        result = []
        for name in topics:
            topic = self._topics.topic(name)
            if topic is not None:
                result.append(MetadataResponseData.MetadataResponseTopic(
                    error_code=Errors.NONE.code,
                    name=name,
                    topic_id=topic.topic_id,
                    is_internal=TopicNames.is_internal(name),
                    partitions=self._get_partition_metadata(
                        topic, listener_name, error_unavailable_endpoints, error_unavailable_listeners)))
        return result

    def get_topic_metadata_for_describe_topic_response(
        self, topics: Iterable[str], listener_name: ListenerName,
        topic_partition_start_index: Callable[[str], int], maximum_number_of_partitions: int,
        ignore_topics_with_exceptions: bool,
    ) -> DescribeTopicPartitionsResponseData:
        """Return up to ``maximum_number_of_partitions`` of ``topics``, and the cursor of the next one.

        The response names missing topics too, unless ``ignore_topics_with_exceptions``.

        :origin: kafka.server.metadata.KRaftMetadataCache#getTopicMetadataForDescribeTopicResponse
        """
        remaining = maximum_number_of_partitions
        result = DescribeTopicPartitionsResponseData()
        for topic_name in topics:
            if remaining <= 0:
                # The cursor's topic may be deleted, or may never have existed, when the client sends the
                # cursor.
                result.next_cursor = DescribeTopicPartitionsResponseData.Cursor(
                    topic_name=topic_name, partition_index=0)
                break
            topic = self._topics.topic(topic_name)
            if topic is not None:
                partitions, next_partition = self._get_partition_metadata_for_describe_topic_response(
                    topic, listener_name, topic_partition_start_index(topic_name), remaining)
                result.topics.append(DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic(
                    error_code=Errors.NONE.code, name=topic_name, topic_id=topic.topic_id,
                    is_internal=TopicNames.is_internal(topic_name), partitions=partitions))
                if next_partition != -1:
                    result.next_cursor = DescribeTopicPartitionsResponseData.Cursor(
                        topic_name=topic_name, partition_index=next_partition)
                    break
                remaining -= len(partitions)
            elif not ignore_topics_with_exceptions:
                try:
                    TopicNames.validate(topic_name)
                    error = Errors.UNKNOWN_TOPIC_OR_PARTITION
                except InvalidTopicException:
                    error = Errors.INVALID_TOPIC_EXCEPTION
                result.topics.append(DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic(
                    error_code=error.code, name=topic_name, topic_id=self.get_topic_id(topic_name),
                    is_internal=TopicNames.is_internal(topic_name)))
        return result

    def get_all_topics(self) -> Collection[str]:
        """Return the names of all topics.

        :origin: kafka.server.MetadataCache#getAllTopics
        """
        return self._topics.topics().keys()

    def get_topic_partitions(self, topic_name: str) -> set[TopicPartition]:
        """Return the partitions of a topic, none for an unknown topic.

        :origin: kafka.server.MetadataCache#getTopicPartitions
        """
        topic = self._topics.topic(topic_name)
        return set() if topic is None else set(topic.partitions())

    def has_alive_broker(self, broker_id: int) -> bool:
        """Return whether a node is registered and not fenced.

        :origin: kafka.server.MetadataCache#hasAliveBroker
        """
        broker = self._broker(broker_id)
        return broker is not None and not broker.is_fenced

    def get_alive_brokers(self) -> list[int]:
        """Return the ids of all nodes that are not fenced.

        :origin: kafka.server.MetadataCache#getAliveBrokers
        """
        return [broker.id for broker in self._brokers() if not broker.is_fenced]

    def get_topic_id(self, topic_name: str) -> Uuid:
        """Return a topic's id, the zero id for an unknown topic.

        :origin: kafka.server.MetadataCache#getTopicId
        """
        topic = self._topics.topic(topic_name)
        return Uuid.ZERO_UUID if topic is None else topic.topic_id

    def get_topic_name(self, topic_id: Uuid) -> str | None:
        """Return a topic's name, or None.

        :origin: kafka.server.MetadataCache#getTopicName
        """
        return self._topic_names.get(topic_id)

    def get_alive_broker_node(self, broker_id: int, listener_name: ListenerName) -> Node | None:
        """Return a broker's node for clients of a listener, or None.

        :origin: kafka.server.MetadataCache#getAliveBrokerNode
        """
        broker = self._broker(broker_id)
        return None if broker is None or broker.is_fenced else broker.nodes.get(listener_name.value())

    def get_alive_broker_nodes(self, listener_name: ListenerName) -> list[Node]:
        """Return the nodes of all brokers that clients of a listener can reach.

        :origin: kafka.server.MetadataCache#getAliveBrokerNodes
        """
        return [broker.nodes[listener_name.value()] for broker in self._brokers()
                if not broker.is_fenced and listener_name.value() in broker.nodes]

    def get_partition_info(
        self, topic: str, partition_id: int,
    ) -> UpdateMetadataRequestData.UpdateMetadataPartitionState | None:
        """Return the leader of a partition and its epoch; None for an unknown partition.

        :origin: kafka.server.MetadataCache#getPartitionInfo
        """
        topic_partition = TopicPartition(topic, partition_id)
        if not self.contains_partition(topic_partition):
            return None
        partition = self._partition(topic_partition)
        return UpdateMetadataRequestData.UpdateMetadataPartitionState(
            topic_name=topic,
            partition_index=partition_id,
            controller_epoch=-1,
            leader=partition.leader,
            leader_epoch=partition.leader_epoch,
            isr=list(partition.isr),
            zk_version=partition.partition_epoch,
            replicas=list(partition.replicas))

    def metadata_image(self, rack: str | None) -> MetadataImage:
        """Return the current topics for the group coordinator; ``rack`` is this node's rack."""
        images = []
        for topic in self.get_all_topics():
            num_partitions = self.num_partitions(topic)
            if num_partitions is not None:
                replicas = (self._broker_id,)
                images.append(TopicImage(
                    topic, self.get_topic_id(topic), dict.fromkeys(range(num_partitions), replicas)))
        return MetadataImage(TopicsImage(images), {} if rack is None else {self._broker_id: rack})

    def num_partitions(self, topic: str) -> int | None:
        """Return the number of partitions of a topic, None for an unknown topic.

        :origin: kafka.server.MetadataCache#numPartitions
        """
        found = self._topics.topic(topic)
        return None if found is None else found.num_partitions

    def topic_ids_to_names(self) -> Mapping[Uuid, str]:
        """Return a live view of topic names by id.

        :origin: kafka.server.MetadataCache#topicIdsToNames
        """
        return self._topic_names

    def get_partition_leader_endpoint(self, topic: str, partition_id: int,
                                      listener_name: ListenerName) -> Node | None:
        """Return the node of a partition's leader for clients of a listener.

        Returns None for an unknown partition, and no node for an unreachable leader.

        :origin: kafka.server.MetadataCache#getPartitionLeaderEndpoint
        """
        info = self.get_partition_info(topic, partition_id)
        if info is None:
            return None
        return self._get_alive_endpoint(info.leader, listener_name) or Node.no_node()

    def get_partition_replica_endpoints(self, tp: TopicPartition,
                                        listener_name: ListenerName) -> dict[int, Node]:
        """Return the nodes of a partition's replicas for clients of a listener, by broker id.

        :origin: kafka.server.MetadataCache#getPartitionReplicaEndpoints
        """
        partition = self._partition(tp)
        return {broker_id: node for broker_id in partition.replicas
                if (broker := self._broker(broker_id)) is not None and not broker.is_fenced
                and (node := broker.nodes.get(listener_name.value())) is not None}

    def get_controller_id(self) -> int | None:
        """Return the broker that takes requests for the controller: any broker.

        :origin: kafka.server.MetadataCache#getControllerId
        """
        return self.get_random_alive_broker_id()

    def contains(self, topic: str) -> bool:
        """Return whether the topic exists.

        :origin: kafka.server.MetadataCache#contains(String)
        """
        return topic in self._topics.topics()

    def contains_partition(self, tp: TopicPartition) -> bool:
        """Return whether the partition exists.

        :origin: kafka.server.MetadataCache#contains(TopicPartition)
        """
        topic = self._topics.topic(tp.topic())
        return topic is not None and 0 <= tp.partition() < topic.num_partitions

    def get_random_alive_broker_id(self) -> int | None:
        """Return one of the unfenced nodes, None if all are fenced.

        :origin: kafka.server.MetadataCache#getRandomAliveBrokerId
        """
        alive = self.get_alive_brokers()
        return RANDOM.choice(alive) if alive else None

    def set_image(self, image: ClusterImage) -> None:
        """Answer by ``image`` from now on.

        :origin: kafka.server.metadata.KRaftMetadataCache#setImage
        """
        self._current_image = image

    def config(self, config_resource: ConfigResource) -> dict[str, str]:
        """Return the settings of a topic, of one broker or all, or of a client metrics subscription.

        :origin: kafka.server.metadata.KRaftMetadataCache#config
        """
        if config_resource.type() is ConfigResource.Type.TOPIC:
            topic = self._topics.topic(config_resource.name())
            return {} if topic is None else dict(topic.configs)
        return {} if self._configs is None else dict(self._configs.config(config_resource))

    def describe_client_quotas(
        self, request: DescribeClientQuotasRequestData,
    ) -> DescribeClientQuotasResponseData:
        """Return the quotas that match. Raises InvalidRequestException or UnsupportedVersionException for an
        unsupported filter.

        :origin: kafka.server.metadata.KRaftMetadataCache#describeClientQuotas
        """
        quotas = {} if self._client_quotas is None else self._client_quotas.quotas()
        return ClientQuotasImage(quotas).describe(request)

    def describe_scram_credentials(
        self, request: DescribeUserScramCredentialsRequestData,
    ) -> DescribeUserScramCredentialsResponseData:
        """Return the SCRAM credentials of the requested users.

        :origin: kafka.server.metadata.KRaftMetadataCache#describeScramCredentials
        """
        credentials = {} if self._scram_credentials is None else self._scram_credentials.credentials()
        return ScramImage(credentials).describe(request)


def _leader_epoch(partition_log: UnifiedLog | None) -> int:
    return 0 if partition_log is None else partition_log.latest_epoch() or 0

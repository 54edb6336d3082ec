# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The protocols through which the port reaches the stored metadata. Not a port.

Kafka's controllers write records to a metadata log, and its brokers read images that the log makes. Here both
ask for one of these protocols in their constructors. ``kreactor.embedded`` implements them on JSON files, and
its BrokerServer hands the implementations in. Nothing below ``kreactor.embedded`` imports it.

Any thread may call any method. Returned mappings never change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, Protocol

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import ApiException
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.image.cluster_image import ClusterImage, PartitionState

# The new values of quotas, by their keys; None removes a quota.
QuotaChanges = Mapping[str, float | None]
# A mechanism, and a user's name.
ScramCredentialKey = tuple[ScramMechanism, str]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic. Immutable; ``configs`` are its own settings only, by Kafka's names."""

    name: str
    topic_id: Uuid
    num_partitions: int
    configs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def partitions(self) -> list[TopicPartition]:
        """Return the topic's partitions in order."""
        return [TopicPartition(self.name, partition) for partition in range(self.num_partitions)]


class NewTopic(NamedTuple):
    """A topic to be created. Immutable."""

    name: str
    num_partitions: int
    configs: Mapping[str, str]


class StoredTopics(Protocol):
    """The stored topics."""

    def topics(self) -> Mapping[str, Topic]:
        """Return all topics by name."""

    def topic(self, name: str) -> Topic | None:
        """Return a topic, or None."""

    def topic_by_id(self, topic_id: Uuid) -> Topic | None:
        """Return the topic with an id, or None."""


class StoredConfigs(Protocol):
    """The dynamic settings of brokers and of client metrics subscriptions."""

    def config(self, resource: ConfigResource) -> Mapping[str, str]:
        """Return the settings of a resource, possibly none."""

    def names(self, resource_type: ConfigResource.Type) -> list[str]:
        """Return the sorted names of all resources of a type that have settings."""

    def replace_all(self, changes: Mapping[ConfigResource, Mapping[str, str]]) -> None:
        """Replace all settings of each resource durably, with one write.

        Raises KafkaStorageException; then nothing has changed.
        """


class StoredAcls(Protocol):
    """The access control lists."""

    def acls(self) -> Mapping[Uuid, AclBinding]:
        """Return all bindings by id, in the order of their creation."""

    def replace(self, acls: Mapping[Uuid, AclBinding]) -> None:
        """Replace all bindings durably. Raises KafkaStorageException; then nothing has changed."""


class StoredClientQuotas(Protocol):
    """The quotas of users, clients and addresses."""

    def quotas(self) -> Mapping[ClientQuotaEntity, Mapping[str, float]]:
        """Return all quotas, by entity and by key."""

    def update(self, changes: Mapping[ClientQuotaEntity, QuotaChanges]) -> None:
        """Set and remove quotas durably. Raises KafkaStorageException; then nothing has changed."""


class StoredScramCredentials(Protocol):
    """The SCRAM credentials of users."""

    def credentials(self) -> Mapping[ScramCredentialKey, ScramCredential]:
        """Return all credentials, by mechanism and user."""

    def alter(self, removed: Collection[ScramCredentialKey],
              changed: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        """Remove and set credentials durably. Raises KafkaStorageException; then nothing has changed."""


class NodeStorage(Protocol):
    """The topics with their logs, and the settings."""

    def topics(self) -> StoredTopics:
        """Return the topics."""

    def configs(self) -> StoredConfigs:
        """Return the dynamic settings of all resources except topics."""

    def changes(self) -> int:
        """Return the number of changes of topics, settings, quotas and users since the folder was made."""

    def create_topics(self, new_topics: Sequence[NewTopic]) -> Sequence[Topic | ApiException]:
        """Create topics and their logs durably. Returns each topic, or its error."""

    def add_partitions(self, counts: Mapping[str, int]) -> Mapping[str, Topic | ApiException]:
        """Raise the numbers of partitions of topics durably, with one write.

        Returns by name each topic, or its error: UnknownTopicOrPartitionException or KafkaStorageException.
        """

    def alter_topic_configs(self, changes: Mapping[str, Mapping[str, str]],
                            ) -> Mapping[str, Topic | ApiException]:
        """Replace the own settings of topics durably, with one write, and have their logs apply them.

        Returns by name each topic, or its error: UnknownTopicOrPartitionException,
        InvalidConfigurationException or KafkaStorageException.
        """

    def delete_topics(self, names: Collection[str]) -> Mapping[str, Topic | ApiException]:
        """Delete topics durably; their files are deleted later. Returns by name each topic, or its error."""


class ClusterReplication(Protocol):
    """The leaders and replicas of all partitions of a cluster. A broker without a cluster has none."""

    def image(self) -> ClusterImage:
        """Return the current image of the cluster."""

    def state(self, partition: TopicPartition) -> PartitionState:
        """Return a partition's state. Raises UnknownTopicOrPartitionException."""

    def unregister(self, broker_id: int) -> None:
        """Remove a fenced broker. Raises InvalidRequestException for an unfenced one."""

    def create_partitions(self, replicas: Mapping[TopicPartition, Sequence[int]]) -> None:
        """Elect leaders of partitions whose logs exist. Raises InvalidReplicaAssignmentException."""

    def delete_partitions(self, partitions: Collection[TopicPartition]) -> None:
        """Remove partitions whose logs are deleted."""

    def elect_all(self, partitions: Collection[TopicPartition],
                  unclean: bool) -> Mapping[TopicPartition, ApiException]:
        """Elect the first replica of each partition, with one write of the replicas.

        If ``unclean``, elect any live replica of each partition without a leader. Returns by partition the
        exception that says why no replica was elected.
        """

    def reassign_all(self, targets: Mapping[TopicPartition, Sequence[int] | None],
                     ) -> Mapping[TopicPartition, ApiException]:
        """Move partitions to other brokers, with one write of the replicas; None cancels an incomplete move.

        Returns by partition UnknownTopicOrPartitionException, InvalidReplicaAssignmentException,
        NoReassignmentInProgressException or KafkaStorageException.
        """

    def reassignments(self) -> Mapping[TopicPartition, PartitionState]:
        """Return the partitions with an incomplete reassignment."""

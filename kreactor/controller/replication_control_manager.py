# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ReplicationControlManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Creates and deletes topics and partitions, with the errors of Kafka's controller.

Kafka's controller writes records to a log that brokers follow. Here the node's storage is changed, and the
replica manager is notified. As in Kafka, a request writes its changes together. A topic whose logs cannot be
made fails alone; in Kafka a request changes everything or nothing.

Locks: ``_lock`` admits one change at a time, so that the storage and the replica manager see the changes of a
topic's name in the same order. It is held while the file is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.election_type import ElectionType
from kreactor.common.errors import (
    ApiException,
    BrokerIdNotRegisteredException,
    InvalidPartitionsException,
    InvalidReplicaAssignmentException,
    InvalidReplicationFactorException,
    InvalidRequestException,
    InvalidTopicException,
    NoReassignmentInProgressException,
    PolicyViolationException,
    ThrottlingQuotaExceededException,
    UnknownTopicIdException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.internals.topic import Topic
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.alter_partition_reassignments_response_data import (
    AlterPartitionReassignmentsResponseData,
)
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_partitions_response_data import CreatePartitionsResponseData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.elect_leaders_response_data import ElectLeadersResponseData
from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.list_partition_reassignments_response_data import (
    ListPartitionReassignmentsResponseData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.controller.configuration_control_manager import ConfigurationControlManager
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.controller.user_op import UserOpRecords
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata.broker_metadata_publisher import BrokerMetadataPublisher
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.random_numbers import RANDOM, Random
from kreactor.metadata.node_storage import ClusterReplication, NewTopic, NodeStorage
from kreactor.metadata.node_storage import Topic as StoredTopic
from kreactor.metadata.placement.placement_spec import PlacementSpec
from kreactor.metadata.placement.replica_placer import ReplicaPlacer
from kreactor.metadata.placement.striped_replica_placer import StripedReplicaPlacer
from kreactor.metadata.placement.usable_broker import UsableBroker

CreatableTopic = CreateTopicsRequestData.CreatableTopic
CreatableTopicResult = CreateTopicsResponseData.CreatableTopicResult
ListPartitionReassignmentsTopics = ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics
CreatePartitionsTopic = CreatePartitionsRequestData.CreatePartitionsTopic


def _without_last(topic: CreatePartitionsTopic, number: int) -> CreatePartitionsTopic:
    """Return the request for a topic without the last of its new partitions."""
    assignments = None if topic.assignments is None else topic.assignments[:-number]
    return CreatePartitionsTopic(name=topic.name, count=topic.count - number, assignments=assignments)


log = LogContext("[ReplicationControlManager] ").logger(f"{__name__}.ReplicationControlManager")


class ReplicationControlManager:
    """For use by any thread.

    :origin: controller.ReplicationControlManager
    """

    class KRaftClusterDescriber:
        """The registered brokers.

        :origin: controller.ReplicationControlManager.KRaftClusterDescriber
        """

        __slots__ = ("_replication_control",)

        def __init__(self, replication_control: ReplicationControlManager) -> None:
            self._replication_control = replication_control

        def usable_brokers(self) -> Iterator[UsableBroker]:
            """:origin: controller.ReplicationControlManager.KRaftClusterDescriber#usableBrokers()"""
            replication = self._replication_control._replication
            if replication is None:
                config = self._replication_control._config
                yield UsableBroker(config.broker_id(), config.rack(), False)
            else:
                for broker in replication.image().brokers.values():
                    yield UsableBroker(broker.id, broker.rack, broker.is_fenced)

        def default_dir(self, broker_id: int) -> Uuid:
            """Return the id of an unchosen directory: a broker has one directory here.

            :origin: controller.ReplicationControlManager.KRaftClusterDescriber#defaultDir(int)
            """
            return Uuid.ZERO_UUID

    def __init__(self, config: KafkaConfig, storage: NodeStorage, replica_manager: ReplicaManager | None,
                 metadata_publisher: BrokerMetadataPublisher | None,
                 configuration_control: ConfigurationControlManager,
                 replication: ClusterReplication | None = None, random: Random = RANDOM) -> None:
        """With ``replication`` there are several brokers, and it notifies them.

        ``random`` picks the first broker of new partitions.

        Without ``replication``, ``replica_manager`` and ``metadata_publisher`` belong to the one broker.

        :origin: controller.ReplicationControlManager#ReplicationControlManager(SnapshotRegistry, LogContext, short, int, int, int, boolean, ConfigurationControlManager, ClusterControlManager, Optional<CreateTopicPolicy>, FeatureControlManager)
        """  # noqa: E501
        self._config = config
        self._storage = storage
        self._replica_manager = replica_manager
        self._metadata_publisher = metadata_publisher
        self._configuration_control = configuration_control
        self._replication = replication
        self._replica_placer: ReplicaPlacer = StripedReplicaPlacer(random)
        self._cluster_describer = self.KRaftClusterDescriber(self)
        self._lock = ReentrantLock()

    def create_topics(self, context: ControllerRequestContext, request: CreateTopicsRequestData,
                      describable: AbstractSet[str]) -> CreateTopicsResponseData:
        """Create topics, and return a result for each.

        ``describable`` returns the topics whose settings the client may see. Raises PolicyViolationException
        above the limit.

        :origin: controller.ReplicationControlManager#createTopics(ControllerRequestContext, CreateTopicsRequestData, Set<String>)
        """  # noqa: E501
        with self._lock:
            topic_errors: dict[str, ApiError] = {}
            existing = self._storage.topics().topics()
            self.validate_new_topic_names(topic_errors, request.topics, existing)

            for topic in request.topics:
                if topic.name in existing:
                    topic_errors[topic.name] = ApiError(
                        Errors.TOPIC_ALREADY_EXISTS, f"Topic '{topic.name}' already exists.")

            config_changes = self.compute_config_changes(topic_errors, request.topics)

            successes: dict[str, CreatableTopicResult] = {}
            to_create: list[NewTopic] = []
            placed: dict[str, list[tuple[int, ...]]] = {}
            records = UserOpRecords()
            for topic in request.topics:
                if topic.name in topic_errors:
                    continue
                creation_configs: Mapping[str, str] = config_changes.get(topic.name, {})
                error = self._configuration_control.validate_alter_config(
                    ConfigResource(ConfigResource.Type.TOPIC, topic.name), creation_configs, True)
                if error.is_failure():
                    topic_errors[topic.name] = error
                    continue
                try:
                    error = self._create_topic(
                        context, topic, records, creation_configs, successes, topic.name in describable,
                        to_create, placed)
                except PolicyViolationException:
                    raise
                except ApiException as e:
                    error = ApiError.from_throwable(e)
                if error.is_failure():
                    topic_errors[topic.name] = error

            if not request.validate_only:
                created: list[TopicPartition] = []
                for new, result in zip(to_create, self._storage.create_topics(to_create)):
                    if isinstance(result, ApiException):
                        topic_errors[new.name] = ApiError.from_throwable(result)
                    else:
                        created += result.partitions()
                        successes[new.name].topic_id = result.topic_id
                self._publish_new(created, placed)

            data = CreateTopicsResponseData()
            for topic in request.topics:
                topic_error = topic_errors.get(topic.name)
                if topic_error is not None:
                    data.topics.append(CreatableTopicResult(
                        name=topic.name, error_code=topic_error.error().code,
                        error_message=topic_error.message()))
                else:
                    data.topics.append(successes[topic.name])
            log.info("%sCreateTopics result(s): %s", "validate-only " if request.validate_only else "",
                     [f"{result.name}: {Errors.for_code(result.error_code)}" for result in data.topics])
            return data

    def _publish_new(self, created: Sequence[TopicPartition],
                     placed: Mapping[str, Sequence[tuple[int, ...]]],
                     first: Mapping[str, int] = MappingProxyType({})) -> None:
        """Notify of partitions whose logs exist.

        ``placed`` has the replicas of each topic's partitions from number ``first`` on, by default 0.
        """
        if self._metadata_publisher is not None:
            self._metadata_publisher.on_metadata_update(changed=created)
        elif self._replication is not None:
            self._replication.create_partitions({
                partition: placed[partition.topic()][partition.partition() - first.get(partition.topic(), 0)]
                for partition in created})

    def _registered(self) -> Collection[int]:
        return ((self._config.broker_id(),) if self._replication is None
                else self._replication.image().brokers.keys())

    def place(self, start_partition: int, num_partitions: int,
              replication_factor: int) -> list[tuple[int, ...]]:
        """Return replicas for new partitions. Raises InvalidReplicationFactorException. Not in Kafka."""
        with self._lock:
            assignment = self._replica_placer.place(
                PlacementSpec(start_partition, num_partitions, replication_factor), self._cluster_describer)
        return [tuple(each.replicas()) for each in assignment.assignments()]

    def _create_topic(
        self, context: ControllerRequestContext, topic: CreatableTopic, records: UserOpRecords,
        creation_configs: Mapping[str, str], successes: dict[str, CreatableTopicResult],
        authorized_to_return_configs: bool, to_create: list[NewTopic],
        placed: dict[str, list[tuple[int, ...]]],
    ) -> ApiError:
        """Check one topic; if it is valid, put it into ``to_create``, and its result into ``successes``.

        The replicas of its partitions are put into ``placed``. Raises PolicyViolationException if ``records``
        has no room for the topic.

        :origin: controller.ReplicationControlManager#createTopic(ControllerRequestContext, CreatableTopic, List<ApiMessageAndVersion>, Map<String,CreatableTopicResult>, List<ApiMessageAndVersion>, boolean)
        """  # noqa: E501
        assigned: list[tuple[int, ...]] | None
        replication_factor: int | None
        if topic.assignments:
            if topic.replication_factor != -1:
                return ApiError(Errors.INVALID_REQUEST,
                                "A manual partition assignment was specified, but replication "
                                "factor was not set to -1.")
            if topic.num_partitions != -1:
                return ApiError(Errors.INVALID_REQUEST,
                                "A manual partition assignment was specified, but numPartitions "
                                "was not set to -1.")
            new_parts: set[int] = set()
            replication_factor = None
            for assignment in topic.assignments:
                if assignment.partition_index in new_parts:
                    return ApiError(Errors.INVALID_REPLICA_ASSIGNMENT,
                                    "Found multiple manual partition assignments for partition "
                                    f"{assignment.partition_index}")
                self.validate_manual_partition_assignment(assignment.broker_ids, replication_factor)
                replication_factor = len(assignment.broker_ids)
                new_parts.add(assignment.partition_index)
                self._check_some_alive(assignment.partition_index, assignment.broker_ids)
            if new_parts != set(range(len(new_parts))):
                return ApiError(Errors.INVALID_REPLICA_ASSIGNMENT,
                                "partitions should be a consecutive 0-based integer sequence")
            num_partitions = len(new_parts)
            assigned = [tuple(assignment.broker_ids) for assignment in sorted(
                topic.assignments, key=lambda each: each.partition_index)]
        elif topic.replication_factor < -1 or topic.replication_factor == 0:
            return ApiError(Errors.INVALID_REPLICATION_FACTOR,
                            "Replication factor must be larger than 0, or -1 to use the default value.")
        elif topic.num_partitions < -1 or topic.num_partitions == 0:
            return ApiError(Errors.INVALID_PARTITIONS,
                            "Number of partitions was set to an invalid non-positive value.")
        else:
            num_partitions = (self._config.num_partitions() if topic.num_partitions == -1
                              else topic.num_partitions)
            replication_factor = (self._config.default_replication_factor() if topic.replication_factor == -1
                                  else topic.replication_factor)
            assigned = None
            try:
                # DEVIATION D470: only the checks; the partitions are placed when the limit allows them.
                self.place(0, 0, replication_factor)
            except InvalidReplicationFactorException as e:
                return ApiError(Errors.INVALID_REPLICATION_FACTOR,
                                f"Unable to replicate the partition {replication_factor} time(s): "
                                f"{e.get_message()}")
        try:
            context.apply_partition_change_quota(num_partitions)
        except ThrottlingQuotaExceededException as e:
            log.debug("topic creation of %d partitions not allowed because the quota is violated",
                      num_partitions)
            return ApiError.from_throwable(e)
        records.add(1 + len(creation_configs) + num_partitions)
        if assigned is None:
            assert replication_factor is not None, "set where no replicas are assigned"
            assigned = self.place(0, num_partitions, replication_factor)
        placed[topic.name] = assigned
        # The id is replaced by the topic's own when the topic exists.
        result = CreatableTopicResult(name=topic.name, topic_id=Uuid.random_uuid(),
                                      error_code=Errors.NONE.code, error_message=None)
        if authorized_to_return_configs:
            effective_config = self._configuration_control.compute_effective_topic_configs(creation_configs)
            for _, entry in sorted(effective_config.items()):
                assert result.configs is not None, "a new result has a list"
                result.configs.append(CreateTopicsResponseData.CreatableTopicConfigs(
                    name=entry.name,
                    value=None if entry.is_sensitive else entry.value,
                    read_only=entry.is_read_only,
                    config_source=entry.source.id(),
                    is_sensitive=entry.is_sensitive))
            result.num_partitions = num_partitions
            result.replication_factor = len(assigned[0])
            result.topic_config_error_code = Errors.NONE.code
        else:
            result.topic_config_error_code = Errors.TOPIC_AUTHORIZATION_FAILED.code
        successes[topic.name] = result
        to_create.append(NewTopic(topic.name, num_partitions, creation_configs))
        return ApiError.NONE

    @staticmethod
    def validate_new_topic_names(topic_errors: dict[str, ApiError], topics: Iterable[CreatableTopic],
                                 existing: Collection[str]) -> None:
        """Put the errors of invalid names into ``topic_errors``. Names of one request may collide.

        :origin: controller.ReplicationControlManager#validateNewTopicNames(Map<String,ApiError>, CreatableTopicCollection, Map<String,?>)
        """  # noqa: E501
        colliding = {Topic.unify_collision_chars(name): name for name in existing
                     if Topic.has_collision_chars(name)}
        for topic in topics:
            name = topic.name
            if name in topic_errors:
                continue
            try:
                Topic.validate(name)
            except InvalidTopicException as e:
                topic_errors[name] = ApiError(Errors.INVALID_TOPIC_EXCEPTION, e.get_message())
            if Topic.has_collision_chars(name):
                other = colliding.get(Topic.unify_collision_chars(name))
                if other is not None:
                    topic_errors[name] = ApiError(
                        Errors.INVALID_TOPIC_EXCEPTION,
                        f"Topic '{name}' collides with existing topic: {other}")

    @staticmethod
    def compute_config_changes(topic_errors: dict[str, ApiError],
                               topics: Iterable[CreatableTopic]) -> dict[str, dict[str, str]]:
        """Return the settings of each topic that has any; put settings without a value into ``topic_errors``.

        :origin: controller.ReplicationControlManager#computeConfigChanges(Map<String,ApiError>, CreatableTopicCollection)
        """  # noqa: E501
        config_changes: dict[str, dict[str, str]] = {}
        for topic in topics:
            if topic.name in topic_errors:
                continue
            topic_configs: dict[str, str] = {}
            null_configs: list[str] = []
            for config in topic.configs:
                if config.value is None:
                    null_configs.append(config.name)
                else:
                    topic_configs[config.name] = config.value
            if null_configs:
                topic_errors[topic.name] = ApiError(
                    Errors.INVALID_CONFIG,
                    f"Null value not supported for topic configs: {','.join(null_configs)}")
            elif topic_configs:
                config_changes[topic.name] = topic_configs
        return config_changes

    def metadata_changes(self) -> int:
        """Return the number of changes of topics and settings, as a replacement of the metadata log's
        offset."""
        return self._storage.changes()

    def find_topic_ids(self, names: Iterable[str]) -> dict[str, Uuid | ApiError]:
        """Return the ids of topics, or the errors of unknown names.

        :origin: controller.ReplicationControlManager#findTopicIds(long, Collection<String>)
        """
        results: dict[str, Uuid | ApiError] = {}
        for name in names:
            topic = self._storage.topics().topic(name)
            results[name] = (ApiError.of(Errors.UNKNOWN_TOPIC_OR_PARTITION) if topic is None
                             else topic.topic_id)
        return results

    def find_topic_names(self, ids: Iterable[Uuid]) -> dict[Uuid, str | ApiError]:
        """Return the names of topics, or the errors of unknown ids.

        :origin: controller.ReplicationControlManager#findTopicNames(long, Collection<Uuid>)
        """
        results: dict[Uuid, str | ApiError] = {}
        for id_ in ids:
            if id_ == Uuid.ZERO_UUID:
                results[id_] = ApiError(Errors.INVALID_REQUEST,
                                        f"Attempt to find topic with invalid topicId {id_}")
            else:
                topic = self._storage.topics().topic_by_id(id_)
                results[id_] = ApiError.of(Errors.UNKNOWN_TOPIC_ID) if topic is None else topic.name
        return results

    def delete_topics(self, context: ControllerRequestContext, ids: Collection[Uuid]) -> dict[Uuid, ApiError]:
        """Delete topics, and return a result for each.

        :origin: controller.ReplicationControlManager#deleteTopics(ControllerRequestContext, Collection<Uuid>)
        """  # noqa: E501
        # DEVIATION D471: any number of topics; see _check_room.
        results: dict[Uuid, ApiError] = {}
        topics: dict[Uuid, StoredTopic] = {}
        with self._lock:
            for id_ in ids:
                try:
                    self._delete_topic(context, id_, topics)
                    results[id_] = ApiError.NONE
                except ApiException as e:
                    results[id_] = ApiError.from_throwable(e)
                except Exception as e:
                    log.error("unexpected error while deleting topic %s", id_, exc=e)
                    results[id_] = ApiError.from_throwable(e)
            results.update(self._write_deletions(topics))
        return results

    def _write_deletions(self, topics: Mapping[Uuid, StoredTopic]) -> dict[Uuid, ApiError]:
        """Return the errors of topics that could not be deleted. A part of Kafka's ``deleteTopics``, which
        also writes once."""
        try:
            written = self._storage.delete_topics([topic.name for topic in topics.values()])
            failed = {id_: ApiError.from_throwable(result) for id_, topic in topics.items()
                      if isinstance(result := written[topic.name], ApiException)}
        except Exception as e:
            log.error("unexpected error while deleting topics", exc=e)
            failed = dict.fromkeys(topics, ApiError.from_throwable(e))
        # Notified even if the logs could not be dropped, because the topics no longer exist.
        deleted = [partition for id_, topic in topics.items()
                   if self._storage.topics().topic_by_id(id_) is None for partition in topic.partitions()]
        if deleted:
            if self._metadata_publisher is not None:
                self._metadata_publisher.on_metadata_update(deleted=deleted)
            elif self._replication is not None:
                self._replication.delete_partitions(deleted)
        return failed

    def _delete_topic(self, context: ControllerRequestContext, id_: Uuid,
                      topics: dict[Uuid, StoredTopic]) -> None:
        """Add the topic to those that are deleted.

        Raises UnknownTopicIdException or ThrottlingQuotaExceededException.

        :origin: controller.ReplicationControlManager#deleteTopic(ControllerRequestContext, Uuid, List<ApiMessageAndVersion>)
        """  # noqa: E501
        topic = self._storage.topics().topic_by_id(id_)
        if topic is None:
            raise UnknownTopicIdException(Errors.UNKNOWN_TOPIC_ID.message())
        context.apply_partition_change_quota(topic.num_partitions)
        self._check_room(len(topics))
        topics[id_] = topic

    def _check_room(self, changes: int) -> None:
        """Raise KafkaException if one more change is above the limit of a request."""
        # DEVIATION D471: the origin, and kreactor.fidelity=strict, have that limit.
        if self._config.is_strict() and changes >= UserOpRecords().room():
            raise KafkaException("a request makes at most 10,000 changes")

    def elect_leaders(self, request: ElectLeadersRequestData) -> ElectLeadersResponseData:
        """Elect leaders where an election is needed and possible. Raises InvalidRequestException.

        :origin: controller.ReplicationControlManager#electLeaders(ElectLeadersRequestData)
        """
        election_type = self._election_type(request.election_type)
        # DEVIATION D471: any number of elections, also with kreactor.fidelity=strict.
        response = ElectLeadersResponseData()
        PartitionResult = ElectLeadersResponseData.PartitionResult
        if request.topic_partitions is None:
            wanted = [(topic.name, range(topic.num_partitions))
                      for topic in self._storage.topics().topics().values()]
        else:
            wanted = [(topic.topic, topic.partitions)  # type: ignore[misc]  # both give numbers
                      for topic in request.topic_partitions]
        errors = self._elect_leaders(wanted, election_type)
        for name, partitions in wanted:
            topic_results = ElectLeadersResponseData.ReplicaElectionResult(topic=name)
            response.replica_election_results.append(topic_results)
            for partition_id in partitions:
                error = errors[name, partition_id]
                # A request for all partitions gets only the results of needed elections.
                if request.topic_partitions is not None or not error.is_(Errors.ELECTION_NOT_NEEDED):
                    topic_results.partition_result.append(PartitionResult(
                        partition_id=partition_id, error_code=error.error().code,
                        error_message=error.message()))
        return response

    def _elect_leaders(self, wanted: Iterable[tuple[str, Iterable[int]]],
                       election_type: ElectionType) -> dict[tuple[str, int], ApiError]:
        """Elect leaders together; return the result of each topic and partition id."""
        errors: dict[tuple[str, int], ApiError] = {}
        to_elect: list[TopicPartition] = []
        for name, partitions in wanted:
            for partition_id in partitions:
                if (name, partition_id) not in errors:
                    errors[name, partition_id] = self._elect_leader(
                        name, partition_id, election_type, to_elect)
        if self._replication is not None:
            for partition, e in self._replication.elect_all(
                    to_elect, election_type is ElectionType.UNCLEAN).items():
                errors[partition.topic(), partition.partition()] = ApiError.from_throwable(e)
        return errors

    @staticmethod
    def _election_type(election_type: int) -> ElectionType:
        """
        :origin: controller.ReplicationControlManager#electionType(byte)
        """
        try:
            return ElectionType.value_of(election_type)
        except IllegalArgumentException:
            raise InvalidRequestException(f"Unknown election type {election_type}") from None

    def _elect_leader(self, topic: str, partition_id: int, election_type: ElectionType,
                      to_elect: list[TopicPartition]) -> ApiError:
        """Put a partition into ``to_elect``, or return the error. Without replication the broker leads, or the
        partition's log is broken.

        :origin: controller.ReplicationControlManager#electLeader(String, int, ElectionType, List<ApiMessageAndVersion>)
        """  # noqa: E501
        found = self._storage.topics().topic(topic)
        if found is None:
            return ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {topic}")
        if not 0 <= partition_id < found.num_partitions:
            return ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION, f"No such partition as {topic}-{partition_id}")
        if self._replication is not None:
            to_elect.append(TopicPartition(topic, partition_id))
            return ApiError.NONE
        assert self._replica_manager is not None, "the one broker's"
        if self._replica_manager.online_partition(TopicPartition(topic, partition_id)) is not None:
            return ApiError.of(Errors.ELECTION_NOT_NEEDED)
        return ApiError.of(Errors.PREFERRED_LEADER_NOT_AVAILABLE if election_type is ElectionType.PREFERRED
                           else Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE)

    def unregister_broker(self, broker_id: int) -> None:
        """Raise BrokerIdNotRegisteredException, or InvalidRequestException for the only broker.

        :origin: controller.ReplicationControlManager#unregisterBroker(int)
        """
        if broker_id not in self._registered():
            raise BrokerIdNotRegisteredException(f"Broker ID {broker_id} is not currently registered")
        if self._replication is not None:
            self._replication.unregister(broker_id)
            return
        # DEVIATION D150: without this broker, no broker would respond or lead.
        raise InvalidRequestException(f"Broker ID {broker_id} is the only one, and cannot be unregistered")

    def create_partitions(
        self, context: ControllerRequestContext, topics: Sequence[CreatePartitionsTopic], validate_only: bool,
    ) -> list[CreatePartitionsResponseData.CreatePartitionsTopicResult]:
        """Add partitions to topics, and return a result for each.

        Raises PolicyViolationException above the limit; then nothing was added.

        :origin: controller.ReplicationControlManager#createPartitions(ControllerRequestContext, List<CreatePartitionsTopic>)
        """  # noqa: E501
        with self._lock:
            errors: list[ApiError] = []
            to_create: list[tuple[int, CreatePartitionsTopic]] = []
            records = UserOpRecords()
            for i, topic in enumerate(topics):
                try:
                    additional = self._check_create_partitions(context, topic)
                    if self._config.is_strict() and additional > records.room():
                        # DEVIATION D152: Kafka creates partitions up to the limit, and responds with
                        # UNKNOWN_SERVER_ERROR.
                        errors.append(ApiError(Errors.UNKNOWN_SERVER_ERROR, None))
                        if records.room() > 0:
                            to_create.append((i, _without_last(topic, additional - records.room())))
                            records.add(records.room())
                        continue
                    records.add(additional)
                    errors.append(ApiError.NONE)
                    to_create.append((i, topic))
                except PolicyViolationException:
                    raise
                except ApiException as e:
                    errors.append(ApiError.from_throwable(e))
                except Exception as e:
                    log.error("unexpected error while creating partitions of %s", topic.name, exc=e)
                    errors.append(ApiError.from_throwable(e))
            if not validate_only:
                failed = self._create_partitions([topic for _, topic in to_create])
                for i, topic in to_create:
                    if topic.name in failed:
                        errors[i] = ApiError.from_throwable(failed[topic.name])
            return [CreatePartitionsResponseData.CreatePartitionsTopicResult(
                name=topic.name, error_code=error.error().code, error_message=error.message())
                for topic, error in zip(topics, errors)]

    def _check_create_partitions(self, context: ControllerRequestContext,
                                 topic: CreatePartitionsTopic) -> int:
        """Return the number of partitions to add.

        Raises UnknownTopicOrPartitionException, InvalidPartitionsException,
        InvalidReplicaAssignmentException or ThrottlingQuotaExceededException.

        :origin: controller.ReplicationControlManager#createPartitions(ControllerRequestContext, CreatePartitionsTopic, List<ApiMessageAndVersion>)
        """  # noqa: E501
        found = self._storage.topics().topic(topic.name)
        if found is None:
            raise UnknownTopicOrPartitionException(Errors.UNKNOWN_TOPIC_OR_PARTITION.message())
        if topic.count == found.num_partitions:
            raise InvalidPartitionsException(f"Topic already has {found.num_partitions} partition(s).")
        elif topic.count < found.num_partitions:
            raise InvalidPartitionsException(
                f"The topic {topic.name} currently has {found.num_partitions} partition(s); {topic.count} "
                "would not be an increase.")
        additional = topic.count - found.num_partitions
        if topic.assignments is not None and len(topic.assignments) != additional:
            raise InvalidReplicaAssignmentException(
                f"Attempted to add {additional} additional partition(s), but only {len(topic.assignments)} "
                "assignment(s) were specified.")
        try:
            context.apply_partition_change_quota(additional)
        except ThrottlingQuotaExceededException:
            log.debug("partition creation of %d partitions not allowed because quota is violated", additional)
            raise
        replication_factor = self._replication_factor(topic.name)
        for index, assignment in enumerate(topic.assignments or ()):
            self.validate_manual_partition_assignment(assignment.broker_ids, replication_factor)
            self._check_some_alive(found.num_partitions + index, assignment.broker_ids)
        if topic.assignments is None:
            # DEVIATION D470: only the checks; the partitions are placed when the limit allows them.
            self.place(found.num_partitions, 0, replication_factor)
        return additional

    def _create_partitions(self, topics: Sequence[CreatePartitionsTopic]) -> dict[str, ApiException]:
        """Add partitions to topics; return the errors of those that could not be written, by name."""
        first = {topic.name: self._storage.topics().topics()[topic.name].num_partitions for topic in topics}
        placed: dict[str, list[tuple[int, ...]]] = {}
        for topic in topics:
            if topic.assignments is not None:
                placed[topic.name] = [tuple(assignment.broker_ids) for assignment in topic.assignments]
            else:
                placed[topic.name] = self.place(first[topic.name], topic.count - first[topic.name],
                                                self._replication_factor(topic.name))
        failed: dict[str, ApiException] = {}
        created: list[TopicPartition] = []
        counts = {topic.name: topic.count for topic in topics}
        for name, result in self._storage.add_partitions(counts).items():
            if isinstance(result, ApiException):
                failed[name] = result
            else:
                created += result.partitions()[first[name]:]
        if created:
            self._publish_new(created, placed, first)
        return failed

    def _replication_factor(self, topic: str) -> int:
        """Return the number of replicas of a topic's first partition."""
        return 1 if self._replication is None else len(self._replication.state(
            TopicPartition(topic, 0)).replicas)

    def _check_some_alive(self, partition_id: int, replicas: Collection[int]) -> None:
        """Raise InvalidReplicaAssignmentException if no broker could lead a new partition."""
        if self._replication is not None and not any(
                self._replication.image().is_alive(broker_id) for broker_id in replicas):
            raise InvalidReplicaAssignmentException(
                f"All brokers specified in the manual partition assignment for partition {partition_id} are "
                "fenced or in controlled shutdown.")

    def validate_manual_partition_assignment(self, replicas: Collection[int],
                                             replication_factor: int | None) -> None:
        """Raise InvalidReplicaAssignmentException for an invalid list of replicas.

        :origin: controller.ReplicationControlManager#validateManualPartitionAssignment(PartitionAssignment, OptionalInt)
        """  # noqa: E501
        if not replicas:
            raise InvalidReplicaAssignmentException(
                "The manual partition assignment includes an empty replica list.")
        sorted_broker_ids = sorted(replicas)
        prev_broker_id: int | None = None
        for broker_id in sorted_broker_ids:
            if broker_id not in self._registered():
                raise InvalidReplicaAssignmentException(
                    f"The manual partition assignment includes broker {broker_id}, but no such broker is "
                    "registered.")
            if broker_id == prev_broker_id:
                raise InvalidReplicaAssignmentException(
                    f"The manual partition assignment includes the broker {prev_broker_id} more than once.")
            prev_broker_id = broker_id
        if replication_factor is not None and len(sorted_broker_ids) != replication_factor:
            raise InvalidReplicaAssignmentException(
                f"The manual partition assignment includes a partition with {len(sorted_broker_ids)} "
                "replica(s), but this is not consistent with previous partitions, which have "
                f"{replication_factor} replica(s).")

    def alter_partition_reassignments(
        self, request: AlterPartitionReassignmentsRequestData,
    ) -> AlterPartitionReassignmentsResponseData:
        """Move partitions to other brokers, and return a result for each.

        :origin: controller.ReplicationControlManager#alterPartitionReassignments(AlterPartitionReassignmentsRequestData)
        """  # noqa: E501
        result = AlterPartitionReassignmentsResponseData(error_message=None)
        # DEVIATION D471: any number of moves; see _check_room.
        targets: dict[TopicPartition, Sequence[int] | None] = {}
        for topic in request.topics:
            topic_response = AlterPartitionReassignmentsResponseData.ReassignableTopicResponse(
                name=topic.name)
            for partition in topic.partitions:
                error = ApiError.NONE
                try:
                    self._alter_partition_reassignment(topic.name, partition, targets)
                except Exception as e:
                    error = ApiError.from_throwable(e)
                    if error.is_(Errors.UNKNOWN_SERVER_ERROR):
                        log.error("unexpected error while altering the reassignment of %s:%d", topic.name,
                                  partition.partition_index, exc=e)
                    else:
                        log.info("unable to alter partition reassignment for %s:%d because of %s", topic.name,
                                 partition.partition_index, e)
                topic_response.partitions.append(
                    AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse(
                        partition_index=partition.partition_index, error_code=error.error().code,
                        error_message=error.message()))
            result.responses.append(topic_response)
        if self._replication is not None:
            failed = self._replication.reassign_all(targets)
            for topic_response in result.responses:
                for response in topic_response.partitions:
                    cause = failed.get(TopicPartition(topic_response.name, response.partition_index))
                    if cause is not None and response.error_code == Errors.NONE.code:
                        error = ApiError.from_throwable(cause)
                        response.error_code, response.error_message = error.error().code, error.message()
        return result

    def _alter_partition_reassignment(
        self, topic_name: str, target: AlterPartitionReassignmentsRequestData.ReassignablePartition,
        targets: dict[TopicPartition, Sequence[int] | None],
    ) -> None:
        """Put a valid move, or the end of one, into ``targets``. Raises the client's error.

        :origin: controller.ReplicationControlManager#alterPartitionReassignment(String, ReassignablePartition, List<ApiMessageAndVersion>)
        """  # noqa: E501
        topic = self._storage.topics().topic(topic_name)
        if topic is None:
            raise UnknownTopicOrPartitionException(f"Unable to find a topic named {topic_name}.")
        if not 0 <= target.partition_index < topic.num_partitions:
            raise UnknownTopicOrPartitionException(
                f"Unable to find partition {topic_name}:{target.partition_index}.")
        if self._replication is not None:
            if target.replicas is not None:
                self.validate_manual_partition_assignment(target.replicas, None)
            self._check_room(len(targets))
            targets[TopicPartition(topic_name, target.partition_index)] = target.replicas
            return
        if target.replicas is None:
            raise NoReassignmentInProgressException(Errors.NO_REASSIGNMENT_IN_PROGRESS.message())
        self.validate_manual_partition_assignment(target.replicas, None)

    def list_partition_reassignments(
        self, topics: Sequence[ListPartitionReassignmentsTopics] | None = None,
    ) -> ListPartitionReassignmentsResponseData:
        """Return the partitions with an incomplete reassignment: all, or those requested.

        :origin: controller.ReplicationControlManager#listPartitionReassignments(List<ListPartitionReassignmentsTopics>, long)
        """  # noqa: E501
        wanted = None if topics is None else {
            (topic.name, partition) for topic in topics for partition in topic.partition_indexes}
        by_topic: dict[str, list[ListPartitionReassignmentsResponseData.OngoingPartitionReassignment]] = {}
        moving = {} if self._replication is None else self._replication.reassignments()
        for partition, state in moving.items():
            if wanted is None or (partition.topic(), partition.partition()) in wanted:
                by_topic.setdefault(partition.topic(), []).append(
                    ListPartitionReassignmentsResponseData.OngoingPartitionReassignment(
                        partition_index=partition.partition(), replicas=list(state.replicas),
                        adding_replicas=list(state.adding), removing_replicas=list(state.removing)))
        return ListPartitionReassignmentsResponseData(error_message=None, topics=[
            ListPartitionReassignmentsResponseData.OngoingTopicReassignment(name=name, partitions=partitions)
            for name, partitions in by_topic.items()])

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.GroupMetadataManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The consumer groups of one partition of the offsets topic. Heartbeats produce records, and replayed records
change the state.

An operation returns records and a response. It changes no state except timers and refresh deadlines. The
caller appends the records to the log, and then replays each. The shard's lock guards everything.

Classic groups belong to the classic coordinator, which ``classic_groups`` represents here. A member of the
classic protocol may join a consumer group. A group changes its protocol where the migration policy allows
that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, Protocol, TypeAlias, TypeVar

from kreactor.common.errors import (
    FencedInstanceIdException, FencedMemberEpochException, GroupIdNotFoundException,
    GroupMaxSizeReachedException, IllegalGenerationException, InconsistentGroupProtocolException,
    InvalidRequestException, RebalanceInProgressException, UnknownMemberIdException, UnknownServerException,
    UnreleasedInstanceIdException, UnsupportedAssignorException)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.heartbeat_response_data import HeartbeatResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.requests.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from kreactor.common.requests.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import Partitions, SubscriptionType
from kreactor.coordinator.group.api.assignor.partition_assignor import (
    ConsumerGroupPartitionAssignor, PartitionAssignorException)
from kreactor.coordinator.group.classic_group import ClassicGroup
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group import PROTOCOL_TYPE, ConsumerGroup
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.current_assignment_builder import CurrentAssignmentBuilder
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer.resolved_regular_expression import (
    ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue, ResolvedRegularExpression)
from kreactor.coordinator.group.consumer.target_assignment_builder import TargetAssignmentBuilder
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_key import (
    ConsumerGroupCurrentMemberAssignmentKey)
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_key import (
    ConsumerGroupMemberMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_metadata_key import ConsumerGroupMetadataKey
from kreactor.coordinator.group.generated.consumer_group_metadata_value import ConsumerGroupMetadataValue
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_key import (
    ConsumerGroupPartitionMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_key import (
    ConsumerGroupTargetAssignmentMemberKey)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue)
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicsImage
from kreactor.coordinator.group.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.loggers import get_logger
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.regex import Budget, MatchLimitException, Pattern, PatternSyntaxException
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion
from kreactor.server.config.consumer_group_migration_policy import ConsumerGroupMigrationPolicy
from kreactor.server.config.group_type import GroupType

_LOG = get_logger(__name__)

T = TypeVar("T")

TopicFilter: TypeAlias = Callable[[Collection[str]], AbstractSet[str]]

LEAVE_GROUP_MEMBER_EPOCH = ConsumerGroupHeartbeatRequest.LEAVE_GROUP_MEMBER_EPOCH
LEAVE_GROUP_STATIC_MEMBER_EPOCH = ConsumerGroupHeartbeatRequest.LEAVE_GROUP_STATIC_MEMBER_EPOCH


@dataclass(slots=True)
class OperationResult(Generic[T]):
    """The records that an operation writes, and the response that is sent once they are in the log.

    ``on_appended`` runs when the records are in the log and replayed; without records, at once.
    """

    records: list[CoordinatorRecord]
    response: T
    on_appended: Callable[[], None] | None = None


class Timer(Protocol):
    """Runs operations later, under the shard's lock, and appends and replays their records."""

    def schedule(self, key: str, delay_ms: int, operation: Callable[[], OperationResult[None]]) -> None:
        """Run ``operation`` in ``delay_ms``, and cancel an earlier operation of ``key``."""

    def schedule_if_absent(
            self, key: str, delay_ms: int, operation: Callable[[], OperationResult[None]]) -> None:
        """Run ``operation`` in ``delay_ms`` unless an operation of ``key`` is scheduled."""

    def cancel(self, key: str) -> None:
        """Cancel the operation of ``key``, if there is one."""


class ClassicGroups(Protocol):
    """The manager's view of groups of the classic protocol."""

    def is_empty(self, group_id: str) -> bool | None:
        """Return whether a group has no members; None for an unknown group."""

    def tombstones(self, group_id: str) -> list[CoordinatorRecord]:
        """Turn an empty group into one that only keeps offsets; return the records that delete it."""

    def group(self, group_id: str) -> ClassicGroup:
        """Return a group with members."""

    def on_upgraded(self, group_id: str) -> None:
        """Have the members join again, and remove them, because their group has become a consumer group."""

    def downgrade(
        self, group: ConsumerGroup, leaving_member_id: str, topics: TopicsImage,
    ) -> tuple[CoordinatorRecord, Callable[[], None]]:
        """Return the record of a classic group with a consumer group's members, without the leaving member.

        The returned function starts the group, and has its members join again. Raises SchemaException.
        """


# How old the matches of a group's expressions may be. By then the authorizer may allow other topics.
_REGEX_REFRESH_INTERVAL_MS = 10 * 60 * 1000
# The longest part of an expression that an error message repeats.
_SHOWN_REGEX = 1000


class InvalidRegularExpression(InvalidRequestException):
    """A regular expression that cannot be parsed, or that takes too long to match.

    DEVIATION D460: the error has code 128, INVALID_REGULAR_EXPRESSION, which Kafka has since 4.0.
    """

    CODE = ConsumerGroupHeartbeatResponse.INVALID_REGULAR_EXPRESSION

    def __init__(self, regex: str, description: str) -> None:
        shown = regex if len(regex) <= _SHOWN_REGEX else regex[:_SHOWN_REGEX] + "..."
        super().__init__(f"SubscribedTopicRegex `{shown}` is not a valid regular expression: {description}.")


class GroupMetadataManager:
    """:origin: coordinator.group.GroupMetadataManager"""

    def __init__(
        self,
        *,
        time: Time,
        timer: Timer,
        consumer_group_assignors: Sequence[ConsumerGroupPartitionAssignor],
        classic_groups: ClassicGroups,
        metadata_image: MetadataImage | None = None,
        consumer_group_max_size: int = 2**31 - 1,
        consumer_group_session_timeout_ms: int = 45000,
        consumer_group_heartbeat_interval_ms: int = 5000,
        consumer_group_metadata_refresh_interval_ms: int = 2**31 - 1,
        classic_group_max_size: int = 2**31 - 1,
        consumer_group_migration_policy: ConsumerGroupMigrationPolicy = ConsumerGroupMigrationPolicy.DISABLED,
        on_rebalance: Callable[[], None] = lambda: None,
    ) -> None:
        """``on_rebalance`` is called for each change that raises its group's epoch.

        :origin: coordinator.group.GroupMetadataManager#GroupMetadataManager(SnapshotRegistry, LogContext, Time, CoordinatorTimer<Void,CoordinatorRecord>, GroupCoordinatorMetricsShard, List<ConsumerGroupPartitionAssignor>, MetadataImage, int, int, int, int, int, int, int, int, int, ConsumerGroupMigrationPolicy)
        """  # noqa: E501
        self._log = _LOG
        self._time = time
        self._timer = timer
        self._classic_groups = classic_groups
        self._metadata_image = metadata_image or MetadataImage()
        self._consumer_group_assignors = {assignor.name(): assignor for assignor in consumer_group_assignors}
        self._default_consumer_group_assignor = consumer_group_assignors[0]
        self._groups: dict[str, ConsumerGroup] = {}
        self._groups_by_topics: dict[str, set[str]] = {}
        # The topics with which a group's regular expressions were last matched, and when, by group.
        self._refreshes: dict[str, tuple[MetadataImage, int]] = {}
        self._consumer_group_max_size = consumer_group_max_size
        self._consumer_group_heartbeat_interval_ms = consumer_group_heartbeat_interval_ms
        self._consumer_group_session_timeout_ms = consumer_group_session_timeout_ms
        self._consumer_group_metadata_refresh_interval_ms = consumer_group_metadata_refresh_interval_ms
        self._classic_group_max_size = classic_group_max_size
        self._consumer_group_migration_policy = consumer_group_migration_policy
        self._on_rebalance = on_rebalance

    def image(self) -> MetadataImage:
        """:origin: coordinator.group.GroupMetadataManager#image()"""
        return self._metadata_image

    def group(self, group_id: str) -> ConsumerGroup:
        """Raises GroupIdNotFoundException.

        :origin: coordinator.group.GroupMetadataManager#group(String)
        """
        group = self._groups.get(group_id)
        if group is None:
            raise GroupIdNotFoundException(f"Group {group_id} not found.")
        return group

    def list_groups(
        self, states_filter: AbstractSet[str], types_filter: AbstractSet[str]
    ) -> list[ListGroupsResponseData.ListedGroup]:
        """Return the consumer groups in one of the states and of one of the types, in any case. An empty
        filter matches all.

        :origin: coordinator.group.GroupMetadataManager#listGroups(Set<String>, Set<String>, long)
        """  # noqa: E501
        case_insensitive_filter_set = {state.lower().strip() for state in states_filter}

        enum_types_filter = {GroupType.parse(group_type) for group_type in types_filter}

        def combined_filter(group: ConsumerGroup) -> bool:
            state_check = not states_filter or group.is_in_states(case_insensitive_filter_set)
            type_check = not enum_types_filter or group.type() in enum_types_filter

            return state_check and type_check

        return [group.as_listed_group() for group in self._groups.values() if combined_filter(group)]

    def consumer_group_describe(
        self, group_ids: Iterable[str]
    ) -> list[ConsumerGroupDescribeResponseData.DescribedGroup]:
        """:origin: coordinator.group.GroupMetadataManager#consumerGroupDescribe(List<String>, long)"""
        described_groups = []
        for group_id in group_ids:
            try:
                described_groups.append(
                    self.consumer_group(group_id)
                    .as_described_group(self._default_consumer_group_assignor.name(), self._metadata_image))
            except GroupIdNotFoundException:
                described_groups.append(
                    ConsumerGroupDescribeResponseData.DescribedGroup(
                        group_id=group_id, error_code=Errors.GROUP_ID_NOT_FOUND.code))

        return described_groups

    def get_or_maybe_create_consumer_group(
        self, group_id: str, create_if_not_exists: bool, records: list[CoordinatorRecord]
    ) -> ConsumerGroup:
        """Return a group; a new group is added only when its records are replayed.

        A classic group with members becomes a consumer group where that is allowed. Raises
        GroupIdNotFoundException.

        :origin: coordinator.group.GroupMetadataManager#getOrMaybeCreateConsumerGroup(String, boolean, List<CoordinatorRecord>)
        """  # noqa: E501
        group = self._groups.get(group_id)
        if group is not None:
            return group

        is_classic = self._classic_groups.is_empty(group_id) is not None
        if not is_classic and not create_if_not_exists:
            raise GroupIdNotFoundException(f"Consumer group {group_id} not found.")

        if not is_classic or (
                create_if_not_exists and self._maybe_delete_empty_classic_group(group_id, records)):
            return ConsumerGroup(group_id)
        elif create_if_not_exists and self._validate_online_upgrade(
                classic_group := self._classic_groups.group(group_id)):
            return self.convert_to_consumer_group(classic_group, records)
        else:
            raise GroupIdNotFoundException(f"Group {group_id} is not a consumer group.")

    def consumer_group(self, group_id: str) -> ConsumerGroup:
        """Raises GroupIdNotFoundException.

        :origin: coordinator.group.GroupMetadataManager#consumerGroup(String)
        """
        return self.group(group_id)

    def get_or_maybe_create_persisted_consumer_group(
        self, group_id: str, create_if_not_exists: bool
    ) -> ConsumerGroup:
        """Return a group, and add a new one. Raises IllegalStateException.

        :origin: coordinator.group.GroupMetadataManager#getOrMaybeCreatePersistedConsumerGroup(String, boolean)
        """  # noqa: E501
        group = self._groups.get(group_id)

        if group is None and not create_if_not_exists:
            raise IllegalStateException(f"Consumer group {group_id} not found.")

        if group is None:
            group = self._groups[group_id] = ConsumerGroup(group_id)
        return group

    def _validate_online_downgrade(self, consumer_group: ConsumerGroup, member_id: str) -> bool:
        """Return whether a group becomes a classic group when a member leaves it.

        :origin: coordinator.group.GroupMetadataManager#validateOnlineDowngrade(ConsumerGroup, String)
        """
        if not consumer_group.all_members_use_classic_protocol_except(member_id):
            return False
        elif consumer_group.num_members() <= 1:
            self._log.debug("consumer group %s is empty, no downgrade", consumer_group.group_id())
            return False
        elif not self._consumer_group_migration_policy.is_downgrade_enabled():
            self._log.info("consumer group %s cannot become a classic group: online downgrade is disabled",
                           consumer_group.group_id())
            return False
        elif consumer_group.num_members() - 1 > self._classic_group_max_size:
            self._log.info("consumer group %s cannot become a classic group: it has more members than the "
                           "maximum size of a classic group", consumer_group.group_id())
            return False
        return True

    def _convert_to_classic_group(
        self, consumer_group: ConsumerGroup, leaving_member_id: str, response: T,
    ) -> OperationResult[T]:
        """Add the records of the classic group. Raises GroupIdNotFoundException if a member's protocol cannot
        be parsed.

        :origin: coordinator.group.GroupMetadataManager#convertToClassicGroup(ConsumerGroup, String, T)
        """
        records: list[CoordinatorRecord] = []
        consumer_group.create_group_tombstone_records(records)

        try:
            record, begin = self._classic_groups.downgrade(
                consumer_group, leaving_member_id, self._metadata_image.topics)
        except SchemaException as e:
            self._log.warning("consumer group %s cannot become a classic group: the protocol of a member "
                              "cannot be read", consumer_group.group_id(), exc_info=e)
            raise GroupIdNotFoundException(
                f"Cannot downgrade the classic group {consumer_group.group_id()}: {e}.") from e
        records.append(record)

        member_ids = list(consumer_group.members())

        def on_appended() -> None:
            for member_id in member_ids:
                self._cancel_timers(consumer_group.group_id(), member_id)
            begin()

        return OperationResult(records, response, on_appended)

    def _validate_online_upgrade(self, classic_group: ClassicGroup) -> bool:
        """Return whether a group may become a consumer group.

        :origin: coordinator.group.GroupMetadataManager#validateOnlineUpgrade(ClassicGroup)
        """
        if not self._consumer_group_migration_policy.is_upgrade_enabled():
            self._log.info("classic group %s cannot become a consumer group: online upgrade is disabled",
                           classic_group.group_id)
            return False
        elif classic_group.protocol_type != PROTOCOL_TYPE:
            self._log.info("classic group %s cannot become a consumer group: its members are not consumers",
                           classic_group.group_id)
            return False
        elif len(classic_group.members) > self._consumer_group_max_size:
            self._log.info("classic group %s cannot become a consumer group: it has more members than the "
                           "maximum size of a consumer group", classic_group.group_id)
            return False
        return True

    def convert_to_consumer_group(
        self, classic_group: ClassicGroup, records: list[CoordinatorRecord],
    ) -> ConsumerGroup:
        """Add the records of the new group. Raises GroupIdNotFoundException if it cannot be made.

        The members learn of the change when the records are in the log: ``ClassicGroups.on_upgraded``.

        :origin: coordinator.group.GroupMetadataManager#convertToConsumerGroup(ClassicGroup, List<CoordinatorRecord>)
        """  # noqa: E501
        records.append(CoordinatorRecord(
            ApiMessageAndVersion(GroupMetadataKey(group=classic_group.group_id), 2), None))

        try:
            consumer_group = ConsumerGroup.from_classic_group(classic_group, self._metadata_image.topics)
        except SchemaException as e:
            self._log.warning("classic group %s cannot become a consumer group: the protocol of a member "
                              "cannot be read", classic_group.group_id, exc_info=e)
            raise GroupIdNotFoundException(
                f"Cannot upgrade the classic group {classic_group.group_id} to consumer group because the "
                "embedded consumer protocol is malformed.") from e
        consumer_group.create_consumer_group_records(records)

        # If the records cannot be appended, the group stays a classic one, and these timers do nothing.
        for member_id, member in consumer_group.members().items():
            self._schedule_consumer_group_session_timeout(
                consumer_group.group_id(), member_id, member.classic_protocol_session_timeout())

        return consumer_group

    def _remove_group(self, group_id: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#removeGroup(String)"""
        self._groups.pop(group_id, None)
        self._refreshes.pop(group_id, None)

    def _throw_if_empty_string(self, value: str | None, error: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#throwIfEmptyString(String, String)"""
        if value is not None and not value.strip():
            raise InvalidRequestException(error)

    def _throw_if_null(self, value: object, error: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#throwIfNull(Object, String)"""
        if value is None:
            raise InvalidRequestException(error)

    def _throw_if_consumer_group_heartbeat_request_is_invalid(
        self, request: ConsumerGroupHeartbeatRequestData, api_version: int = 0
    ) -> None:
        """Raises InvalidRequestException and UnsupportedAssignorException.

        :origin: coordinator.group.GroupMetadataManager#throwIfConsumerGroupHeartbeatRequestIsInvalid(ConsumerGroupHeartbeatRequestData)
        """  # noqa: E501
        self._throw_if_empty_string(request.group_id, "GroupId can't be empty.")
        self._throw_if_empty_string(request.instance_id, "InstanceId can't be empty.")
        self._throw_if_empty_string(request.rack_id, "RackId can't be empty.")

        # DEVIATION D313: version 1 is checked and answered as in Kafka 4.0. The member makes its own id, and
        # may name topics by a regular expression.
        if api_version >= 1:
            self._throw_if_empty_string(request.member_id, "MemberId can't be empty.")

        if request.member_epoch > 0 or request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH:
            self._throw_if_empty_string(request.member_id, "MemberId can't be empty.")
        elif request.member_epoch == 0:
            if request.rebalance_timeout_ms == -1:
                raise InvalidRequestException("RebalanceTimeoutMs must be provided in first request.")
            if request.topic_partitions is None or request.topic_partitions:
                raise InvalidRequestException("TopicPartitions must be empty when (re-)joining.")
            if not request.subscribed_topic_names and not request.subscribed_topic_regex:
                raise InvalidRequestException(
                    "SubscribedTopicNames must be set in first request."
                    if api_version == 0
                    else "Either SubscribedTopicNames or SubscribedTopicRegex must be set when (re-)joining.")
        elif request.member_epoch == LEAVE_GROUP_STATIC_MEMBER_EPOCH:
            self._throw_if_empty_string(request.member_id, "MemberId can't be empty.")
            self._throw_if_null(request.instance_id, "InstanceId can't be null.")
        else:
            raise InvalidRequestException("MemberEpoch is invalid.")

        if (
                request.server_assignor is not None and request.server_assignor not
                in self._consumer_group_assignors):
            raise UnsupportedAssignorException(
                f"ServerAssignor {request.server_assignor} is not supported. Supported assignors: "
                f"{', '.join(self._consumer_group_assignors)}.")

    def _is_subset(
        self,
        owned_topic_partitions: Sequence[ConsumerGroupHeartbeatRequestData.TopicPartitions] | None,
        target: Partitions,
    ) -> bool:
        """
        :origin: coordinator.group.GroupMetadataManager#isSubset(List<ConsumerGroupHeartbeatRequestData.TopicPartitions>, Map<Uuid,Set<Integer>>)
        """  # noqa: E501
        if owned_topic_partitions is None:
            return False

        for topic_partitions in owned_topic_partitions:
            partitions = target.get(topic_partitions.topic_id)
            if partitions is None:
                return False
            for partition_id in topic_partitions.partitions:
                if partition_id not in partitions:
                    return False

        return True

    def _throw_if_consumer_group_is_full(self, group: ConsumerGroup, member_id: str) -> None:
        """Raises GroupMaxSizeReachedException if the member is new and the group is full.

        :origin: coordinator.group.GroupMetadataManager#throwIfConsumerGroupIsFull(ConsumerGroup, String)
        """
        if group.num_members() >= self._consumer_group_max_size and (
                not member_id or not group.has_member(member_id)):
            raise GroupMaxSizeReachedException(
                "The consumer group has reached its maximum capacity of "
                f"{self._consumer_group_max_size} members.")

    def _throw_if_member_epoch_is_invalid(
        self,
        member: ConsumerGroupMember,
        received_member_epoch: int,
        owned_topic_partitions: Sequence[ConsumerGroupHeartbeatRequestData.TopicPartitions] | None,
    ) -> None:
        """Raises FencedMemberEpochException.

        :origin: coordinator.group.GroupMetadataManager#throwIfMemberEpochIsInvalid(ConsumerGroupMember, int, List<ConsumerGroupHeartbeatRequestData.TopicPartitions>)
        """  # noqa: E501
        if received_member_epoch > member.member_epoch():
            raise FencedMemberEpochException(
                f"The consumer group member has a greater member epoch ({received_member_epoch}) "
                f"than the one known by the group coordinator ({member.member_epoch()}). The member "
                "must abandon all its partitions and rejoin.")
        elif received_member_epoch < member.member_epoch():
            # The response with the epoch may have been lost. Then the member sends its previous epoch, and
            # must own no partition outside its assignment.
            if received_member_epoch != member.previous_member_epoch() or not self._is_subset(
                    owned_topic_partitions, member.assigned_partitions()):
                raise FencedMemberEpochException(
                    "The consumer group member has a smaller member epoch "
                    f"({received_member_epoch}) than the one known by the group coordinator "
                    f"({member.member_epoch()}). The member must abandon all its partitions and rejoin.")

    def _throw_if_instance_id_is_unreleased(
        self, member: ConsumerGroupMember, group_id: str, received_member_id: str, received_instance_id: str
    ) -> None:
        """Raises UnreleasedInstanceIdException.

        :origin: coordinator.group.GroupMetadataManager#throwIfInstanceIdIsUnreleased(ConsumerGroupMember, String, String, String)
        """  # noqa: E501
        if member.member_epoch() != LEAVE_GROUP_STATIC_MEMBER_EPOCH:
            self._log.info(
                "[GroupId %s] static member %s with instance id %s cannot join: member %s owns the "
                "instance id", group_id, received_member_id, received_instance_id, member.member_id())
            raise UnreleasedInstanceIdException(
                f"Static member {received_member_id} with instance id {received_instance_id} cannot "
                f"join the group because the instance id is owned by {member.member_id()} member.")

    def _throw_if_instance_id_is_fenced(
        self, member: ConsumerGroupMember, group_id: str, received_member_id: str, received_instance_id: str
    ) -> None:
        """Raises FencedInstanceIdException.

        :origin: coordinator.group.GroupMetadataManager#throwIfInstanceIdIsFenced(ConsumerGroupMember, String, String, String)
        """  # noqa: E501
        if member.member_id() != received_member_id:
            self._log.info(
                "[GroupId %s] member %s fences static member %s with instance id %s", group_id,
                member.member_id(), received_member_id, received_instance_id)
            raise FencedInstanceIdException(
                f"Static member {received_member_id} with instance id {received_instance_id} was "
                f"fenced by member {member.member_id()}.")

    def _throw_if_static_member_is_unknown(
        self, static_member: ConsumerGroupMember | None, received_instance_id: str
    ) -> ConsumerGroupMember:
        """Raises UnknownMemberIdException.

        :origin: coordinator.group.GroupMetadataManager#throwIfStaticMemberIsUnknown(ConsumerGroupMember, String)
        """  # noqa: E501
        if static_member is None:
            raise UnknownMemberIdException(f"Instance id {received_instance_id} is unknown.")
        return static_member

    def _throw_if_classic_protocol_is_not_supported(
        self, group: ConsumerGroup, member_id: str, protocol_type: str,
        protocols: Iterable[JoinGroupRequestData.JoinGroupRequestProtocol],
    ) -> None:
        """Raises InconsistentGroupProtocolException.

        :origin: coordinator.group.GroupMetadataManager#throwIfClassicProtocolIsNotSupported(ConsumerGroup, String, String, JoinGroupRequestProtocolCollection)
        """  # noqa: E501
        if not group.supports_classic_protocols(protocol_type, {protocol.name for protocol in protocols}):
            raise InconsistentGroupProtocolException(f"Member {member_id}'s protocols are not supported.")

    def _throw_if_member_does_not_use_classic_protocol(self, member: ConsumerGroupMember) -> None:
        """Raises UnknownMemberIdException.

        :origin: coordinator.group.GroupMetadataManager#throwIfMemberDoesNotUseClassicProtocol(ConsumerGroupMember)
        """  # noqa: E501
        if not member.use_classic_protocol():
            raise UnknownMemberIdException(f"Member {member.member_id()} does not use the classic protocol.")

    def _throw_if_generation_id_unmatched(
            self, member_id: str, member_epoch: int, request_generation_id: int) -> None:
        """Raises IllegalGenerationException.

        :origin: coordinator.group.GroupMetadataManager#throwIfGenerationIdUnmatched(String, int, int)
        """
        if member_epoch != request_generation_id:
            raise IllegalGenerationException(
                f"The request generation id {request_generation_id} is not equal to the member epoch "
                f"{member_epoch} of member {member_id}.")

    def _throw_if_classic_protocol_unmatched(
        self, member: ConsumerGroupMember, request_protocol_type: str | None,
        request_protocol_name: str | None,
    ) -> None:
        """Raises InconsistentGroupProtocolException.

        :origin: coordinator.group.GroupMetadataManager#throwIfClassicProtocolUnmatched(ConsumerGroupMember, String, String)
        """  # noqa: E501
        protocol_name = _first_protocol(member).name
        if request_protocol_type is not None and request_protocol_type != PROTOCOL_TYPE:
            raise InconsistentGroupProtocolException(
                f"The protocol type {request_protocol_type} from member {member.member_id()} request is not "
                f"equal to the group protocol type {PROTOCOL_TYPE}.")
        elif request_protocol_name is not None and request_protocol_name != protocol_name:
            raise InconsistentGroupProtocolException(
                f"The protocol name {request_protocol_name} from member {member.member_id()} request is not "
                f"equal to the protocol name {protocol_name} returned in the join response.")

    def _throw_if_rebalance_in_progress(self, group: ConsumerGroup, member: ConsumerGroupMember) -> None:
        """Raises RebalanceInProgressException for a member that must join again.

        :origin: coordinator.group.GroupMetadataManager#throwIfRebalanceInProgress(ConsumerGroup, ConsumerGroupMember)
        """  # noqa: E501
        # A member with partitions to revoke has already joined. It revokes them first.
        if (group.group_epoch() > member.member_epoch()
                and member.state() is not MemberState.UNREVOKED_PARTITIONS):
            self._schedule_consumer_group_join_timeout_if_absent(
                group.group_id(), member.member_id(), member.rebalance_timeout_ms())
            raise RebalanceInProgressException(
                f"A new rebalance is triggered in group {group.group_id()} and member {member.member_id()} "
                "should rejoin to catch up.")

    @staticmethod
    def _deserialize_subscription(
        protocols: Sequence[JoinGroupRequestData.JoinGroupRequestProtocol],
    ) -> ConsumerProtocolSubscription:
        """Return the subscription, which is the same in all protocols. Raises IllegalStateException.

        :origin: coordinator.group.GroupMetadataManager#deserializeSubscription(JoinGroupRequestProtocolCollection)
        """  # noqa: E501
        try:
            return ConsumerProtocol.deserialize_subscription(ByteBuffer.wrap(protocols[0].metadata))
        except SchemaException as e:
            raise IllegalStateException(
                "Malformed embedded consumer protocol in subscription deserialization.") from e

    @staticmethod
    def _to_topic_partitions(
        partitions: Iterable[ConsumerProtocolSubscription.TopicPartition], topics_image: TopicsImage,
    ) -> list[ConsumerGroupHeartbeatRequestData.TopicPartitions]:
        """Return the partitions by topic id, without those of deleted topics.

        :origin: coordinator.group.GroupMetadataManager#toTopicPartitions(List<TopicPartition>, TopicsImage)
        """
        topic_partitions = []
        for topic_partition in partitions:
            topic_image = topics_image.get_topic(topic_partition.topic)
            if topic_image is not None:
                topic_partitions.append(ConsumerGroupHeartbeatRequestData.TopicPartitions(
                    topic_id=topic_image.id, partitions=topic_partition.partitions))
        return topic_partitions

    @staticmethod
    def to_topic_partition_list(
        partitions: Partitions, topics_image: TopicsImage,
    ) -> list[ConsumerProtocolAssignment.TopicPartition]:
        """Return the partitions by topic name, without those of deleted topics.

        :origin: coordinator.group.GroupMetadataManager#toTopicPartitionList(Map<Uuid,Set<Integer>>, TopicsImage)
        """  # noqa: E501
        topic_partitions = []
        for topic_id, partition_set in partitions.items():
            topic_image = topics_image.get_topic(topic_id)
            if topic_image is not None:
                topic_partitions.append(ConsumerProtocolAssignment.TopicPartition(
                    topic=topic_image.name, partitions=sorted(partition_set)))
        return topic_partitions

    def _create_response_assignment(
        self, member: ConsumerGroupMember
    ) -> ConsumerGroupHeartbeatResponseData.Assignment:
        """:origin: coordinator.group.GroupMetadataManager#createResponseAssignment(ConsumerGroupMember)"""
        return ConsumerGroupHeartbeatResponseData.Assignment(
            topic_partitions=self._from_assignment_map(member.assigned_partitions()))

    def _from_assignment_map(
        self, assignment: Partitions
    ) -> list[ConsumerGroupHeartbeatResponseData.TopicPartitions]:
        """:origin: coordinator.group.GroupMetadataManager#fromAssignmentMap(Map<Uuid,Set<Integer>>)"""
        return [
            ConsumerGroupHeartbeatResponseData.TopicPartitions(
                topic_id=topic_id, partitions=sorted(partitions))
            for topic_id, partitions in assignment.items()]

    def _consumer_group_heartbeat(
        self,
        group_id: str,
        member_id: str,
        member_epoch: int,
        instance_id: str | None,
        rack_id: str | None,
        rebalance_timeout_ms: int,
        client_id: str,
        client_host: str,
        subscribed_topic_names: Collection[str] | None,
        assignor_name: str | None,
        owned_topic_partitions: Sequence[ConsumerGroupHeartbeatRequestData.TopicPartitions] | None,
        subscribed_topic_regex: str | None = None,
        topic_filter: TopicFilter | None = None,
    ) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        """Add a member to the group, or take it one step further. Raises ApiException.

        :origin: coordinator.group.GroupMetadataManager#consumerGroupHeartbeat(String, String, int, String, String, int, String, String, List<String>, String, List<ConsumerGroupHeartbeatRequestData.TopicPartitions>)
        """  # noqa: E501
        records: list[CoordinatorRecord] = []

        create_if_not_exists = member_epoch == 0
        group = self.get_or_maybe_create_consumer_group(group_id, create_if_not_exists, records)
        self._throw_if_consumer_group_is_full(group, member_id)

        if not member_id:
            member_id = str(Uuid.random_uuid())
        static_member_replaced = False
        if instance_id is None:
            member = group.get_or_maybe_create_member(member_id, create_if_not_exists)
            self._throw_if_member_epoch_is_invalid(member, member_epoch, owned_topic_partitions)
            if create_if_not_exists:
                self._log.info("[GroupId %s] member %s joins the consumer group", group_id, member_id)
            updated_member_builder = ConsumerGroupMember.Builder(member)
        else:
            static_member = group.static_member(instance_id)
            if member_epoch == 0:
                if static_member is None:
                    member = group.get_or_maybe_create_member(member_id, create_if_not_exists)
                    updated_member_builder = ConsumerGroupMember.Builder(member)
                    self._log.info(
                        "[GroupId %s] static member %s with instance id %s joins the consumer group",
                        group_id, member_id, instance_id)
                else:
                    # A new instance replaces the one that has left temporarily.
                    member = static_member
                    self._throw_if_instance_id_is_unreleased(member, group_id, member_id, instance_id)
                    static_member_replaced = True
                    updated_member_builder = ConsumerGroupMember.Builder(member_id).set_assigned_partitions(
                        member.assigned_partitions())
                    # The old member's timers stay, because the append of the records may fail. After the
                    # append they do nothing.
                    self._remove_member(records, group_id, member.member_id())
                    self._log.info(
                        "[GroupId %s] static member with instance id %s joins again: member %s "
                        "replaces member %s", group_id, instance_id, member_id, member.member_id())
            else:
                member = self._throw_if_static_member_is_unknown(static_member, instance_id)
                self._throw_if_instance_id_is_fenced(member, group_id, member_id, instance_id)
                self._throw_if_member_epoch_is_invalid(member, member_epoch, owned_topic_partitions)
                updated_member_builder = ConsumerGroupMember.Builder(member)

        # 1. The member, the topics and the group's epoch.
        updated_member = (
            updated_member_builder.maybe_update_instance_id(instance_id).maybe_update_rack_id(rack_id)
            .maybe_update_rebalance_timeout_ms(Utils.of_sentinel(rebalance_timeout_ms))
            .maybe_update_server_assignor_name(assignor_name)
            .maybe_update_subscribed_topic_names(subscribed_topic_names)
            .maybe_update_subscribed_topic_regex(subscribed_topic_regex).set_client_id(client_id)
            .set_client_host(client_host).set_classic_member_metadata(None).build())

        is_refresh, resolved = self._resolve_regular_expressions(
            group, member, updated_member, topic_filter)

        updated_member = self._update_and_reconcile(
            group, member, updated_member, static_member_replaced, owned_topic_partitions, records, resolved)

        self._schedule_consumer_group_session_timeout(group_id, member_id)

        response = ConsumerGroupHeartbeatResponseData(
            member_id=updated_member.member_id(), member_epoch=updated_member.member_epoch(),
            heartbeat_interval_ms=self._consumer_group_heartbeat_interval_ms)

        # The response has the assignment if it changed, or if the request is complete. A request is complete
        # when the member joins, and after errors.
        is_full_request = member_epoch == 0 or (
            rebalance_timeout_ms != -1
            and (subscribed_topic_names is not None or subscribed_topic_regex is not None)
            and owned_topic_partitions is not None)
        if is_full_request or ConsumerGroupMember.has_assigned_partitions_changed(member, updated_member):
            response.assignment = self._create_response_assignment(updated_member)

        is_upgraded = group_id not in self._groups and group.num_members() > 0
        refresh = (self._metadata_image, self._time.milliseconds()) if is_refresh else None

        def on_appended() -> None:
            if refresh is not None:
                self._refreshes[group_id] = refresh
            if is_upgraded:
                self._classic_groups.on_upgraded(group_id)

        return OperationResult(records, response, on_appended)

    def _update_and_reconcile(
        self, group: ConsumerGroup, member: ConsumerGroupMember, updated_member: ConsumerGroupMember,
        static_member_replaced: bool,
        owned_topic_partitions: Sequence[ConsumerGroupHeartbeatRequestData.TopicPartitions] | None,
        records: list[CoordinatorRecord],
        resolved: Mapping[str, ResolvedRegularExpression | None] = MappingProxyType({}),
    ) -> ConsumerGroupMember:
        """Add a changed member to the group, and take it one step further. Return the member.

        Members of both protocols join through this method. Kafka has these steps twice. ``resolved`` has the
        group's regular expressions whose topics change.
        """
        current_time_ms = self._time.milliseconds()
        group_id = group.group_id()
        bump_group_epoch = self._has_member_subscription_changed(group_id, member, updated_member, records)

        # All members get their parts of the new topics with this epoch.
        for regex, matches in resolved.items():
            records.append(CoordinatorRecordHelpers.new_regular_expression_record(group_id, regex, matches))
            bump_group_epoch = True
        resolved_after = {
            regex: matches
            for regex, matches in {**group.resolved_regular_expressions(), **resolved}.items()
            if matches is not None}

        group_epoch = group.group_epoch()
        subscription_metadata = group.subscription_metadata()
        subscribed_topic_names_map: Mapping[str, int] = group.subscribed_topic_names()
        subscription_type = group.subscription_type()

        if bump_group_epoch or group.has_metadata_expired(current_time_ms):
            # The subscription has changed, or the topics must be checked again.
            subscribed_topic_names_map = group.compute_subscribed_topic_names(
                member, updated_member, resolved)
            subscription_metadata = group.compute_subscription_metadata(
                subscribed_topic_names_map, self._metadata_image)

            num_members = group.num_members()
            if not group.has_member(updated_member.member_id()) and not static_member_replaced:
                num_members += 1

            subscription_type = ConsumerGroup.subscription_type_of(
                subscribed_topic_names_map, num_members,
                group.compute_subscribed_regular_expressions(member, updated_member), resolved_after)

            if subscription_metadata != group.subscription_metadata():
                self._log.info(
                    "[GroupId %s] computed new subscription metadata: %s", group_id, subscription_metadata)
                bump_group_epoch = True
                records.append(
                    CoordinatorRecordHelpers.new_group_subscription_metadata_record(
                        group_id, subscription_metadata))

            if bump_group_epoch:
                group_epoch += 1
                records.append(CoordinatorRecordHelpers.new_group_epoch_record(group_id, group_epoch))
                self._log.info("[GroupId %s] bumped group epoch to %d", group_id, group_epoch)
                self._on_rebalance()

            group.set_metadata_refresh_deadline(
                current_time_ms + self._consumer_group_metadata_refresh_interval_ms, group_epoch)

        # 2. The target assignment, if the group's epoch is above its epoch.
        target_assignment_epoch = group.assignment_epoch()
        target_assignment = group.target_assignment_of(updated_member.member_id())
        if group_epoch > target_assignment_epoch or static_member_replaced:
            target_assignment = self._update_target_assignment(
                group, group_epoch, member, updated_member, subscription_metadata, subscription_type,
                resolved_after, static_member_replaced, records)
            target_assignment_epoch = group_epoch

        # 3. The member's step towards the target assignment.
        updated_member = self._maybe_reconcile(
            group_id, updated_member, group.current_partition_epoch, target_assignment_epoch,
            target_assignment, owned_topic_partitions, records)
        return updated_member

    def classic_group_join_to_consumer_group(
        self, group: ConsumerGroup, context: RequestContext, request: JoinGroupRequestData,
    ) -> OperationResult[JoinGroupResponseData]:
        """Add a classic member to a group with members, or take it one step further.

        Raises ApiException, and IllegalStateException for a subscription that cannot be parsed.

        :origin: coordinator.group.GroupMetadataManager#classicGroupJoinToConsumerGroup(ConsumerGroup, RequestContext, JoinGroupRequestData, CompletableFuture<JoinGroupResponseData>)
        """  # noqa: E501
        records: list[CoordinatorRecord] = []
        group_id = request.group_id
        instance_id = request.group_instance_id
        session_timeout_ms = request.session_timeout_ms
        protocols = request.protocols

        member_id = request.member_id
        is_unknown_member = member_id == JoinGroupRequest.UNKNOWN_MEMBER_ID
        if is_unknown_member:
            member_id = str(Uuid.random_uuid())

        self._throw_if_consumer_group_is_full(group, member_id)
        self._throw_if_classic_protocol_is_not_supported(group, member_id, request.protocol_type, protocols)

        static_member_replaced = False
        if instance_id is None:
            if is_unknown_member and JoinGroupRequest.requires_known_member_id(context.api_version()):
                self._log.info("[GroupId %s] dynamic member with unknown member id joins the consumer group; "
                               "it has to join again with the new member id %s", group_id, member_id)
                return OperationResult([], JoinGroupResponseData(
                    member_id=member_id, error_code=Errors.MEMBER_ID_REQUIRED.code))
            else:
                member = group.get_or_maybe_create_member(member_id, True)
                self._log.info("[GroupId %s] member %s joins the consumer group", group_id, member_id)
                updated_member_builder = ConsumerGroupMember.Builder(member)
        else:
            static_member = group.static_member(instance_id)
            if is_unknown_member:
                if static_member is None:
                    member = group.get_or_maybe_create_member(member_id, True)
                    updated_member_builder = ConsumerGroupMember.Builder(member)
                    self._log.info("[GroupId %s] static member %s with instance id %s joins the consumer "
                                   "group", group_id, member_id, instance_id)
                else:
                    member = static_member
                    static_member_replaced = True
                    updated_member_builder = ConsumerGroupMember.Builder(member_id).set_assigned_partitions(
                        member.assigned_partitions())
                    # The old member's timers stay, because the append of the records may fail. After the
                    # append they do nothing.
                    self._remove_member(records, group_id, member.member_id())
                    self._log.info(
                        "[GroupId %s] static member with unknown member id and instance id %s joins again: "
                        "member %s replaces member %s", group_id, instance_id, member_id, member.member_id())
            else:
                member = self._throw_if_static_member_is_unknown(static_member, instance_id)
                self._throw_if_instance_id_is_fenced(member, group_id, member_id, instance_id)
                updated_member_builder = ConsumerGroupMember.Builder(member)
                self._log.info("[GroupId %s] static member %s with instance id %s joins the consumer group "
                               "again", group_id, member_id, instance_id)

        subscription = self._deserialize_subscription(protocols)
        owned_topic_partitions = self._to_topic_partitions(
            subscription.owned_partitions, self._metadata_image.topics)

        updated_member = (
            updated_member_builder.maybe_update_instance_id(instance_id)
            .maybe_update_rack_id(subscription.rack_id)
            .maybe_update_rebalance_timeout_ms(Utils.of_sentinel(request.rebalance_timeout_ms))
            .maybe_update_server_assignor_name(None)
            .maybe_update_subscribed_topic_names(subscription.topics).set_client_id(context.client_id() or "")
            .set_client_host(str(context.client_address))
            .set_classic_member_metadata(ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
                session_timeout_ms=session_timeout_ms,
                supported_protocols=(
                    ConsumerGroupMember.classic_protocol_list_from_join_request_protocol_collection(
                        protocols))))
            .build())

        updated_member = self._update_and_reconcile(
            group, member, updated_member, static_member_replaced, owned_topic_partitions, records)

        response = JoinGroupResponseData(
            member_id=updated_member.member_id(), generation_id=updated_member.member_epoch(),
            protocol_type=PROTOCOL_TYPE, protocol_name=_first_protocol(updated_member).name)

        def on_appended() -> None:
            self._cancel_consumer_group_join_timeout(group_id, response.member_id)
            self._schedule_consumer_group_session_timeout(group_id, response.member_id, session_timeout_ms)
            # The member must send SyncGroup in time.
            self._schedule_consumer_group_sync_timeout(
                group_id, response.member_id, request.rebalance_timeout_ms)

        return OperationResult(records, response, on_appended)

    def _resolve_regular_expressions(
        self, group: ConsumerGroup, member: ConsumerGroupMember, updated_member: ConsumerGroupMember,
        topic_filter: TopicFilter | None,
    ) -> tuple[bool, dict[str, ResolvedRegularExpression | None]]:
        """Return whether all expressions were matched with the topics, and those whose topics change.

        An expression without members has None. Raises InvalidRegularExpression for the member's expression.

        DEVIATION D314: the first heartbeat after a change of the topics matches all expressions of the group,
        because a match takes few steps. Kafka 4.0 matches them on another thread, at most every 10 s. The
        matches belong to the group there, too, so all members get their parts of a new topic at once.
        """
        subscribed = group.compute_subscribed_regular_expressions(member, updated_member)
        known = group.resolved_regular_expressions()
        changes: dict[str, ResolvedRegularExpression | None] = {
            regex: None for regex in known if regex not in subscribed}
        regex = updated_member.subscribed_topic_regex() or ""
        is_new = bool(regex) and regex not in known
        image, refreshed_ms = self._refreshes.get(group.group_id(), (None, 0))
        current_time_ms = self._time.milliseconds()
        is_refresh = bool(subscribed) and (
            image is not self._metadata_image
            or current_time_ms >= refreshed_ms + _REGEX_REFRESH_INTERVAL_MS)

        # A costly expression must not use up the steps of the others. A long one may be costly.
        regexes = [regex] if is_new else []
        if is_refresh:
            regexes += sorted(subscribed.keys() - regexes, key=len)
        budget = Budget()
        found: dict[str, list[str]] = {}
        for each in regexes:
            try:
                budget.spend(len(each))
                pattern = Pattern(each)
                budget.spend(pattern.size())
                found[each] = pattern.select(self._metadata_image.topics.topics_by_name(), budget)
            except (PatternSyntaxException, MatchLimitException) as e:
                description = e.get_description() if isinstance(e, PatternSyntaxException) else str(e)
                if is_new and each == regex:
                    raise InvalidRegularExpression(regex, description) from e
                self._log.warning("[GroupId %s] the regular expression %.100r keeps its topics: %s",
                                  group.group_id(), each, description)
        topics = {topic for matches in found.values() for topic in matches}
        if topic_filter is not None and topics:
            topics = set(topic_filter(topics))
        for each, matches in found.items():
            resolved = ResolvedRegularExpression(frozenset(topics.intersection(matches)), current_time_ms)
            if each not in known or known[each].topics != resolved.topics:
                changes[each] = resolved
                self._log.info("[GroupId %s] the regular expression %.100r matches %d topics",
                               group.group_id(), each, len(resolved.topics))
        return is_refresh, changes

    def _remove_regular_expressions(
        self, records: list[CoordinatorRecord], group: ConsumerGroup, members: Sequence[ConsumerGroupMember],
    ) -> Mapping[str, ResolvedRegularExpression | None]:
        """Add tombstones of the expressions that only these members subscribe to; return the expressions."""
        subscribed = Counter(group.compute_subscribed_regular_expressions(None, None))
        subscribed.subtract(member.subscribed_topic_regex() or "" for member in members)
        removed: dict[str, ResolvedRegularExpression | None] = {
            regex: None for regex in group.resolved_regular_expressions() if subscribed[regex] <= 0}
        for regex in removed:
            records.append(
                CoordinatorRecordHelpers.new_regular_expression_record(group.group_id(), regex, None))
        return removed

    def _has_member_subscription_changed(
        self,
        group_id: str,
        member: ConsumerGroupMember,
        updated_member: ConsumerGroupMember,
        records: list[CoordinatorRecord],
    ) -> bool:
        """Add a record of a changed member; return whether the subscription has changed.

        :origin: coordinator.group.GroupMetadataManager#hasMemberSubscriptionChanged(String, ConsumerGroupMember, ConsumerGroupMember, List<CoordinatorRecord>)
        """  # noqa: E501
        member_id = updated_member.member_id()
        if updated_member != member:
            records.append(CoordinatorRecordHelpers.new_member_subscription_record(group_id, updated_member))

            if updated_member.subscribed_topic_names() != member.subscribed_topic_names():
                self._log.info(
                    "[GroupId %s] member %s updated its subscribed topics to: %s", group_id, member_id,
                    sorted(updated_member.subscribed_topic_names()))
                return True

            if updated_member.subscribed_topic_regex() != member.subscribed_topic_regex():
                self._log.info(
                    "[GroupId %s] member %s updated its subscribed regex to: %s", group_id, member_id,
                    updated_member.subscribed_topic_regex())
                return True
        return False

    def _maybe_reconcile(
        self,
        group_id: str,
        member: ConsumerGroupMember,
        current_partition_epoch: Callable[[Uuid, int], int],
        target_assignment_epoch: int,
        target_assignment: Assignment,
        owned_topic_partitions: Sequence[ConsumerGroupHeartbeatRequestData.TopicPartitions] | None,
        records: list[CoordinatorRecord],
    ) -> ConsumerGroupMember:
        """
        :origin: coordinator.group.GroupMetadataManager#maybeReconcile(String, ConsumerGroupMember, BiFunction<Uuid,Integer,Integer>, int, Assignment, List<ConsumerGroupHeartbeatRequestData.TopicPartitions>, List<CoordinatorRecord>)
        """  # noqa: E501
        if member.is_reconciled_to(target_assignment_epoch):
            return member

        updated_member = (
            CurrentAssignmentBuilder(member)
            .with_target_assignment(target_assignment_epoch, target_assignment)
            .with_current_partition_epoch(current_partition_epoch)
            .with_owned_topic_partitions(owned_topic_partitions).build())

        if updated_member != member:
            records.append(CoordinatorRecordHelpers.new_current_assignment_record(group_id, updated_member))

            self._log.info(
                "[GroupId %s] member %s new assignment state: epoch=%d, previousEpoch=%d, "
                "state=%s, assignedPartitions=%s and revokedPartitions=%s", group_id,
                updated_member.member_id(), updated_member.member_epoch(),
                updated_member.previous_member_epoch(), updated_member.state().name,
                Utils.assignment_to_string(updated_member.assigned_partitions()),
                Utils.assignment_to_string(updated_member.partitions_pending_revocation()))

            if not updated_member.use_classic_protocol():
                if updated_member.state() is MemberState.UNREVOKED_PARTITIONS:
                    self._schedule_consumer_group_rebalance_timeout(
                        group_id, updated_member.member_id(), updated_member.member_epoch(),
                        updated_member.rebalance_timeout_ms())
                else:
                    self._cancel_consumer_group_rebalance_timeout(group_id, updated_member.member_id())

        return updated_member

    def _update_target_assignment(
        self,
        group: ConsumerGroup,
        group_epoch: int,
        member: ConsumerGroupMember,
        updated_member: ConsumerGroupMember,
        subscription_metadata: Mapping[str, TopicMetadata],
        subscription_type: SubscriptionType,
        resolved_regular_expressions: Mapping[str, ResolvedRegularExpression],
        static_member_replaced: bool,
        records: list[CoordinatorRecord],
    ) -> Assignment:
        """Return the member's part of the new target assignment. Raises UnknownServerException.

        :origin: coordinator.group.GroupMetadataManager#updateTargetAssignment(ConsumerGroup, int, ConsumerGroupMember, ConsumerGroupMember, Map<String,TopicMetadata>, SubscriptionType, boolean, List<CoordinatorRecord>)
        """  # noqa: E501
        preferred_server_assignor = (
            group.compute_preferred_server_assignor(member, updated_member)
            or self._default_consumer_group_assignor.name())
        try:
            assignment_result_builder = (
                TargetAssignmentBuilder(
                    group.group_id(), group_epoch, self._consumer_group_assignors[preferred_server_assignor])
                .with_members(group.members()).with_static_members(group.static_members())
                .with_subscription_metadata(subscription_metadata).with_subscription_type(subscription_type)
                .with_target_assignment(group.target_assignment())
                .with_inverted_target_assignment(group.inverted_target_assignment())
                .with_topics_image(self._metadata_image.topics)
                .with_resolved_regular_expressions(resolved_regular_expressions)
                .add_or_update_member(updated_member.member_id(), updated_member))

            if static_member_replaced:
                # The new member takes over the assignment of the replaced one.
                assignment_result_builder.remove_member(member.member_id())

            start_time_ms = self._time.milliseconds()
            assignment_result = assignment_result_builder.build()
            assignor_time_ms = self._time.milliseconds() - start_time_ms

            self._log.info(
                "[GroupId %s] computed a new target assignment for epoch %d with '%s' assignor in %dms",
                group.group_id(), group_epoch, preferred_server_assignor, assignor_time_ms)

            records.extend(assignment_result.records())

            new_member_assignment = assignment_result.target_assignment().get(updated_member.member_id())
            if new_member_assignment is not None:
                return Assignment(new_member_assignment.partitions())
            else:
                return Assignment.EMPTY
        except PartitionAssignorException as ex:
            msg = f"Failed to compute a new target assignment for epoch {group_epoch}: {ex}"
            self._log.error("[GroupId %s] %s", group.group_id(), msg)
            raise UnknownServerException(msg) from ex

    def _consumer_group_leave(
        self, group_id: str, instance_id: str | None, member_id: str, member_epoch: int
    ) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        """Raises ApiException.

        :origin: coordinator.group.GroupMetadataManager#consumerGroupLeave(String, String, String, int)
        """
        group = self.consumer_group(group_id)
        response = ConsumerGroupHeartbeatResponseData(member_id=member_id, member_epoch=member_epoch)

        if instance_id is None:
            member = group.get_or_maybe_create_member(member_id, False)
            self._log.info("[GroupId %s] member %s left the consumer group", group_id, member_id)
            return self._consumer_group_fence_member(group, member, response)
        else:
            member = self._throw_if_static_member_is_unknown(group.static_member(instance_id), instance_id)
            self._throw_if_instance_id_is_fenced(member, group_id, member_id, instance_id)
            if member_epoch == LEAVE_GROUP_STATIC_MEMBER_EPOCH:
                self._log.info(
                    "[GroupId %s] static member %s with instance id %s temporarily left the "
                    "consumer group", group.group_id(), member_id, instance_id)
                return self._consumer_group_static_member_group_leave(group, member)
            else:
                self._log.info(
                    "[GroupId %s] static member %s with instance id %s left the consumer group",
                    group.group_id(), member_id, instance_id)
                return self._consumer_group_fence_member(group, member, response)

    def _consumer_group_static_member_group_leave(
        self, group: ConsumerGroup, member: ConsumerGroupMember
    ) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        """Keep a static member's partitions for its next instance.

        :origin: coordinator.group.GroupMetadataManager#consumerGroupStaticMemberGroupLeave(ConsumerGroup, ConsumerGroupMember)
        """  # noqa: E501
        leaving_static_member = (
            ConsumerGroupMember.Builder(member).set_member_epoch(LEAVE_GROUP_STATIC_MEMBER_EPOCH)
            .set_partitions_pending_revocation({}).build())

        return OperationResult(
            [CoordinatorRecordHelpers.new_current_assignment_record(group.group_id(), leaving_static_member)],
            ConsumerGroupHeartbeatResponseData(
                member_id=member.member_id(), member_epoch=LEAVE_GROUP_STATIC_MEMBER_EPOCH))

    def _consumer_group_fence_member(
        self, group: ConsumerGroup, member: ConsumerGroupMember, response: T
    ) -> OperationResult[T]:
        """Remove a member, and raise the group's epoch. A group of classic members becomes a classic group.

        :origin: coordinator.group.GroupMetadataManager#consumerGroupFenceMember(ConsumerGroup, ConsumerGroupMember, T)
        """  # noqa: E501
        if self._validate_online_downgrade(group, member.member_id()):
            return self._convert_to_classic_group(group, member.member_id(), response)

        records: list[CoordinatorRecord] = []
        self._remove_member(records, group.group_id(), member.member_id())
        resolved = self._remove_regular_expressions(records, group, [member])

        subscription_metadata = group.compute_subscription_metadata(
            group.compute_subscribed_topic_names(member, None, resolved), self._metadata_image)

        if subscription_metadata != group.subscription_metadata():
            self._log.info(
                "[GroupId %s] computed new subscription metadata: %s", group.group_id(),
                subscription_metadata)
            records.append(
                CoordinatorRecordHelpers.new_group_subscription_metadata_record(
                    group.group_id(), subscription_metadata))

        group_epoch = group.group_epoch() + 1
        records.append(CoordinatorRecordHelpers.new_group_epoch_record(group.group_id(), group_epoch))

        self._cancel_timers(group.group_id(), member.member_id())

        return OperationResult(records, response)

    def _remove_member(self, records: list[CoordinatorRecord], group_id: str, member_id: str) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#removeMember(List<CoordinatorRecord>, String, String)
        """
        records.append(CoordinatorRecordHelpers.new_current_assignment_tombstone_record(group_id, member_id))
        records.append(CoordinatorRecordHelpers.new_target_assignment_tombstone_record(group_id, member_id))
        records.append(CoordinatorRecordHelpers.new_member_subscription_tombstone_record(group_id, member_id))

    def _cancel_timers(self, group_id: str, member_id: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#cancelTimers(String, String)"""
        self._cancel_consumer_group_session_timeout(group_id, member_id)
        self._cancel_consumer_group_rebalance_timeout(group_id, member_id)
        self._cancel_consumer_group_join_timeout(group_id, member_id)
        self._cancel_consumer_group_sync_timeout(group_id, member_id)

    def _schedule_consumer_group_session_timeout(
            self, group_id: str, member_id: str, session_timeout_ms: int | None = None) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#scheduleConsumerGroupSessionTimeout(String, String)
        :origin: coordinator.group.GroupMetadataManager#scheduleConsumerGroupSessionTimeout(String, String, int)
        """  # noqa: E501
        self._timer.schedule(
            self.consumer_group_session_timeout_key(group_id, member_id),
            self._consumer_group_session_timeout_ms if session_timeout_ms is None else session_timeout_ms,
            lambda: self._consumer_group_fence_member_operation(
                group_id, member_id, "the member session expired."))

    def _consumer_group_fence_member_operation(
        self, group_id: str, member_id: str, reason: str
    ) -> OperationResult[None]:
        """
        :origin: coordinator.group.GroupMetadataManager#consumerGroupFenceMemberOperation(String, String, String)
        """  # noqa: E501
        try:
            group = self.consumer_group(group_id)
            member = group.get_or_maybe_create_member(member_id, False)
            self._log.info(
                "[GroupId %s] member %s fenced from the group because %s", group_id, member_id, reason)

            return self._consumer_group_fence_member(group, member, None)
        except (GroupIdNotFoundException, UnknownMemberIdException) as ex:
            self._log.debug("[GroupId %s] could not fence %s: %s", group_id, member_id, ex)

        return OperationResult([], None)

    def _cancel_consumer_group_session_timeout(self, group_id: str, member_id: str) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#cancelConsumerGroupSessionTimeout(String, String)
        """
        self._timer.cancel(self.consumer_group_session_timeout_key(group_id, member_id))

    def _schedule_consumer_group_rebalance_timeout(
        self, group_id: str, member_id: str, member_epoch: int, rebalance_timeout_ms: int
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#scheduleConsumerGroupRebalanceTimeout(String, String, int, int)
        """  # noqa: E501
        key = self.consumer_group_rebalance_timeout_key(group_id, member_id)

        def fence() -> OperationResult[None]:
            try:
                group = self.consumer_group(group_id)
                member = group.get_or_maybe_create_member(member_id, False)

                if member.member_epoch() == member_epoch:
                    self._log.info(
                        "[GroupId %s] member %s fenced from the group because it failed to "
                        "transition from epoch %d within %dms", group_id, member_id, member_epoch,
                        rebalance_timeout_ms)

                    return self._consumer_group_fence_member(group, member, None)
                else:
                    self._log.debug(
                        "[GroupId %s] ignoring rebalance timeout for %s: the member left epoch %d", group_id,
                        member_id, member_epoch)
            except (GroupIdNotFoundException, UnknownMemberIdException) as ex:
                self._log.debug("[GroupId %s] could not fence %s: %s", group_id, member_id, ex)

            return OperationResult([], None)

        self._timer.schedule(key, rebalance_timeout_ms, fence)

    def _cancel_consumer_group_rebalance_timeout(self, group_id: str, member_id: str) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#cancelConsumerGroupRebalanceTimeout(String, String)
        """
        self._timer.cancel(self.consumer_group_rebalance_timeout_key(group_id, member_id))

    def _schedule_consumer_group_join_timeout_if_absent(
            self, group_id: str, member_id: str, rebalance_timeout_ms: int) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#scheduleConsumerGroupJoinTimeoutIfAbsent(String, String, int)
        """  # noqa: E501
        self._timer.schedule_if_absent(
            self.consumer_group_join_key(group_id, member_id), rebalance_timeout_ms,
            lambda: self._consumer_group_fence_member_operation(
                group_id, member_id, "the classic member failed to join within the rebalance timeout."))

    def _cancel_consumer_group_join_timeout(self, group_id: str, member_id: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#cancelConsumerGroupJoinTimeout(String, String)"""
        self._timer.cancel(self.consumer_group_join_key(group_id, member_id))

    def _schedule_consumer_group_sync_timeout(
            self, group_id: str, member_id: str, rebalance_timeout_ms: int) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#scheduleConsumerGroupSyncTimeout(String, String, int)
        """
        self._timer.schedule(
            self.consumer_group_sync_key(group_id, member_id), rebalance_timeout_ms,
            lambda: self._consumer_group_fence_member_operation(
                group_id, member_id, "the member failed to sync within timeout."))

    def _cancel_consumer_group_sync_timeout(self, group_id: str, member_id: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#cancelConsumerGroupSyncTimeout(String, String)"""
        self._timer.cancel(self.consumer_group_sync_key(group_id, member_id))

    def consumer_group_heartbeat(
        self,
        context: RequestContext,
        request: ConsumerGroupHeartbeatRequestData,
        topic_filter: TopicFilter | None = None,
    ) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        """Handle a heartbeat, which starts, keeps or ends a membership. Raises ApiException.

        ``topic_filter`` returns the topics that the client's regular expression may match.

        :origin: coordinator.group.GroupMetadataManager#consumerGroupHeartbeat(RequestContext, ConsumerGroupHeartbeatRequestData)
        """  # noqa: E501
        self._throw_if_consumer_group_heartbeat_request_is_invalid(request, context.api_version())

        if request.member_epoch in (LEAVE_GROUP_MEMBER_EPOCH, LEAVE_GROUP_STATIC_MEMBER_EPOCH):
            return self._consumer_group_leave(
                request.group_id, request.instance_id, request.member_id, request.member_epoch)
        else:
            return self._consumer_group_heartbeat(
                request.group_id, request.member_id, request.member_epoch, request.instance_id,
                request.rack_id, request.rebalance_timeout_ms, context.client_id() or "",
                str(context.client_address), request.subscribed_topic_names, request.server_assignor,
                request.topic_partitions, request.subscribed_topic_regex, topic_filter)

    def replay(self, record: CoordinatorRecord) -> None:
        """
        Apply a record to the state. Raises IllegalStateException for a record that contradicts the state.
        """
        key, value = record.key().message(), record.value()
        message = None if value is None else value.message()
        if isinstance(key, ConsumerGroupMemberMetadataKey):
            assert message is None or isinstance(message, ConsumerGroupMemberMetadataValue)
            self.replay_member_metadata(key, message)
        elif isinstance(key, ConsumerGroupMetadataKey):
            assert message is None or isinstance(message, ConsumerGroupMetadataValue)
            self.replay_metadata(key, message)
        elif isinstance(key, ConsumerGroupPartitionMetadataKey):
            assert message is None or isinstance(message, ConsumerGroupPartitionMetadataValue)
            self.replay_partition_metadata(key, message)
        elif isinstance(key, ConsumerGroupTargetAssignmentMemberKey):
            assert message is None or isinstance(message, ConsumerGroupTargetAssignmentMemberValue)
            self.replay_target_assignment_member(key, message)
        elif isinstance(key, ConsumerGroupTargetAssignmentMetadataKey):
            assert message is None or isinstance(message, ConsumerGroupTargetAssignmentMetadataValue)
            self.replay_target_assignment_metadata(key, message)
        elif isinstance(key, ConsumerGroupCurrentMemberAssignmentKey):
            assert message is None or isinstance(message, ConsumerGroupCurrentMemberAssignmentValue)
            self.replay_current_member_assignment(key, message)
        elif isinstance(key, ConsumerGroupRegularExpressionKey):
            assert message is None or isinstance(message, ConsumerGroupRegularExpressionValue)
            self.replay_regular_expression(key, message)

    def replay_member_metadata(
        self, key: ConsumerGroupMemberMetadataKey, value: ConsumerGroupMemberMetadataValue | None
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#replay(ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue)
        """  # noqa: E501
        group_id = key.group_id
        member_id = key.member_id

        consumer_group = self.get_or_maybe_create_persisted_consumer_group(group_id, value is not None)
        old_subscribed_topic_names = set(consumer_group.subscribed_topic_names())

        if value is not None:
            old_member = consumer_group.get_or_maybe_create_member(member_id, True)
            consumer_group.update_member(ConsumerGroupMember.Builder(old_member).update_with(value).build())
        else:
            old_member = consumer_group.get_or_maybe_create_member(member_id, False)
            if old_member.member_epoch() != LEAVE_GROUP_MEMBER_EPOCH:
                raise IllegalStateException(
                    f"Received a tombstone record to delete member {member_id} but did not receive "
                    "ConsumerGroupCurrentMemberAssignmentValue tombstone.")
            if member_id in consumer_group.target_assignment():
                raise IllegalStateException(
                    f"Received a tombstone record to delete member {member_id} but did not receive "
                    "ConsumerGroupTargetAssignmentMetadataValue tombstone.")
            consumer_group.remove_member(member_id)

        self._update_groups_by_topics(
            group_id, old_subscribed_topic_names, set(consumer_group.subscribed_topic_names()))

    def replay_regular_expression(
        self, key: ConsumerGroupRegularExpressionKey, value: ConsumerGroupRegularExpressionValue | None
    ) -> None:
        """Replace the topics of a group's regular expression."""
        consumer_group = self.get_or_maybe_create_persisted_consumer_group(key.group_id, value is not None)
        old_subscribed_topic_names = set(consumer_group.subscribed_topic_names())
        consumer_group.update_resolved_regular_expression(
            key.regular_expression,
            None if value is None else ResolvedRegularExpression(frozenset(value.topics), value.timestamp))
        self._update_groups_by_topics(
            key.group_id, old_subscribed_topic_names, set(consumer_group.subscribed_topic_names()))

    def groups_subscribed_to_topic(self, topic_name: str) -> AbstractSet[str]:
        """:origin: coordinator.group.GroupMetadataManager#groupsSubscribedToTopic(String)"""
        return self._groups_by_topics.get(topic_name, frozenset())

    def _subscribe_group_to_topic(self, group_id: str, topic_name: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#subscribeGroupToTopic(String, String)"""
        self._groups_by_topics.setdefault(topic_name, set()).add(group_id)

    def _unsubscribe_group_from_topic(self, group_id: str, topic_name: str) -> None:
        """:origin: coordinator.group.GroupMetadataManager#unsubscribeGroupFromTopic(String, String)"""
        group_ids = self._groups_by_topics.get(topic_name)
        if group_ids is not None:
            group_ids.discard(group_id)
            if not group_ids:
                del self._groups_by_topics[topic_name]

    def _update_groups_by_topics(
        self, group_id: str, old_subscribed_topics: AbstractSet[str], new_subscribed_topics: AbstractSet[str]
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#updateGroupsByTopics(String, Set<String>, Set<String>)
        """
        for topic_name in old_subscribed_topics - new_subscribed_topics:
            self._unsubscribe_group_from_topic(group_id, topic_name)
        for topic_name in new_subscribed_topics - old_subscribed_topics:
            self._subscribe_group_to_topic(group_id, topic_name)

    def replay_metadata(
        self, key: ConsumerGroupMetadataKey, value: ConsumerGroupMetadataValue | None
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#replay(ConsumerGroupMetadataKey, ConsumerGroupMetadataValue)
        """  # noqa: E501
        group_id = key.group_id

        if value is not None:
            consumer_group = self.get_or_maybe_create_persisted_consumer_group(group_id, True)
            consumer_group.set_group_epoch(value.epoch)
        else:
            consumer_group = self.get_or_maybe_create_persisted_consumer_group(group_id, False)
            if consumer_group.members():
                raise IllegalStateException(
                    f"Received a tombstone record to delete group {group_id} but the group still "
                    f"has {len(consumer_group.members())} members.")
            if consumer_group.target_assignment():
                raise IllegalStateException(
                    f"Received a tombstone record to delete group {group_id} but the target "
                    f"assignment still has {len(consumer_group.target_assignment())} members.")
            if consumer_group.assignment_epoch() != -1:
                raise IllegalStateException(
                    f"Received a tombstone record to delete group {group_id} but did not receive "
                    "ConsumerGroupTargetAssignmentMetadataValue tombstone.")
            self._remove_group(group_id)

    def replay_partition_metadata(
        self, key: ConsumerGroupPartitionMetadataKey, value: ConsumerGroupPartitionMetadataValue | None
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#replay(ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue)
        """  # noqa: E501
        consumer_group = self.get_or_maybe_create_persisted_consumer_group(key.group_id, False)

        if value is not None:
            consumer_group.set_subscription_metadata(
                {
                    topic_metadata.topic_name: TopicMetadata.from_record(topic_metadata)
                    for topic_metadata in value.topics})
        else:
            consumer_group.set_subscription_metadata({})

    def replay_target_assignment_member(
        self,
        key: ConsumerGroupTargetAssignmentMemberKey,
        value: ConsumerGroupTargetAssignmentMemberValue | None,
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#replay(ConsumerGroupTargetAssignmentMemberKey, ConsumerGroupTargetAssignmentMemberValue)
        """  # noqa: E501
        consumer_group = self.get_or_maybe_create_persisted_consumer_group(key.group_id, False)

        if value is not None:
            consumer_group.update_target_assignment(key.member_id, Assignment.from_record(value))
        else:
            consumer_group.remove_target_assignment(key.member_id)

    def replay_target_assignment_metadata(
        self,
        key: ConsumerGroupTargetAssignmentMetadataKey,
        value: ConsumerGroupTargetAssignmentMetadataValue | None,
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#replay(ConsumerGroupTargetAssignmentMetadataKey, ConsumerGroupTargetAssignmentMetadataValue)
        """  # noqa: E501
        group_id = key.group_id
        consumer_group = self.get_or_maybe_create_persisted_consumer_group(group_id, False)

        if value is not None:
            consumer_group.set_target_assignment_epoch(value.assignment_epoch)
        else:
            if consumer_group.target_assignment():
                raise IllegalStateException(
                    f"Received a tombstone record to delete target assignment of {group_id} but the "
                    f"assignment still has {len(consumer_group.target_assignment())} members.")
            consumer_group.set_target_assignment_epoch(-1)

    def replay_current_member_assignment(
        self,
        key: ConsumerGroupCurrentMemberAssignmentKey,
        value: ConsumerGroupCurrentMemberAssignmentValue | None,
    ) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#replay(ConsumerGroupCurrentMemberAssignmentKey, ConsumerGroupCurrentMemberAssignmentValue)
        """  # noqa: E501
        consumer_group = self.get_or_maybe_create_persisted_consumer_group(key.group_id, False)
        old_member = consumer_group.get_or_maybe_create_member(key.member_id, False)

        if value is not None:
            new_member = ConsumerGroupMember.Builder(old_member).update_with_assignment(value).build()
        else:
            new_member = (
                ConsumerGroupMember.Builder(old_member).set_member_epoch(LEAVE_GROUP_MEMBER_EPOCH)
                .set_previous_member_epoch(LEAVE_GROUP_MEMBER_EPOCH).set_assigned_partitions({})
                .set_partitions_pending_revocation({}).build())
        consumer_group.update_member(new_member)

    def on_new_metadata_image(self, new_image: MetadataImage, changed_topics: Iterable[str]) -> None:
        """Have groups check the created, changed and deleted topics again.

        :origin: coordinator.group.GroupMetadataManager#onNewMetadataImage(MetadataImage, MetadataDelta)
        """
        self._metadata_image = new_image
        group_ids = {
            group_id for topic_name in changed_topics
            for group_id in self.groups_subscribed_to_topic(topic_name)}
        for group_id in group_ids:
            group = self._groups.get(group_id)
            if group is not None:
                group.request_metadata_refresh()

    def on_loaded(self) -> None:
        """Start the sessions of all members.

        :origin: coordinator.group.GroupMetadataManager#onLoaded()
        """
        for group_id, group in self._groups.items():
            self._log.info("loaded consumer group %s with %d members", group_id, group.num_members())
            for member_id, member in group.members().items():
                self._log.debug("loaded member %s in consumer group %s", member_id, group_id)
                self._schedule_consumer_group_session_timeout(group_id, member_id)
                if member.state() is MemberState.UNREVOKED_PARTITIONS:
                    self._schedule_consumer_group_rebalance_timeout(
                        group_id, member.member_id(), member.member_epoch(), member.rebalance_timeout_ms())

    def on_unloaded(self) -> None:
        """:origin: coordinator.group.GroupMetadataManager#onUnloaded()"""
        for group in self._groups.values():
            self._log.info(
                "[GroupId=%s] unloaded group metadata for group epoch %d", group.group_id(),
                group.group_epoch())

    @staticmethod
    def consumer_group_session_timeout_key(group_id: str, member_id: str) -> str:
        """:origin: coordinator.group.GroupMetadataManager#consumerGroupSessionTimeoutKey(String, String)"""
        return f"session-timeout-{group_id}-{member_id}"

    @staticmethod
    def consumer_group_rebalance_timeout_key(group_id: str, member_id: str) -> str:
        """:origin: coordinator.group.GroupMetadataManager#consumerGroupRebalanceTimeoutKey(String, String)"""
        return f"rebalance-timeout-{group_id}-{member_id}"

    def classic_group_sync_to_consumer_group(
        self, group: ConsumerGroup, request: SyncGroupRequestData,
    ) -> OperationResult[SyncGroupResponseData]:
        """Return a classic member's assignment. Raises ApiException and IllegalStateException.

        :origin: coordinator.group.GroupMetadataManager#classicGroupSyncToConsumerGroup(ConsumerGroup, RequestContext, SyncGroupRequestData, CompletableFuture<SyncGroupResponseData>)
        """  # noqa: E501
        group_id, member_id = request.group_id, request.member_id
        member = self._validate_consumer_group_member(group, member_id, request.group_instance_id)

        self._throw_if_member_does_not_use_classic_protocol(member)
        self._throw_if_generation_id_unmatched(
            member.member_id(), member.member_epoch(), request.generation_id)
        self._throw_if_classic_protocol_unmatched(member, request.protocol_type, request.protocol_name)
        self._throw_if_rebalance_in_progress(group, member)

        def on_appended() -> None:
            self._cancel_consumer_group_sync_timeout(group_id, member_id)
            self._schedule_consumer_group_session_timeout(
                group_id, member_id, member.classic_protocol_session_timeout())

        return OperationResult([], SyncGroupResponseData(
            protocol_type=request.protocol_type, protocol_name=request.protocol_name,
            assignment=self._prepare_assignment(member)), on_appended)

    def _prepare_assignment(self, member: ConsumerGroupMember) -> bytes:
        """Return a member's partitions in the version of its subscription. Raises IllegalStateException.

        :origin: coordinator.group.GroupMetadataManager#prepareAssignment(ConsumerGroupMember)
        """
        try:
            return ConsumerProtocol.serialize_assignment(
                ConsumerProtocolAssignment(assigned_partitions=self.to_topic_partition_list(
                    member.assigned_partitions(), self._metadata_image.topics), user_data=None),
                ConsumerProtocol.deserialize_version(ByteBuffer.wrap(_first_protocol(member).metadata)))
        except SchemaException as e:
            raise IllegalStateException(
                "Malformed embedded consumer protocol in version deserialization.") from e

    def classic_group_heartbeat_to_consumer_group(
        self, group: ConsumerGroup, request: HeartbeatRequestData,
    ) -> OperationResult[HeartbeatResponseData]:
        """Restart the session of a classic member. Raises ApiException.

        :origin: coordinator.group.GroupMetadataManager#classicGroupHeartbeatToConsumerGroup(ConsumerGroup, RequestContext, HeartbeatRequestData)
        """  # noqa: E501
        group_id, member_id = request.group_id, request.member_id
        member = self._validate_consumer_group_member(group, member_id, request.group_instance_id)

        self._throw_if_member_does_not_use_classic_protocol(member)
        self._throw_if_generation_id_unmatched(member_id, member.member_epoch(), request.generation_id)

        self._schedule_consumer_group_session_timeout(
            group_id, member_id, member.classic_protocol_session_timeout())

        error = Errors.NONE
        # The member joins again in three cases: for a new epoch, to revoke partitions, and to get partitions
        # that are free now.
        if (member.member_epoch() < group.group_epoch()
                or member.state() is MemberState.UNREVOKED_PARTITIONS
                or (member.state() is MemberState.UNRELEASED_PARTITIONS
                    and not group.waiting_on_unreleased_partition(member))):
            error = Errors.REBALANCE_IN_PROGRESS
            self._schedule_consumer_group_join_timeout_if_absent(
                group_id, member_id, member.rebalance_timeout_ms())

        return OperationResult([], HeartbeatResponseData(error_code=error.code))

    def _validate_consumer_group_member(
            self, group: ConsumerGroup, member_id: str, instance_id: str | None) -> ConsumerGroupMember:
        """Raises UnknownMemberIdException and FencedInstanceIdException.

        :origin: coordinator.group.GroupMetadataManager#validateConsumerGroupMember(ConsumerGroup, String, String)
        """  # noqa: E501
        if instance_id is None:
            return group.get_or_maybe_create_member(member_id, False)
        member = group.static_member(instance_id)
        if member is None:
            raise UnknownMemberIdException(
                f"Member with instance id {instance_id} is not a member of group {group.group_id()}.")
        self._throw_if_instance_id_is_fenced(member, group.group_id(), member_id, instance_id)
        return member

    def classic_group_leave_to_consumer_group(
        self, group: ConsumerGroup, request: LeaveGroupRequestData,
    ) -> OperationResult[LeaveGroupResponseData]:
        """Remove classic members, each with its own error.

        :origin: coordinator.group.GroupMetadataManager#classicGroupLeaveToConsumerGroup(ConsumerGroup, RequestContext, LeaveGroupRequestData)
        """  # noqa: E501
        group_id = group.group_id()
        member_responses = []
        valid_leave_group_members = []
        records: list[CoordinatorRecord] = []

        for member_identity in request.members:
            member_id = member_identity.member_id
            instance_id = member_identity.group_instance_id
            reason = member_identity.reason if member_identity.reason is not None else "not provided"

            error = Errors.NONE
            try:
                if instance_id is None:
                    member = group.get_or_maybe_create_member(member_id, False)
                    self._throw_if_member_does_not_use_classic_protocol(member)
                    self._log.info("[GroupId %s] dynamic member %s left the group by LeaveGroup; reason of "
                                   "the client: %s", group_id, member_id, reason)
                else:
                    member = self._throw_if_static_member_is_unknown(
                        group.static_member(instance_id), instance_id)
                    # An administrator removes a static member without giving its member id.
                    if member_id != JoinGroupRequest.UNKNOWN_MEMBER_ID:
                        self._throw_if_instance_id_is_fenced(member, group_id, member_id, instance_id)
                    self._throw_if_member_does_not_use_classic_protocol(member)
                    member_id = member.member_id()
                    self._log.info("[GroupId %s] static member %s with instance id %s left the group by "
                                   "LeaveGroup; reason of the client: %s", group_id, member_id, instance_id,
                                   reason)

                self._remove_member(records, group_id, member_id)
                self._cancel_timers(group_id, member_id)
                valid_leave_group_members.append(member)
            except KafkaException as e:
                error = Errors.for_exception(e)
            member_responses.append(LeaveGroupResponseData.MemberResponse(
                member_id=member_id, group_instance_id=instance_id, error_code=error.code))

        if records:
            resolved = self._remove_regular_expressions(records, group, valid_leave_group_members)
            subscription_metadata = group.compute_subscription_metadata(
                group.compute_subscribed_topic_names_removed(valid_leave_group_members, resolved),
                self._metadata_image)

            if subscription_metadata != group.subscription_metadata():
                self._log.info("[GroupId %s] computed new subscription metadata: %s", group_id,
                               subscription_metadata)
                records.append(CoordinatorRecordHelpers.new_group_subscription_metadata_record(
                    group_id, subscription_metadata))

            records.append(CoordinatorRecordHelpers.new_group_epoch_record(group_id, group.group_epoch() + 1))

        return OperationResult(records, LeaveGroupResponseData(members=member_responses))

    def create_group_tombstone_records(self, group_id: str, records: list[CoordinatorRecord]) -> None:
        """Raises GroupIdNotFoundException.

        :origin: coordinator.group.GroupMetadataManager#createGroupTombstoneRecords(String, List<CoordinatorRecord>)
        :origin: coordinator.group.GroupMetadataManager#createGroupTombstoneRecords(Group, List<CoordinatorRecord>)
        """  # noqa: E501
        self.group(group_id).create_group_tombstone_records(records)

    def validate_delete_group(self, group_id: str) -> None:
        """Raises GroupIdNotFoundException and GroupNotEmptyException.

        :origin: coordinator.group.GroupMetadataManager#validateDeleteGroup(String)
        """
        self.group(group_id).validate_delete_group()

    def maybe_delete_group(self, group_id: str, records: list[CoordinatorRecord]) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#maybeDeleteGroup(String, List<CoordinatorRecord>)
        """
        group = self._groups.get(group_id)
        if group is not None and group.is_empty():
            self.create_group_tombstone_records(group_id, records)

    @staticmethod
    def _is_empty_consumer_group(group: ConsumerGroup | None) -> bool:
        """:origin: coordinator.group.GroupMetadataManager#isEmptyConsumerGroup(Group)"""
        return group is not None and group.is_empty()

    def _maybe_delete_empty_classic_group(self, group_id: str, records: list[CoordinatorRecord]) -> bool:
        """
        :origin: coordinator.group.GroupMetadataManager#maybeDeleteEmptyClassicGroup(Group, List<CoordinatorRecord>)
        """  # noqa: E501
        if self._classic_groups.is_empty(group_id):
            records.extend(self._classic_groups.tombstones(group_id))
            return True
        return False

    def maybe_delete_empty_consumer_group(self, group_id: str, records: list[CoordinatorRecord]) -> None:
        """
        :origin: coordinator.group.GroupMetadataManager#maybeDeleteEmptyConsumerGroup(String, List<CoordinatorRecord>)
        """  # noqa: E501
        if self._is_empty_consumer_group(self._groups.get(group_id)):
            self.create_group_tombstone_records(group_id, records)

    def group_ids(self) -> AbstractSet[str]:
        """:origin: coordinator.group.GroupMetadataManager#groupIds()"""
        return self._groups.keys()

    def count_groups(self) -> Counter[ConsumerGroup.ConsumerGroupState]:
        """Return the number of groups in each state."""
        return Counter(group.state() for group in self._groups.values())

    @staticmethod
    def consumer_group_join_key(group_id: str, member_id: str) -> str:
        """:origin: coordinator.group.GroupMetadataManager#consumerGroupJoinKey(String, String)"""
        return f"join-{group_id}-{member_id}"

    @staticmethod
    def consumer_group_sync_key(group_id: str, member_id: str) -> str:
        """:origin: coordinator.group.GroupMetadataManager#consumerGroupSyncKey(String, String)"""
        return f"sync-{group_id}-{member_id}"


def _first_protocol(member: ConsumerGroupMember) -> ConsumerGroupMemberMetadataValue.ClassicProtocol:
    """Return a classic member's preferred protocol."""
    protocols = member.supported_classic_protocols()
    assert protocols, "a member of the classic protocol"
    return protocols[0]

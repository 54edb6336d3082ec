# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupCoordinator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The members, leader and generation of each group: handles joins, syncs, heartbeats, leaves and commits.

Called by any thread: request handlers, the reapers of the two purgatories, the scheduler of
GroupMetadataManager. Every result goes to a callback. The callback runs at once, or on the thread that
completes the wait. No thread waits.

Locks: a group's lock guards all of the group. The group's waiting operations use the same lock, so only a
thread that holds the group tries them. The group's lock is taken before the manager's partition lock. An
append may run, and call back, under the group's lock. Completions that the append enables for other requests
run later, without the lock (see ActionQueue).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Callable, NamedTuple, TypeVar

from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.internals.topic import Topic
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.coordinator.group.offset_config import OffsetConfig
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.delayed_heartbeat import DelayedHeartbeat
from kreactor.core.coordinator.group.delayed_join import DelayedJoin, InitialDelayedJoin
from kreactor.core.coordinator.group.delayed_rebalance import DelayedRebalance
from kreactor.core.coordinator.group.delayed_sync import DelayedSync
from kreactor.core.coordinator.group.group_metadata import (
    CompletingRebalance,
    Dead,
    Empty,
    GroupMetadata,
    GroupOverview,
    GroupSummary,
    PreparingRebalance,
    Stable,
)
from kreactor.core.coordinator.group.group_metadata_manager import CommitCallback, GroupMetadataManager
from kreactor.core.coordinator.group.group_results import (
    NO_GENERATION,
    NO_LEADER,
    JoinCallback,
    JoinGroupResult,
    LeaveGroupResult,
    LeaveMemberResponse,
    SyncCallback,
    SyncGroupResult,
)
from kreactor.core.coordinator.group.member_metadata import MemberMetadata, MemberSummary, Protocol
from kreactor.core.server.add_partitions_to_txn_manager import TransactionSupportedOperation
from kreactor.core.server.delayed_operation import DelayedOperation, DelayedOperationPurgatory, NewPurgatory
from kreactor.core.server.delayed_operation_key import GroupJoinKey, GroupSyncKey, MemberKey
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.jdk.atomic import AtomicBoolean
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.server.config.group_type import GroupType
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.storage.internals.log.verification_guard import VerificationGuard

T = TypeVar("T", bound=DelayedOperation)

MemberIdentity = LeaveGroupRequestData.MemberIdentity

# In these states an empty group is one that commits offsets without members, as old clients do.
_APIS_OF_EMPTY_GROUP_ID = (ApiKeys.OFFSET_COMMIT, ApiKeys.OFFSET_FETCH, ApiKeys.DESCRIBE_GROUPS,
                           ApiKeys.DELETE_GROUPS)


class GroupCoordinator(Logging):
    """
    :origin: kafka.coordinator.group.GroupCoordinator
    :origin: kafka.coordinator.group.GroupCoordinator
    """

    NO_STATE = ""
    NO_PROTOCOL_TYPE = ""
    NO_PROTOCOL = ""
    NO_LEADER = NO_LEADER
    NO_GENERATION = NO_GENERATION
    NO_MEMBERS: list[MemberSummary] = []
    EMPTY_GROUP = GroupSummary(NO_STATE, NO_PROTOCOL_TYPE, NO_PROTOCOL, NO_MEMBERS)
    DEAD_GROUP = GroupSummary(str(Dead), NO_PROTOCOL_TYPE, NO_PROTOCOL, NO_MEMBERS)
    NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000

    def __init__(
        self,
        broker_id: int,
        group_config: GroupConfig,
        offset_config: OffsetConfig,
        group_manager: GroupMetadataManager,
        heartbeat_purgatory: DelayedOperationPurgatory[DelayedHeartbeat],
        rebalance_purgatory: DelayedOperationPurgatory[DelayedRebalance],
        time: Time,
        metrics: Metrics,
    ) -> None:
        """Answer COORDINATOR_NOT_AVAILABLE until ``startup``. Owns the manager and the purgatories.

        :origin: kafka.coordinator.group.GroupCoordinator#GroupCoordinator
        """
        self.broker_id = broker_id
        self.group_config = group_config
        self._offset_config = offset_config
        self.group_manager = group_manager
        self.heartbeat_purgatory = heartbeat_purgatory
        self.rebalance_purgatory = rebalance_purgatory
        self._time = time

        self.offset_deletion_sensor = metrics.sensor("OffsetDeletions")
        self.offset_deletion_sensor.add(Meter(
            metrics.metric_name("offset-deletion-rate", "group-coordinator-metrics",
                                "The rate of administrative deleted offsets"),
            metrics.metric_name("offset-deletion-count", "group-coordinator-metrics",
                                "The total number of administrative deleted offsets")))

        self.group_completed_rebalance_sensor = metrics.sensor("CompletedRebalances")
        self.group_completed_rebalance_sensor.add(Meter(
            metrics.metric_name("group-completed-rebalance-rate", "group-coordinator-metrics",
                                "The rate of completed rebalance"),
            metrics.metric_name("group-completed-rebalance-count", "group-coordinator-metrics",
                                "The total number of completed rebalance")))

        self._log_ident = f"[GroupCoordinator {broker_id}]: "

        # True while the coordinator accepts requests.
        self._is_active = AtomicBoolean(False)

    def offsets_topic_configs(self) -> dict[str, str]:
        """Return the settings with which the offsets topic is created.

        :origin: kafka.coordinator.group.GroupCoordinator#offsetsTopicConfigs
        """
        return {
            TopicConfig.CLEANUP_POLICY_CONFIG: TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.SEGMENT_BYTES_CONFIG: str(self._offset_config.offsets_topic_segment_bytes),
            TopicConfig.COMPRESSION_TYPE_CONFIG: BrokerCompressionType.PRODUCER.value,
        }

    def startup(self, retrieve_group_metadata_topic_partition_count: Callable[[], int],
                enable_metadata_expiration: bool = True) -> None:
        """Begin to accept requests.

        :origin: kafka.coordinator.group.GroupCoordinator#startup
        """
        self.info("starting up")
        self.group_manager.startup(retrieve_group_metadata_topic_partition_count, enable_metadata_expiration)
        self._is_active.set(True)
        self.info("startup complete")

    def shutdown(self) -> None:
        """Stop accepting requests. Waiting members get no response.

        :origin: kafka.coordinator.group.GroupCoordinator#shutdown
        """
        self.info("shutting down")
        self._is_active.set(False)
        self.group_manager.shutdown()
        self.heartbeat_purgatory.shutdown()
        self.rebalance_purgatory.shutdown()
        self.info("shutdown complete")

    def is_active(self) -> bool:
        """Return whether the coordinator accepts requests."""
        return self._is_active.get()

    def _accept_joining_member(self, group: GroupMetadata, member: str) -> bool:
        """Return whether the group has room for a member.

        :origin: kafka.coordinator.group.GroupCoordinator#acceptJoiningMember
        """
        state = group.current_state()
        if state is Empty or state is Dead:
            return True
        elif state is PreparingRebalance:
            # Only waiting members count. After the limit was lowered, a group may have too many members; the
            # last ones to join again must leave.
            return ((group.has(member) and group.get(member).is_awaiting_join())
                    or group.num_awaiting() < self.group_config.group_max_size)
        else:
            # A member that has not joined again is removed.
            return group.has(member) or group.size() < self.group_config.group_max_size

    def handle_join_group(
        self,
        group_id: str,
        member_id: str,
        group_instance_id: str | None,
        require_known_member_id: bool,
        support_skipping_assignment: bool,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        protocols: Sequence[Protocol],
        response_callback: JoinCallback,
        reason: str | None = None,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Add a member to the next generation. The callback comes when the generation is complete.

        :origin: kafka.coordinator.group.GroupCoordinator#handleJoinGroup
        """
        error = self._validate_group_status(group_id, ApiKeys.JOIN_GROUP)
        if error is not None:
            response_callback(JoinGroupResult.of(member_id, error))
            return

        if (session_timeout_ms < self.group_config.group_min_session_timeout_ms
                or session_timeout_ms > self.group_config.group_max_session_timeout_ms):
            response_callback(JoinGroupResult.of(member_id, Errors.INVALID_SESSION_TIMEOUT))
            return

        is_unknown_member = member_id == JoinGroupRequest.UNKNOWN_MEMBER_ID
        # A member without an id may create the group. A member with an id belonged to a group that no longer
        # exists.
        group = self.group_manager.get_or_maybe_create_group(group_id, is_unknown_member)
        if group is None:
            response_callback(JoinGroupResult.of(member_id, Errors.UNKNOWN_MEMBER_ID))
            return
        with group.lock:
            join_reason = "not provided" if reason is None else reason
            if not self._accept_joining_member(group, member_id):
                group.remove(member_id)
                response_callback(JoinGroupResult.of(
                    JoinGroupRequest.UNKNOWN_MEMBER_ID, Errors.GROUP_MAX_SIZE_REACHED))
            elif is_unknown_member:
                self._do_new_member_join_group(
                    group, group_instance_id, require_known_member_id, support_skipping_assignment, client_id,
                    client_host, rebalance_timeout_ms, session_timeout_ms, protocol_type, protocols,
                    response_callback, request_local, join_reason)
            else:
                self._do_current_member_join_group(
                    group, member_id, group_instance_id, client_id, client_host, rebalance_timeout_ms,
                    session_timeout_ms, protocol_type, protocols, response_callback, join_reason)

            if group.is_(PreparingRebalance):
                self.rebalance_purgatory.check_and_complete(GroupJoinKey(group.group_id))

    def _do_new_member_join_group(
        self,
        group: GroupMetadata,
        group_instance_id: str | None,
        require_known_member_id: bool,
        support_skipping_assignment: bool,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        protocols: Sequence[Protocol],
        response_callback: JoinCallback,
        request_local: RequestLocal,
        reason: str,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#doNewMemberJoinGroup"""
        with group.lock:
            if group.is_(Dead):
                # Another thread has just removed the group. The member looks for the coordinator and retries.
                response_callback(JoinGroupResult.of(
                    JoinGroupRequest.UNKNOWN_MEMBER_ID, Errors.COORDINATOR_NOT_AVAILABLE))
            elif not group.supports_protocols(protocol_type, MemberMetadata.plain_protocol_set(protocols)):
                response_callback(JoinGroupResult.of(
                    JoinGroupRequest.UNKNOWN_MEMBER_ID, Errors.INCONSISTENT_GROUP_PROTOCOL))
            else:
                new_member_id = group.generate_member_id(client_id, group_instance_id)
                if group_instance_id is not None:
                    self._do_static_new_member_join_group(
                        group, group_instance_id, new_member_id, client_id, client_host,
                        support_skipping_assignment, rebalance_timeout_ms, session_timeout_ms, protocol_type,
                        protocols, response_callback, request_local, reason)
                else:
                    self._do_dynamic_new_member_join_group(
                        group, require_known_member_id, new_member_id, client_id, client_host,
                        rebalance_timeout_ms, session_timeout_ms, protocol_type, protocols, response_callback,
                        reason)

    def _do_static_new_member_join_group(
        self,
        group: GroupMetadata,
        group_instance_id: str,
        new_member_id: str,
        client_id: str,
        client_host: str,
        support_skipping_assignment: bool,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        protocols: Sequence[Protocol],
        response_callback: JoinCallback,
        request_local: RequestLocal,
        reason: str,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#doStaticNewMemberJoinGroup"""
        old_member_id = group.current_static_member_id(group_instance_id)
        if old_member_id is not None:
            self.info("static member with groupInstanceId=%s and unknown member id joins group %s in %s "
                      "state; it replaces member %s with this groupInstanceId", group_instance_id,
                      group.group_id, group.current_state(), old_member_id)
            self._update_static_member_and_rebalance(
                group, old_member_id, new_member_id, group_instance_id, protocols, rebalance_timeout_ms,
                session_timeout_ms, response_callback, request_local, reason, support_skipping_assignment)
        else:
            self.info("static member with groupInstanceId=%s and unknown member id joins group %s in %s "
                      "state; its new member id is %s", group_instance_id, group.group_id,
                      group.current_state(), new_member_id)
            self._add_member_and_rebalance(
                rebalance_timeout_ms, session_timeout_ms, new_member_id, group_instance_id, client_id,
                client_host, protocol_type, protocols, group, response_callback, reason)

    def _do_dynamic_new_member_join_group(
        self,
        group: GroupMetadata,
        require_known_member_id: bool,
        new_member_id: str,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        protocols: Sequence[Protocol],
        response_callback: JoinCallback,
        reason: str,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#doDynamicNewMemberJoinGroup"""
        if require_known_member_id:
            # The member gets its id, and must join again with that id. So a client that misses the response
            # leaves no member behind.
            self.info("dynamic member with unknown member id joins group %s in %s state; its new member id "
                      "is %s, with which it has to join again", group.group_id, group.current_state(),
                      new_member_id)
            group.add_pending_member(new_member_id)
            self._add_pending_member_expiration(group, new_member_id, session_timeout_ms)
            response_callback(JoinGroupResult.of(new_member_id, Errors.MEMBER_ID_REQUIRED))
        else:
            self.info("dynamic member with unknown member id joins group %s in %s state; its new member id "
                      "is %s", group.group_id, group.current_state(), new_member_id)
            self._add_member_and_rebalance(
                rebalance_timeout_ms, session_timeout_ms, new_member_id, None, client_id, client_host,
                protocol_type, protocols, group, response_callback, reason)

    def _validate_current_member(self, group: GroupMetadata, member_id: str, group_instance_id: str | None,
                                 operation: str) -> Errors | None:
        """Return the error of a member, None if the member exists and holds its instance id.

        :origin: kafka.coordinator.group.GroupCoordinator#validateCurrentMember
        """
        if group_instance_id is not None:
            current_member_id = group.current_static_member_id(group_instance_id)
            if current_member_id is None:
                return Errors.UNKNOWN_MEMBER_ID
            if current_member_id != member_id:
                self.info("request memberId=%s for static member with groupInstanceId=%s is fenced by "
                          "current memberId=%s during operation %s", member_id, group_instance_id,
                          current_member_id, operation)
                return Errors.FENCED_INSTANCE_ID
        if not group.has(member_id):
            return Errors.UNKNOWN_MEMBER_ID
        return None

    def _do_current_member_join_group(
        self,
        group: GroupMetadata,
        member_id: str,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        protocols: Sequence[Protocol],
        response_callback: JoinCallback,
        reason: str,
    ) -> None:
        """Raises IllegalStateException for a pending static member, which cannot exist.

        :origin: kafka.coordinator.group.GroupCoordinator#doCurrentMemberJoinGroup
        """
        with group.lock:
            if group.is_(Dead):
                # Another thread has just removed the group. The member looks for the coordinator and retries.
                response_callback(JoinGroupResult.of(member_id, Errors.COORDINATOR_NOT_AVAILABLE))
            elif not group.supports_protocols(protocol_type, MemberMetadata.plain_protocol_set(protocols)):
                response_callback(JoinGroupResult.of(member_id, Errors.INCONSISTENT_GROUP_PROTOCOL))
            elif group.is_pending_member(member_id):
                if group_instance_id is not None:
                    raise IllegalStateException(
                        f"Received unexpected JoinGroup with groupInstanceId={group_instance_id} for pending "
                        f"member with memberId={member_id}")

                self.debug("pending dynamic member with id %s joins group %s in %s state", member_id,
                           group.group_id, group.current_state())
                self._add_member_and_rebalance(
                    rebalance_timeout_ms, session_timeout_ms, member_id, None, client_id, client_host,
                    protocol_type, protocols, group, response_callback, reason)
            else:
                error = self._validate_current_member(
                    group, member_id, group_instance_id, operation="join-group")
                if error is not None:
                    response_callback(JoinGroupResult.of(member_id, error))
                    return

                def current_generation(members: bool) -> JoinGroupResult:
                    return JoinGroupResult(
                        members=group.current_member_metadata() if members else [],
                        member_id=member_id,
                        generation_id=group.generation_id,
                        protocol_type=group.protocol_type,
                        protocol_name=group.protocol_name,
                        leader_id=group.leader_or_null(),
                        skip_assignment=False,
                        error=Errors.NONE)

                state = group.current_state()
                member = group.get(member_id)
                if state is PreparingRebalance:
                    self._update_member_and_rebalance(
                        group, member, protocols, rebalance_timeout_ms, session_timeout_ms,
                        f"Member {member.member_id} joining group during {state}; client reason: {reason}",
                        response_callback)

                elif state is CompletingRebalance:
                    if member.matches(protocols):
                        # The member may have missed the response, so it is sent again.
                        response_callback(current_generation(members=group.is_leader(member_id)))
                    else:
                        self._update_member_and_rebalance(
                            group, member, protocols, rebalance_timeout_ms, session_timeout_ms,
                            f"Updating metadata for member {member.member_id} during {state}; client reason: "
                            f"{reason}", response_callback)

                elif state is Stable:
                    if group.is_leader(member_id):
                        # This is how the leader triggers a new assignment, for example when topics have
                        # changed. Members do not report that.
                        self._update_member_and_rebalance(
                            group, member, protocols, rebalance_timeout_ms, session_timeout_ms,
                            f"Leader {member.member_id} re-joining group during {state}; client reason: "
                            f"{reason}", response_callback)
                    elif not member.matches(protocols):
                        self._update_member_and_rebalance(
                            group, member, protocols, rebalance_timeout_ms, session_timeout_ms,
                            f"Updating metadata for member {member.member_id} during {state}; client reason: "
                            f"{reason}", response_callback)
                    else:
                        # Nothing has changed, so the member can continue with SyncGroup.
                        response_callback(current_generation(members=False))

                else:
                    self.warn("attempt to add rejoining member %s of group %s in unexpected group state %s",
                              member_id, group.group_id, state)
                    response_callback(JoinGroupResult.of(member_id, Errors.UNKNOWN_MEMBER_ID))

    def handle_sync_group(
        self,
        group_id: str,
        generation: int,
        member_id: str,
        protocol_type: str | None,
        protocol_name: str | None,
        group_instance_id: str | None,
        group_assignment: Mapping[str, bytes],
        response_callback: SyncCallback,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Give a member its assignment as soon as the leader has sent it.

        :origin: kafka.coordinator.group.GroupCoordinator#handleSyncGroup
        """
        error = self._validate_group_status(group_id, ApiKeys.SYNC_GROUP)
        if error is Errors.COORDINATOR_LOAD_IN_PROGRESS:
            # The state of the rebalance was in memory, and is lost. This error makes the member join again
            # without looking for the coordinator. Older clients do not expect COORDINATOR_LOAD_IN_PROGRESS
            # here.
            response_callback(SyncGroupResult.of(Errors.REBALANCE_IN_PROGRESS))
        elif error is not None:
            response_callback(SyncGroupResult.of(error))
        else:
            group = self.group_manager.get_group(group_id)
            if group is None:
                response_callback(SyncGroupResult.of(Errors.UNKNOWN_MEMBER_ID))
            else:
                self._do_sync_group(group, generation, member_id, protocol_type, protocol_name,
                                    group_instance_id, group_assignment, request_local, response_callback)

    def _validate_sync_group(
        self, group: GroupMetadata, generation_id: int, member_id: str, protocol_type: str | None,
        protocol_name: str | None, group_instance_id: str | None,
    ) -> Errors | None:
        """:origin: kafka.coordinator.group.GroupCoordinator#validateSyncGroup"""
        if group.is_(Dead):
            # Another thread has just removed the group. The member looks for the coordinator and retries.
            return Errors.COORDINATOR_NOT_AVAILABLE
        error = self._validate_current_member(group, member_id, group_instance_id, operation="sync-group")
        if error is not None:
            return error
        if generation_id != group.generation_id:
            return Errors.ILLEGAL_GENERATION
        if protocol_type is not None and group.protocol_type != protocol_type:
            return Errors.INCONSISTENT_GROUP_PROTOCOL
        if protocol_name is not None and group.protocol_name != protocol_name:
            return Errors.INCONSISTENT_GROUP_PROTOCOL
        return None

    def _do_sync_group(
        self,
        group: GroupMetadata,
        generation_id: int,
        member_id: str,
        protocol_type: str | None,
        protocol_name: str | None,
        group_instance_id: str | None,
        group_assignment: Mapping[str, bytes],
        request_local: RequestLocal,
        response_callback: SyncCallback,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#doSyncGroup"""
        with group.lock:
            validation_error = self._validate_sync_group(
                group, generation_id, member_id, protocol_type, protocol_name, group_instance_id)
            if validation_error is not None:
                response_callback(SyncGroupResult.of(validation_error))
                return

            state = group.current_state()
            if state is Empty:
                response_callback(SyncGroupResult.of(Errors.UNKNOWN_MEMBER_ID))

            elif state is PreparingRebalance:
                response_callback(SyncGroupResult.of(Errors.REBALANCE_IN_PROGRESS))

            elif state is CompletingRebalance:
                group.get(member_id).awaiting_sync_callback = response_callback
                self._remove_pending_sync_member(group, member_id)

                if group.is_leader(member_id):
                    self.info("assignment received from leader %s for group %s for generation %d; the group "
                              "has %d members, %d of which are static", member_id, group.group_id,
                              group.generation_id, group.size(), len(group.all_static_members()))

                    missing = group.all_members() - group_assignment.keys()
                    assignment = {**group_assignment, **dict.fromkeys(missing, b"")}

                    if missing:
                        self.warn("setting empty assignments for members %s of %s for generation %d",
                                  set(missing), group.group_id, group.generation_id)

                    def group_stored(error: Errors) -> None:
                        with group.lock:
                            # If another member has joined in the meantime, the assignment is obsolete.
                            if group.is_(CompletingRebalance) and generation_id == group.generation_id:
                                if error is not Errors.NONE:
                                    self._reset_and_propagate_assignment_error(group, error)
                                    self._maybe_prepare_rebalance(
                                        group, f"Error {error} when storing group assignment during "
                                               f"SyncGroup (member: {member_id})")
                                else:
                                    self._set_and_propagate_assignment(group, assignment)
                                    group.transition_to(Stable)

                    self.group_manager.store_group(group, assignment, group_stored, request_local)
                    self.group_completed_rebalance_sensor.record()

            elif state is Stable:
                self._remove_pending_sync_member(group, member_id)

                member_metadata = group.get(member_id)
                response_callback(SyncGroupResult(
                    group.protocol_type, group.protocol_name, member_metadata.assignment, Errors.NONE))
                self._complete_and_schedule_next_heartbeat_expiration(group, group.get(member_id))

            else:
                raise IllegalStateException(
                    f"Reached unexpected condition for Dead group {group.group_id}")

    def handle_leave_group(self, group_id: str, leaving_members: Sequence[MemberIdentity],
                           response_callback: Callable[[LeaveGroupResult], object]) -> None:
        """Remove members. An administrator names static members by their instance ids alone.

        :origin: kafka.coordinator.group.GroupCoordinator#handleLeaveGroup
        """
        def remove_current_member_from_group(group: GroupMetadata, member_id: str,
                                             reason: str | None) -> None:
            member = group.get(member_id)
            leave_reason = "not provided" if reason is None else reason
            self._remove_member_and_update_group(
                group, member, f"Removing member {member_id} on LeaveGroup; client reason: {leave_reason}")
            self._remove_heartbeat_for_leaving_member(group, member.member_id)
            self.info("member %s has left group %s through explicit `LeaveGroup`; client reason: %s", member,
                      group_id, leave_reason)

        def remove(group: GroupMetadata, leaving_member: MemberIdentity) -> Errors:
            member_id = leaving_member.member_id
            group_instance_id = leaving_member.group_instance_id
            reason = leaving_member.reason
            if member_id == JoinGroupRequest.UNKNOWN_MEMBER_ID:
                current_member_id = (None if group_instance_id is None
                                     else group.current_static_member_id(group_instance_id))
                if current_member_id is None:
                    return Errors.UNKNOWN_MEMBER_ID
                remove_current_member_from_group(group, current_member_id, reason)
                return Errors.NONE
            elif group.is_pending_member(member_id):
                self._remove_pending_member_and_update_group(group, member_id)
                self.heartbeat_purgatory.check_and_complete(MemberKey(group.group_id, member_id))
                self.info("pending member with memberId=%s has left group %s through explicit `LeaveGroup` "
                          "request", member_id, group.group_id)
                return Errors.NONE
            member_error = self._validate_current_member(
                group, member_id, group_instance_id, operation="leave-group")
            if member_error is not None:
                return member_error
            remove_current_member_from_group(group, member_id, reason)
            return Errors.NONE

        error = self._validate_group_status(group_id, ApiKeys.LEAVE_GROUP)
        if error is not None:
            response_callback(self._leave_error(error, []))
            return
        group = self.group_manager.get_group(group_id)
        if group is None:
            response_callback(self._leave_error(Errors.NONE, [
                self._member_leave_error(leaving_member, Errors.UNKNOWN_MEMBER_ID)
                for leaving_member in leaving_members]))
            return
        with group.lock:
            if group.is_(Dead):
                response_callback(self._leave_error(Errors.COORDINATOR_NOT_AVAILABLE, []))
            else:
                member_errors = [self._member_leave_error(leaving_member, remove(group, leaving_member))
                                 for leaving_member in leaving_members]
                response_callback(self._leave_error(Errors.NONE, member_errors))

    def handle_delete_groups(self, group_ids: Iterable[str],
                             request_local: RequestLocal = RequestLocal.NoCaching) -> dict[str, Errors]:
        """Delete groups without members, and their offsets.

        :origin: kafka.coordinator.group.GroupCoordinator#handleDeleteGroups
        """
        group_errors: dict[str, Errors] = {}
        groups_eligible_for_deletion: list[GroupMetadata] = []

        for group_id in dict.fromkeys(group_ids):
            error = self._validate_group_status(group_id, ApiKeys.DELETE_GROUPS)
            if error is not None:
                group_errors[group_id] = error
                continue
            group = self.group_manager.get_group(group_id)
            if group is None:
                group_errors[group_id] = self._error_of_no_group(group_id)
                continue
            with group.lock:
                state = group.current_state()
                if state is Dead:
                    group_errors[group_id] = self._error_of_no_group(group_id)
                elif state is Empty:
                    group.transition_to(Dead)
                    groups_eligible_for_deletion.append(group)
                else:
                    group_errors[group_id] = Errors.NON_EMPTY_GROUP

        if groups_eligible_for_deletion:
            offsets_removed = self.group_manager.cleanup_group_metadata(
                groups_eligible_for_deletion, request_local, GroupMetadata.remove_all_offsets)
            group_errors.update((group.group_id, Errors.NONE) for group in groups_eligible_for_deletion)
            self.info("the following groups were deleted: %s; a total of %d offsets were removed",
                      ", ".join(group.group_id for group in groups_eligible_for_deletion), offsets_removed)

        return group_errors

    def _error_of_no_group(self, group_id: str) -> Errors:
        if self.group_manager.group_not_exists(group_id):
            return Errors.GROUP_ID_NOT_FOUND
        return Errors.NOT_COORDINATOR

    def handle_delete_offsets(
        self, group_id: str, partitions: Sequence[TopicPartition], request_local: RequestLocal,
    ) -> tuple[Errors, dict[TopicPartition, Errors]]:
        """Delete offsets of partitions to which no member is subscribed.

        Returns either an error of the group, or the results of the partitions.

        :origin: kafka.coordinator.group.GroupCoordinator#handleDeleteOffsets
        """
        error = self._validate_group_status(group_id, ApiKeys.OFFSET_DELETE)
        if error is not None:
            return error, {}

        group = self.group_manager.get_group(group_id)
        if group is None:
            return self._error_of_no_group(group_id), {}

        group_error = Errors.NONE
        partition_errors: dict[TopicPartition, Errors] = {}
        partitions_eligible_for_deletion: Sequence[TopicPartition] = ()
        with group.lock:
            state = group.current_state()
            if state is Dead:
                group_error = self._error_of_no_group(group_id)
            elif state is Empty:
                partitions_eligible_for_deletion = partitions
            elif group.is_consumer_group():
                partitions_eligible_for_deletion = [
                    tp for tp in partitions if not group.is_subscribed_to_topic(tp.topic())]
                partition_errors = {
                    tp: Errors.GROUP_SUBSCRIBED_TO_TOPIC for tp in partitions
                    if group.is_subscribed_to_topic(tp.topic())}
            else:
                group_error = Errors.NON_EMPTY_GROUP

        if partitions_eligible_for_deletion:
            offsets_removed = self.group_manager.cleanup_group_metadata(
                [group], request_local, lambda g: g.remove_offsets(partitions_eligible_for_deletion))

            partition_errors.update(dict.fromkeys(partitions_eligible_for_deletion, Errors.NONE))

            self.offset_deletion_sensor.record(offsets_removed)

            self.info("the following offsets of the group %s were deleted: %s; a total of %d offsets were "
                      "removed", group_id, ", ".join(map(str, partitions_eligible_for_deletion)),
                      offsets_removed)

        return group_error, partition_errors

    def _validate_heartbeat(self, group: GroupMetadata, generation_id: int, member_id: str,
                            group_instance_id: str | None) -> Errors | None:
        """:origin: kafka.coordinator.group.GroupCoordinator#validateHeartbeat"""
        if group.is_(Dead):
            return Errors.COORDINATOR_NOT_AVAILABLE
        error = self._validate_current_member(group, member_id, group_instance_id, operation="heartbeat")
        if error is not None:
            return error
        if generation_id != group.generation_id:
            return Errors.ILLEGAL_GENERATION
        return None

    def handle_heartbeat(self, group_id: str, member_id: str, group_instance_id: str | None,
                         generation_id: int, response_callback: Callable[[Errors], object]) -> None:
        """Restart a member's session, and report a rebalance to the member.

        :origin: kafka.coordinator.group.GroupCoordinator#handleHeartbeat
        """
        error = self._validate_group_status(group_id, ApiKeys.HEARTBEAT)
        if error is not None:
            # While the group is loading, its members are unknown, so the heartbeat is accepted.
            response_callback(Errors.NONE if error is Errors.COORDINATOR_LOAD_IN_PROGRESS else error)
            return

        group = self.group_manager.get_group(group_id)
        if group is None:
            err = Errors.UNKNOWN_MEMBER_ID
        else:
            with group.lock:
                err = self._do_heartbeat(group, generation_id, member_id, group_instance_id)
        response_callback(err)

    def _do_heartbeat(self, group: GroupMetadata, generation_id: int, member_id: str,
                      group_instance_id: str | None) -> Errors:
        """The second part of Kafka's ``handleHeartbeat``. Called under the group's lock."""
        validation_error = self._validate_heartbeat(group, generation_id, member_id, group_instance_id)
        if validation_error is not None:
            return validation_error
        state = group.current_state()
        if state is Empty:
            return Errors.UNKNOWN_MEMBER_ID
        elif state is CompletingRebalance:
            # A consumer may send heartbeats as soon as it has joined.
            self._complete_and_schedule_next_heartbeat_expiration(group, group.get(member_id))
            return Errors.NONE
        elif state is PreparingRebalance:
            self._complete_and_schedule_next_heartbeat_expiration(group, group.get(member_id))
            return Errors.REBALANCE_IN_PROGRESS
        elif state is Stable:
            self._complete_and_schedule_next_heartbeat_expiration(group, group.get(member_id))
            return Errors.NONE
        raise IllegalStateException(f"Reached unexpected condition for Dead group {group.group_id}")

    def handle_txn_commit_offsets(
        self,
        group_id: str,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        member_id: str,
        group_instance_id: str | None,
        generation_id: int,
        offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata],
        response_callback: CommitCallback,
        request_local: RequestLocal = RequestLocal.NoCaching,
        *,
        api_version: int,
    ) -> None:
        """Store offsets that take effect when the transaction is committed. The transaction is verified
        first.

        :origin: kafka.coordinator.group.GroupCoordinator#handleTxnCommitOffsets
        """
        group_error = self._validate_group_status(group_id, ApiKeys.TXN_OFFSET_COMMIT)
        if group_error is not None:
            response_callback(dict.fromkeys(offset_metadata, group_error))
            return
        group = (self.group_manager.get_group(group_id)
                 or self.group_manager.add_group(GroupMetadata(group_id, Empty, self._time)))

        offset_topic_partition = TopicPartition(
            Topic.GROUP_METADATA_TOPIC_NAME, self.partition_for(group.group_id))

        def post_verification_callback(new_request_local: RequestLocal,
                                       error_and_guard: tuple[Errors, VerificationGuard]) -> None:
            error, verification_guard = error_and_guard
            if error is not Errors.NONE:
                final_error = GroupMetadataManager.maybe_convert_offset_commit_error(error)
                response_callback(dict.fromkeys(offset_metadata, final_error))
            else:
                self._do_txn_commit_offsets(
                    group, member_id, group_instance_id, generation_id, producer_id, producer_epoch,
                    offset_topic_partition, offset_metadata, new_request_local, response_callback,
                    verification_guard)

        transaction_supported_operation = (
            TransactionSupportedOperation.generic_error if api_version >= 4
            else TransactionSupportedOperation.default_error)
        self.group_manager.replica_manager.maybe_start_transaction_verification_for_partition(
            offset_topic_partition,
            transactional_id,
            producer_id,
            producer_epoch,
            RecordBatch.NO_SEQUENCE,
            # A later callback runs on a handler's thread.
            KafkaRequestHandler.wrap_async_callback(post_verification_callback, request_local),
            transaction_supported_operation)

    def handle_commit_offsets(
        self,
        group_id: str,
        member_id: str,
        group_instance_id: str | None,
        generation_id: int,
        offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata],
        response_callback: CommitCallback,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Store offsets of a member, or of a client that only stores offsets and joins no group.

        :origin: kafka.coordinator.group.GroupCoordinator#handleCommitOffsets
        """
        error = self._validate_group_status(group_id, ApiKeys.OFFSET_COMMIT)
        if error is not None:
            response_callback(dict.fromkeys(offset_metadata, error))
            return
        group = self.group_manager.get_group(group_id)
        if group is None:
            if generation_id < 0:
                group = self.group_manager.add_group(GroupMetadata(group_id, Empty, self._time))
                self._do_commit_offsets(group, member_id, group_instance_id, generation_id, offset_metadata,
                                        response_callback, request_local)
            else:
                # The commit is of an earlier generation.
                response_callback(dict.fromkeys(offset_metadata, Errors.ILLEGAL_GENERATION))
        else:
            self._do_commit_offsets(group, member_id, group_instance_id, generation_id, offset_metadata,
                                    response_callback, request_local)

    def schedule_handle_txn_completion(self, producer_id: int,
                                       offsets_partitions: Collection[TopicPartition],
                                       transaction_result: TransactionResult) -> None:
        """Have the manager's thread apply the offsets of a transaction, or drop them.

        Raises IllegalArgumentException if a partition is not of the offsets topic.

        :origin: kafka.coordinator.group.GroupCoordinator#scheduleHandleTxnCompletion
        """
        if any(tp.topic() != Topic.GROUP_METADATA_TOPIC_NAME for tp in offsets_partitions):
            raise IllegalArgumentException("requirement failed")
        is_commit = transaction_result is TransactionResult.COMMIT
        self.group_manager.schedule_handle_txn_completion(
            producer_id, {tp.partition() for tp in offsets_partitions}, is_commit)

    def _do_txn_commit_offsets(
        self,
        group: GroupMetadata,
        member_id: str,
        group_instance_id: str | None,
        generation_id: int,
        producer_id: int,
        producer_epoch: int,
        offset_topic_partition: TopicPartition,
        offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata],
        request_local: RequestLocal,
        response_callback: CommitCallback,
        verification_guard: VerificationGuard,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#doTxnCommitOffsets"""
        with group.lock:
            validation_error = self._validate_offset_commit(
                group, generation_id, member_id, group_instance_id, is_transactional=True)

            if validation_error is not None:
                response_callback(dict.fromkeys(offset_metadata, validation_error))
            else:
                self.group_manager.store_offsets(
                    group, member_id, offset_topic_partition, offset_metadata, response_callback, producer_id,
                    producer_epoch, request_local, verification_guard)

    def _validate_offset_commit(self, group: GroupMetadata, generation_id: int, member_id: str,
                                group_instance_id: str | None, is_transactional: bool) -> Errors | None:
        """:origin: kafka.coordinator.group.GroupCoordinator#validateOffsetCommit"""
        if group.is_(Dead):
            return Errors.COORDINATOR_NOT_AVAILABLE
        elif generation_id < 0 and group.is_(Empty):
            # The client is an administrator, or a consumer that assigns its partitions itself.
            return None
        elif (generation_id >= 0 or member_id != JoinGroupRequest.UNKNOWN_MEMBER_ID
              or group_instance_id is not None):
            error = self._validate_current_member(
                group, member_id, group_instance_id,
                operation="txn-offset-commit" if is_transactional else "offset-commit")
            if error is not None:
                return error
            if generation_id != group.generation_id:
                return Errors.ILLEGAL_GENERATION
            return None
        elif not is_transactional and not group.is_(Empty):
            # Older transactional requests have no member id.
            return Errors.UNKNOWN_MEMBER_ID
        return None

    def _do_commit_offsets(
        self,
        group: GroupMetadata,
        member_id: str,
        group_instance_id: str | None,
        generation_id: int,
        offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata],
        response_callback: CommitCallback,
        request_local: RequestLocal,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#doCommitOffsets"""
        with group.lock:
            validation_error = self._validate_offset_commit(
                group, generation_id, member_id, group_instance_id, is_transactional=False)

            offset_topic_partition = TopicPartition(
                Topic.GROUP_METADATA_TOPIC_NAME, self.partition_for(group.group_id))

            if validation_error is not None:
                response_callback(dict.fromkeys(offset_metadata, validation_error))
                return
            state = group.current_state()
            if state is Empty:
                self.group_manager.store_offsets(
                    group, member_id, offset_topic_partition, offset_metadata, response_callback)

            elif state is Stable or state is PreparingRebalance:
                # This is the last chance to commit before the rebalance. The member learns of it with its
                # next heartbeat.
                member = group.get(member_id)
                self._complete_and_schedule_next_heartbeat_expiration(group, member)
                self.group_manager.store_offsets(
                    group, member_id, offset_topic_partition, offset_metadata, response_callback,
                    request_local=request_local)

            elif state is CompletingRebalance:
                # The member knows its new generation, but not its partitions yet.
                response_callback(dict.fromkeys(offset_metadata, Errors.REBALANCE_IN_PROGRESS))

            else:
                raise RuntimeError(f"Logic error: unexpected group state {state}")

    def handle_fetch_offsets(
        self, group_id: str, require_stable: bool, partitions: Sequence[TopicPartition] | None = None,
    ) -> tuple[Errors, Mapping[TopicPartition, OffsetFetchResponse.PartitionData]]:
        """Return offsets in any state of the group; of all its partitions if ``partitions`` is None.

        :origin: kafka.coordinator.group.GroupCoordinator#handleFetchOffsets
        """
        error = self._validate_group_status(group_id, ApiKeys.OFFSET_FETCH)
        if error is not None:
            return error, {}
        return Errors.NONE, self.group_manager.get_offsets(group_id, require_stable, partitions)

    def handle_list_groups(self, states: Collection[str],
                           group_types: Collection[str]) -> tuple[Errors, list[GroupOverview]]:
        """Return the groups in one of ``states`` and of one of ``group_types``. An empty filter passes all
        groups.

        :origin: kafka.coordinator.group.GroupCoordinator#handleListGroups
        """
        if not self._is_active.get():
            return Errors.COORDINATOR_NOT_AVAILABLE, []
        error_code = (Errors.COORDINATOR_LOAD_IN_PROGRESS if self.group_manager.is_loading()
                      else Errors.NONE)

        case_insensitive_states = {state.lower() for state in states}
        enum_types_filter = {GroupType.parse(group_type) for group_type in group_types}

        # All groups here are classic groups.
        groups = [
            group for group in self.group_manager.current_groups()
            if (not states or group.is_in_states(case_insensitive_states))
            and (not enum_types_filter or GroupType.CLASSIC in enum_types_filter)]
        return error_code, [group.overview() for group in groups]

    def handle_describe_group(self, group_id: str) -> tuple[Errors, GroupSummary]:
        """Return the description of a group; an unknown group is Dead.

        :origin: kafka.coordinator.group.GroupCoordinator#handleDescribeGroup
        """
        error = self._validate_group_status(group_id, ApiKeys.DESCRIBE_GROUPS)
        if error is not None:
            return error, GroupCoordinator.EMPTY_GROUP
        group = self.group_manager.get_group(group_id)
        if group is None:
            return Errors.NONE, GroupCoordinator.DEAD_GROUP
        with group.lock:
            return Errors.NONE, group.summary()

    def handle_deleted_partitions(self, topic_partitions: Sequence[TopicPartition],
                                  request_local: RequestLocal) -> None:
        """Delete the offsets of deleted partitions.

        :origin: kafka.coordinator.group.GroupCoordinator#handleDeletedPartitions
        """
        offsets_removed = self.group_manager.cleanup_group_metadata(
            self.group_manager.current_groups(), request_local, lambda g: g.remove_offsets(topic_partitions))
        self.info("removed %d offsets associated with deleted partitions: %s", offsets_removed,
                  ", ".join(map(str, topic_partitions)))

    def _is_valid_group_id(self, group_id: str | None, api: ApiKeys) -> bool:
        """:origin: kafka.coordinator.group.GroupCoordinator#isValidGroupId"""
        if api in _APIS_OF_EMPTY_GROUP_ID:
            return group_id is not None
        return bool(group_id)

    def _validate_group_status(self, group_id: str, api: ApiKeys) -> Errors | None:
        """Return the error why a group is unavailable, None if it is available.

        :origin: kafka.coordinator.group.GroupCoordinator#validateGroupStatus
        """
        if not self._is_valid_group_id(group_id, api):
            return Errors.INVALID_GROUP_ID
        elif not self._is_active.get():
            return Errors.COORDINATOR_NOT_AVAILABLE
        elif self._is_coordinator_load_in_progress(group_id):
            return Errors.COORDINATOR_LOAD_IN_PROGRESS
        elif not self._is_coordinator_for_group(group_id):
            return Errors.NOT_COORDINATOR
        return None

    def _on_group_unloaded(self, group: GroupMetadata) -> None:
        """Have all members look for another coordinator.

        :origin: kafka.coordinator.group.GroupCoordinator#onGroupUnloaded
        """
        with group.lock:
            self.info("unloading group metadata for %s with generation %d", group.group_id,
                      group.generation_id)
            previous_state = group.current_state()
            group.transition_to(Dead)

            if previous_state is PreparingRebalance:
                for member in group.all_member_metadata():
                    group.maybe_invoke_join_callback(
                        member, JoinGroupResult.of(member.member_id, Errors.NOT_COORDINATOR))

                self.rebalance_purgatory.check_and_complete(GroupJoinKey(group.group_id))

            elif previous_state is Stable or previous_state is CompletingRebalance:
                for member in group.all_member_metadata():
                    group.maybe_invoke_sync_callback(member, SyncGroupResult.of(Errors.NOT_COORDINATOR))
                    self.heartbeat_purgatory.check_and_complete(MemberKey(group.group_id, member.member_id))

            self._remove_sync_expiration(group)

    def _on_group_loaded(self, group: GroupMetadata) -> None:
        """Start the sessions of all members.

        :origin: kafka.coordinator.group.GroupCoordinator#onGroupLoaded
        """
        with group.lock:
            self.info("loading group metadata for %s with generation %d", group.group_id, group.generation_id)
            assert group.is_(Stable) or group.is_(Empty)
            if self._group_is_over_capacity(group):
                self.prepare_rebalance(
                    group, f"Freshly-loaded group is over capacity ({self.group_config.group_max_size}). "
                           "Rebalancing in order to give a chance for consumers to commit offsets")

            for member in group.all_member_metadata():
                self._complete_and_schedule_next_heartbeat_expiration(group, member)

    def on_upgraded(self, group: GroupMetadata) -> None:
        """Have all members join again, and remove them, because the group has become a consumer group.

        Kafka's new coordinator does this in ``GroupMetadataManager.convertToConsumerGroup``.
        """
        with group.lock:
            members = group.all_member_metadata()
            # The state keeps operations that wait for the members from starting another generation.
            group.transition_to(Dead)
            for member in members:
                group.maybe_invoke_join_callback(
                    member, JoinGroupResult.of(member.member_id, Errors.REBALANCE_IN_PROGRESS))
                group.maybe_invoke_sync_callback(member, SyncGroupResult.of(Errors.REBALANCE_IN_PROGRESS))
                self.heartbeat_purgatory.check_and_complete(MemberKey(group.group_id, member.member_id))
            self.rebalance_purgatory.check_and_complete(GroupJoinKey(group.group_id))
            self._remove_sync_expiration(group)
            group.forget_members()

    def on_downgraded(self, group: GroupMetadata, generation_id: int,
                      members: Sequence[MemberMetadata]) -> None:
        """Give an empty group the members of a consumer group, and have them join again.

        Kafka's new coordinator does this in ``GroupMetadataManager.convertToClassicGroup``.
        """
        with group.lock:
            group.take_members(generation_id, members)
            for member in members:
                self._complete_and_schedule_next_heartbeat_expiration(group, member)
            self.prepare_rebalance(
                group, f"Downgrade group {group.group_id} from consumer to classic.")

    def on_election(self, offset_topic_partition_id: int, coordinator_epoch: int) -> None:
        """Load the groups of a partition of the offsets topic, and coordinate them from now on.

        :origin: kafka.coordinator.group.GroupCoordinator#onElection
        """
        self.info("elected as the group coordinator for partition %d in epoch %d", offset_topic_partition_id,
                  coordinator_epoch)
        self.group_manager.schedule_load_group_and_offsets(
            offset_topic_partition_id, coordinator_epoch, self._on_group_loaded)

    def on_resignation(self, offset_topic_partition_id: int, coordinator_epoch: int | None) -> None:
        """Unload the groups of a partition of the offsets topic. The epoch is None for a deleted partition.

        :origin: kafka.coordinator.group.GroupCoordinator#onResignation
        """
        self.info("resigned as the group coordinator for partition %d in epoch %s", offset_topic_partition_id,
                  coordinator_epoch)
        self.group_manager.remove_groups_for_partition(
            offset_topic_partition_id, coordinator_epoch, self._on_group_unloaded)

    def _set_and_propagate_assignment(self, group: GroupMetadata, assignment: Mapping[str, bytes]) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#setAndPropagateAssignment"""
        assert group.is_(CompletingRebalance)
        for member in group.all_member_metadata():
            member.assignment = assignment[member.member_id]
        self._propagate_assignment(group, Errors.NONE)

    def _reset_and_propagate_assignment_error(self, group: GroupMetadata, error: Errors) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#resetAndPropagateAssignmentError"""
        assert group.is_(CompletingRebalance)
        for member in group.all_member_metadata():
            member.assignment = b""
        self._propagate_assignment(group, error)

    def _propagate_assignment(self, group: GroupMetadata, error: Errors) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#propagateAssignment"""
        protocol_type, protocol_name = (
            (group.protocol_type, group.protocol_name) if error is Errors.NONE else (None, None))
        for member in group.all_member_metadata():
            if not member.assignment and error is Errors.NONE:
                self.warn("sending empty assignment to member %s of %s for generation %d with no errors",
                          member.member_id, group.group_id, group.generation_id)

            if group.maybe_invoke_sync_callback(
                    member, SyncGroupResult(protocol_type, protocol_name, member.assignment, error)):
                # A session that expired during the member's wait had no effect, and no new session was
                # started.
                self._complete_and_schedule_next_heartbeat_expiration(group, member)

    def _complete_and_schedule_next_heartbeat_expiration(self, group: GroupMetadata,
                                                         member: MemberMetadata) -> None:
        """Restart a member's session.

        :origin: kafka.coordinator.group.GroupCoordinator#completeAndScheduleNextHeartbeatExpiration
        """
        self._complete_and_schedule_next_expiration(group, member, member.session_timeout_ms)

    def _complete_and_schedule_next_expiration(self, group: GroupMetadata, member: MemberMetadata,
                                               timeout_ms: int) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#completeAndScheduleNextExpiration"""
        member_key = MemberKey(group.group_id, member.member_id)

        # Completes the previous wait.
        member.heartbeat_satisfied = True
        self.heartbeat_purgatory.check_and_complete(member_key)

        # Starts the next wait.
        member.heartbeat_satisfied = False
        delayed_heartbeat = DelayedHeartbeat(
            self, group, member.member_id, is_pending=False, timeout_ms=timeout_ms)
        self.heartbeat_purgatory.try_complete_else_watch(delayed_heartbeat, [member_key])

    def _add_pending_member_expiration(self, group: GroupMetadata, pending_member_id: str,
                                       timeout_ms: int) -> None:
        """Give a member with a new id a session's time to join.

        :origin: kafka.coordinator.group.GroupCoordinator#addPendingMemberExpiration
        """
        pending_member_key = MemberKey(group.group_id, pending_member_id)
        delayed_heartbeat = DelayedHeartbeat(
            self, group, pending_member_id, is_pending=True, timeout_ms=timeout_ms)
        self.heartbeat_purgatory.try_complete_else_watch(delayed_heartbeat, [pending_member_key])

    def _remove_heartbeat_for_leaving_member(self, group: GroupMetadata, member_id: str) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#removeHeartbeatForLeavingMember"""
        member_key = MemberKey(group.group_id, member_id)
        self.heartbeat_purgatory.check_and_complete(member_key)

    def _add_member_and_rebalance(
        self,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        member_id: str,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        protocol_type: str,
        protocols: Sequence[Protocol],
        group: GroupMetadata,
        callback: JoinCallback,
        reason: str,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#addMemberAndRebalance"""
        member = MemberMetadata(member_id, group_instance_id, client_id, client_host, rebalance_timeout_ms,
                                session_timeout_ms, protocol_type, protocols)

        member.is_new = True

        # The first wait of a group may be prolonged.
        if group.is_(PreparingRebalance) and group.generation_id == 0:
            group.new_member_added = True

        group.add(member, callback)

        # A new member does not know its id, so it cannot send heartbeats. Its connection is muted while it
        # waits, so its end is not noticed either. A client that gives up and retries would leave more and
        # more dead members behind in a long rebalance. So a join has a timeout, after which a live client
        # retries.
        self._complete_and_schedule_next_expiration(
            group, member, GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS)

        self._maybe_prepare_rebalance(
            group, f"Adding new member {member_id} with group instance id {group_instance_id}; client "
                   f"reason: {reason}")

    def _update_static_member_and_rebalance(
        self,
        group: GroupMetadata,
        old_member_id: str,
        new_member_id: str,
        group_instance_id: str,
        protocols: Sequence[Protocol],
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        response_callback: JoinCallback,
        request_local: RequestLocal,
        reason: str,
        support_skipping_assignment: bool,
    ) -> None:
        """Let a returning static member take its former place.

        Raises IllegalStateException if the group has no members.

        :origin: kafka.coordinator.group.GroupCoordinator#updateStaticMemberAndRebalance
        """
        current_leader = group.leader_or_null()
        member = group.replace_static_member(group_instance_id, old_member_id, new_member_id)
        # The expiry of the old id's session has no effect, because the group does not know that id any more.
        self._complete_and_schedule_next_heartbeat_expiration(group, member)

        known_static_member = group.get(new_member_id)
        old_rebalance_timeout_ms = known_static_member.rebalance_timeout_ms
        old_session_timeout_ms = known_static_member.session_timeout_ms
        group.update_member(
            known_static_member, protocols, rebalance_timeout_ms, session_timeout_ms, response_callback)
        old_protocols = known_static_member.supported_protocols

        def result(members: bool, member_id: str, leader_id: str | None, skip_assignment: bool,
                   error: Errors) -> JoinGroupResult:
            return JoinGroupResult(
                members=group.current_member_metadata() if members else [],
                member_id=member_id,
                generation_id=group.generation_id,
                protocol_type=group.protocol_type,
                protocol_name=group.protocol_name,
                leader_id=leader_id,
                skip_assignment=skip_assignment,
                error=error)

        def group_stored(error: Errors) -> None:
            if error is not Errors.NONE:
                self.warn("failed to persist metadata for group %s: %s", group.group_id, error.message())

                # Restores the state from before the join.
                group.update_member(
                    known_static_member, old_protocols, old_rebalance_timeout_ms, old_session_timeout_ms,
                    None)
                old_member = group.replace_static_member(group_instance_id, new_member_id, old_member_id)
                self._complete_and_schedule_next_heartbeat_expiration(group, old_member)
                response_callback(result(
                    False, JoinGroupRequest.UNKNOWN_MEMBER_ID, current_leader, False, error))
            elif support_skipping_assignment:
                # Since version 9 the response tells a leader that it leads, and that it must skip the
                # assignment: a stable group would ignore the result. So the leader watches for changes of
                # topics again. It misses the changes during its absence.
                is_leader = group.is_leader(new_member_id)
                group.maybe_invoke_join_callback(
                    member, result(is_leader, new_member_id, group.leader_or_null(), is_leader, Errors.NONE))
            else:
                # No member has the old leader's id, so no member acts as the leader.
                group.maybe_invoke_join_callback(
                    member, result(False, new_member_id, current_leader, False, Errors.NONE))

        state = group.current_state()
        if state is Stable:
            # The assignments stay while the member still supports the group's protocol.
            selected_protocol_of_next_generation = group.select_protocol()
            if group.protocol_name == selected_protocol_of_next_generation:
                self.info("static member which joins during Stable stage and doesn't affect selectProtocol "
                          "will not trigger rebalance")
                group_assignment = {member.member_id: member.assignment
                                    for member in group.all_member_metadata()}
                self.group_manager.store_group(group, group_assignment, group_stored, request_local)
            else:
                self._maybe_prepare_rebalance(
                    group, f"Group's selectedProtocol will change because static member {member.member_id} "
                           f"with instance id {group_instance_id} joined with change of protocol; client "
                           f"reason: {reason}")
        elif state is CompletingRebalance:
            # The leader may still know the old id, and would assign partitions to it.
            self.prepare_rebalance(
                group, f"Updating metadata for static member {member.member_id} with instance id "
                       f"{group_instance_id}; client reason: {reason}")
        elif state is Empty or state is Dead:
            raise IllegalStateException(
                f"Group {group.group_id} was not supposed to be in the state {state} when the unknown static "
                f"member {group_instance_id} rejoins.")

    def _update_member_and_rebalance(
        self, group: GroupMetadata, member: MemberMetadata, protocols: Sequence[Protocol],
        rebalance_timeout_ms: int, session_timeout_ms: int, reason: str, callback: JoinCallback,
    ) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#updateMemberAndRebalance"""
        group.update_member(member, protocols, rebalance_timeout_ms, session_timeout_ms, callback)
        self._maybe_prepare_rebalance(group, reason)

    def _maybe_prepare_rebalance(self, group: GroupMetadata, reason: str) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#maybePrepareRebalance"""
        with group.lock:
            if group.can_rebalance():
                self.prepare_rebalance(group, reason)

    def prepare_rebalance(self, group: GroupMetadata, reason: str) -> None:
        """Begin the next generation. Called under the group's lock.

        :origin: kafka.coordinator.group.GroupCoordinator#prepareRebalance
        """
        # A member that waits for an assignment must join again.
        if group.is_(CompletingRebalance):
            self._reset_and_propagate_assignment_error(group, Errors.REBALANCE_IN_PROGRESS)

        self._remove_sync_expiration(group)

        delayed_rebalance: DelayedRebalance
        if group.is_(Empty):
            initial_delay_ms = self.group_config.group_initial_rebalance_delay_ms
            delayed_rebalance = InitialDelayedJoin(
                self, self.rebalance_purgatory, group, initial_delay_ms, initial_delay_ms,
                max(group.rebalance_timeout_ms() - initial_delay_ms, 0))
        else:
            delayed_rebalance = DelayedJoin(self, group, group.rebalance_timeout_ms())

        group.transition_to(PreparingRebalance)

        self.info("preparing to rebalance group %s in state %s with old generation %d (%s-%d) (reason: %s)",
                  group.group_id, group.current_state(), group.generation_id, Topic.GROUP_METADATA_TOPIC_NAME,
                  self.partition_for(group.group_id), reason)

        group_key = GroupJoinKey(group.group_id)
        self.rebalance_purgatory.try_complete_else_watch(delayed_rebalance, [group_key])

    def _remove_member_and_update_group(self, group: GroupMetadata, member: MemberMetadata,
                                        reason: str) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#removeMemberAndUpdateGroup"""
        # A new member's join may time out during the wait; a live client retries.
        group.maybe_invoke_join_callback(
            member, JoinGroupResult.of(JoinGroupRequest.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID))
        group.remove(member.member_id)

        state = group.current_state()
        if state is Stable or state is CompletingRebalance:
            self._maybe_prepare_rebalance(group, reason)
        elif state is PreparingRebalance:
            self.rebalance_purgatory.check_and_complete(GroupJoinKey(group.group_id))

    def _remove_pending_member_and_update_group(self, group: GroupMetadata, member_id: str) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#removePendingMemberAndUpdateGroup"""
        group.remove(member_id)

        if group.is_(PreparingRebalance):
            self.rebalance_purgatory.check_and_complete(GroupJoinKey(group.group_id))

    def try_complete_join(self, group: GroupMetadata, force_complete: Callable[[], bool]) -> bool:
        """Complete the wait for joins if all members have joined.

        :origin: kafka.coordinator.group.GroupCoordinator#tryCompleteJoin
        """
        with group.lock:
            if group.has_all_members_joined():
                return force_complete()
            return False

    def on_complete_join(self, group: GroupMetadata) -> None:
        """Begin a generation with the joined members. Dynamic members that have not joined are removed.

        :origin: kafka.coordinator.group.GroupCoordinator#onCompleteJoin
        """
        with group.lock:
            not_yet_rejoined_dynamic_members = {
                member_id: member for member_id, member in group.not_yet_rejoined_members().items()
                if not member.is_static_member()}
            if not_yet_rejoined_dynamic_members:
                self.info("group %s removed dynamic members who haven't joined: %s", group.group_id,
                          list(not_yet_rejoined_dynamic_members))

                for failed_member in not_yet_rejoined_dynamic_members.values():
                    group.remove(failed_member.member_id)
                    self._remove_heartbeat_for_leaving_member(group, failed_member.member_id)

            if group.is_(Dead):
                self.info("group %s is dead, skipping rebalance stage", group.group_id)
            elif not group.maybe_elect_new_joined_leader() and group.all_members():
                # The group has only static members, and none has joined. It waits another round, until
                # sessions expire.
                self.error("group %s could not complete rebalance because no members rejoined",
                           group.group_id)
                self.rebalance_purgatory.try_complete_else_watch(
                    DelayedJoin(self, group, group.rebalance_timeout_ms()), [GroupJoinKey(group.group_id)])
            else:
                group.init_next_generation()
                if group.is_(Empty):
                    self.info("group %s with generation %d is now empty (%s-%d)", group.group_id,
                              group.generation_id, Topic.GROUP_METADATA_TOPIC_NAME,
                              self.partition_for(group.group_id))

                    def group_stored(error: Errors) -> None:
                        if error is not Errors.NONE:
                            # After a restart the previous generation's members will be loaded, and their
                            # sessions will expire.
                            self.warn("failed to write empty metadata for group %s: %s", group.group_id,
                                      error.message())

                    self.group_manager.store_group(group, {}, group_stored, RequestLocal.NoCaching)
                else:
                    self.info("stabilized group %s generation %d (%s-%d) with %d members", group.group_id,
                              group.generation_id, Topic.GROUP_METADATA_TOPIC_NAME,
                              self.partition_for(group.group_id), group.size())

                    for member in group.all_member_metadata():
                        join_result = JoinGroupResult(
                            members=(group.current_member_metadata() if group.is_leader(member.member_id)
                                     else []),
                            member_id=member.member_id,
                            generation_id=group.generation_id,
                            protocol_type=group.protocol_type,
                            protocol_name=group.protocol_name,
                            leader_id=group.leader_or_null(),
                            skip_assignment=False,
                            error=Errors.NONE)

                        group.maybe_invoke_join_callback(member, join_result)
                        self._complete_and_schedule_next_heartbeat_expiration(group, member)
                        member.is_new = False

                        group.add_pending_sync_member(member.member_id)

                    self._schedule_pending_sync(group)

    def _remove_pending_sync_member(self, group: GroupMetadata, member_id: str) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#removePendingSyncMember"""
        group.remove_pending_sync_member(member_id)
        self._maybe_complete_sync_expiration(group)

    def _remove_sync_expiration(self, group: GroupMetadata) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#removeSyncExpiration"""
        group.clear_pending_sync_members()
        self._maybe_complete_sync_expiration(group)

    def _maybe_complete_sync_expiration(self, group: GroupMetadata) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#maybeCompleteSyncExpiration"""
        group_key = GroupSyncKey(group.group_id)
        self.rebalance_purgatory.check_and_complete(group_key)

    def _schedule_pending_sync(self, group: GroupMetadata) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinator#schedulePendingSync"""
        delayed_sync = DelayedSync(self, group, group.generation_id, group.rebalance_timeout_ms())
        group_key = GroupSyncKey(group.group_id)
        self.rebalance_purgatory.try_complete_else_watch(delayed_sync, [group_key])

    def try_complete_pending_sync(self, group: GroupMetadata, generation_id: int,
                                  force_complete: Callable[[], bool]) -> bool:
        """Complete the wait for syncs if all members have synced, or the generation is over.

        :origin: kafka.coordinator.group.GroupCoordinator#tryCompletePendingSync
        """
        with group.lock:
            if generation_id != group.generation_id:
                return force_complete()
            state = group.current_state()
            if state is Dead or state is Empty or state is PreparingRebalance:
                return force_complete()
            if group.has_received_sync_from_all_members():
                return force_complete()
            return False

    def on_expire_pending_sync(self, group: GroupMetadata, generation_id: int) -> None:
        """Remove the members that have not synced.

        :origin: kafka.coordinator.group.GroupCoordinator#onExpirePendingSync
        """
        with group.lock:
            state = group.current_state()
            if generation_id != group.generation_id:
                self.error("received unexpected notification of sync expiration for %s with an old "
                           "generation %d while the group has %d", group.group_id, generation_id,
                           group.generation_id)
            elif state is Dead or state is Empty or state is PreparingRebalance:
                self.error("received unexpected notification of sync expiration after group %s already "
                           "transitioned to the %s state", group.group_id, state)
            elif not group.has_received_sync_from_all_members():
                pending_sync_members = group.all_pending_sync_members()

                for member_id in pending_sync_members:
                    group.remove(member_id)
                    self._remove_heartbeat_for_leaving_member(group, member_id)

                self.debug("group %s removed members who haven't sent their sync request: %s",
                           group.group_id, pending_sync_members)

                self.prepare_rebalance(
                    group, f"Removing {pending_sync_members} on pending sync request expiration")

    def try_complete_heartbeat(self, group: GroupMetadata, member_id: str, is_pending: bool,
                               force_complete: Callable[[], bool]) -> bool:
        """Complete the wait for a heartbeat if it has come, or if none is expected any more.

        :origin: kafka.coordinator.group.GroupCoordinator#tryCompleteHeartbeat
        """
        with group.lock:
            if group.is_(Dead):
                return force_complete()
            elif is_pending:
                # The member has joined with its id.
                if group.has(member_id):
                    return force_complete()
                return False
            elif self.should_complete_non_pending_heartbeat(group, member_id):
                return force_complete()
            return False

    def should_complete_non_pending_heartbeat(self, group: GroupMetadata, member_id: str) -> bool:
        """Return whether a member has sent a heartbeat, or was removed.

        :origin: kafka.coordinator.group.GroupCoordinator#shouldCompleteNonPendingHeartbeat
        """
        if group.has(member_id):
            member = group.get(member_id)
            return member.has_satisfied_heartbeat()
        self.debug("member id %s was not found in %s during heartbeat completion check", member_id,
                   group.group_id)
        return True

    def on_expire_heartbeat(self, group: GroupMetadata, member_id: str, is_pending: bool) -> None:
        """Remove a member whose session has expired.

        :origin: kafka.coordinator.group.GroupCoordinator#onExpireHeartbeat
        """
        with group.lock:
            if group.is_(Dead):
                self.info("received notification of heartbeat expiration for member %s after group %s had "
                          "already been unloaded or deleted", member_id, group.group_id)
            elif is_pending:
                self.info("pending member %s in group %s has been removed after session timeout expiration",
                          member_id, group.group_id)
                self._remove_pending_member_and_update_group(group, member_id)
            elif not group.has(member_id):
                self.debug("member %s has already been removed from the group", member_id)
            else:
                member = group.get(member_id)
                if not member.has_satisfied_heartbeat():
                    self.info("member %s in group %s has failed, removing it from the group",
                              member.member_id, group.group_id)
                    self._remove_member_and_update_group(
                        group, member, f"removing member {member.member_id} on heartbeat expiration")

    def partition_for(self, group: str) -> int:
        """Return the partition of the offsets topic that stores a group.

        :origin: kafka.coordinator.group.GroupCoordinator#partitionFor
        """
        return self.group_manager.partition_for(group)

    def _group_is_over_capacity(self, group: GroupMetadata) -> bool:
        """:origin: kafka.coordinator.group.GroupCoordinator#groupIsOverCapacity"""
        return group.size() > self.group_config.group_max_size

    def _is_coordinator_for_group(self, group_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupCoordinator#isCoordinatorForGroup"""
        return self.group_manager.is_group_local(group_id)

    def _is_coordinator_load_in_progress(self, group_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupCoordinator#isCoordinatorLoadInProgress"""
        return self.group_manager.is_group_loading(group_id)

    @staticmethod
    def apply(config: KafkaConfig, replica_manager: ReplicaManager, time: Time, metrics: Metrics,
              metrics_registry: MetricsRegistry | None = None,
              new_purgatory: NewPurgatory | None = None,
              scheduler: KafkaScheduler | None = None) -> GroupCoordinator:
        """Return a coordinator with its own purgatories. ``new_purgatory`` makes them, if given.

        :origin: kafka.coordinator.group.GroupCoordinator#apply(KafkaConfig, ReplicaManager, Time, Metrics)
        """
        def system_purgatory(name: str) -> DelayedOperationPurgatory[T]:
            return DelayedOperationPurgatory.apply(
                name, config.broker_id(), metrics_registry=metrics_registry)

        new_purgatory = new_purgatory or system_purgatory
        heartbeat_purgatory: DelayedOperationPurgatory[DelayedHeartbeat] = new_purgatory("Heartbeat")
        try:
            rebalance_purgatory: DelayedOperationPurgatory[DelayedRebalance] = new_purgatory("Rebalance")
        except BaseException:
            # DEVIATION D129: the origin leaks the threads of the first purgatory.
            heartbeat_purgatory.shutdown()
            raise
        return GroupCoordinator.apply_purgatories(
            config, replica_manager, heartbeat_purgatory, rebalance_purgatory, time, metrics,
            metrics_registry, scheduler)

    @staticmethod
    def offset_config(config: KafkaConfig) -> OffsetConfig:
        """Return the settings of offsets.

        :origin: kafka.coordinator.group.GroupCoordinator#offsetConfig
        """
        return OffsetConfig(
            config.offset_metadata_max_size(),
            config.offsets_load_buffer_size(),
            config.offsets_retention_minutes() * 60 * 1000,
            config.offsets_retention_check_interval_ms(),
            config.offsets_topic_partitions(),
            config.offsets_topic_segment_bytes(),
            config.offsets_topic_replication_factor(),
            config.offsets_topic_compression_type(),
            config.offset_commit_timeout_ms(),
            config.offset_commit_required_acks(),
            config.is_strict())

    @staticmethod
    def apply_purgatories(
        config: KafkaConfig, replica_manager: ReplicaManager,
        heartbeat_purgatory: DelayedOperationPurgatory[DelayedHeartbeat],
        rebalance_purgatory: DelayedOperationPurgatory[DelayedRebalance], time: Time, metrics: Metrics,
        metrics_registry: MetricsRegistry | None = None, scheduler: KafkaScheduler | None = None,
    ) -> GroupCoordinator:
        """Return a coordinator that owns the purgatories.

        :origin: kafka.coordinator.group.GroupCoordinator#apply(KafkaConfig, ReplicaManager, DelayedOperationPurgatory, DelayedOperationPurgatory, Time, Metrics)
        """  # noqa: E501
        offset_config = GroupCoordinator.offset_config(config)
        group_config = GroupConfig(
            group_min_session_timeout_ms=config.group_min_session_timeout_ms(),
            group_max_session_timeout_ms=config.group_max_session_timeout_ms(),
            group_max_size=config.group_max_size(),
            group_initial_rebalance_delay_ms=config.group_initial_rebalance_delay())

        group_metadata_manager = GroupMetadataManager(
            config.broker_id(), config.inter_broker_protocol_version(), offset_config, replica_manager, time,
            metrics, metrics_registry, scheduler)
        return GroupCoordinator(config.broker_id(), group_config, offset_config, group_metadata_manager,
                                heartbeat_purgatory, rebalance_purgatory, time, metrics)

    @staticmethod
    def _member_leave_error(member_identity: MemberIdentity, error: Errors) -> LeaveMemberResponse:
        """:origin: kafka.coordinator.group.GroupCoordinator#memberLeaveError"""
        return LeaveMemberResponse(
            member_id=member_identity.member_id, group_instance_id=member_identity.group_instance_id,
            error=error)

    @staticmethod
    def _leave_error(top_level_error: Errors,
                     member_responses: Sequence[LeaveMemberResponse]) -> LeaveGroupResult:
        """:origin: kafka.coordinator.group.GroupCoordinator#leaveError"""
        return LeaveGroupResult(top_level_error=top_level_error, member_responses=member_responses)


class GroupConfig(NamedTuple):
    """:origin: kafka.coordinator.group.GroupConfig"""

    group_min_session_timeout_ms: int
    group_max_session_timeout_ms: int
    group_max_size: int
    group_initial_rebalance_delay_ms: int

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kafka.coordinator.group.GroupCoordinatorTest: joins, syncs, heartbeats and offsets, on a mock clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.internals.topic import Topic
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.group.group_metadata import (
    CompletingRebalance,
    Dead,
    Empty,
    GroupMetadata,
    GroupOverview,
    GroupState,
    PreparingRebalance,
    Stable,
)
from kreactor.core.coordinator.group.group_results import JoinGroupResult, LeaveGroupResult, SyncGroupResult
from kreactor.core.coordinator.group.member_metadata import MemberMetadata
from kreactor.core.server.delayed_operation import DelayedOperationPurgatory
from kreactor.core.server.delayed_operation_key import GroupSyncKey
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import IllegalStateException, TimeoutException
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from kreactor.testing.mock_time import MockTime
from kreactor.testing.mock_timer import MockTimer
from tests.core.server.brokers import broker_config

CLIENT_ID = "consumer-test"
CLIENT_HOST = "localhost"
MIN_SESSION_MS = 10
MAX_SESSION_MS = 10 * 60 * 1000
MAX_SIZE = 4
REBALANCE_MS = 500
SESSION_MS = 500
INITIAL_DELAY_MS = 50

GROUP_ID = "groupId"
PROTOCOL_TYPE = "consumer"
PROTOCOL_NAME = "range"
MEMBER_ID = "memberId"
GROUP_INSTANCE_ID = "groupInstanceId"
LEADER_INSTANCE_ID = "leader"
FOLLOWER_INSTANCE_ID = "follower"
INVALID_MEMBER_ID = "invalidMember"
METADATA = b""
PROTOCOLS = [(PROTOCOL_NAME, METADATA)]
PROTOCOL_SUPERSET = [(PROTOCOL_NAME, METADATA), ("roundrobin", METADATA)]
REQUIRE_STABLE = True
# Its partition is another one than that of the group.
OTHER_GROUP_ID = "otherGroup"

UNKNOWN_MEMBER_ID = JoinGroupRequest.UNKNOWN_MEMBER_ID

MemberIdentity = LeaveGroupRequestData.MemberIdentity
Protocols = Sequence[tuple[str, bytes]]
Offsets = Mapping[TopicIdPartition, OffsetAndMetadata]


def new_tip(partition: int, topic: str) -> TopicIdPartition:
    return TopicIdPartition(Uuid.random_uuid(), TopicPartition(topic, partition))


def await_(future: CompletableFuture[Any]) -> Any:
    """Return what has come; nothing comes later without the clock."""
    return future.get(0)


class Partition:
    """Takes what is appended to the topic of offsets without a request."""

    def append_records_to_leader(self, *args: Any, **kwargs: Any) -> None:
        pass


class Replicas:
    """Takes the place of ReplicaManager: an append succeeds at once, unless a test has it fail."""

    def __init__(self) -> None:
        self.error = Errors.NONE
        self.verification_error = Errors.NONE

    def append_records(self, *, entries_per_partition: Mapping[TopicPartition, Any], response_callback: Any,
                       **_: Any) -> None:
        partition, = entries_per_partition
        response_callback({partition: ProduceResponse.PartitionResponse(
            self.error, 0, RecordBatch.NO_TIMESTAMP, 0)})

    def maybe_start_transaction_verification_for_partition(
        self, topic_partition: TopicPartition, transactional_id: str, producer_id: int, producer_epoch: int,
        base_sequence: int, callback: Any, operation: Any,
    ) -> None:
        callback((self.verification_error, VerificationGuard.SENTINEL))

    def get_magic(self, topic_partition: TopicPartition) -> int:
        return RecordBatch.CURRENT_MAGIC_VALUE

    def get_log(self, topic_partition: TopicPartition) -> None:
        return None

    def online_partition(self, topic_partition: TopicPartition) -> Partition:
        return Partition()

    def try_complete_actions(self) -> None:
        pass


@dataclass(frozen=True)
class RebalanceResult:
    generation: int
    leader_id: str
    leader_assignment: bytes
    follower_id: str
    follower_assignment: bytes


class Harness:
    """A coordinator that has one of the two partitions of the topic of offsets."""

    def __init__(self, folder: Path) -> None:
        config = broker_config(folder, {
            GroupCoordinatorConfig.GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG: str(MIN_SESSION_MS),
            GroupCoordinatorConfig.GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG: str(MAX_SESSION_MS),
            GroupCoordinatorConfig.GROUP_MAX_SIZE_CONFIG: str(MAX_SIZE),
            GroupCoordinatorConfig.GROUP_INITIAL_REBALANCE_DELAY_MS_CONFIG: str(INITIAL_DELAY_MS)})
        self.replica_manager = Replicas()
        self.timer = MockTimer()
        self.metrics = Metrics(time=self.timer.time())
        registry = MetricsRegistry()
        self.coordinator = GroupCoordinator.apply_purgatories(
            config, self.replica_manager,  # type: ignore[arg-type]
            DelayedOperationPurgatory("Heartbeat", self.timer, reaper_enabled=False,
                                      metrics_registry=registry),
            DelayedOperationPurgatory("Rebalance", self.timer, reaper_enabled=False,
                                      metrics_registry=registry),
            self.timer.time(), self.metrics, registry)
        self.coordinator.startup(lambda: 2, enable_metadata_expiration=False)
        self.group_partition_id = self.coordinator.partition_for(GROUP_ID)
        self.coordinator.group_manager.add_owned_partition(self.group_partition_id)

    def close(self) -> None:
        self.coordinator.shutdown()
        self.metrics.close()

    # -- what a test asks the coordinator --------------------------------------------------------------

    def send_join_group(
        self, group_id: str, member_id: str, protocol_type: str, protocols: Protocols,
        group_instance_id: str | None = None, session_timeout: int = SESSION_MS,
        rebalance_timeout: int = REBALANCE_MS, require_known_member_id: bool = False,
        support_skipping_assignment: bool = True,
    ) -> CompletableFuture[JoinGroupResult]:
        future: CompletableFuture[JoinGroupResult] = CompletableFuture()
        self.coordinator.handle_join_group(
            group_id, member_id, group_instance_id, require_known_member_id, support_skipping_assignment,
            "clientId", "clientHost", rebalance_timeout, session_timeout, protocol_type, protocols,
            future.complete)
        return future

    def send_static_join_group_with_persistence(
        self, group_id: str, member_id: str, protocol_type: str, protocols: Protocols,
        group_instance_id: str, session_timeout: int, rebalance_timeout: int, append_record_error: Errors,
        require_known_member_id: bool = False, support_skipping_assignment: bool = True,
    ) -> CompletableFuture[JoinGroupResult]:
        self.replica_manager.error = append_record_error
        return self.send_join_group(
            group_id, member_id, protocol_type, protocols, group_instance_id, session_timeout,
            rebalance_timeout, require_known_member_id, support_skipping_assignment)

    def send_sync_group_leader(
        self, group_id: str, generation: int, leader_id: str, protocol_type: str | None,
        protocol_name: str | None, group_instance_id: str | None, assignment: Mapping[str, bytes],
    ) -> CompletableFuture[SyncGroupResult]:
        self.replica_manager.error = Errors.NONE
        future: CompletableFuture[SyncGroupResult] = CompletableFuture()
        self.coordinator.handle_sync_group(
            group_id, generation, leader_id, protocol_type, protocol_name, group_instance_id, assignment,
            future.complete)
        return future

    def send_sync_group_follower(
        self, group_id: str, generation: int, member_id: str, protocol_type: str | None = None,
        protocol_name: str | None = None, group_instance_id: str | None = None,
    ) -> CompletableFuture[SyncGroupResult]:
        future: CompletableFuture[SyncGroupResult] = CompletableFuture()
        self.coordinator.handle_sync_group(
            group_id, generation, member_id, protocol_type, protocol_name, group_instance_id, {},
            future.complete)
        return future

    def dynamic_join_group(self, group_id: str, member_id: str, protocol_type: str, protocols: Protocols,
                           session_timeout: int = SESSION_MS,
                           rebalance_timeout: int = REBALANCE_MS) -> JoinGroupResult:
        future = self.send_join_group(
            group_id, member_id, protocol_type, protocols, None, session_timeout, rebalance_timeout, True)
        if member_id == UNKNOWN_MEMBER_ID:
            result: JoinGroupResult = await_(future)
            if result.error is not Errors.MEMBER_ID_REQUIRED:
                return result
            future = self.send_join_group(group_id, result.member_id, protocol_type, protocols, None,
                                          session_timeout, rebalance_timeout, True)
        self.timer.advance_clock(INITIAL_DELAY_MS + 1)
        joined: JoinGroupResult = await_(future)
        return joined

    def static_join_group(
        self, group_id: str, member_id: str, group_instance_id: str, protocol_type: str,
        protocols: Protocols, clock_advance: int = INITIAL_DELAY_MS + 1, session_timeout: int = SESSION_MS,
        rebalance_timeout: int = REBALANCE_MS, support_skipping_assignment: bool = True,
    ) -> JoinGroupResult:
        future = self.send_join_group(
            group_id, member_id, protocol_type, protocols, group_instance_id, session_timeout,
            rebalance_timeout, support_skipping_assignment=support_skipping_assignment)
        self.timer.advance_clock(clock_advance)
        joined: JoinGroupResult = await_(future)
        return joined

    def static_join_group_with_persistence(
        self, group_id: str, member_id: str, group_instance_id: str, protocol_type: str,
        protocols: Protocols, clock_advance: int, session_timeout: int = SESSION_MS,
        rebalance_timeout: int = REBALANCE_MS, append_record_error: Errors = Errors.NONE,
        support_skipping_assignment: bool = True,
    ) -> JoinGroupResult:
        future = self.send_static_join_group_with_persistence(
            group_id, member_id, protocol_type, protocols, group_instance_id, session_timeout,
            rebalance_timeout, append_record_error, support_skipping_assignment=support_skipping_assignment)
        self.timer.advance_clock(clock_advance)
        joined: JoinGroupResult = await_(future)
        return joined

    def sync_group_follower(
        self, group_id: str, generation_id: int, member_id: str, protocol_type: str | None = None,
        protocol_name: str | None = None, group_instance_id: str | None = None,
        session_timeout: int = SESSION_MS,
    ) -> SyncGroupResult:
        result: SyncGroupResult = await_(self.send_sync_group_follower(
            group_id, generation_id, member_id, protocol_type, protocol_name, group_instance_id))
        return result

    def sync_group_leader(
        self, group_id: str, generation_id: int, member_id: str, assignment: Mapping[str, bytes],
        protocol_type: str | None = None, protocol_name: str | None = None,
        group_instance_id: str | None = None, session_timeout: int = SESSION_MS,
    ) -> SyncGroupResult:
        result: SyncGroupResult = await_(self.send_sync_group_leader(
            group_id, generation_id, member_id, protocol_type, protocol_name, group_instance_id, assignment))
        return result

    def heartbeat(self, group_id: str, consumer_id: str, generation_id: int,
                  group_instance_id: str | None = None) -> Errors:
        found: list[Errors] = []
        self.coordinator.handle_heartbeat(
            group_id, consumer_id, group_instance_id, generation_id, found.append)
        error, = found
        return error

    def commit_offsets(self, group_id: str, member_id: str, generation_id: int, offsets: Offsets,
                       group_instance_id: str | None = None) -> dict[TopicIdPartition, Errors]:
        found: list[dict[TopicIdPartition, Errors]] = []
        self.coordinator.handle_commit_offsets(
            group_id, member_id, group_instance_id, generation_id, offsets, found.append)
        errors, = found
        return errors

    def commit_transactional_offsets(
        self, group_id: str, producer_id: int, producer_epoch: int, offsets: Offsets,
        member_id: str = UNKNOWN_MEMBER_ID, group_instance_id: str | None = None,
        generation_id: int = JoinGroupRequest.UNKNOWN_GENERATION_ID,
        verification_error: Errors = Errors.NONE,
    ) -> dict[TopicIdPartition, Errors]:
        self.replica_manager.verification_error = verification_error
        found: list[dict[TopicIdPartition, Errors]] = []
        self.coordinator.handle_txn_commit_offsets(
            group_id, "dummy-txn-id", producer_id, producer_epoch, member_id, group_instance_id,
            generation_id, offsets, found.append, RequestLocal.NoCaching,
            api_version=ApiKeys.TXN_OFFSET_COMMIT.latest_version())
        errors, = found
        return errors

    def single_leave_group(self, group_id: str, consumer_id: str,
                           group_instance_id: str | None = None) -> LeaveGroupResult:
        return self.batch_leave_group(group_id, [
            MemberIdentity(member_id=consumer_id, group_instance_id=group_instance_id)])

    def batch_leave_group(self, group_id: str,
                          member_identities: Sequence[MemberIdentity]) -> LeaveGroupResult:
        found: list[LeaveGroupResult] = []
        self.coordinator.handle_leave_group(group_id, member_identities, found.append)
        result, = found
        return result

    def handle_txn_completion(self, producer_id: int, offsets_partitions: Sequence[TopicPartition],
                              transaction_result: TransactionResult) -> None:
        self.coordinator.group_manager.handle_txn_completion(
            producer_id, {each.partition() for each in offsets_partitions},
            transaction_result is TransactionResult.COMMIT)

    def offset_and_metadata(self, offset: int) -> OffsetAndMetadata:
        return OffsetAndMetadata.of(offset, "", self.timer.time().milliseconds())

    def get_group(self, group_id: str = GROUP_ID) -> GroupMetadata:
        group = self.coordinator.group_manager.get_group(group_id)
        assert group is not None
        return group

    group = get_group

    # -- what several tests begin or end with ----------------------------------------------------------

    def assert_group_state(self, group_state: GroupState, group_id: str = GROUP_ID) -> None:
        assert self.get_group(group_id).current_state() is group_state

    def join_group_partial(self, group_id: str, member_id: str, protocol_type: str, protocols: Protocols,
                           session_timeout: int = SESSION_MS,
                           rebalance_timeout: int = REBALANCE_MS) -> JoinGroupResult:
        result: JoinGroupResult = await_(self.send_join_group(
            group_id, member_id, protocol_type, protocols, None, session_timeout, rebalance_timeout, True))
        return result

    def verify_session_expiration(self, group_id: str) -> None:
        self.timer.advance_clock(SESSION_MS + 1)
        group = self.group(group_id)
        assert group.current_state() is Empty
        assert not group.all_members()

    def verify_delayed_task_not_completed(self, future: CompletableFuture[Any]) -> None:
        with pytest.raises(TimeoutException):
            await_(future)

    def verify_heartbeat(self, join_group_result: JoinGroupResult, expected_error: Errors) -> None:
        assert self.heartbeat(
            GROUP_ID, join_group_result.member_id, join_group_result.generation_id) is expected_error

    def join_with_n_members(self, nb_members: int) -> list[JoinGroupResult]:
        futures = [
            self.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS,
                                 None, SESSION_MS, REBALANCE_MS, True) for _ in range(nb_members)]
        member_ids = [await_(future).member_id for future in futures]
        futures = [self.send_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS,
                                        REBALANCE_MS, True) for member_id in member_ids]
        self.timer.advance_clock(INITIAL_DELAY_MS + 1)
        self.timer.advance_clock(REBALANCE_MS + 1)
        return [await_(future) for future in futures]

    def setup_group_with_pending_member(self) -> JoinGroupResult:
        """A group that rebalances, with two members that have joined again, and one that has its id only."""
        first = self.dynamic_join_group(
            GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
        self.assert_group_state(CompletingRebalance)
        assert self.sync_group_leader(
            GROUP_ID, first.generation_id, first.member_id, {first.member_id: b""}).error is Errors.NONE
        self.assert_group_state(Stable)

        second_join_future = self.send_join_group(
            GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
        first_join_future = self.send_join_group(GROUP_ID, first.member_id, PROTOCOL_TYPE, PROTOCOLS)
        first_again, second = await_(first_join_future), await_(second_join_future)
        self.assert_group_state(CompletingRebalance)
        assert self.sync_group_leader(
            GROUP_ID, first_again.generation_id, first.member_id,
            {first.member_id: b""}).error is Errors.NONE
        self.assert_group_state(Stable)

        self.send_join_group(GROUP_ID, first_again.member_id, PROTOCOL_TYPE, PROTOCOLS)
        self.assert_group_state(PreparingRebalance)
        pending_member = self.join_group_partial(
            GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, session_timeout=100)
        assert self.group().num_pending() == 1
        self.send_join_group(GROUP_ID, second.member_id, PROTOCOL_TYPE, PROTOCOLS)
        self.assert_group_state(PreparingRebalance)
        assert self.group().num_pending() == 1
        return pending_member

    def static_members_join_and_rebalance(
        self, leader_instance_id: str, follower_instance_id: str, session_timeout: int = SESSION_MS,
        rebalance_timeout: int = REBALANCE_MS,
    ) -> RebalanceResult:
        """A stable group of two static members, in its first generation."""
        leader_future, follower_future = (
            self.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE,
                                 PROTOCOL_SUPERSET, instance_id, session_timeout, rebalance_timeout)
            for instance_id in (leader_instance_id, follower_instance_id))
        # First the wait that the second member prolongs, then the prolonged one.
        self.timer.advance_clock(INITIAL_DELAY_MS + 1)
        self.timer.advance_clock(REBALANCE_MS + 1)
        leader, follower = await_(leader_future), await_(follower_future)
        for each in (leader, follower):
            assert (each.error, each.generation_id) == (Errors.NONE, 1)

        leader_sync = self.sync_group_leader(GROUP_ID, 1, leader.member_id, {leader.member_id: b""})
        assert leader_sync.error is Errors.NONE
        self.assert_group_state(Stable)
        follower_sync = self.sync_group_follower(GROUP_ID, 1, follower.member_id)
        assert follower_sync.error is Errors.NONE
        self.assert_group_state(Stable)
        return RebalanceResult(1, leader.member_id, leader_sync.member_assignment, follower.member_id,
                               follower_sync.member_assignment)

    def check_join_group_result(
        self, join_group_result: JoinGroupResult, expected_error: Errors, expected_generation: int,
        expected_group_instance_ids: set[str], expected_group_state: GroupState,
        expected_protocol_type: str | None,
        expected_leader_id: str | None = UNKNOWN_MEMBER_ID,
        expected_member_id: str = UNKNOWN_MEMBER_ID,
        expected_skip_assignment: bool = False,
    ) -> None:
        assert join_group_result.error is expected_error
        assert join_group_result.generation_id == expected_generation
        assert len(join_group_result.members) == len(expected_group_instance_ids)
        assert {member.group_instance_id
                for member in join_group_result.members} == expected_group_instance_ids
        self.assert_group_state(expected_group_state)
        assert join_group_result.protocol_type == expected_protocol_type
        assert join_group_result.skip_assignment is expected_skip_assignment
        if expected_leader_id != UNKNOWN_MEMBER_ID:
            assert join_group_result.leader_id == expected_leader_id
        if expected_member_id != UNKNOWN_MEMBER_ID:
            assert join_group_result.member_id == expected_member_id

    def check_sync_group_protocol_type_and_name(
        self, protocol_type: str | None, protocol_name: str | None, expected_error: Errors,
        expected_protocol_type: str | None, expected_protocol_name: str | None,
    ) -> None:
        leader_future, follower_future = (
            self.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE,
                                 PROTOCOL_SUPERSET, instance_id, SESSION_MS)
            for instance_id in (LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID))
        self.timer.advance_clock(INITIAL_DELAY_MS + 1)
        self.timer.advance_clock(REBALANCE_MS + 1)
        leader, follower = await_(leader_future), await_(follower_future)
        for result in (
                self.sync_group_leader(GROUP_ID, leader.generation_id, leader.member_id,
                                       {leader.member_id: b""}, protocol_type, protocol_name),
                self.sync_group_follower(GROUP_ID, leader.generation_id, follower.member_id, protocol_type,
                                         protocol_name)):
            assert (result.error, result.protocol_type, result.protocol_name) == (
                expected_error, expected_protocol_type, expected_protocol_name)


@pytest.fixture
def t(tmp_path: Path) -> Iterator[Harness]:
    harness = Harness(tmp_path)
    # The verifier of transactions calls back on the test's thread.
    KafkaRequestHandler.set_bypass_thread_check(True)
    yield harness
    KafkaRequestHandler.set_bypass_thread_check(False)
    harness.close()


def verify_leave_group_result(leave_group_result: LeaveGroupResult,
                              expected_top_level_error: Errors = Errors.NONE,
                              expected_member_level_errors: Sequence[Errors] = ()) -> None:
    assert leave_group_result.top_level_error is expected_top_level_error
    if expected_member_level_errors:
        assert [each.error for each in leave_group_result.member_responses] == list(
            expected_member_level_errors)


def test_request_handling_while_loading_in_progress(t: Harness) -> None:
    manager = t.coordinator.group_manager
    other_partition_id = manager.partition_for(OTHER_GROUP_ID)
    assert other_partition_id != t.group_partition_id
    manager.add_loading_partition(other_partition_id)
    assert manager.is_group_loading(OTHER_GROUP_ID)
    loading = Errors.COORDINATOR_LOAD_IN_PROGRESS
    for instance_id, required in ((None, True), (GROUP_INSTANCE_ID, False)):
        join = t.send_join_group(
            OTHER_GROUP_ID, MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, instance_id, 10000, 60000, required)
        assert await_(join).error is loading
    sync = t.sync_group_follower(OTHER_GROUP_ID, 1, MEMBER_ID, PROTOCOL_TYPE, PROTOCOL_NAME)
    assert sync.error is Errors.REBALANCE_IN_PROGRESS
    tip = new_tip(0, "foo")
    assert t.commit_offsets(OTHER_GROUP_ID, MEMBER_ID, 1, {tip: t.offset_and_metadata(15)}) == {tip: loading}
    assert t.heartbeat(OTHER_GROUP_ID, MEMBER_ID, 1) is Errors.NONE
    assert t.coordinator.handle_describe_group(OTHER_GROUP_ID)[0] is loading
    assert t.coordinator.handle_list_groups(set(), set())[0] is loading
    assert t.coordinator.handle_delete_groups({OTHER_GROUP_ID}) == {OTHER_GROUP_ID: loading}
    # The others can be used.
    assert t.coordinator.handle_describe_group(GROUP_ID)[0] is Errors.NONE
    # And these once they are loaded.
    topic_partition = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, other_partition_id)
    manager.remove_groups_and_offsets(topic_partition, 1, lambda _: None)
    manager.load_groups_and_offsets(topic_partition, 1, lambda _: None, 0)
    assert t.coordinator.handle_describe_group(OTHER_GROUP_ID)[0] is Errors.NONE


def test_offsets_retention_ms_integer_overflow(tmp_path: Path) -> None:
    config = broker_config(
        tmp_path, {GroupCoordinatorConfig.OFFSETS_RETENTION_MINUTES_CONFIG: str(2**31 - 1)})
    assert GroupCoordinator.offset_config(config).offsets_retention_ms == (2**31 - 1) * 60 * 1000


def test_join_group_wrong_coordinator(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(OTHER_GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NOT_COORDINATOR
    join_group_result = t.static_join_group(
        OTHER_GROUP_ID, member_id, GROUP_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NOT_COORDINATOR


def test_join_group_should_receive_error_if_group_over_max_size(t: Harness) -> None:
    futures = []
    rebalance_timeout = INITIAL_DELAY_MS * 2
    for i in range(1, MAX_SIZE + 1):
        futures.append(t.send_join_group(
            GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout))
        if i != 1:
            t.timer.advance_clock(INITIAL_DELAY_MS)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    for future in futures:
        assert await_(future).error is Errors.NONE
    error_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout)
    assert await_(error_future).error is Errors.GROUP_MAX_SIZE_REACHED


def test_dynamic_members_join_group_with_max_size_and_required_known_member(t: Harness) -> None:
    required_known_member_id = True
    nb_members = MAX_SIZE + 1
    futures = [t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for _ in range(1, nb_members + 1)]
    member_ids = [await_(each).member_id for each in futures]
    futures = [t.send_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for member_id in member_ids]
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    errors = [await_(each).error for each in futures]
    assert errors.count(Errors.NONE) == MAX_SIZE
    assert errors.count(Errors.GROUP_MAX_SIZE_REACHED) == nb_members - MAX_SIZE
    futures = [t.send_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for member_id in member_ids]
    rejoin_errors = [await_(each).error for each in futures]
    assert rejoin_errors == errors


def test_dynamic_members_join_group_with_max_size(t: Harness) -> None:
    required_known_member_id = False
    nb_members = MAX_SIZE + 1
    futures = [t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for _ in range(1, nb_members + 1)]
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    join_group_results = [await_(each) for each in futures]
    errors = [each.error for each in join_group_results]
    assert errors.count(Errors.NONE) == MAX_SIZE
    assert errors.count(Errors.GROUP_MAX_SIZE_REACHED) == nb_members - MAX_SIZE
    member_ids = [each.member_id for each in join_group_results]
    futures = [t.send_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for member_id in member_ids]
    rejoin_errors = [await_(each).error for each in futures]
    assert rejoin_errors == errors


def test_static_members_join_group_with_max_size(t: Harness) -> None:
    nb_members = MAX_SIZE + 1
    instance_ids = [f"instance-id-{i}" for i in range(1, nb_members + 1)]
    futures = [t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, instance_id, SESSION_MS,
        REBALANCE_MS) for instance_id in instance_ids]
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    join_group_results = [await_(each) for each in futures]
    errors = [each.error for each in join_group_results]
    assert errors.count(Errors.NONE) == MAX_SIZE
    assert errors.count(Errors.GROUP_MAX_SIZE_REACHED) == nb_members - MAX_SIZE
    member_ids = [each.member_id for each in join_group_results]
    futures = [
        t.send_join_group(
            GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, instance_id, SESSION_MS, REBALANCE_MS)
        for instance_id, member_id in zip(instance_ids, member_ids)]
    rejoin_errors = [await_(each).error for each in futures]
    assert rejoin_errors == errors


def test_dynamic_members_can_re_join_group_with_max_size_while_rebalancing(t: Harness) -> None:
    required_known_member_id = True
    nb_members = MAX_SIZE + 1
    futures = [t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for _ in range(1, nb_members + 1)]
    member_ids = [await_(each).member_id for each in futures]
    for member_id in member_ids:
        t.send_join_group(
            GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
            required_known_member_id)
    futures = [t.send_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, SESSION_MS, REBALANCE_MS,
        required_known_member_id) for member_id in member_ids]
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    errors = [await_(each).error for each in futures]
    assert errors.count(Errors.NONE) == MAX_SIZE
    assert errors.count(Errors.GROUP_MAX_SIZE_REACHED) == nb_members - MAX_SIZE


def test_last_joining_members_are_kicked_out_when_re_joining_group_with_max_size(t: Harness) -> None:
    nb_members = MAX_SIZE + 2
    group = GroupMetadata(GROUP_ID, Stable, MockTime())
    member_ids = [group.generate_member_id(CLIENT_ID, None) for _ in range(nb_members)]
    for member_id in member_ids:
        group.add(MemberMetadata(
            member_id, None, CLIENT_ID, CLIENT_HOST, REBALANCE_MS, MAX_SESSION_MS, PROTOCOL_TYPE, PROTOCOLS))
    t.coordinator.group_manager.add_group(group)
    t.coordinator.prepare_rebalance(group, "")
    futures = [t.send_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, None, MAX_SESSION_MS,
        REBALANCE_MS) for member_id in member_ids]
    t.timer.advance_clock(REBALANCE_MS + 1)
    errors = [await_(each).error for each in futures]
    assert set(errors[:MAX_SIZE]) == {Errors.NONE}
    assert set(errors[MAX_SIZE:]) == {Errors.GROUP_MAX_SIZE_REACHED}
    for member_id in member_ids[MAX_SIZE:]:
        assert not group.has(member_id)


def test_join_group_session_timeout_too_small(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, session_timeout=MIN_SESSION_MS - 1)
    assert join_group_result.error is Errors.INVALID_SESSION_TIMEOUT


def test_join_group_session_timeout_too_large(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, session_timeout=MAX_SESSION_MS + 1)
    assert join_group_result.error is Errors.INVALID_SESSION_TIMEOUT


@pytest.mark.parametrize("session_timeout", [MIN_SESSION_MS, MAX_SESSION_MS])
def test_a_session_timeout_may_be_the_smallest_or_the_largest(t: Harness, session_timeout: int) -> None:
    join_group_result = t.dynamic_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, session_timeout=session_timeout)
    assert join_group_result.error is Errors.NONE


def test_join_group_unknown_consumer_new_group(t: Harness) -> None:
    join_group_result = t.dynamic_join_group(GROUP_ID, MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.UNKNOWN_MEMBER_ID
    join_group_result = t.static_join_group(GROUP_ID, MEMBER_ID, GROUP_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.UNKNOWN_MEMBER_ID


def test_invalid_group_id(t: Harness) -> None:
    group_id = ""
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(group_id, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.INVALID_GROUP_ID


def test_valid_join_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE


def test_join_group_inconsistent_protocol_type(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    other_member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    other_join_group_result = await_(t.send_join_group(GROUP_ID, other_member_id, "connect", PROTOCOLS))
    assert other_join_group_result.error is Errors.INCONSISTENT_GROUP_PROTOCOL


def test_join_group_with_empty_protocol_type(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, "", PROTOCOLS)
    assert join_group_result.error is Errors.INCONSISTENT_GROUP_PROTOCOL
    join_group_result = t.static_join_group(GROUP_ID, member_id, GROUP_INSTANCE_ID, "", PROTOCOLS)
    assert join_group_result.error is Errors.INCONSISTENT_GROUP_PROTOCOL


def test_join_group_with_empty_group_protocol(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, [])
    assert join_group_result.error is Errors.INCONSISTENT_GROUP_PROTOCOL


def test_new_member_timeout_completion(t: Harness) -> None:
    session_timeout = GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS + 5000
    response_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, None, session_timeout, REBALANCE_MS, False)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    join_result = await_(response_future)
    group = t.coordinator.group_manager.get_group(GROUP_ID)
    member_id = join_result.member_id
    assert join_result.error is Errors.NONE
    assert not any(member.is_new for member in group.all_member_metadata())
    sync_group_result = t.sync_group_leader(GROUP_ID, join_result.generation_id, member_id, {member_id: b""})
    assert sync_group_result.error is Errors.NONE
    assert group.size() == 1
    t.timer.advance_clock(GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS + 100)
    assert group.size() == 1
    t.timer.advance_clock(session_timeout + 100)
    assert group.size() == 0


def test_new_member_join_expiration(t: Harness) -> None:
    session_timeout = GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS + 5000
    rebalance_timeout = GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS * 2
    first_join_result = t.dynamic_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, session_timeout, rebalance_timeout)
    first_member_id = first_join_result.member_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    group = t.get_group(GROUP_ID)
    assert not any(member.is_new for member in group.all_member_metadata())
    response_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, None, session_timeout, rebalance_timeout)
    assert not response_future.is_done()
    assert len(group.all_members()) == 2
    assert sum(member.is_new for member in group.all_member_metadata()) == 1
    new_member = next(member for member in group.all_member_metadata() if member.is_new)
    assert new_member.member_id != first_member_id
    t.timer.advance_clock(GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS + 1)
    assert response_future.is_done()
    response = await_(response_future)
    assert response.error is Errors.UNKNOWN_MEMBER_ID
    assert len(group.all_members()) == 1
    assert not any(member.is_new for member in group.all_member_metadata())
    assert set(group.all_members()) == {first_member_id}


def test_new_member_failure_after_join_group_completion(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_future = t.send_join_group(
        GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS, require_known_member_id=False)
    join_result = await_(join_future)
    other_join_result = await_(other_join_future)
    assert join_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    t.verify_session_expiration(GROUP_ID)


def test_new_member_failure_after_sync_group_completion(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_future = t.send_join_group(
        GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS, require_known_member_id=False)
    join_result = await_(join_future)
    other_join_result = await_(other_join_future)
    assert join_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    second_generation_id = join_result.generation_id
    second_member_id = other_join_result.member_id
    t.send_sync_group_follower(GROUP_ID, second_generation_id, second_member_id)
    sync_group_result = t.sync_group_leader(
        GROUP_ID, second_generation_id, first_member_id, {first_member_id: b"", second_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    t.verify_session_expiration(GROUP_ID)


def test_join_group_inconsistent_group_protocol(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    other_member_id = UNKNOWN_MEMBER_ID
    join_group_future = t.send_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, [("range", METADATA)])
    other_join_group_result = t.dynamic_join_group(
        GROUP_ID, other_member_id, PROTOCOL_TYPE, [("roundrobin", METADATA)])
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    join_group_result = await_(join_group_future)
    assert join_group_result.error is Errors.NONE
    assert other_join_group_result.error is Errors.INCONSISTENT_GROUP_PROTOCOL


def test_join_group_unknown_consumer_existing_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    other_member_id = "memberId"
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    other_join_group_result = await_(t.send_join_group(GROUP_ID, other_member_id, PROTOCOL_TYPE, PROTOCOLS))
    assert other_join_group_result.error is Errors.UNKNOWN_MEMBER_ID


def test_join_group_unknown_consumer_new_dead_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    dead_group_id = "deadGroupId"
    t.coordinator.group_manager.add_group(GroupMetadata(dead_group_id, Dead, MockTime()))
    join_group_result = t.dynamic_join_group(dead_group_id, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.COORDINATOR_NOT_AVAILABLE


def test_sync_dead_group(t: Harness) -> None:
    member_id = "memberId"
    dead_group_id = "deadGroupId"
    t.coordinator.group_manager.add_group(GroupMetadata(dead_group_id, Dead, MockTime()))
    sync_group_result = t.sync_group_follower(dead_group_id, 1, member_id)
    assert sync_group_result.error is Errors.COORDINATOR_NOT_AVAILABLE


def test_join_group_second_join_inconsistent_protocol(t: Harness) -> None:
    response_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, require_known_member_id=True)
    join_group_result = await_(response_future)
    assert join_group_result.error is Errors.MEMBER_ID_REQUIRED
    member_id = join_group_result.member_id
    response_future = t.send_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, [], require_known_member_id=True)
    join_group_result = await_(response_future)
    assert join_group_result.error is Errors.INCONSISTENT_GROUP_PROTOCOL
    response_future = t.send_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, require_known_member_id=True)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    join_group_result = await_(response_future)
    assert join_group_result.error is Errors.NONE


def test_static_member_join_as_first_member(t: Harness) -> None:
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, GROUP_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE


def test_static_member_re_join_with_explicit_unknown_member_id(t: Harness) -> None:
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, GROUP_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    unknown_member_id = "unknown_member"
    join_group_result = t.static_join_group(
        GROUP_ID, unknown_member_id, GROUP_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.FENCED_INSTANCE_ID


def test_static_member_fence_duplicate_rejoined_follower(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    t.timer.advance_clock(1)
    assert t.get_group(GROUP_ID).is_(PreparingRebalance)
    t.timer.advance_clock(1)
    old_follower_join_group_future = t.send_join_group(
        GROUP_ID, rebalance_result.follower_id, PROTOCOL_TYPE, PROTOCOLS,
        group_instance_id=FOLLOWER_INSTANCE_ID)
    t.timer.advance_clock(1)
    duplicate_follower_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, group_instance_id=FOLLOWER_INSTANCE_ID)
    t.timer.advance_clock(1)
    old_follower_join_group_result = await_(old_follower_join_group_future)
    t.check_join_group_result(
        old_follower_join_group_result, Errors.FENCED_INSTANCE_ID, -1, set(), PreparingRebalance, None)
    t.verify_delayed_task_not_completed(duplicate_follower_join_future)


def test_static_member_fence_duplicate_syncing_follower_after_member_id_changed(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leader_join_group_future = t.send_join_group(
        GROUP_ID, rebalance_result.leader_id, PROTOCOL_TYPE, PROTOCOLS, group_instance_id=LEADER_INSTANCE_ID)
    t.timer.advance_clock(1)
    assert t.get_group(GROUP_ID).is_(PreparingRebalance)
    t.timer.advance_clock(1)
    old_follower_join_group_future = t.send_join_group(
        GROUP_ID, rebalance_result.follower_id, PROTOCOL_TYPE, PROTOCOLS,
        group_instance_id=FOLLOWER_INSTANCE_ID)
    t.timer.advance_clock(1)
    leader_join_group_result = await_(leader_join_group_future)
    t.check_join_group_result(
        leader_join_group_result, Errors.NONE, rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE)
    assert leader_join_group_result.member_id == rebalance_result.leader_id
    assert leader_join_group_result.leader_id == rebalance_result.leader_id
    old_follower_join_group_result = await_(old_follower_join_group_future)
    t.check_join_group_result(
        old_follower_join_group_result, Errors.NONE, rebalance_result.generation + 1, set(),
        CompletingRebalance, PROTOCOL_TYPE, expected_leader_id=leader_join_group_result.member_id)
    assert old_follower_join_group_result.member_id == rebalance_result.follower_id
    assert old_follower_join_group_result.leader_id == rebalance_result.leader_id
    assert t.get_group(GROUP_ID).is_(CompletingRebalance)
    old_follower_sync_group_future = t.send_sync_group_follower(
        GROUP_ID, old_follower_join_group_result.generation_id, old_follower_join_group_result.member_id,
        PROTOCOL_TYPE, PROTOCOL_NAME, FOLLOWER_INSTANCE_ID)
    duplicate_follower_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, group_instance_id=FOLLOWER_INSTANCE_ID)
    t.timer.advance_clock(1)
    old_follower_sync_group_result = await_(old_follower_sync_group_future)
    assert old_follower_sync_group_result.error is Errors.FENCED_INSTANCE_ID
    assert t.get_group(GROUP_ID).is_(PreparingRebalance)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    t.timer.advance_clock(REBALANCE_MS + 1)
    duplicate_follower_join_group_result = await_(duplicate_follower_join_future)
    t.check_join_group_result(
        duplicate_follower_join_group_result, Errors.NONE, rebalance_result.generation + 2,
        {FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE,
        expected_leader_id=duplicate_follower_join_group_result.member_id)
    assert t.get_group(GROUP_ID).is_(CompletingRebalance)


def test_static_member_fence_duplicate_rejoining_follower_after_member_id_changed(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leader_join_group_future = t.send_join_group(
        GROUP_ID, rebalance_result.leader_id, PROTOCOL_TYPE, PROTOCOLS, group_instance_id=LEADER_INSTANCE_ID)
    t.timer.advance_clock(1)
    assert t.get_group(GROUP_ID).is_(PreparingRebalance)
    duplicate_follower_join_group_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, group_instance_id=FOLLOWER_INSTANCE_ID)
    t.timer.advance_clock(1)
    old_follower_join_group_future = t.send_join_group(
        GROUP_ID, rebalance_result.follower_id, PROTOCOL_TYPE, PROTOCOLS,
        group_instance_id=FOLLOWER_INSTANCE_ID)
    leader_rejoin_group_result = await_(leader_join_group_future)
    t.check_join_group_result(
        leader_rejoin_group_result, Errors.NONE, rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE)
    duplicate_follower_join_group_result = await_(duplicate_follower_join_group_future)
    t.check_join_group_result(
        duplicate_follower_join_group_result, Errors.NONE, rebalance_result.generation + 1, set(),
        CompletingRebalance, PROTOCOL_TYPE)
    assert duplicate_follower_join_group_result.member_id != rebalance_result.follower_id
    old_follower_join_group_result = await_(old_follower_join_group_future)
    t.check_join_group_result(
        old_follower_join_group_result, Errors.FENCED_INSTANCE_ID, -1, set(), CompletingRebalance, None)


def test_static_member_rejoin_with_known_member_id(t: Harness) -> None:
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, GROUP_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    assigned_member_id = join_group_result.member_id
    rejoin_response_future = t.send_join_group(
        GROUP_ID, assigned_member_id, PROTOCOL_TYPE, PROTOCOLS, GROUP_INSTANCE_ID)
    t.timer.advance_clock(1)
    join_group_result = await_(rejoin_response_future)
    assert join_group_result.error is Errors.NONE
    assert t.get_group(GROUP_ID).is_(CompletingRebalance)
    sync_group_future = t.send_sync_group_leader(
        GROUP_ID, join_group_result.generation_id, assigned_member_id, PROTOCOL_TYPE, PROTOCOL_NAME,
        GROUP_INSTANCE_ID, {assigned_member_id: b""})
    t.timer.advance_clock(1)
    sync_group_result = await_(sync_group_future)
    assert sync_group_result.error is Errors.NONE
    assert t.get_group(GROUP_ID).is_(Stable)


@pytest.mark.parametrize("support_skipping_assignment", [True, False])
def test_static_member_rejoin_with_leader_id_and_unknown_member_id(
        t: Harness, support_skipping_assignment: bool) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, clock_advance=1,
        support_skipping_assignment=support_skipping_assignment)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID} if support_skipping_assignment else set(), Stable,
        PROTOCOL_TYPE,
        join_group_result.member_id if support_skipping_assignment else rebalance_result.leader_id,
        expected_skip_assignment=support_skipping_assignment)
    old_leader_join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.leader_id, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=1)
    assert old_leader_join_group_result.error is Errors.FENCED_INSTANCE_ID
    old_leader_sync_group_result = t.sync_group_leader(
        GROUP_ID, rebalance_result.generation, rebalance_result.leader_id, {}, None, None, LEADER_INSTANCE_ID)
    assert old_leader_sync_group_result.error is Errors.FENCED_INSTANCE_ID
    new_leader_sync_group_result = t.sync_group_leader(
        GROUP_ID, rebalance_result.generation, rebalance_result.leader_id, {})
    assert new_leader_sync_group_result.error is Errors.UNKNOWN_MEMBER_ID


def test_static_member_rejoin_with_leader_id_and_known_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(
        LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, session_timeout=REBALANCE_MS // 2)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.leader_id, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=REBALANCE_MS + 1)
    assert not t.get_group(GROUP_ID).has_static_member(FOLLOWER_INSTANCE_ID)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation + 1, {LEADER_INSTANCE_ID},
        CompletingRebalance, PROTOCOL_TYPE, rebalance_result.leader_id, rebalance_result.leader_id)


def test_static_member_rejoin_with_leader_id_and_unexpected_dead_group(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    t.get_group(GROUP_ID).transition_to(Dead)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.leader_id, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS, clock_advance=1)
    assert join_group_result.error is Errors.COORDINATOR_NOT_AVAILABLE


def test_static_member_rejoin_with_leader_id_and_unexpected_empty_group(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    t.get_group(GROUP_ID).transition_to(PreparingRebalance)
    t.get_group(GROUP_ID).transition_to(Empty)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.leader_id, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS, clock_advance=1)
    assert join_group_result.error is Errors.UNKNOWN_MEMBER_ID


def test_static_member_rejoin_with_follower_id_and_change_of_protocol(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(
        LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, session_timeout=SESSION_MS * 2)
    new_protocols = [("roundrobin", METADATA)]
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.follower_id, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, new_protocols,
        clock_advance=SESSION_MS + 1)
    assert join_group_result.member_id == rebalance_result.follower_id
    assert t.get_group(GROUP_ID).has_static_member(LEADER_INSTANCE_ID)
    assert t.get_group(GROUP_ID).is_leader(rebalance_result.follower_id)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE,
        rebalance_result.follower_id, rebalance_result.follower_id)


def test_static_member_rejoin_with_unknown_member_id_and_change_of_protocol_with_selected_protocol_changed(
        t: Harness) -> None:
    # Kafka has the same times for both, and which ends first is chance.
    rebalance_result = t.static_members_join_and_rebalance(
        LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, session_timeout=2 * SESSION_MS)
    selected_protocols = t.get_group(GROUP_ID).select_protocol()
    new_protocols = [("roundrobin", METADATA)]
    assert selected_protocols not in [name for name, _ in new_protocols]
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, new_protocols,
        clock_advance=SESSION_MS + 1)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE)
    assert t.get_group(GROUP_ID).is_leader(join_group_result.member_id)
    assert join_group_result.member_id != rebalance_result.follower_id
    assert "roundrobin" == join_group_result.protocol_name


def test_static_member_rejoin_with_unknown_member_id_and_change_of_protocol_while_select_protocol_unchanged_persistence_failure(  # noqa: E501
        t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    selected_protocol = t.get_group(GROUP_ID).select_protocol()
    new_protocols = [(selected_protocol, METADATA)]
    join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, new_protocols, clock_advance=1,
        append_record_error=Errors.MESSAGE_TOO_LARGE)
    t.check_join_group_result(
        join_group_result, Errors.UNKNOWN_SERVER_ERROR, rebalance_result.generation, set(), Stable,
        PROTOCOL_TYPE)
    assert join_group_result.member_id != rebalance_result.follower_id
    old_follower_join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.follower_id, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, new_protocols,
        clock_advance=1)
    assert old_follower_join_group_result.error is Errors.NONE
    sync_group_with_old_member_id_result = t.sync_group_follower(
        GROUP_ID, rebalance_result.generation, rebalance_result.follower_id, None, None, FOLLOWER_INSTANCE_ID)
    assert sync_group_with_old_member_id_result.error is Errors.NONE


def test_static_member_rejoin_with_updated_session_and_rebalance_timeouts_but_cannot_persist_change(
        t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, 1,
        2 * SESSION_MS, 2 * REBALANCE_MS, append_record_error=Errors.MESSAGE_TOO_LARGE)
    t.check_join_group_result(
        join_group_result, Errors.UNKNOWN_SERVER_ERROR, rebalance_result.generation, set(), Stable,
        PROTOCOL_TYPE)
    group = t.coordinator.group_manager.get_group(GROUP_ID)
    assert group is not None
    for member in group.all_member_metadata():
        assert member.session_timeout_ms == SESSION_MS
        assert member.rebalance_timeout_ms == REBALANCE_MS


def test_static_member_rejoin_with_updated_session_and_rebalance_timeouts_and_persist_change(
        t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    follower_join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, 1,
        2 * SESSION_MS, 2 * REBALANCE_MS)
    t.check_join_group_result(
        follower_join_group_result, Errors.NONE, rebalance_result.generation, set(), Stable, PROTOCOL_TYPE)
    leader_join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, 1, 2 * SESSION_MS,
        2 * REBALANCE_MS)
    t.check_join_group_result(
        leader_join_group_result, Errors.NONE, rebalance_result.generation,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}, Stable, PROTOCOL_TYPE, leader_join_group_result.leader_id,
        leader_join_group_result.member_id, True)
    group = t.coordinator.group_manager.get_group(GROUP_ID)
    members = list(group.all_member_metadata())
    assert len(members) == 2
    for member in members:
        assert 2 * SESSION_MS == member.session_timeout_ms
        assert 2 * REBALANCE_MS == member.rebalance_timeout_ms


def test_static_member_rejoin_with_unknown_member_id_and_change_of_protocol_while_select_protocol_unchanged(
        t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    selected_protocol = t.get_group(GROUP_ID).select_protocol()
    new_protocols = [(selected_protocol, METADATA)]
    join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, new_protocols, clock_advance=1)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation, set(), Stable, PROTOCOL_TYPE)
    assert join_group_result.member_id != rebalance_result.follower_id
    old_follower_join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.follower_id, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, new_protocols,
        clock_advance=1)
    assert old_follower_join_group_result.error is Errors.FENCED_INSTANCE_ID
    sync_group_with_old_member_id_result = t.sync_group_follower(
        GROUP_ID, rebalance_result.generation, rebalance_result.follower_id, None, None, FOLLOWER_INSTANCE_ID)
    assert sync_group_with_old_member_id_result.error is Errors.FENCED_INSTANCE_ID
    sync_group_with_new_member_id_result = t.sync_group_follower(
        GROUP_ID, rebalance_result.generation, join_group_result.member_id, None, None, FOLLOWER_INSTANCE_ID)
    assert sync_group_with_new_member_id_result.error is Errors.NONE
    assert sync_group_with_new_member_id_result.member_assignment == rebalance_result.follower_assignment


def test_static_member_rejoin_with_known_leader_id_to_trigger_rebalance_and_follower_with_changeof_protocol(
        t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leader_rejoin_group_future = t.send_join_group(
        GROUP_ID, rebalance_result.leader_id, PROTOCOL_TYPE, PROTOCOL_SUPERSET, LEADER_INSTANCE_ID)
    follower_rejoin_with_future = t.send_join_group(
        GROUP_ID, rebalance_result.follower_id, PROTOCOL_TYPE, PROTOCOL_SUPERSET, FOLLOWER_INSTANCE_ID)
    t.timer.advance_clock(1)
    t.check_join_group_result(
        await_(leader_rejoin_group_future), Errors.NONE, rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE,
        rebalance_result.leader_id, rebalance_result.leader_id)
    t.check_join_group_result(
        await_(follower_rejoin_with_future), Errors.NONE, rebalance_result.generation + 1, set(),
        CompletingRebalance, PROTOCOL_TYPE, rebalance_result.leader_id, rebalance_result.follower_id)
    follower_rejoin_with_protocol_change_future = t.send_join_group(
        GROUP_ID, rebalance_result.follower_id, PROTOCOL_TYPE, PROTOCOLS, FOLLOWER_INSTANCE_ID)
    assert t.get_group(GROUP_ID).is_(PreparingRebalance)
    t.timer.advance_clock(REBALANCE_MS + 1)
    t.check_join_group_result(
        await_(follower_rejoin_with_protocol_change_future), Errors.NONE, rebalance_result.generation + 2,
        {FOLLOWER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE, rebalance_result.follower_id,
        rebalance_result.follower_id)


def test_static_member_rejoin_as_follower_with_unknown_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group_with_persistence(
        GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, clock_advance=1)
    assert t.get_group(GROUP_ID).has_static_member(LEADER_INSTANCE_ID)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation, set(), Stable, PROTOCOL_TYPE)
    assert join_group_result.member_id != rebalance_result.follower_id
    sync_group_result = t.sync_group_follower(
        GROUP_ID, rebalance_result.generation, join_group_result.member_id)
    assert sync_group_result.error is Errors.NONE
    assert sync_group_result.member_assignment == rebalance_result.follower_assignment


def test_static_member_rejoin_as_follower_with_known_member_id_and_no_protocol_change(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.follower_id, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=1)
    assert t.get_group(GROUP_ID).has_static_member(LEADER_INSTANCE_ID)
    t.check_join_group_result(
        join_group_result, Errors.NONE, rebalance_result.generation, set(), Stable, PROTOCOL_TYPE,
        rebalance_result.leader_id, rebalance_result.follower_id)


def test_static_member_rejoin_as_follower_with_mismatched_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.follower_id, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=1)
    assert join_group_result.error is Errors.FENCED_INSTANCE_ID


def test_static_member_rejoin_as_leader_with_mismatched_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.leader_id, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=1)
    assert join_group_result.error is Errors.FENCED_INSTANCE_ID


def test_static_member_sync_as_leader_with_invalid_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    sync_group_result = t.sync_group_leader(
        GROUP_ID, rebalance_result.generation, "invalid", {}, None, None, LEADER_INSTANCE_ID)
    assert sync_group_result.error is Errors.FENCED_INSTANCE_ID


def test_static_member_heartbeat_leader_with_invalid_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    sync_group_result = t.sync_group_leader(
        GROUP_ID, rebalance_result.generation, rebalance_result.leader_id, {})
    assert sync_group_result.error is Errors.NONE
    valid_heartbeat_result = t.heartbeat(GROUP_ID, rebalance_result.leader_id, rebalance_result.generation)
    assert valid_heartbeat_result is Errors.NONE
    invalid_heartbeat_result = t.heartbeat(
        GROUP_ID, INVALID_MEMBER_ID, rebalance_result.generation, LEADER_INSTANCE_ID)
    assert invalid_heartbeat_result is Errors.FENCED_INSTANCE_ID


def test_should_get_different_static_member_id_after_each_rejoin(t: Harness) -> None:
    initial_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    time_advance = 1
    last_member_id = initial_result.leader_id
    for _ in range(1, 6):
        join_group_result = t.static_join_group_with_persistence(
            GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS,
            clock_advance=time_advance)
        assert join_group_result.member_id.startswith(LEADER_INSTANCE_ID)
        assert join_group_result.member_id != last_member_id
        last_member_id = join_group_result.member_id


def test_offset_commit_dead_group(t: Harness) -> None:
    member_id = "memberId"
    dead_group_id = "deadGroupId"
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    t.coordinator.group_manager.add_group(GroupMetadata(dead_group_id, Dead, MockTime()))
    offset_commit_result = t.commit_offsets(dead_group_id, member_id, 1, {tip: offset})
    assert offset_commit_result == {tip: Errors.COORDINATOR_NOT_AVAILABLE}


def test_static_member_commit_offset_with_invalid_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    sync_group_result = t.sync_group_leader(
        GROUP_ID, rebalance_result.generation, rebalance_result.leader_id, {})
    assert sync_group_result.error is Errors.NONE
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    valid_offset_commit_result = t.commit_offsets(
        GROUP_ID, rebalance_result.leader_id, rebalance_result.generation, {tip: offset})
    assert valid_offset_commit_result == {tip: Errors.NONE}
    invalid_offset_commit_result = t.commit_offsets(
        GROUP_ID, INVALID_MEMBER_ID, rebalance_result.generation, {tip: offset}, LEADER_INSTANCE_ID)
    assert invalid_offset_commit_result == {tip: Errors.FENCED_INSTANCE_ID}


def test_static_member_join_with_unknown_instance_id_and_known_member_id(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    join_group_result = t.static_join_group(
        GROUP_ID, rebalance_result.leader_id, "unknown_instance", PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=1)
    assert join_group_result.error is Errors.UNKNOWN_MEMBER_ID


def test_static_member_re_join_with_illegal_state_as_unknown_member(t: Harness) -> None:
    t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    group = t.get_group(GROUP_ID)
    group.transition_to(PreparingRebalance)
    group.transition_to(Empty)
    with pytest.raises(IllegalStateException) as raised:
        t.static_join_group(
            GROUP_ID, UNKNOWN_MEMBER_ID, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
            clock_advance=1)
    assert group.group_id in str(raised.value) and FOLLOWER_INSTANCE_ID in str(raised.value)


def group_stuck_in_rebalance_timeout_due_to_nonjoined_static_member(t: Harness) -> None:
    long_session_timeout = SESSION_MS * 2
    rebalance_result = t.static_members_join_and_rebalance(
        LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, session_timeout=long_session_timeout)
    dynamic_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, session_timeout=long_session_timeout)
    t.timer.advance_clock(REBALANCE_MS + 1)

    # The new member leads: the static ones have not joined again, and stay.
    dynamic_join_result = await_(dynamic_join_future)
    assert dynamic_join_result.member_id == dynamic_join_result.leader_id
    assert dynamic_join_result.error is Errors.NONE
    assert len(dynamic_join_result.members) == 3
    assert dynamic_join_result.generation_id == 2
    t.assert_group_state(CompletingRebalance)
    group = t.get_group(GROUP_ID)
    assert set(group.all_members()) == {
        rebalance_result.leader_id, rebalance_result.follower_id, dynamic_join_result.member_id}
    assert set(group.all_static_members()) == {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID}
    assert group.all_dynamic_members() == {dynamic_join_result.member_id}

    verify_leave_group_result(t.single_leave_group(GROUP_ID, rebalance_result.follower_id))
    t.assert_group_state(PreparingRebalance)

    t.timer.advance_clock(REBALANCE_MS + 1)
    # The static leader alone is left, and nobody joins.
    assert set(group.all_members()) == {rebalance_result.leader_id}
    assert not group.all_dynamic_members()
    assert group.generation_id == 2
    t.assert_group_state(PreparingRebalance)


def test_leader_fail_to_rejoin_before_final_rebalance_timeout_with_long_session_timeout(t: Harness) -> None:
    group_stuck_in_rebalance_timeout_due_to_nonjoined_static_member(t)
    t.timer.advance_clock(REBALANCE_MS + 1)
    assert t.get_group(GROUP_ID).all_members() == set()
    assert t.get_group(GROUP_ID).leader_or_null() is None
    assert t.get_group(GROUP_ID).generation_id == 3
    t.assert_group_state(group_state=Empty)


def test_leader_rejoin_before_final_rebalance_timeout_with_long_session_timeout(t: Harness) -> None:
    group_stuck_in_rebalance_timeout_due_to_nonjoined_static_member(t)
    leader_rejoin_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    t.check_join_group_result(
        leader_rejoin_group_result, Errors.NONE, 3, {LEADER_INSTANCE_ID}, CompletingRebalance, PROTOCOL_TYPE)
    assert t.get_group(GROUP_ID).all_members() == {leader_rejoin_group_result.member_id}
    assert t.get_group(GROUP_ID).leader_or_null() is not None
    assert t.get_group(GROUP_ID).generation_id == 3


def test_static_member_follower_fail_to_rejoin_before_rebalance_timeout(t: Harness) -> None:
    initial_rebalance_result = t.static_members_join_and_rebalance(
        LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, session_timeout=REBALANCE_MS * 2)
    new_member_instance_id = "newMember"
    leader_id = initial_rebalance_result.leader_id
    new_member_join_group_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, new_member_instance_id)
    t.assert_group_state(group_state=PreparingRebalance)
    leader_rejoin_group_result = t.static_join_group(
        GROUP_ID, leader_id, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET,
        clock_advance=REBALANCE_MS + 1)
    t.check_join_group_result(
        leader_rejoin_group_result, Errors.NONE, initial_rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, new_member_instance_id}, CompletingRebalance,
        PROTOCOL_TYPE, expected_leader_id=leader_id, expected_member_id=leader_id)
    new_member_join_group_result = await_(new_member_join_group_future)
    assert new_member_join_group_result.error is Errors.NONE
    t.check_join_group_result(
        new_member_join_group_result, Errors.NONE, initial_rebalance_result.generation + 1, set(),
        CompletingRebalance, PROTOCOL_TYPE, expected_leader_id=leader_id)


def test_static_member_leader_fail_to_rejoin_before_rebalance_timeout(t: Harness) -> None:
    initial_rebalance_result = t.static_members_join_and_rebalance(
        LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, session_timeout=REBALANCE_MS * 2)
    new_member_instance_id = "newMember"
    new_member_join_group_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, new_member_instance_id)
    t.timer.advance_clock(1)
    t.assert_group_state(group_state=PreparingRebalance)
    old_follower_rejoin_group_result = t.static_join_group(
        GROUP_ID, initial_rebalance_result.follower_id, FOLLOWER_INSTANCE_ID, PROTOCOL_TYPE,
        PROTOCOL_SUPERSET, clock_advance=REBALANCE_MS + 1)
    new_member_join_group_result = await_(new_member_join_group_future)
    new_leader_result, new_follower_result = sorted(
        (old_follower_rejoin_group_result, new_member_join_group_result),
        key=lambda each: each.member_id != each.leader_id)
    t.check_join_group_result(
        new_leader_result, Errors.NONE, initial_rebalance_result.generation + 1,
        {LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID, new_member_instance_id}, CompletingRebalance,
        PROTOCOL_TYPE)
    t.check_join_group_result(
        new_follower_result, Errors.NONE, initial_rebalance_result.generation + 1, set(), CompletingRebalance,
        PROTOCOL_TYPE, expected_leader_id=new_leader_result.member_id)


def test_join_group_protocol_type_is_not_provided_when_an_error_occurs(t: Harness) -> None:
    leader_response_future = t.send_join_group(
        GROUP_ID, "fake-id", PROTOCOL_TYPE, PROTOCOL_SUPERSET, LEADER_INSTANCE_ID, SESSION_MS)
    leader_join_group_result = await_(leader_response_future)
    assert leader_join_group_result.error is Errors.UNKNOWN_MEMBER_ID
    assert leader_join_group_result.protocol_type is None


def test_join_group_returns_the_protocol_type(t: Harness) -> None:
    leader_response_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, LEADER_INSTANCE_ID, SESSION_MS)
    follower_response_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET, FOLLOWER_INSTANCE_ID, SESSION_MS)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    t.timer.advance_clock(REBALANCE_MS + 1)
    leader_join_group_result = await_(leader_response_future)
    assert leader_join_group_result.error is Errors.NONE
    assert leader_join_group_result.protocol_type == PROTOCOL_TYPE
    follower_join_group_result = await_(follower_response_future)
    assert follower_join_group_result.error is Errors.NONE
    assert follower_join_group_result.protocol_type == PROTOCOL_TYPE


def test_sync_group_returns_an_error_when_protocol_type_is_inconsistent(t: Harness) -> None:
    t.check_sync_group_protocol_type_and_name(
        "whatever", None, Errors.INCONSISTENT_GROUP_PROTOCOL, None, None)


def test_sync_group_returns_an_error_when_protocol_name_is_inconsistent(t: Harness) -> None:
    t.check_sync_group_protocol_type_and_name(
        None, "whatever", Errors.INCONSISTENT_GROUP_PROTOCOL, None, None)


def test_sync_group_succeed_when_protocol_type_and_name_are_not_provided(t: Harness) -> None:
    t.check_sync_group_protocol_type_and_name(None, None, Errors.NONE, PROTOCOL_TYPE, PROTOCOL_NAME)


def test_sync_group_succeed_when_protocol_type_and_name_are_consistent(t: Harness) -> None:
    t.check_sync_group_protocol_type_and_name(
        PROTOCOL_TYPE, PROTOCOL_NAME, Errors.NONE, PROTOCOL_TYPE, PROTOCOL_NAME)


def test_heartbeat_wrong_coordinator(t: Harness) -> None:
    heartbeat_result = t.heartbeat(OTHER_GROUP_ID, MEMBER_ID, -1)
    assert heartbeat_result is Errors.NOT_COORDINATOR


def test_heartbeat_unknown_group(t: Harness) -> None:
    heartbeat_result = t.heartbeat(GROUP_ID, MEMBER_ID, -1)
    assert heartbeat_result is Errors.UNKNOWN_MEMBER_ID


def test_heartbeat_dead_group(t: Harness) -> None:
    member_id = "memberId"
    dead_group_id = "deadGroupId"
    t.coordinator.group_manager.add_group(GroupMetadata(dead_group_id, Dead, MockTime()))
    heartbeat_result = t.heartbeat(dead_group_id, member_id, 1)
    assert heartbeat_result is Errors.COORDINATOR_NOT_AVAILABLE


def test_heartbeat_empty_group(t: Harness) -> None:
    member_id = "memberId"
    group = GroupMetadata(GROUP_ID, Empty, MockTime())
    member = MemberMetadata(
        member_id, GROUP_INSTANCE_ID, CLIENT_ID, CLIENT_HOST, REBALANCE_MS, SESSION_MS, PROTOCOL_TYPE,
        [("range", b""), ("roundrobin", b"")])
    group.add(member)
    t.coordinator.group_manager.add_group(group)
    heartbeat_result = t.heartbeat(GROUP_ID, member_id, 0)
    assert heartbeat_result is Errors.UNKNOWN_MEMBER_ID


def test_heartbeat_unknown_consumer_existing_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    other_member_id = "memberId"
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    heartbeat_result = t.heartbeat(GROUP_ID, other_member_id, 1)
    assert heartbeat_result is Errors.UNKNOWN_MEMBER_ID


def test_heartbeat_rebalance_in_progress(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_member_id, 1)
    assert heartbeat_result is Errors.NONE


def test_heartbeat_illegal_generation(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_member_id, 2)
    assert heartbeat_result is Errors.ILLEGAL_GENERATION


def test_valid_heartbeat(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_consumer_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_consumer_id, {assigned_consumer_id: b""})
    assert sync_group_result.error is Errors.NONE
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_consumer_id, 1)
    assert heartbeat_result is Errors.NONE


def test_session_timeout(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_consumer_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_consumer_id, {assigned_consumer_id: b""})
    assert sync_group_result.error is Errors.NONE
    t.timer.advance_clock(SESSION_MS + 100)
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_consumer_id, 1)
    assert heartbeat_result is Errors.UNKNOWN_MEMBER_ID


def test_heartbeat_maintains_session(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    session_timeout = 1000
    join_group_result = t.dynamic_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=session_timeout,
        session_timeout=session_timeout)
    assigned_consumer_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_consumer_id, {assigned_consumer_id: b""})
    assert sync_group_result.error is Errors.NONE
    t.timer.advance_clock(session_timeout // 2)
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_consumer_id, 1)
    assert heartbeat_result is Errors.NONE
    t.timer.advance_clock(session_timeout // 2 + 100)
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_consumer_id, 1)
    assert heartbeat_result is Errors.NONE


def test_commit_maintains_session(t: Harness) -> None:
    session_timeout = 1000
    member_id = UNKNOWN_MEMBER_ID
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    join_group_result = t.dynamic_join_group(
        GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=session_timeout,
        session_timeout=session_timeout)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    t.timer.advance_clock(session_timeout // 2)
    commit_offset_result = t.commit_offsets(GROUP_ID, assigned_member_id, generation_id, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    t.timer.advance_clock(session_timeout // 2 + 100)
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_member_id, 1)
    assert heartbeat_result is Errors.NONE


def test_session_timeout_during_rebalance(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=2000, session_timeout=1000)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    t.timer.advance_clock(500)
    heartbeat_result = t.heartbeat(GROUP_ID, first_member_id, first_generation_id)
    assert heartbeat_result is Errors.REBALANCE_IN_PROGRESS
    t.timer.advance_clock(1100)
    heartbeat_result = t.heartbeat(GROUP_ID, first_member_id, first_generation_id)
    assert heartbeat_result is Errors.UNKNOWN_MEMBER_ID
    other_join_result = await_(other_join_future)
    assert other_join_result.error is Errors.NONE


def test_rebalance_completes_before_member_joins(t: Harness) -> None:
    first_join_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=1200,
        session_timeout=1000)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_member_session_timeout = SESSION_MS
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    expected_result_list = [Errors.REBALANCE_IN_PROGRESS, Errors.REBALANCE_IN_PROGRESS]
    for expected_result in expected_result_list:
        t.timer.advance_clock(other_member_session_timeout)
        heartbeat_result = t.heartbeat(GROUP_ID, first_member_id, first_generation_id)
        assert heartbeat_result == expected_result
    t.timer.advance_clock(other_member_session_timeout)
    other_join_result = await_(other_join_future)
    other_member_id = other_join_result.member_id
    other_generation_id = other_join_result.generation_id
    sync_result = t.sync_group_leader(GROUP_ID, other_generation_id, other_member_id, {other_member_id: b""})
    assert sync_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    heartbeat_result = t.heartbeat(GROUP_ID, first_member_id, first_generation_id)
    assert heartbeat_result is Errors.ILLEGAL_GENERATION
    expected_result_list = [Errors.NONE, Errors.NONE, Errors.REBALANCE_IN_PROGRESS]
    for expected_result in expected_result_list:
        t.timer.advance_clock(other_member_session_timeout)
        heartbeat_result = t.heartbeat(GROUP_ID, other_member_id, other_generation_id)
        assert heartbeat_result == expected_result
    other_rejoin_group_future = t.send_join_group(GROUP_ID, other_member_id, PROTOCOL_TYPE, PROTOCOLS)
    other_re_join_result = await_(other_rejoin_group_future)
    assert other_re_join_result.error is Errors.NONE
    other_rejoin_generation_id = other_re_join_result.generation_id
    re_sync_result = t.sync_group_leader(
        GROUP_ID, other_rejoin_generation_id, other_member_id, {other_member_id: b""})
    assert re_sync_result.error is Errors.NONE
    for _ in range(20):
        t.timer.advance_clock(500)
        heartbeat_result = t.heartbeat(GROUP_ID, other_member_id, other_rejoin_generation_id)
        assert heartbeat_result is Errors.NONE


def test_nobody_waits_for_members_that_have_all_synchronized(t: Harness) -> None:
    joined = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    synchronized = t.sync_group_leader(
        GROUP_ID, joined.generation_id, joined.member_id, {joined.member_id: b""})
    assert synchronized.error is Errors.NONE
    # The wait for them was completed by the last one, and not only by whoever looks next.
    assert t.coordinator.rebalance_purgatory.check_and_complete(GroupSyncKey(GROUP_ID)) == 0


def test_sync_group_empty_assignment(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_consumer_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(GROUP_ID, generation_id, assigned_consumer_id, {})
    assert sync_group_result.error is Errors.NONE
    assert not sync_group_result.member_assignment
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_consumer_id, 1)
    assert heartbeat_result is Errors.NONE


def test_sync_group_not_coordinator(t: Harness) -> None:
    generation = 1
    sync_group_result = t.sync_group_follower(OTHER_GROUP_ID, generation, MEMBER_ID)
    assert sync_group_result.error is Errors.NOT_COORDINATOR


def test_sync_group_from_unknown_group(t: Harness) -> None:
    sync_group_result = t.sync_group_follower(GROUP_ID, 1, MEMBER_ID)
    assert sync_group_result.error is Errors.UNKNOWN_MEMBER_ID


def test_sync_group_from_unknown_member(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_consumer_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_consumer_id, {assigned_consumer_id: b""})
    sync_group_error = sync_group_result.error
    assert sync_group_error is Errors.NONE
    unknown_member_id = "blah"
    unknown_member_sync_result = t.sync_group_follower(GROUP_ID, generation_id, unknown_member_id)
    assert unknown_member_sync_result.error is Errors.UNKNOWN_MEMBER_ID


def test_sync_group_from_illegal_generation(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_consumer_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id+1, assigned_consumer_id, {assigned_consumer_id: b""})
    assert sync_group_result.error is Errors.ILLEGAL_GENERATION


def test_join_group_from_unchanged_follower_does_not_rebalance(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_future = t.send_join_group(GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS)
    join_result = await_(join_future)
    other_join_result = await_(other_join_future)
    assert join_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    assert join_result.generation_id == other_join_result.generation_id
    assert join_result.leader_id == first_member_id
    assert other_join_result.leader_id == first_member_id
    next_generation_id = join_result.generation_id
    follower_join_result = await_(t.send_join_group(
        GROUP_ID, other_join_result.member_id, PROTOCOL_TYPE, PROTOCOLS))
    assert follower_join_result.error is Errors.NONE
    assert follower_join_result.generation_id == next_generation_id


def test_join_group_from_unchanged_leader_should_rebalance(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    second_join_result = await_(t.send_join_group(GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS))
    assert second_join_result.error is Errors.NONE
    assert second_join_result.generation_id != first_generation_id


def test_second_member_partially_join_and_timeout(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    t.timer.advance_clock(100)
    assert t.get_group(GROUP_ID).all_members() == {first_member_id}
    assert t.get_group(GROUP_ID).all_dynamic_members() == t.get_group(GROUP_ID).all_members()
    assert t.get_group(GROUP_ID).num_pending() == 0
    group = t.coordinator.group_manager.get_group(GROUP_ID)
    assert group.current_state() is Stable
    second_join_result = t.join_group_partial(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    assert second_join_result.error is Errors.MEMBER_ID_REQUIRED
    assert group.num_pending() == 1
    assert group.current_state() is Stable
    assert group.all_members() == {first_member_id}
    assert group.num_pending() == 1
    t.timer.advance_clock(300)
    heartbeat_result = t.heartbeat(GROUP_ID, first_member_id, 1)
    assert heartbeat_result is Errors.NONE
    t.timer.advance_clock(300)
    assert group.all_members() == {first_member_id}
    assert group.num_pending() == 0
    assert group.current_state() is Stable
    assert group.has(first_member_id)


def test_join_group_completion_when_pending_member_joins(t: Harness) -> None:
    pending_member = t.setup_group_with_pending_member()
    pending_member_join_future = t.send_join_group(
        GROUP_ID, pending_member.member_id, PROTOCOL_TYPE, PROTOCOLS)
    await_(pending_member_join_future)
    t.assert_group_state(group_state=CompletingRebalance)
    assert len(t.group().all_members()) == 3
    assert t.group().num_pending() == 0


def test_each_join_of_a_member_stores_its_timeouts(t: Harness) -> None:
    pending = t.join_group_partial(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, session_timeout=200, rebalance_timeout=300)
    for session_timeout, rebalance_timeout in ((210, 310), (220, 320)):
        t.send_join_group(GROUP_ID, pending.member_id, PROTOCOL_TYPE, PROTOCOLS, None, session_timeout,
                          rebalance_timeout, True)
        member = t.group().get(pending.member_id)
        assert (member.session_timeout_ms, member.rebalance_timeout_ms) == (
            session_timeout, rebalance_timeout)
        assert (member.client_id, member.client_host) == ("clientId", "clientHost")


def test_join_group_completion_when_pending_member_times_out(t: Harness) -> None:
    t.setup_group_with_pending_member()
    t.timer.advance_clock(120)
    t.assert_group_state(group_state=CompletingRebalance)
    assert len(t.group().all_members()) == 2
    assert t.group().num_pending() == 0


def test_pending_members_leaves_group(t: Harness) -> None:
    pending = t.setup_group_with_pending_member()
    leave_group_results = t.single_leave_group(GROUP_ID, pending.member_id)
    verify_leave_group_result(leave_group_results)
    t.assert_group_state(group_state=CompletingRebalance)
    assert len(t.group().all_members()) == 2
    assert len(t.group().all_dynamic_members()) == 2
    assert t.group().num_pending() == 0


def test_an_assignment_is_obsolete_once_the_group_has_another_generation(
        t: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    leader = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    appends: list[dict[str, Any]] = []
    monkeypatch.setattr(t.replica_manager, "append_records", lambda **arguments: appends.append(arguments))
    future = t.send_sync_group_leader(GROUP_ID, leader.generation_id, leader.member_id, None, None, None,
                                      {leader.member_id: b"obsolete"})
    append, = appends
    group = t.group()

    class ContendedLock:
        """A lock that another thread has had immediately before: that thread has ended a rebalance."""

        def __enter__(self) -> None:
            group.generation_id += 1

        def __exit__(self, *_: object) -> None:
            pass

    group.lock = ContendedLock()  # type: ignore[assignment]
    partition, = append["entries_per_partition"]
    append["response_callback"]({partition: ProduceResponse.PartitionResponse(
        Errors.NONE, 0, RecordBatch.NO_TIMESTAMP, 0)})
    assert not future.is_done()
    assert group.is_(CompletingRebalance) and group.get(leader.member_id).assignment == b""


def test_rebalance_times_out_when_sync_request_is_not_received(t: Harness) -> None:
    results = t.join_with_n_members(nb_members=3)
    assert {each.error for each in results} == {Errors.NONE}
    t.timer.advance_clock(REBALANCE_MS // 2)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.NONE)
    t.timer.advance_clock(REBALANCE_MS // 2 + 1)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.UNKNOWN_MEMBER_ID)


def test_rebalance_times_out_when_sync_request_is_not_received_from_followers(t: Harness) -> None:
    results = t.join_with_n_members(nb_members=3)
    assert {each.error for each in results} == {Errors.NONE}
    t.timer.advance_clock(REBALANCE_MS // 2)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.NONE)
    assignments = {each.member_id: b"" for each in results}
    leader_result = t.send_sync_group_leader(
        GROUP_ID, results[0].generation_id, results[0].member_id, PROTOCOL_TYPE, PROTOCOL_NAME, None,
        assignments)
    assert await_(leader_result).error is Errors.NONE
    t.verify_heartbeat(results[0], Errors.NONE)
    t.timer.advance_clock(REBALANCE_MS // 2 + 1)
    t.verify_heartbeat(results[0], Errors.REBALANCE_IN_PROGRESS)
    for join_group_result in results[1:]:
        t.verify_heartbeat(join_group_result, Errors.UNKNOWN_MEMBER_ID)


def test_rebalance_times_out_when_sync_request_is_not_received_from_leaders(t: Harness) -> None:
    results = t.join_with_n_members(nb_members=3)
    assert {each.error for each in results} == {Errors.NONE}
    t.timer.advance_clock(REBALANCE_MS // 2)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.NONE)
    follower_results = [t.send_sync_group_follower(
        GROUP_ID, join_group_result.generation_id, join_group_result.member_id, PROTOCOL_TYPE, PROTOCOL_NAME,
        None) for join_group_result in results[1:]]
    t.timer.advance_clock(REBALANCE_MS // 2 + 1)
    follower_errors = [await_(each).error for each in follower_results]
    assert set(follower_errors) == {Errors.REBALANCE_IN_PROGRESS}
    t.verify_heartbeat(results[0], Errors.UNKNOWN_MEMBER_ID)
    for join_group_result in results[1:]:
        t.verify_heartbeat(join_group_result, Errors.REBALANCE_IN_PROGRESS)


def test_rebalance_does_not_time_out_when_all_sync_are_received(t: Harness) -> None:
    results = t.join_with_n_members(nb_members=3)
    assert {each.error for each in results} == {Errors.NONE}
    t.timer.advance_clock(REBALANCE_MS // 2)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.NONE)
    assignments = {each.member_id: b"" for each in results}
    leader_result = t.send_sync_group_leader(
        GROUP_ID, results[0].generation_id, results[0].member_id, PROTOCOL_TYPE, PROTOCOL_NAME, None,
        assignments)
    assert await_(leader_result).error is Errors.NONE
    follower_results = [t.send_sync_group_follower(
        GROUP_ID, join_group_result.generation_id, join_group_result.member_id, PROTOCOL_TYPE, PROTOCOL_NAME,
        None) for join_group_result in results[1:]]
    follower_errors = [await_(each).error for each in follower_results]
    assert set(follower_errors) == {Errors.NONE}
    t.timer.advance_clock(REBALANCE_MS // 2 + 1)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.NONE)
    t.timer.advance_clock(REBALANCE_MS // 2)
    for join_group_result in results:
        t.verify_heartbeat(join_group_result, Errors.NONE)


def test_leader_failure_in_sync_group(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_future = t.send_join_group(GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS)
    join_result = await_(join_future)
    other_join_result = await_(other_join_future)
    assert join_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    assert join_result.generation_id == other_join_result.generation_id
    assert join_result.leader_id == first_member_id
    assert other_join_result.leader_id == first_member_id
    next_generation_id = join_result.generation_id
    follower_sync_future = t.send_sync_group_follower(
        GROUP_ID, next_generation_id, other_join_result.member_id, None, None, None)
    t.timer.advance_clock(SESSION_MS + 100)
    follower_sync_result = await_(follower_sync_future)
    assert follower_sync_result.error is Errors.REBALANCE_IN_PROGRESS


def test_sync_group_follower_after_leader(t: Harness) -> None:
    first_join_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = first_join_result.member_id
    first_generation_id = first_join_result.generation_id
    assert first_join_result.leader_id == first_member_id
    assert first_join_result.error is Errors.NONE
    first_sync_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert first_sync_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_future = t.send_join_group(GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS)
    join_result = await_(join_future)
    other_join_result = await_(other_join_future)
    assert join_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    assert join_result.generation_id == other_join_result.generation_id
    assert join_result.leader_id == first_member_id
    assert other_join_result.leader_id == first_member_id
    next_generation_id = join_result.generation_id
    leader_id = first_member_id
    leader_assignment = b""
    follower_id = other_join_result.member_id
    follower_assignment = bytes([1])
    leader_sync_result = t.sync_group_leader(
        GROUP_ID, next_generation_id, leader_id,
        {leader_id: leader_assignment, follower_id: follower_assignment})
    assert leader_sync_result.error is Errors.NONE
    assert leader_sync_result.member_assignment == leader_assignment
    follower_sync_result = t.sync_group_follower(GROUP_ID, next_generation_id, other_join_result.member_id)
    assert follower_sync_result.error is Errors.NONE
    assert follower_sync_result.member_assignment == follower_assignment


def test_sync_group_leader_after_follower(t: Harness) -> None:
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    first_member_id = join_group_result.member_id
    first_generation_id = join_group_result.generation_id
    assert join_group_result.leader_id == first_member_id
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, first_generation_id, first_member_id, {first_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    other_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_future = t.send_join_group(GROUP_ID, first_member_id, PROTOCOL_TYPE, PROTOCOLS)
    join_result = await_(join_future)
    other_join_result = await_(other_join_future)
    assert join_result.error is Errors.NONE
    assert other_join_result.error is Errors.NONE
    assert join_result.generation_id == other_join_result.generation_id
    next_generation_id = join_result.generation_id
    leader_id = join_result.leader_id
    leader_assignment = b""
    follower_id = other_join_result.member_id
    follower_assignment = bytes([1])
    assert join_result.leader_id == first_member_id
    assert other_join_result.leader_id == first_member_id
    follower_sync_future = t.send_sync_group_follower(
        GROUP_ID, next_generation_id, follower_id, None, None, None)
    leader_sync_result = t.sync_group_leader(
        GROUP_ID, next_generation_id, leader_id,
        {leader_id: leader_assignment, follower_id: follower_assignment})
    assert leader_sync_result.error is Errors.NONE
    assert leader_sync_result.member_assignment == leader_assignment
    follower_sync_result = await_(follower_sync_future)
    assert follower_sync_result.error is Errors.NONE
    assert follower_sync_result.member_assignment == follower_assignment


def test_commit_offset_from_unknown_group(t: Harness) -> None:
    generation_id = 1
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    commit_offset_result = t.commit_offsets(GROUP_ID, MEMBER_ID, generation_id, {tip: offset})
    assert commit_offset_result == {tip: Errors.ILLEGAL_GENERATION}


def test_commit_offset_with_default_generation(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    commit_offset_result = t.commit_offsets(
        GROUP_ID, OffsetCommitRequest.DEFAULT_MEMBER_ID, OffsetCommitRequest.DEFAULT_GENERATION_ID,
        {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}


def test_commit_offsets_after_group_is_empty(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    leave_group_results = t.single_leave_group(GROUP_ID, assigned_member_id)
    verify_leave_group_result(leave_group_results)
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    commit_offset_result = t.commit_offsets(
        GROUP_ID, OffsetCommitRequest.DEFAULT_MEMBER_ID, OffsetCommitRequest.DEFAULT_GENERATION_ID,
        {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == 0


def test_fetch_offsets(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = 97
    metadata = "some metadata"
    leader_epoch = 15
    offset_and_metadata = OffsetAndMetadata(
        offset, leader_epoch, metadata, t.timer.time().milliseconds(), None)
    commit_offset_result = t.commit_offsets(
        GROUP_ID, OffsetCommitRequest.DEFAULT_MEMBER_ID, OffsetCommitRequest.DEFAULT_GENERATION_ID,
        {tip: offset_and_metadata})
    assert commit_offset_result == {tip: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert error is Errors.NONE
    maybe_partition_data = partition_data[tip.topic_partition()]
    assert maybe_partition_data.offset == offset
    assert maybe_partition_data.metadata == metadata
    assert maybe_partition_data.leader_epoch == leader_epoch


def test_commit_and_fetch_offsets_with_empty_group(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    group_id = ""
    commit_offset_result = t.commit_offsets(
        group_id, OffsetCommitRequest.DEFAULT_MEMBER_ID, OffsetCommitRequest.DEFAULT_GENERATION_ID,
        {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    fetch_error, partition_data = t.coordinator.handle_fetch_offsets(
        group_id, REQUIRE_STABLE, [tip.topic_partition()])
    assert fetch_error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == 0
    describe_error, summary = t.coordinator.handle_describe_group(group_id)
    assert describe_error is Errors.NONE
    assert summary.state == str(Empty)
    delete_errors = t.coordinator.handle_delete_groups({group_id})
    assert delete_errors[group_id] is Errors.NONE
    err, data = t.coordinator.handle_fetch_offsets(group_id, REQUIRE_STABLE, [tip.topic_partition()])
    assert err is Errors.NONE
    assert data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET


def test_basic_fetch_txn_offsets(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    offsets_topic = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, t.group_partition_id)
    t.handle_txn_completion(producer_id, [offsets_topic], TransactionResult.COMMIT)
    second_req_error, second_req_partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert second_req_error is Errors.NONE
    assert second_req_partition_data[tip.topic_partition()].offset == 0


def test_fetch_txn_offsets_with_abort(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    offsets_topic = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, t.group_partition_id)
    t.handle_txn_completion(producer_id, [offsets_topic], TransactionResult.ABORT)
    second_req_error, second_req_partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert second_req_error is Errors.NONE
    assert second_req_partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET


def test_fetch_pending_txn_offsets_with_abort(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    non_exist_tp = TopicPartition("non-exist-topic", 0)
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, ([tip.topic_partition(), non_exist_tp]))
    assert error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    assert partition_data[tip.topic_partition()].error is Errors.UNSTABLE_OFFSET_COMMIT
    assert partition_data[non_exist_tp].offset == OffsetFetchResponse.INVALID_OFFSET
    assert partition_data[non_exist_tp].error is Errors.NONE
    offsets_topic = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, t.group_partition_id)
    t.handle_txn_completion(producer_id, [offsets_topic], TransactionResult.ABORT)
    second_req_error, second_req_partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert second_req_error is Errors.NONE
    assert second_req_partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    assert second_req_partition_data[tip.topic_partition()].error is Errors.NONE


def test_fetch_pending_txn_offsets_with_commit(t: Harness) -> None:
    tip = new_tip(0, "offset")
    offset = t.offset_and_metadata(25)
    producer_id = 1000
    producer_epoch = 2
    commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    assert partition_data[tip.topic_partition()].error is Errors.UNSTABLE_OFFSET_COMMIT
    offsets_topic = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, t.group_partition_id)
    t.handle_txn_completion(producer_id, [offsets_topic], TransactionResult.COMMIT)
    second_req_error, second_req_partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert second_req_error is Errors.NONE
    assert second_req_partition_data[tip.topic_partition()].offset == 25
    assert second_req_partition_data[tip.topic_partition()].error is Errors.NONE


def test_fetch_txn_offsets_ignore_spurious_commit(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert error is Errors.NONE
    assert partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    offsets_topic = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, t.group_partition_id)
    t.handle_txn_completion(producer_id, [offsets_topic], TransactionResult.ABORT)
    second_req_error, second_req_partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert second_req_error is Errors.NONE
    assert second_req_partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    t.handle_txn_completion(producer_id, [offsets_topic], TransactionResult.COMMIT)
    third_req_error, third_req_partition_data = t.coordinator.handle_fetch_offsets(
        GROUP_ID, REQUIRE_STABLE, [tip.topic_partition()])
    assert third_req_error is Errors.NONE
    assert third_req_partition_data[tip.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET


def test_fetch_txn_offsets_one_producer_multiple_groups(t: Harness) -> None:
    """A marker in one of the two partitions lets hold what one of the groups has committed."""
    tips = [new_tip(0, "topic1"), new_tip(0, "topic2")]
    group_ids = [GROUP_ID, OTHER_GROUP_ID]
    offset_topic_partitions = [TopicPartition(
        Topic.GROUP_METADATA_TOPIC_NAME, t.coordinator.partition_for(each)) for each in group_ids]
    assert offset_topic_partitions[0] != offset_topic_partitions[1]
    t.coordinator.group_manager.add_owned_partition(offset_topic_partitions[1].partition())
    for group_id, tip, offset in zip(group_ids, tips, (10, 15)):
        assert t.commit_transactional_offsets(
            group_id, 1000, 3, {tip: t.offset_and_metadata(offset)}) == {tip: Errors.NONE}

    def fetched() -> list[list[int]]:
        partitions = [each.topic_partition() for each in tips]
        found = []
        for group_id in group_ids:
            error, data = t.coordinator.handle_fetch_offsets(group_id, REQUIRE_STABLE, partitions)
            assert error is Errors.NONE
            found.append([data[each].offset for each in partitions])
        return found

    none = OffsetFetchResponse.INVALID_OFFSET
    t.handle_txn_completion(1000, [offset_topic_partitions[0]], TransactionResult.COMMIT)
    assert fetched() == [[10, none], [none, none]]
    t.handle_txn_completion(1000, [offset_topic_partitions[1]], TransactionResult.COMMIT)
    assert fetched() == [[10, none], [none, 15]]


def test_fetch_txn_offsets_multiple_producers_one_group(t: Harness) -> None:
    """A marker lets hold what its producer has committed."""
    tips = [new_tip(0, "topic1"), new_tip(0, "topic2")]
    offset_topic_partition = TopicPartition(
        Topic.GROUP_METADATA_TOPIC_NAME, t.coordinator.partition_for(GROUP_ID))
    for producer_id, epoch, tip, offset in zip((1000, 1005), (3, 4), tips, (10, 15)):
        assert t.commit_transactional_offsets(
            GROUP_ID, producer_id, epoch, {tip: t.offset_and_metadata(offset)}) == {tip: Errors.NONE}

    def fetched() -> list[int]:
        partitions = [each.topic_partition() for each in tips]
        error, data = t.coordinator.handle_fetch_offsets(GROUP_ID, REQUIRE_STABLE, partitions)
        assert error is Errors.NONE
        return [data[each].offset for each in partitions]

    t.handle_txn_completion(1000, [offset_topic_partition], TransactionResult.COMMIT)
    assert fetched() == [10, OffsetFetchResponse.INVALID_OFFSET]
    t.handle_txn_completion(1005, [offset_topic_partition], TransactionResult.COMMIT)
    assert fetched() == [10, 15]


def test_fetch_offset_for_unknown_partition(t: Harness) -> None:
    tp = TopicPartition("topic", 0)
    error, partition_data = t.coordinator.handle_fetch_offsets(GROUP_ID, REQUIRE_STABLE, [tp])
    assert error is Errors.NONE
    assert partition_data[tp].offset == OffsetFetchResponse.INVALID_OFFSET


def test_fetch_offset_not_coordinator_for_group(t: Harness) -> None:
    tp = TopicPartition("topic", 0)
    error, partition_data = t.coordinator.handle_fetch_offsets(OTHER_GROUP_ID, REQUIRE_STABLE, [tp])
    assert error is Errors.NOT_COORDINATOR
    assert not partition_data


def test_fetch_all_offsets(t: Harness) -> None:
    tip1 = new_tip(0, "topic")
    tip2 = TopicIdPartition(tip1.topic_id(), TopicPartition("topic", 1))
    tip3 = new_tip(0, "other-topic")
    offset1 = t.offset_and_metadata(15)
    offset2 = t.offset_and_metadata(16)
    offset3 = t.offset_and_metadata(17)
    assert t.coordinator.handle_fetch_offsets(GROUP_ID, REQUIRE_STABLE) == (Errors.NONE, {})
    commit_offset_result = t.commit_offsets(
        GROUP_ID, OffsetCommitRequest.DEFAULT_MEMBER_ID, OffsetCommitRequest.DEFAULT_GENERATION_ID,
        {tip1: offset1, tip2: offset2, tip3: offset3})
    assert commit_offset_result == {tip1: Errors.NONE, tip2: Errors.NONE, tip3: Errors.NONE}
    error, partition_data = t.coordinator.handle_fetch_offsets(GROUP_ID, REQUIRE_STABLE)
    assert error is Errors.NONE
    assert len(partition_data) == 3
    assert all(each.error is Errors.NONE for each in partition_data.values())
    assert partition_data[tip1.topic_partition()].offset == offset1.offset
    assert partition_data[tip2.topic_partition()].offset == offset2.offset
    assert partition_data[tip3.topic_partition()].offset == offset3.offset


def test_commit_offset_in_completing_rebalance(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    commit_offset_result = t.commit_offsets(GROUP_ID, assigned_member_id, generation_id, {tip: offset})
    assert commit_offset_result == {tip: Errors.REBALANCE_IN_PROGRESS}


def test_commit_offset_in_completing_rebalance_from_unknown_member_id(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    commit_offset_result = t.commit_offsets(GROUP_ID, member_id, generation_id, {tip: offset})
    assert commit_offset_result == {tip: Errors.UNKNOWN_MEMBER_ID}


def test_commit_offset_in_completing_rebalance_from_illegal_generation(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    commit_offset_result = t.commit_offsets(GROUP_ID, assigned_member_id, generation_id + 1, {tip: offset})
    assert commit_offset_result == {tip: Errors.ILLEGAL_GENERATION}


def test_manual_commit_offset_should_not_validate_member_id_and_instance_id(t: Harness) -> None:
    tip = new_tip(0, "topic")
    commit_offset_result = t.commit_offsets(
        GROUP_ID, UNKNOWN_MEMBER_ID, -1, {tip: t.offset_and_metadata(0)}, "instance-id")
    assert commit_offset_result == {tip: Errors.NONE}
    commit_offset_result = t.commit_offsets(GROUP_ID, "unknown", -1, {tip: t.offset_and_metadata(0)}, None)
    assert commit_offset_result == {tip: Errors.NONE}


def test_txn_commit_offset_with_fenced_instance_id(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leader_no_member_id_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, member_id=UNKNOWN_MEMBER_ID,
        group_instance_id=LEADER_INSTANCE_ID)
    assert leader_no_member_id_commit_offset_result == {tip: Errors.FENCED_INSTANCE_ID}
    leader_invalid_member_id_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, member_id="invalid-member",
        group_instance_id=LEADER_INSTANCE_ID)
    assert leader_invalid_member_id_commit_offset_result == {tip: Errors.FENCED_INSTANCE_ID}
    leader_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, rebalance_result.leader_id, LEADER_INSTANCE_ID,
        rebalance_result.generation)
    assert leader_commit_offset_result == {tip: Errors.NONE}


def test_txn_commit_offset_with_invalid_member_id(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    invalid_id_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, "invalid-member")
    assert invalid_id_commit_offset_result == {tip: Errors.UNKNOWN_MEMBER_ID}


def test_txn_commit_offset_with_known_member_id(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    assigned_consumer_id = join_group_result.member_id
    leader_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, assigned_consumer_id,
        generation_id=join_group_result.generation_id)
    assert leader_commit_offset_result == {tip: Errors.NONE}


def test_txn_commit_offset_with_illegal_generation(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    assigned_consumer_id = join_group_result.member_id
    initial_generation_id = join_group_result.generation_id
    illegal_generation_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, member_id=assigned_consumer_id,
        generation_id=initial_generation_id + 5)
    assert illegal_generation_commit_offset_result == {tip: Errors.ILLEGAL_GENERATION}


def test_txn_commit_offset_with_legal_generation(t: Harness) -> None:
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    producer_id = 1000
    producer_epoch = 2
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    assigned_consumer_id = join_group_result.member_id
    initial_generation_id = join_group_result.generation_id
    leader_commit_offset_result = t.commit_transactional_offsets(
        GROUP_ID, producer_id, producer_epoch, {tip: offset}, member_id=assigned_consumer_id,
        generation_id=initial_generation_id)
    assert leader_commit_offset_result == {tip: Errors.NONE}


def test_heartbeat_during_rebalance_causes_rebalance_in_progress(t: Harness) -> None:
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    assigned_consumer_id = join_group_result.member_id
    initial_generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    heartbeat_result = t.heartbeat(GROUP_ID, assigned_consumer_id, initial_generation_id)
    assert heartbeat_result is Errors.REBALANCE_IN_PROGRESS


def test_generation_id_increments_on_rebalance(t: Harness) -> None:
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    initial_generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    member_id = join_group_result.member_id
    assert initial_generation_id == 1
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(GROUP_ID, initial_generation_id, member_id, {member_id: b""})
    assert sync_group_result.error is Errors.NONE
    join_group_future = t.send_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    other_join_group_result = await_(join_group_future)
    next_generation_id = other_join_group_result.generation_id
    other_join_group_error = other_join_group_result.error
    assert next_generation_id == 2
    assert other_join_group_error is Errors.NONE


def test_leave_group_wrong_coordinator(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    leave_group_results = t.single_leave_group(OTHER_GROUP_ID, member_id)
    verify_leave_group_result(leave_group_results, Errors.NOT_COORDINATOR)


def test_leave_group_unknown_group(t: Harness) -> None:
    leave_group_results = t.single_leave_group(GROUP_ID, MEMBER_ID)
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.UNKNOWN_MEMBER_ID])


def test_leave_group_unknown_consumer_existing_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    other_member_id = "consumerId"
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    leave_group_results = t.single_leave_group(GROUP_ID, other_member_id)
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.UNKNOWN_MEMBER_ID])


def test_single_leave_dead_group(t: Harness) -> None:
    dead_group_id = "deadGroupId"
    t.coordinator.group_manager.add_group(GroupMetadata(dead_group_id, Dead, MockTime()))
    leave_group_results = t.single_leave_group(dead_group_id, MEMBER_ID)
    verify_leave_group_result(leave_group_results, Errors.COORDINATOR_NOT_AVAILABLE)


def test_batch_leave_dead_group(t: Harness) -> None:
    dead_group_id = "deadGroupId"
    t.coordinator.group_manager.add_group(GroupMetadata(dead_group_id, Dead, MockTime()))
    leave_group_results = t.batch_leave_group(
        dead_group_id, [MemberIdentity(member_id=MEMBER_ID), MemberIdentity(member_id=MEMBER_ID)])
    verify_leave_group_result(leave_group_results, Errors.COORDINATOR_NOT_AVAILABLE)


def test_valid_leave_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    leave_group_results = t.single_leave_group(GROUP_ID, assigned_member_id)
    verify_leave_group_result(leave_group_results)


def test_leave_group_with_fenced_instance_id(t: Harness) -> None:
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET)
    assert join_group_result.error is Errors.NONE
    leave_group_results = t.single_leave_group(GROUP_ID, "some_member", LEADER_INSTANCE_ID)
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.FENCED_INSTANCE_ID])


def test_leave_group_static_member_with_unknown_member_id(t: Harness) -> None:
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOL_SUPERSET)
    assert join_group_result.error is Errors.NONE
    leave_group_results = t.single_leave_group(GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID)
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.NONE])


def test_static_members_valid_batch_leave_group(t: Harness) -> None:
    t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leave_group_results = t.batch_leave_group(
        GROUP_ID,
        [
            MemberIdentity(group_instance_id=LEADER_INSTANCE_ID),
            MemberIdentity(group_instance_id=FOLLOWER_INSTANCE_ID)])
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.NONE, Errors.NONE])


def test_static_members_wrong_coordinator_batch_leave_group(t: Harness) -> None:
    t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leave_group_results = t.batch_leave_group(
        "invalid-group",
        [
            MemberIdentity(group_instance_id=LEADER_INSTANCE_ID),
            MemberIdentity(group_instance_id=FOLLOWER_INSTANCE_ID)])
    verify_leave_group_result(leave_group_results, Errors.NOT_COORDINATOR)


def test_static_members_unknown_group_batch_leave_group(t: Harness) -> None:
    leave_group_results = t.batch_leave_group(
        GROUP_ID,
        [
            MemberIdentity(group_instance_id=LEADER_INSTANCE_ID),
            MemberIdentity(group_instance_id=FOLLOWER_INSTANCE_ID)])
    verify_leave_group_result(
        leave_group_results, Errors.NONE, [Errors.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID])


def test_static_members_fenced_instance_batch_leave_group(t: Harness) -> None:
    t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leave_group_results = t.batch_leave_group(
        GROUP_ID,
        [
            MemberIdentity(group_instance_id=LEADER_INSTANCE_ID),
            MemberIdentity(group_instance_id=FOLLOWER_INSTANCE_ID, member_id="invalid-member")])
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.NONE, Errors.FENCED_INSTANCE_ID])


def test_static_members_unknown_instance_batch_leave_group(t: Harness) -> None:
    t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    leave_group_results = t.batch_leave_group(
        GROUP_ID,
        [
            MemberIdentity(group_instance_id="unknown-instance"),
            MemberIdentity(group_instance_id=FOLLOWER_INSTANCE_ID)])
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.UNKNOWN_MEMBER_ID, Errors.NONE])


def test_pending_member_batch_leave_group(t: Harness) -> None:
    pending_member = t.setup_group_with_pending_member()
    leave_group_results = t.batch_leave_group(
        GROUP_ID,
        [
            MemberIdentity(group_instance_id="unknown-instance"),
            MemberIdentity(member_id=pending_member.member_id)])
    verify_leave_group_result(leave_group_results, Errors.NONE, [Errors.UNKNOWN_MEMBER_ID, Errors.NONE])


def test_list_groups_includes_stable_groups(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    error, groups = t.coordinator.handle_list_groups(set(), set())
    assert error is Errors.NONE
    assert len(groups) == 1
    assert groups[0] == GroupOverview("groupId", "consumer", str(Stable), "classic")


def test_list_groups_includes_rebalancing_groups(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    error, groups = t.coordinator.handle_list_groups(set(), set())
    assert error is Errors.NONE
    assert len(groups) == 1
    assert groups[0] == GroupOverview("groupId", "consumer", str(CompletingRebalance), "classic")


def test_list_groups_with_states(t: Harness) -> None:
    all_states = {str(state) for state in (PreparingRebalance, CompletingRebalance, Stable, Dead, Empty)}
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    assert join_group_result.error is Errors.NONE
    error, groups = t.coordinator.handle_list_groups({str(CompletingRebalance)}, set())
    assert error is Errors.NONE
    assert len(groups) == 1
    error2, groups2 = t.coordinator.handle_list_groups(all_states - {str(CompletingRebalance)}, set())
    assert error2 is Errors.NONE
    assert len(groups2) == 0
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    error3, groups3 = t.coordinator.handle_list_groups({str(Stable)}, set())
    assert error3 is Errors.NONE
    assert len(groups3) == 1
    error4, groups4 = t.coordinator.handle_list_groups(all_states - {str(Stable)}, set())
    assert error4 is Errors.NONE
    assert len(groups4) == 0
    leave_group_results = t.single_leave_group(GROUP_ID, assigned_member_id)
    verify_leave_group_result(leave_group_results)
    error5, groups5 = t.coordinator.handle_list_groups({str(Empty)}, set())
    assert error5 is Errors.NONE
    assert len(groups5) == 1
    error6, groups6 = t.coordinator.handle_list_groups(all_states - {str(Empty)}, set())
    assert error6 is Errors.NONE
    assert len(groups6) == 0


def test_list_groups_with_types(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    error1, groups1 = t.coordinator.handle_list_groups(set(), {"classic"})
    assert error1 is Errors.NONE
    assert len(groups1) == 1
    assert groups1[0] == GroupOverview("groupId", "consumer", str(Stable), "classic")
    error2, groups2 = t.coordinator.handle_list_groups(set(), {"consumer"})
    assert error2 is Errors.NONE
    assert len(groups2) == 0
    error3, groups3 = t.coordinator.handle_list_groups(set(), {"Invalid"})
    assert error3 is Errors.NONE
    assert len(groups3) == 0
    error4, groups4 = t.coordinator.handle_list_groups(set(), set())
    assert error4 is Errors.NONE
    assert len(groups4) == 1
    assert groups4[0] == GroupOverview("groupId", "consumer", str(Stable), "classic")
    error5, groups5 = t.coordinator.handle_list_groups(set(), {"Classic"})
    assert error5 is Errors.NONE
    assert len(groups5) == 1
    assert groups5[0] == GroupOverview("groupId", "consumer", str(Stable), "classic")


def test_describe_group_wrong_coordinator(t: Harness) -> None:
    error, _ = t.coordinator.handle_describe_group(OTHER_GROUP_ID)
    assert error is Errors.NOT_COORDINATOR


def test_describe_group_inactive_group(t: Harness) -> None:
    error, summary = t.coordinator.handle_describe_group(GROUP_ID)
    assert error is Errors.NONE
    assert summary == GroupCoordinator.DEAD_GROUP


def test_describe_group_stable_for_dynamic_member(t: Harness) -> None:
    join_group_result = t.dynamic_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    error, summary = t.coordinator.handle_describe_group(GROUP_ID)
    assert error is Errors.NONE
    assert summary.protocol_type == PROTOCOL_TYPE
    assert summary.protocol == "range"
    assert [each.member_id for each in summary.members] == [assigned_member_id]


def test_describe_group_stable_for_static_member(t: Harness) -> None:
    join_group_result = t.static_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, LEADER_INSTANCE_ID, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    generation_id = join_group_result.generation_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    error, summary = t.coordinator.handle_describe_group(GROUP_ID)
    assert error is Errors.NONE
    assert summary.protocol_type == PROTOCOL_TYPE
    assert summary.protocol == "range"
    assert [each.member_id for each in summary.members] == [assigned_member_id]
    assert [each.group_instance_id for each in summary.members] == [LEADER_INSTANCE_ID]


def test_describe_group_rebalancing(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    error, summary = t.coordinator.handle_describe_group(GROUP_ID)
    assert error is Errors.NONE
    assert summary.protocol_type == PROTOCOL_TYPE
    assert summary.protocol == GroupCoordinator.NO_PROTOCOL
    assert summary.state == str(CompletingRebalance)
    assert join_group_result.member_id in [each.member_id for each in summary.members]
    assert not any(each.metadata for each in summary.members)
    assert not any(each.assignment for each in summary.members)


def test_delete_non_empty_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    result = t.coordinator.handle_delete_groups({GROUP_ID})
    assert result == {GROUP_ID: Errors.NON_EMPTY_GROUP}


def test_delete_group_with_invalid_group_id(t: Harness) -> None:
    invalid_group_id = None
    result = t.coordinator.handle_delete_groups({invalid_group_id})
    assert result == {invalid_group_id: Errors.INVALID_GROUP_ID}


def test_delete_group_with_wrong_coordinator(t: Harness) -> None:
    result = t.coordinator.handle_delete_groups({OTHER_GROUP_ID})
    assert result == {OTHER_GROUP_ID: Errors.NOT_COORDINATOR}


def test_delete_empty_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    leave_group_results = t.single_leave_group(GROUP_ID, join_group_result.member_id)
    verify_leave_group_result(leave_group_results)
    result = t.coordinator.handle_delete_groups({GROUP_ID})
    assert result == {GROUP_ID: Errors.NONE}


def test_delete_empty_group_with_stored_offsets(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assigned_member_id = join_group_result.member_id
    join_group_error = join_group_result.error
    assert join_group_error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, assigned_member_id, {assigned_member_id: b""})
    assert sync_group_result.error is Errors.NONE
    tip = new_tip(0, "topic")
    offset = t.offset_and_metadata(0)
    commit_offset_result = t.commit_offsets(
        GROUP_ID, assigned_member_id, join_group_result.generation_id, {tip: offset})
    assert commit_offset_result == {tip: Errors.NONE}
    describe_group_result = t.coordinator.handle_describe_group(GROUP_ID)
    assert describe_group_result[1].state == str(Stable)
    assert describe_group_result[1].members[0].member_id == assigned_member_id
    leave_group_results = t.single_leave_group(GROUP_ID, assigned_member_id)
    verify_leave_group_result(leave_group_results)
    result = t.coordinator.handle_delete_groups({GROUP_ID})
    assert result == {GROUP_ID: Errors.NONE}
    assert t.coordinator.handle_describe_group(GROUP_ID)[1].state == str(Dead)


def test_delete_offset_of_non_existing_group(t: Harness) -> None:
    tp = TopicPartition("foo", 0)
    group_error, topics = t.coordinator.handle_delete_offsets(GROUP_ID, [tp], RequestLocal.NoCaching)
    assert group_error is Errors.GROUP_ID_NOT_FOUND
    assert not topics


def test_delete_offset_of_non_empty_non_consumer_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    t.dynamic_join_group(GROUP_ID, member_id, "My Protocol", PROTOCOLS)
    tp = TopicPartition("foo", 0)
    group_error, topics = t.coordinator.handle_delete_offsets(GROUP_ID, [tp], RequestLocal.NoCaching)
    assert group_error is Errors.NON_EMPTY_GROUP
    assert not topics


def test_delete_offset_of_empty_non_consumer_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, "My Protocol", PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, join_group_result.leader_id, {})
    assert sync_group_result.error is Errors.NONE
    ti1p0 = new_tip(0, "foo")
    ti2p0 = new_tip(0, "bar")
    offset = t.offset_and_metadata(37)
    valid_offset_commit_result = t.commit_offsets(
        GROUP_ID, join_group_result.member_id, join_group_result.generation_id,
        {ti1p0: offset, ti2p0: offset})
    assert valid_offset_commit_result == {ti1p0: Errors.NONE, ti2p0: Errors.NONE}
    leave_group_results = t.single_leave_group(GROUP_ID, join_group_result.member_id)
    verify_leave_group_result(leave_group_results)
    t.assert_group_state(Empty)
    group_error, topics = t.coordinator.handle_delete_offsets(
        GROUP_ID, [ti1p0.topic_partition()], RequestLocal.NoCaching)
    assert group_error is Errors.NONE
    assert len(topics) == 1
    assert topics.get(ti1p0.topic_partition()) is Errors.NONE
    cached_offsets = t.coordinator.group_manager.get_offsets(
        GROUP_ID, REQUIRE_STABLE, ([ti1p0.topic_partition(), ti2p0.topic_partition()]))
    assert cached_offsets[ti1p0.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    assert cached_offsets[ti2p0.topic_partition()].offset == offset.offset


def test_delete_offset_of_consumer_group_with_unparsable_protocol(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, join_group_result.leader_id, {})
    assert sync_group_result.error is Errors.NONE
    tip = new_tip(0, "foo")
    offset = t.offset_and_metadata(37)
    valid_offset_commit_result = t.commit_offsets(
        GROUP_ID, join_group_result.member_id, join_group_result.generation_id, {tip: offset})
    assert valid_offset_commit_result == {tip: Errors.NONE}
    group_error, topics = t.coordinator.handle_delete_offsets(
        GROUP_ID, [tip.topic_partition()], RequestLocal.NoCaching)
    assert group_error is Errors.NONE
    assert len(topics) == 1
    assert topics.get(tip.topic_partition()) is Errors.GROUP_SUBSCRIBED_TO_TOPIC


def test_delete_offset_of_dead_consumer_group(t: Harness) -> None:
    group = GroupMetadata(GROUP_ID, Dead, MockTime())
    group.protocol_type = PROTOCOL_TYPE
    t.coordinator.group_manager.add_group(group)
    tp = TopicPartition("foo", 0)
    group_error, topics = t.coordinator.handle_delete_offsets(GROUP_ID, [tp], RequestLocal.NoCaching)
    assert group_error is Errors.GROUP_ID_NOT_FOUND
    assert not topics


def test_delete_offset_of_empty_consumer_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, PROTOCOLS)
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, join_group_result.leader_id, {})
    assert sync_group_result.error is Errors.NONE
    ti1p0 = new_tip(0, "foo")
    ti2p0 = new_tip(0, "bar")
    offset = t.offset_and_metadata(37)
    valid_offset_commit_result = t.commit_offsets(
        GROUP_ID, join_group_result.member_id, join_group_result.generation_id,
        {ti1p0: offset, ti2p0: offset})
    assert valid_offset_commit_result == {ti1p0: Errors.NONE, ti2p0: Errors.NONE}
    leave_group_results = t.single_leave_group(GROUP_ID, join_group_result.member_id)
    verify_leave_group_result(leave_group_results)
    t.assert_group_state(Empty)
    group_error, topics = t.coordinator.handle_delete_offsets(
        GROUP_ID, [ti1p0.topic_partition()], RequestLocal.NoCaching)
    assert group_error is Errors.NONE
    assert len(topics) == 1
    assert topics.get(ti1p0.topic_partition()) is Errors.NONE
    cached_offsets = t.coordinator.group_manager.get_offsets(
        GROUP_ID, REQUIRE_STABLE, ([ti1p0.topic_partition(), ti2p0.topic_partition()]))
    assert cached_offsets[ti1p0.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    assert cached_offsets[ti2p0.topic_partition()].offset == offset.offset


def test_delete_offset_of_stable_consumer_group(t: Harness) -> None:
    member_id = UNKNOWN_MEMBER_ID
    subscription = bytes.fromhex("0000 00000001 0003 626172 ffffffff")
    join_group_result = t.dynamic_join_group(GROUP_ID, member_id, PROTOCOL_TYPE, [("protocol", subscription)])
    assert join_group_result.error is Errors.NONE
    sync_group_result = t.sync_group_leader(
        GROUP_ID, join_group_result.generation_id, join_group_result.leader_id, {})
    assert sync_group_result.error is Errors.NONE
    ti1p0 = new_tip(0, "foo")
    ti2p0 = new_tip(0, "bar")
    offset = t.offset_and_metadata(37)
    valid_offset_commit_result = t.commit_offsets(
        GROUP_ID, join_group_result.member_id, join_group_result.generation_id,
        {ti1p0: offset, ti2p0: offset})
    assert valid_offset_commit_result == {ti1p0: Errors.NONE, ti2p0: Errors.NONE}
    t.assert_group_state(Stable)
    group_error, topics = t.coordinator.handle_delete_offsets(
        GROUP_ID, [ti1p0.topic_partition(), ti2p0.topic_partition()], RequestLocal.NoCaching)
    assert group_error is Errors.NONE
    assert len(topics) == 2
    assert topics.get(ti1p0.topic_partition()) is Errors.NONE
    assert topics.get(ti2p0.topic_partition()) is Errors.GROUP_SUBSCRIBED_TO_TOPIC
    cached_offsets = t.coordinator.group_manager.get_offsets(
        GROUP_ID, REQUIRE_STABLE, ([ti1p0.topic_partition(), ti2p0.topic_partition()]))
    assert cached_offsets[ti1p0.topic_partition()].offset == OffsetFetchResponse.INVALID_OFFSET
    assert cached_offsets[ti2p0.topic_partition()].offset == offset.offset


def test_should_delay_initial_rebalance_by_group_initial_rebalance_delay_on_empty_group(t: Harness) -> None:
    first_join_future = t.send_join_group(GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS)
    t.timer.advance_clock(INITIAL_DELAY_MS // 2)
    t.verify_delayed_task_not_completed(first_join_future)
    t.timer.advance_clock((INITIAL_DELAY_MS // 2) + 1)
    join_group_result = await_(first_join_future)
    assert join_group_result.error is Errors.NONE


def test_should_reset_rebalance_delay_when_new_member_joins_group_in_initial_rebalance(t: Harness) -> None:
    rebalance_timeout = INITIAL_DELAY_MS * 3
    first_member_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout)
    t.timer.advance_clock(INITIAL_DELAY_MS - 1)
    second_member_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout)
    t.timer.advance_clock(2)
    t.timer.advance_clock(INITIAL_DELAY_MS // 2 + 1)
    t.verify_delayed_task_not_completed(first_member_join_future)
    t.verify_delayed_task_not_completed(second_member_join_future)
    t.timer.advance_clock(INITIAL_DELAY_MS // 2)
    first_result = await_(first_member_join_future)
    second_result = await_(second_member_join_future)
    assert first_result.error is Errors.NONE
    assert second_result.error is Errors.NONE


def test_should_delay_rebalance_upto_rebalance_timeout(t: Harness) -> None:
    rebalance_timeout = INITIAL_DELAY_MS * 2
    first_member_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout)
    second_member_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout)
    t.timer.advance_clock(INITIAL_DELAY_MS + 1)
    third_member_join_future = t.send_join_group(
        GROUP_ID, UNKNOWN_MEMBER_ID, PROTOCOL_TYPE, PROTOCOLS, rebalance_timeout=rebalance_timeout)
    t.timer.advance_clock(INITIAL_DELAY_MS)
    t.verify_delayed_task_not_completed(first_member_join_future)
    t.verify_delayed_task_not_completed(second_member_join_future)
    t.verify_delayed_task_not_completed(third_member_join_future)
    t.timer.advance_clock(1)
    first_result = await_(first_member_join_future)
    second_result = await_(second_member_join_future)
    third_result = await_(third_member_join_future)
    assert first_result.error is Errors.NONE
    assert second_result.error is Errors.NONE
    assert third_result.error is Errors.NONE


def test_complete_heartbeat_with_group_dead(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    t.heartbeat(GROUP_ID, rebalance_result.leader_id, rebalance_result.generation)
    group = t.get_group(GROUP_ID)
    group.transition_to(Dead)
    leader_member_id = rebalance_result.leader_id
    assert t.coordinator.try_complete_heartbeat(group, leader_member_id, False, lambda: True)
    t.coordinator.on_expire_heartbeat(group, leader_member_id, False)
    assert group.has(leader_member_id)


def test_complete_heartbeat_with_member_already_removed(t: Harness) -> None:
    rebalance_result = t.static_members_join_and_rebalance(LEADER_INSTANCE_ID, FOLLOWER_INSTANCE_ID)
    t.heartbeat(GROUP_ID, rebalance_result.leader_id, rebalance_result.generation)
    group = t.get_group(GROUP_ID)
    leader_member_id = rebalance_result.leader_id
    group.remove(leader_member_id)
    assert t.coordinator.try_complete_heartbeat(group, leader_member_id, False, lambda: True)


@pytest.mark.parametrize(("error", "expected"), [
    (Errors.INVALID_PRODUCER_ID_MAPPING, Errors.INVALID_PRODUCER_ID_MAPPING),
    (Errors.INVALID_TXN_STATE, Errors.INVALID_TXN_STATE),
    (Errors.NETWORK_EXCEPTION, Errors.COORDINATOR_LOAD_IN_PROGRESS),
    (Errors.NOT_ENOUGH_REPLICAS, Errors.COORDINATOR_NOT_AVAILABLE),
    (Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_COORDINATOR),
    (Errors.KAFKA_STORAGE_ERROR, Errors.NOT_COORDINATOR)])
def test_verification_errors_for_txn_offset_commits(t: Harness, error: Errors, expected: Errors) -> None:
    offsets = {new_tip(0, topic): t.offset_and_metadata(0) for topic in ("topic-1", "topic-2")}
    assert t.commit_transactional_offsets(
        GROUP_ID, 1000, 2, offsets, verification_error=error) == dict.fromkeys(offsets, expected)


def test_txn_offset_metadata_too_large(t: Harness) -> None:
    tip = new_tip(0, "foo")
    offset = 37
    producer_id = 100
    producer_epoch = 3
    offsets = {tip: OffsetAndMetadata.of(
        offset, "s" * (GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_DEFAULT + 1), 0)}
    commit_offset_result = t.commit_transactional_offsets(GROUP_ID, producer_id, producer_epoch, offsets)
    assert commit_offset_result == {tip: Errors.OFFSET_METADATA_TOO_LARGE}

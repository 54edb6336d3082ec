# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupCoordinatorConcurrencyTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Many groups of many members at once, which join, commit and leave in order, and in any order.

The origin has 50 groups of 25 members; fewer find the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.internals.topic import Topic
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.uuid import Uuid
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from tests.core.coordinator.concurrency import N_THREADS, Operation, Race
from tests.core.server.node import Node
from tests.stepping import wait_until

N_GROUPS = N_THREADS * 2
N_MEMBERS = N_THREADS
NUM_PARTITIONS = 2
TIMEOUT_MS = 60_000
PRODUCER_ID = 1000


class GroupMember:
    """One of a group, whose first member leads it."""

    def __init__(self, group: Group, is_leader: bool) -> None:
        self.group = group
        self.is_leader = is_leader
        self.member_id = JoinGroupRequest.UNKNOWN_MEMBER_ID
        self.generation_id = -1


class Group:
    def __init__(self, node: Node, group_id: str, size: int) -> None:
        self.group_id = group_id
        manager = node.coordinator.group_manager
        manager.add_owned_partition(manager.partition_for(group_id))
        self.members = [GroupMember(self, i == 0) for i in range(size)]

    def assignment(self) -> dict[str, bytes]:
        return {member.member_id: b"" for member in self.members}


class Groups:
    """The coordinator, and what is done with it."""

    def __init__(self, node: Node, race: Race) -> None:
        self.node = node
        self.race = race
        self.coordinator = node.coordinator

    def create(self, prefix: str, count: int = N_GROUPS, size: int = N_MEMBERS) -> list[GroupMember]:
        return [member for i in range(count) for member in Group(self.node, f"{prefix}{i}", size).members]

    def complete(self, is_scheduled: bool) -> None:
        manager = self.coordinator.group_manager
        (manager.schedule_handle_txn_completion if is_scheduled else manager.handle_txn_completion)(
            PRODUCER_ID, set(range(NUM_PARTITIONS)), self.race.random.random() < 0.5)


class GroupOperation(Operation[GroupMember]):
    """Keeps what each member was answered last."""

    def __init__(self, groups: Groups, lock: AbstractContextManager[Any] | None = None) -> None:
        self.groups = groups
        self.lock: AbstractContextManager[Any] = nullcontext() if lock is None else lock
        self._results: dict[GroupMember, list[Any]] = {}

    def answer(self, member: GroupMember) -> Any:
        """Return a callback for one time; the result of the member is what it gets."""
        result: list[Any] = []
        self._results[member] = result

        def callback(answer: Any) -> None:
            assert not result, "answered twice"
            result.append(answer)

        return callback

    def result(self, member: GroupMember) -> Any:
        """Wait for the member's result, while time passes."""
        result = self._results[member]

        def is_there() -> bool:
            if not result:
                self.groups.node.timer.advance_clock(10)
            return bool(result)

        wait_until(is_there, f"{type(self).__name__} is not answered")
        return result[0]


class JoinGroup(GroupOperation):
    def run(self, member: GroupMember) -> None:
        self.groups.coordinator.handle_join_group(
            member.group.group_id, member.member_id, None, False, False, "clientId", "clientHost", TIMEOUT_MS,
            TIMEOUT_MS, "consumer", [("range", b"")], self.answer(member))
        self.groups.race.try_complete_actions()

    def await_and_verify(self, member: GroupMember) -> None:
        result = self.result(member)
        assert result.error is Errors.NONE
        member.member_id, member.generation_id = result.member_id, result.generation_id


class SyncGroup(GroupOperation):
    def run(self, member: GroupMember) -> None:
        assignment: Mapping[str, bytes] = member.group.assignment() if member.is_leader else {}
        self.groups.coordinator.handle_sync_group(
            member.group.group_id, member.generation_id, member.member_id, "consumer", "range", None,
            assignment, self.answer(member))
        self.groups.race.try_complete_actions()

    def await_and_verify(self, member: GroupMember) -> None:
        result = self.result(member)
        assert (result.error, result.member_assignment) == (Errors.NONE, b"")


class Heartbeat(GroupOperation):
    def run(self, member: GroupMember) -> None:
        self.groups.coordinator.handle_heartbeat(
            member.group.group_id, member.member_id, None, member.generation_id, self.answer(member))
        self.groups.race.try_complete_actions()

    def await_and_verify(self, member: GroupMember) -> None:
        assert self.result(member) is Errors.NONE


class OffsetFetch(GroupOperation):
    def run(self, member: GroupMember) -> None:
        found = self.groups.coordinator.handle_fetch_offsets(member.group.group_id, True, None)
        self.groups.race.try_complete_actions()
        self.answer(member)(found)

    def await_and_verify(self, member: GroupMember) -> None:
        assert self.result(member) == (Errors.NONE, {})


def new_offsets() -> dict[TopicIdPartition, OffsetAndMetadata]:
    return {TopicIdPartition.of(Uuid.random_uuid(), 0, "topic"): OffsetAndMetadata.of(1, "", 5)}


class CommitOffsets(GroupOperation):
    def run(self, member: GroupMember) -> None:
        self.groups.coordinator.handle_commit_offsets(
            member.group.group_id, member.member_id, None, member.generation_id, new_offsets(),
            self.answer(member))
        self.groups.race.try_complete_actions()

    def await_and_verify(self, member: GroupMember) -> None:
        assert set(self.result(member).values()) == {Errors.NONE}


class CommitTxnOffsets(CommitOffsets):
    """When a commit is done, transactions are ended, which takes the locks of groups."""

    def run(self, member: GroupMember) -> None:
        answer = self.answer(member)

        def callback_with_txn_completion(errors: Mapping[TopicIdPartition, Errors]) -> None:
            self.groups.complete(is_scheduled=True)
            answer(errors)

        with self.lock:
            self.groups.coordinator.handle_txn_commit_offsets(
                member.group.group_id, "dummy-txn-id", PRODUCER_ID, 2, JoinGroupRequest.UNKNOWN_MEMBER_ID,
                None, JoinGroupRequest.UNKNOWN_GENERATION_ID, new_offsets(), callback_with_txn_completion,
                api_version=ApiKeys.TXN_OFFSET_COMMIT.latest_version())
            self.groups.race.try_complete_actions()


class CompleteTxn(GroupOperation):
    def run(self, member: GroupMember) -> None:
        with self.lock:
            self.groups.complete(is_scheduled=False)
            self.answer(member)(Errors.NONE)

    def await_and_verify(self, member: GroupMember) -> None:
        assert self.result(member) is Errors.NONE


class LeaveGroup(GroupOperation):
    def run(self, member: GroupMember) -> None:
        self.groups.coordinator.handle_leave_group(
            member.group.group_id, [LeaveGroupRequestData.MemberIdentity(member_id=member.member_id)],
            self.answer(member))

    def await_and_verify(self, member: GroupMember) -> None:
        result = self.result(member)
        response, = result.member_responses
        assert (result.top_level_error, response.error) == (Errors.NONE, Errors.NONE)
        assert (response.member_id, response.group_instance_id) == (member.member_id, None)


OVERRIDES = {
    "group.min.session.timeout.ms": "10", "group.max.session.timeout.ms": "120000",
    "group.initial.rebalance.delay.ms": "50", "offsets.topic.num.partitions": str(NUM_PARTITIONS)}


@pytest.fixture
def overrides() -> dict[str, str]:
    return {}


@pytest.fixture
def groups(tmp_path: Path, overrides: dict[str, str]) -> Iterator[Groups]:
    with Node(tmp_path, {**OVERRIDES, **overrides}) as node, Race(node) as race:
        topic = node.storage.create_topic(Topic.GROUP_METADATA_TOPIC_NAME, NUM_PARTITIONS, {})
        node.replica_manager.apply_delta(changed=topic.partitions())
        # Later, and on another thread: who has it done may hold the lock of a group.
        node.coordinator.group_manager._scheduler = node.scheduler
        # The threads are not those of handlers.
        KafkaRequestHandler.set_bypass_thread_check(True)
        yield Groups(node, race)
        KafkaRequestHandler.set_bypass_thread_check(False)


def operations(groups: Groups, *between: GroupOperation) -> list[Operation[GroupMember]]:
    return [JoinGroup(groups), SyncGroup(groups), OffsetFetch(groups), *between, Heartbeat(groups),
            LeaveGroup(groups)]


def test_concurrent_good_path_sequence(groups: Groups) -> None:
    groups.race.verify_concurrent_operations(groups.create, operations(groups, CommitOffsets(groups)))


def test_concurrent_txn_good_path_sequence(groups: Groups) -> None:
    groups.race.verify_concurrent_operations(
        groups.create, operations(groups, CommitTxnOffsets(groups), CompleteTxn(groups)))


def test_concurrent_random_sequence(groups: Groups) -> None:
    """The end of a transaction finds no commit half done, which nobody has completed yet, by a lock."""
    lock = threading.RLock()
    groups.race.verify_concurrent_random_sequences(
        groups.create, operations(groups, CommitTxnOffsets(groups, lock), CompleteTxn(groups, lock)))


@pytest.mark.parametrize("overrides", [{"group.max.size": "1"}])
def test_concurrent_join_group_enforce_group_max_size(groups: Groups) -> None:
    members = groups.create("group", 1, 5 * N_THREADS)
    join = JoinGroup(groups)
    groups.race.verify_concurrent_actions(groups.race.action_no_verify(join, member) for member in members)
    errors = [join.result(member).error for member in members]
    assert sorted(errors, key=lambda error: error.code) == [
        Errors.NONE, *[Errors.GROUP_MAX_SIZE_REACHED] * (len(members) - 1)]

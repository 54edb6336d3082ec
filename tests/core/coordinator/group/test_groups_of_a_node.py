# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Groups behind the requests of a node: many members, many threads, topics that go, and a restart."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.internals.topic import Topic
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.file_records import FileRecords
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.group.group_metadata import Empty, Stable
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.coordinator.transaction.wire_producer import WireProducer, create_topic
from tests.core.server.brokers import connect, new_broker
from tests.core.server.group_conversation import SUBSCRIPTION, join_data, wait_for_coordinator
from tests.core.server.node import Exchange, Node
from tests.stepping import wait_until


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path, {"group.initial.rebalance.delay.ms": "0"}) as node:
        node.ask(ApiKeys.METADATA, 9, metadata())
        node.create_topic("topic", 2)
        yield node


def metadata() -> MetadataRequestData:
    """A request that has the topic of offsets created."""
    return MetadataRequestData(allow_auto_topic_creation=True, topics=[
        MetadataRequestData.MetadataRequestTopic(name=Topic.GROUP_METADATA_TOPIC_NAME)])


def join(node: Node, group: str, member: str = "") -> Exchange:
    return node.send(ApiKeys.JOIN_GROUP, 3, join_data(group, member))


def commit(node: Node, group: str, topic: str = "topic", offset: int = 5) -> Errors:
    answer = node.ask(ApiKeys.OFFSET_COMMIT, 5, OffsetCommitRequestData(group_id=group, topics=[
        OffsetCommitRequestData.OffsetCommitRequestTopic(name=topic, partitions=[
            OffsetCommitRequestData.OffsetCommitRequestPartition(
                partition_index=0, committed_offset=offset)])]))
    return Errors.for_code(answer.topics[0].partitions[0].error_code)


def fetch(node: Node, group: str, topic: str = "topic") -> int:
    answer = node.ask(ApiKeys.OFFSET_FETCH, 5, OffsetFetchRequestData(group_id=group, topics=[
        OffsetFetchRequestData.OffsetFetchRequestTopic(name=topic, partition_indexes=[0])]))
    offset: int = answer.topics[0].partitions[0].committed_offset
    return offset


def state(node: Node, group: str) -> str:
    found: str = node.ask(
        ApiKeys.DESCRIBE_GROUPS, 5, DescribeGroupsRequestData(groups=[group])).groups[0].group_state
    return found


def test_a_group_of_many_members_that_die_at_once(node: Node) -> None:
    """All are answered when the last has joined; all sessions end together; nothing of them is left."""
    first = join(node, "group").answer()
    others = [join(node, "group") for _ in range(199)]
    assert all(each.waits() for each in others), "the first has not joined again"
    again = join(node, "group", first.member_id)
    members = [again.answer(), *(each.answer() for each in others)]
    assert {each.generation_id for each in members} == {2}
    assert len(members[0].members) == 200
    syncs = [node.send(ApiKeys.SYNC_GROUP, 3, SyncGroupRequestData(
        group_id="group", generation_id=2, member_id=each.member_id)) for each in members[1:]]
    assert all(each.waits() for each in syncs)
    leader = members[0].member_id
    assert node.ask(ApiKeys.SYNC_GROUP, 3, SyncGroupRequestData(
        group_id="group", generation_id=2, member_id=leader, assignments=[
            SyncGroupRequestData.SyncGroupRequestAssignment(member_id=each.member_id, assignment=b"its")
            for each in members])).assignment == b"its"
    assert {each.answer().assignment for each in syncs} == {b"its"}
    group = node.coordinator.group_manager.get_group("group")
    assert group is not None and group.is_(Stable)

    # A session is 10 s, and a rebalance waits as long for those that are there no more.
    for _ in range(3):
        node.timer.advance_clock(10_001)
    assert group.is_(Empty) and group.size() == 0
    # The mock timer keeps what was cancelled until its time.
    node.timer.advance_clock(GroupCoordinator.NEW_MEMBER_JOIN_TIMEOUT_MS)
    assert node.timer.size() == 0, "nobody waits for anybody"
    assert state(node, "group") == "Empty"
    assert node.ask(ApiKeys.HEARTBEAT, 3, HeartbeatRequestData(
        group_id="group", member_id=leader, generation_id=2)).error_code == Errors.UNKNOWN_MEMBER_ID.code


def test_offsets_of_a_deleted_topic_are_forgotten(node: Node) -> None:
    node.create_topic("other")
    assert (commit(node, "group"), commit(node, "group", "other", 7)) == (Errors.NONE, Errors.NONE)
    node.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(topic_names=["topic"], timeout_ms=1000))
    node.create_topic("topic", 2)
    assert (fetch(node, "group"), fetch(node, "group", "other")) == (-1, 7)


def test_the_topic_of_offsets_is_deleted_and_comes_back(node: Node) -> None:
    name = Topic.GROUP_METADATA_TOPIC_NAME
    assert commit(node, "group") is Errors.NONE
    waiting = [join(node, "waits").answer().member_id, join(node, "waits")]
    assert waiting[1].waits()
    node.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(topic_names=[name], timeout_ms=1000))
    assert waiting[1].answer().error_code == Errors.NOT_COORDINATOR.code
    assert commit(node, "group") is Errors.NOT_COORDINATOR
    node.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=1000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=5, replication_factor=1)]))
    assert fetch(node, "group") == -1
    assert commit(node, "group", offset=9) is Errors.NONE
    assert fetch(node, "group") == 9


def test_a_restart(tmp_path: Path) -> None:
    overrides = {"group.initial.rebalance.delay.ms": "0"}
    with Node(tmp_path, overrides) as node:
        node.ask(ApiKeys.METADATA, 9, metadata())
        node.create_topic("topic", 2)
        assert commit(node, "simple") is Errors.NONE
        member = join(node, "group").answer()
        node.ask(ApiKeys.SYNC_GROUP, 3, SyncGroupRequestData(
            group_id="group", generation_id=1, member_id=member.member_id))
    with Node(tmp_path, overrides) as node:
        assert fetch(node, "simple") == 5
        assert state(node, "group") == "Stable"
        assert node.ask(ApiKeys.HEARTBEAT, 3, HeartbeatRequestData(
            group_id="group", member_id=member.member_id, generation_id=1)).error_code == 0
        node.timer.advance_clock(10_001)
        assert state(node, "group") == "Empty"


@pytest.mark.parametrize(("failing", "code"), [
    ("locate", errno.EMFILE), ("read_into", errno.EIO), ("read_into", errno.ENOSPC)])
def test_offsets_that_cannot_be_read_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                  caplog: pytest.LogCaptureFixture, failing: str,
                                                  code: int) -> None:
    """No client is told that nothing was committed; what was is there once the disk can be read."""
    overrides = {"offsets.topic.num.partitions": "1"}
    with new_broker(tmp_path, overrides) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        client = WireProducer(wire).begin()
        client.find_group("g")
        assert client.add_offsets("g") is Errors.NONE
        assert client.commit_offset("g", "t", 7) is Errors.NONE
        assert client.end() is Errors.NONE
        wait_until(lambda: client.committed_offset("g", "t") == 7)

    failures = []

    def failing_if_offsets(function: Any) -> Any:
        def fail(self: LogSegment | FileRecords, *args: Any) -> Any:
            path = self.path() if isinstance(self, LogSegment) else str(self.file())
            if "__consumer_offsets-" in path:
                failures.append(path)
                raise OSError(code, os.strerror(code))
            return function(self, *args)
        return fail

    def fetched(wire: Any) -> tuple[Errors, int]:
        answer = wire.ask(ApiKeys.OFFSET_FETCH, 5, OffsetFetchRequestData(group_id="g", topics=[
            OffsetFetchRequestData.OffsetFetchRequestTopic(name="t", partition_indexes=[0])]))
        partitions = answer.topics[0].partitions if answer.topics else []
        return (Errors.for_code(answer.error_code),
                partitions[0].committed_offset if partitions else -1)

    owner: Any = LogSegment if failing == "locate" else FileRecords
    with monkeypatch.context() as patch:
        patch.setattr(owner, failing, failing_if_offsets(getattr(owner, failing)))
        broker = new_broker(tmp_path, overrides)
        broker.startup()
        try:
            with connect(broker) as wire:
                wait_until(lambda: len(failures) >= 2)
                assert fetched(wire)[0] is Errors.COORDINATOR_LOAD_IN_PROGRESS
                patch.undo()
                wait_until(lambda: fetched(wire)[0] is Errors.NONE)
                assert fetched(wire) == (Errors.NONE, 7)
        finally:
            broker.shutdown()
    assert "cannot be read, which is tried again in 1000 ms" in caplog.text
    assert os.strerror(code) in caplog.text
    # The tracebacks hold the file.
    for phase in ("setup", "call"):
        caplog.get_records(phase).clear()  # type: ignore[arg-type]
    caplog.clear()


def test_many_groups_at_once_on_a_broker(tmp_path: Path) -> None:
    """Threads lead groups of two members through joins, syncs, heartbeats and leaves; none waits for ever."""
    overrides = {"group.initial.rebalance.delay.ms": "0", "num.io.threads": "4"}

    def life(number: int) -> None:
        group = f"group-{number % 5}-{number // 5}"
        with connect(broker) as first, connect(broker) as second:
            def ask(wire: Any, api: ApiKeys, version: int, body: Any) -> Any:
                return wire.ask(api, version, body)

            one = ask(first, ApiKeys.JOIN_GROUP, 3, join_data(group))
            assert (one.error_code, one.generation_id) == (0, 1)
            sent = second.send(ApiKeys.JOIN_GROUP, 3, join_data(group))
            while True:
                beat = ask(first, ApiKeys.HEARTBEAT, 3, HeartbeatRequestData(
                    group_id=group, member_id=one.member_id, generation_id=1))
                if beat.error_code == Errors.REBALANCE_IN_PROGRESS.code:
                    break
                assert beat.error_code == 0
            again = ask(first, ApiKeys.JOIN_GROUP, 3, join_data(group, one.member_id))
            two: Any = second.receive(ApiKeys.JOIN_GROUP, 3, sent)
            assert {(each.error_code, each.generation_id) for each in (again, two)} == {(0, 2)}
            assert len(again.members) == 2
            sent = second.send(ApiKeys.SYNC_GROUP, 3, SyncGroupRequestData(
                group_id=group, generation_id=2, member_id=two.member_id))
            for wire, member, answer in (
                    (first, again, ask(first, ApiKeys.SYNC_GROUP, 3, SyncGroupRequestData(
                        group_id=group, generation_id=2, member_id=again.member_id, assignments=[
                            SyncGroupRequestData.SyncGroupRequestAssignment(
                                member_id=each.member_id, assignment=each.member_id.encode())
                            for each in (again, two)]))),
                    (second, two, second.receive(ApiKeys.SYNC_GROUP, 3, sent))):
                assert answer.assignment == member.member_id.encode()
                assert ask(wire, ApiKeys.LEAVE_GROUP, 0, LeaveGroupRequestData(
                    group_id=group, member_id=member.member_id)).error_code == 0

    with new_broker(tmp_path, overrides) as broker:
        wait_for_coordinator(lambda: connect(broker))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(life, range(40)))
        coordinator = broker.group_coordinator()._coordinator
        assert {(group.current_state(), group.size())
                for group in coordinator.group_manager.current_groups()
                if group.group_id.startswith("group-")} == {(Empty, 0)}


def test_members_are_told_of_the_end(tmp_path: Path) -> None:
    """A member that waits when the broker stops is answered, and does not delay the stop."""
    with new_broker(tmp_path) as broker:
        wait_for_coordinator(lambda: connect(broker))
        with connect(broker) as wire:
            sent = wire.send(ApiKeys.JOIN_GROUP, 3, JoinGroupRequestData(
                group_id="group", session_timeout_ms=10_000, rebalance_timeout_ms=60_000,
                protocol_type="consumer", protocols=[
                    JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=SUBSCRIPTION)]))
            manager = broker.group_coordinator()._coordinator.group_manager
            wait_until(lambda: manager.get_group("group") is not None)
            broker.shutdown(60_000)
            answer: Any = wire.receive(ApiKeys.JOIN_GROUP, 3, sent)
            assert answer.error_code == Errors.NOT_COORDINATOR.code

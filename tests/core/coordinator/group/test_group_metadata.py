# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A group's states, members and offsets."""

from __future__ import annotations

import pytest

from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_metadata import (
    CommitRecordMetadataAndOffset,
    CompletingRebalance,
    Dead,
    Empty,
    GroupMetadata,
    GroupState,
    PreparingRebalance,
    Stable,
)
from kreactor.core.coordinator.group.group_results import JoinGroupResult, SyncGroupResult
from kreactor.core.coordinator.group.member_metadata import MemberMetadata, Protocol
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.testing.mock_time import MockTime

PROTOCOL_TYPE = "consumer"
GROUP_INSTANCE_ID = "groupInstanceId"
MEMBER_ID = "memberId"
REBALANCE_TIMEOUT_MS = 60_000
SESSION_TIMEOUT_MS = 10_000
PRODUCER_ID = 13232

RANGE: Protocol = ("range", b"")
ROUND_ROBIN: Protocol = ("roundrobin", b"")
BLAH: Protocol = ("blah", b"")

FOO_0 = TopicIdPartition.of(Uuid.random_uuid(), 0, "foo")
FOO_1 = TopicIdPartition.of(FOO_0.topic_id(), 1, "foo")


@pytest.fixture
def group() -> GroupMetadata:
    return GroupMetadata("groupId", Empty, MockTime())


def member_of(*protocols: Protocol, member_id: str = MEMBER_ID, group_instance_id: str | None = None,
              protocol_type: str = PROTOCOL_TYPE) -> MemberMetadata:
    return MemberMetadata(member_id, group_instance_id, "clientId", "clientHost", REBALANCE_TIMEOUT_MS,
                          SESSION_TIMEOUT_MS, protocol_type, protocols)


def subscription(*topics: str) -> bytes:
    return MessageUtil.to_version_prefixed_bytes(3, ConsumerProtocolSubscription(topics=list(topics)))


def offset_and_metadata(offset: int, timestamp: int = 0) -> OffsetAndMetadata:
    return OffsetAndMetadata.of(offset, "", timestamp)


def at(batch_offset: int | None, offset: OffsetAndMetadata) -> CommitRecordMetadataAndOffset:
    return CommitRecordMetadataAndOffset(batch_offset, offset)


def go(group: GroupMetadata, *states: GroupState) -> None:
    for state in states:
        group.transition_to(state)


def assert_state(group: GroupMetadata, target_state: GroupState) -> None:
    for state in (Stable, PreparingRebalance, CompletingRebalance, Dead, Empty):
        assert group.is_(state) is (state is target_state)


def assert_illegal(group: GroupMetadata, state: GroupState) -> None:
    with pytest.raises(IllegalStateException):
        group.transition_to(state)


# -- states --------------------------------------------------------------------------------------------


def test_can_rebalance_when_stable(group: GroupMetadata) -> None:
    assert group.can_rebalance()


def test_can_rebalance_when_completing_rebalance(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, CompletingRebalance)
    assert group.can_rebalance()


def test_cannot_rebalance_when_preparing_rebalance(group: GroupMetadata) -> None:
    go(group, PreparingRebalance)
    assert not group.can_rebalance()


def test_cannot_rebalance_when_dead(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Empty, Dead)
    assert not group.can_rebalance()


def test_stable_to_preparing_rebalance_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance)
    assert_state(group, PreparingRebalance)


def test_stable_to_dead_transition(group: GroupMetadata) -> None:
    go(group, Dead)
    assert_state(group, Dead)


def test_awaiting_rebalance_to_preparing_rebalance_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, CompletingRebalance, PreparingRebalance)
    assert_state(group, PreparingRebalance)


def test_preparing_rebalance_to_dead_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Dead)
    assert_state(group, Dead)


def test_preparing_rebalance_to_empty_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Empty)
    assert_state(group, Empty)


def test_empty_to_dead_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Empty, Dead)
    assert_state(group, Dead)


def test_awaiting_rebalance_to_stable_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, CompletingRebalance, Stable)
    assert_state(group, Stable)


def test_empty_to_stable_illegal_transition(group: GroupMetadata) -> None:
    assert_illegal(group, Stable)


def test_stable_to_stable_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, CompletingRebalance, Stable)
    assert_illegal(group, Stable)


def test_empty_to_awaiting_rebalance_illegal_transition(group: GroupMetadata) -> None:
    assert_illegal(group, CompletingRebalance)


def test_preparing_rebalance_to_preparing_rebalance_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance)
    assert_illegal(group, PreparingRebalance)


def test_preparing_rebalance_to_stable_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance)
    assert_illegal(group, Stable)


def test_awaiting_rebalance_to_awaiting_rebalance_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, CompletingRebalance)
    assert_illegal(group, CompletingRebalance)


def test_dead_to_dead_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Dead, Dead)
    assert_state(group, Dead)


def test_dead_to_stable_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Dead)
    assert_illegal(group, Stable)


def test_dead_to_preparing_rebalance_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Dead)
    assert_illegal(group, PreparingRebalance)


def test_dead_to_awaiting_rebalance_illegal_transition(group: GroupMetadata) -> None:
    go(group, PreparingRebalance, Dead)
    assert_illegal(group, CompletingRebalance)


# -- protocols -----------------------------------------------------------------------------------------


def test_select_protocol(group: GroupMetadata) -> None:
    group.add(member_of(RANGE, ROUND_ROBIN))
    assert group.select_protocol() == "range"

    group.add(member_of(ROUND_ROBIN, RANGE, member_id="otherMemberId"))
    assert group.select_protocol() in ("range", "roundrobin")

    group.add(member_of(ROUND_ROBIN, RANGE, member_id="lastMemberId"))
    assert group.select_protocol() == "roundrobin"


def test_select_protocol_raises_if_no_members(group: GroupMetadata) -> None:
    with pytest.raises(IllegalStateException):
        group.select_protocol()


def test_select_protocol_chooses_compatible_protocol(group: GroupMetadata) -> None:
    group.add(member_of(RANGE, ROUND_ROBIN))
    group.add(member_of(ROUND_ROBIN, BLAH, member_id="otherMemberId"))
    assert group.select_protocol() == "roundrobin"


def test_supports_protocols(group: GroupMetadata) -> None:
    # An empty group supports everything.
    assert group.supports_protocols(PROTOCOL_TYPE, {"roundrobin", "range"})

    group.add(member_of(RANGE, ROUND_ROBIN))
    group.transition_to(PreparingRebalance)
    assert group.supports_protocols(PROTOCOL_TYPE, {"roundrobin", "foo"})
    assert group.supports_protocols(PROTOCOL_TYPE, {"range", "foo"})
    assert not group.supports_protocols(PROTOCOL_TYPE, {"foo", "bar"})

    group.add(member_of(ROUND_ROBIN, BLAH, member_id="otherMemberId"))

    assert group.supports_protocols(PROTOCOL_TYPE, {"roundrobin", "foo"})
    assert not group.supports_protocols("invalid_type", {"roundrobin", "foo"})
    assert not group.supports_protocols(PROTOCOL_TYPE, {"range", "foo"})


def test_offset_removal_during_transition_from_empty_to_non_empty() -> None:
    time = MockTime()
    group = GroupMetadata("groupId", Empty, time)

    # A first generation, to commit offsets.
    member = member_of(("range", subscription("foo")))
    group.transition_to(PreparingRebalance)
    group.add(member)
    group.init_next_generation()
    assert group.get_subscribed_topics() == {"foo"}

    offset = offset_and_metadata(37, time.milliseconds())
    group.prepare_offset_commit({FOO_0: offset})
    assert group.has_offsets()
    assert group.offset(FOO_0.topic_partition()) is None
    group.on_offset_commit_append(FOO_0, at(3, offset))

    offset_retention_ms = 50_000
    time.sleep(offset_retention_ms + 1)

    group.transition_to(PreparingRebalance)
    group.remove(MEMBER_ID)
    group.init_next_generation()

    # The time runs from now on.
    assert group.current_state() is Empty
    assert group.remove_expired_offsets(time.milliseconds(), offset_retention_ms) == {}

    # And not at all while the member comes back.
    group.transition_to(PreparingRebalance)
    group.add(member)
    assert group.remove_expired_offsets(time.milliseconds(), offset_retention_ms) == {}


def test_subscribed_topics(group: GroupMetadata) -> None:
    assert group.get_subscribed_topics() is None

    group.transition_to(PreparingRebalance)
    group.add(member_of(("range", subscription("foo"))))
    group.init_next_generation()
    assert group.get_subscribed_topics() == {"foo"}

    group.transition_to(PreparingRebalance)
    group.remove(MEMBER_ID)
    group.init_next_generation()
    assert group.get_subscribed_topics() == set()

    group.transition_to(PreparingRebalance)
    group.add(member_of(RANGE))
    group.init_next_generation()
    assert group.get_subscribed_topics() is None


def test_subscribed_topics_non_consumer_group(group: GroupMetadata) -> None:
    assert group.get_subscribed_topics() is None

    group.transition_to(PreparingRebalance)
    group.add(member_of(RANGE, protocol_type="My Protocol"))
    group.init_next_generation()
    assert group.get_subscribed_topics() is None


def test_init_next_generation(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    member.supported_protocols = [ROUND_ROBIN]

    group.transition_to(PreparingRebalance)
    group.add(member, lambda result: None)
    assert (group.generation_id, group.protocol_name) == (0, None)

    group.init_next_generation()
    assert (group.generation_id, group.protocol_name) == (1, "roundrobin")


def test_init_next_generation_empty_group(group: GroupMetadata) -> None:
    assert group.current_state() is Empty
    assert (group.generation_id, group.protocol_name) == (0, None)

    group.transition_to(PreparingRebalance)
    group.init_next_generation()
    assert (group.generation_id, group.protocol_name) == (1, None)


# -- offsets -------------------------------------------------------------------------------------------


class Offsets:
    """The facts of a group about the offset of one partition."""

    def __init__(self, group: GroupMetadata) -> None:
        self.group = group

    def check(self, *, has: bool = True, pending: OffsetAndMetadata | None = None,
              pending_txn: CommitRecordMetadataAndOffset | None = None,
              committed: OffsetAndMetadata | None = None) -> None:
        group = self.group
        assert group.has_offsets() is has
        assert group.pending_offset_commit(FOO_0) == pending
        assert group.pending_txn_offset_commit(PRODUCER_ID, FOO_0) == pending_txn
        assert group.offset(FOO_0.topic_partition()) == committed


@pytest.fixture
def offsets(group: GroupMetadata) -> Offsets:
    return Offsets(group)


FIRST, SECOND = offset_and_metadata(37), offset_and_metadata(57)


def test_offset_commit(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    offsets.check(pending=FIRST)

    group.on_offset_commit_append(FOO_0, at(3, FIRST))
    offsets.check(committed=FIRST)


def test_offset_commit_failure(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    offsets.check(pending=FIRST)

    group.fail_pending_offset_write(FOO_0, FIRST)
    offsets.check(has=False)


def test_offset_commit_failure_with_another_pending(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    offsets.check(pending=FIRST)

    group.prepare_offset_commit({FOO_0: SECOND})
    offsets.check(pending=SECOND)

    group.fail_pending_offset_write(FOO_0, FIRST)
    offsets.check(pending=SECOND)

    group.on_offset_commit_append(FOO_0, at(3, SECOND))
    offsets.check(committed=SECOND)


def test_offset_commit_with_another_pending(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    group.prepare_offset_commit({FOO_0: SECOND})
    offsets.check(pending=SECOND)

    group.on_offset_commit_append(FOO_0, at(4, FIRST))
    offsets.check(pending=SECOND, committed=FIRST)

    group.on_offset_commit_append(FOO_0, at(5, SECOND))
    offsets.check(committed=SECOND)


def test_consumer_beats_transactional_offset_commit(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    offsets.check(pending_txn=at(None, FIRST))

    group.prepare_offset_commit({FOO_0: SECOND})
    offsets.check(pending_txn=at(None, FIRST), pending=SECOND)

    group.on_txn_offset_commit_append(PRODUCER_ID, FOO_0, at(3, FIRST))
    group.on_offset_commit_append(FOO_0, at(4, SECOND))
    offsets.check(pending_txn=at(3, FIRST), committed=SECOND)

    # The later one in the log wins, not the one whose transaction ended last.
    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=True)
    offsets.check(committed=SECOND)


def test_transaction_beats_consumer_offset_commit(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    group.prepare_offset_commit({FOO_0: SECOND})
    offsets.check(pending_txn=at(None, FIRST), pending=SECOND)

    group.on_offset_commit_append(FOO_0, at(3, SECOND))
    group.on_txn_offset_commit_append(PRODUCER_ID, FOO_0, at(4, FIRST))
    offsets.check(pending_txn=at(4, FIRST), committed=SECOND)

    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=True)
    offsets.check(committed=FIRST)


def test_transactional_commit_is_aborted_and_consumer_commit_wins(group: GroupMetadata,
                                                                  offsets: Offsets) -> None:
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    group.prepare_offset_commit({FOO_0: SECOND})
    group.on_offset_commit_append(FOO_0, at(3, SECOND))
    group.on_txn_offset_commit_append(PRODUCER_ID, FOO_0, at(4, FIRST))
    offsets.check(pending_txn=at(4, FIRST), committed=SECOND)

    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=False)
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    offsets.check(committed=SECOND)


def test_failed_txn_offset_commit_leaves_no_pending_state(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    assert group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    offsets.check(pending_txn=at(None, FIRST))

    group.fail_pending_txn_offset_commit(PRODUCER_ID, FOO_0)
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    offsets.check(has=False)

    # The marker finds nothing.
    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=True)
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)
    offsets.check(has=False)


@pytest.mark.deviation("D155")
def test_an_end_of_a_transaction_that_comes_late(group: GroupMetadata, offsets: Offsets) -> None:
    """A transaction leaves the offsets of the producer's next one alone."""
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    group.on_txn_offset_commit_append(PRODUCER_ID, FOO_0, at(3, FIRST))
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_1: SECOND})
    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=True, end_offset=5)
    offsets.check(committed=FIRST)
    assert group.offset(FOO_1.topic_partition()) is None
    assert group.has_pending_offset_commits_from_producer(PRODUCER_ID)

    group.on_txn_offset_commit_append(PRODUCER_ID, FOO_1, at(5, SECOND))
    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=True, end_offset=5)
    assert group.offset(FOO_1.topic_partition()) is None
    group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=False, end_offset=7)
    assert group.offset(FOO_1.topic_partition()) is None
    assert not group.has_pending_offset_commits_from_producer(PRODUCER_ID)


# -- members -------------------------------------------------------------------------------------------


def test_update_member(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    group.add(member)

    group.update_member(member, [ROUND_ROBIN], 120_000, 20_000, None)
    assert group.rebalance_timeout_ms() == 120_000
    assert member.session_timeout_ms == 20_000


def test_an_update_counts_who_awaits_the_join(group: GroupMetadata) -> None:
    for member_id in ("a", "b", "c"):
        group.add(member_of(RANGE, member_id=member_id), lambda result: None)
    member = group.get("b")
    counts = []
    for callback in (None, None, lambda result: None, lambda result: None):
        group.update_member(member, [RANGE], 1, 1, callback)
        counts.append(group.num_awaiting())
    assert counts == [2, 2, 3, 3]


def test_replace_group_instance_with_non_existing_member(group: GroupMetadata) -> None:
    with pytest.raises(IllegalArgumentException):
        group.replace_static_member(GROUP_INSTANCE_ID, MEMBER_ID, "newMemberId")


def test_replace_group_instance(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN, group_instance_id=GROUP_INSTANCE_ID)
    errors: list[Errors] = []

    group.add(member, lambda result: errors.append(result.error))
    member.awaiting_sync_callback = lambda result: errors.append(result.error)
    assert group.is_leader(MEMBER_ID)
    assert group.current_static_member_id(GROUP_INSTANCE_ID) == MEMBER_ID

    group.replace_static_member(GROUP_INSTANCE_ID, MEMBER_ID, "newMemberId")
    assert group.is_leader("newMemberId")
    assert group.current_static_member_id(GROUP_INSTANCE_ID) == "newMemberId"
    assert not group.has(MEMBER_ID) and group.get("newMemberId").member_id == "newMemberId"
    assert errors == [Errors.FENCED_INSTANCE_ID] * 2
    assert not member.is_awaiting_join()
    assert not member.is_awaiting_sync()


def test_invoke_join_callback(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    results: list[JoinGroupResult] = []
    group.add(member, results.append)

    assert group.has_all_members_joined()
    group.maybe_invoke_join_callback(member, JoinGroupResult.of(member.member_id, Errors.NONE))
    assert len(results) == 1
    assert not member.is_awaiting_join()


def test_invoke_join_callback_fails(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    results: list[JoinGroupResult] = []

    def join_callback(result: JoinGroupResult) -> None:
        results.append(result)
        if len(results) == 1:
            raise RuntimeError("Something went wrong!")

    group.add(member, join_callback)

    group.maybe_invoke_join_callback(member, JoinGroupResult.of(member.member_id, Errors.NONE))
    assert results[1].error is Errors.UNKNOWN_SERVER_ERROR
    assert not member.is_awaiting_join()


def test_not_invoke_join_callback(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    group.add(member)

    assert not member.is_awaiting_join()
    group.maybe_invoke_join_callback(member, JoinGroupResult.of(member.member_id, Errors.NONE))
    assert not member.is_awaiting_join()


def test_invoke_sync_callback_fails(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    results: list[SyncGroupResult] = []

    def sync_callback(result: SyncGroupResult) -> None:
        results.append(result)
        if len(results) == 1:
            raise RuntimeError("Something went wrong!")

    group.add(member)
    member.awaiting_sync_callback = sync_callback

    assert group.maybe_invoke_sync_callback(member, SyncGroupResult.of(Errors.NONE))
    assert results[1].error is Errors.UNKNOWN_SERVER_ERROR
    assert not member.is_awaiting_sync()


def test_invoke_sync_callback(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    group.add(member)
    member.awaiting_sync_callback = lambda result: None

    assert group.maybe_invoke_sync_callback(member, SyncGroupResult.of(Errors.NONE))
    assert not member.is_awaiting_sync()


def test_not_invoke_sync_callback(group: GroupMetadata) -> None:
    member = member_of(RANGE, ROUND_ROBIN)
    group.add(member)

    assert not group.maybe_invoke_sync_callback(member, SyncGroupResult.of(Errors.NONE))
    assert not member.is_awaiting_sync()


def test_has_pending_non_txn_offsets(group: GroupMetadata) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    assert group.has_pending_offset_commits_for_topic_partition(FOO_0.topic_partition())


def test_has_pending_txn_offsets(group: GroupMetadata) -> None:
    group.prepare_txn_offset_commit(5, {FOO_0: FIRST})
    assert group.has_pending_offset_commits_for_topic_partition(FOO_0.topic_partition())
    assert not group.has_pending_offset_commits_for_topic_partition(TopicPartition("non-exist", 0))


def test_cannot_add_pending_member_if_stable(group: GroupMetadata) -> None:
    group.add(member_of(RANGE, ROUND_ROBIN))
    with pytest.raises(IllegalStateException):
        group.add_pending_member(MEMBER_ID)


def test_removal_from_pending_after_member_is_stable(group: GroupMetadata) -> None:
    group.add_pending_member(MEMBER_ID)
    assert not group.has(MEMBER_ID)
    assert group.is_pending_member(MEMBER_ID)

    group.add(member_of(RANGE, ROUND_ROBIN))
    assert group.has(MEMBER_ID)
    assert not group.is_pending_member(MEMBER_ID)


def test_removal_from_pending_when_member_is_removed(group: GroupMetadata) -> None:
    group.add_pending_member(MEMBER_ID)
    assert not group.has(MEMBER_ID)
    assert group.is_pending_member(MEMBER_ID)

    group.remove(MEMBER_ID)
    assert not group.has(MEMBER_ID)
    assert not group.is_pending_member(MEMBER_ID)


def test_cannot_add_static_member_if_already_present(group: GroupMetadata) -> None:
    member = member_of(RANGE, group_instance_id=GROUP_INSTANCE_ID)
    group.add(member)
    assert group.has(MEMBER_ID)
    assert group.has_static_member(GROUP_INSTANCE_ID)

    with pytest.raises(IllegalStateException):
        group.add(member)


def test_cannot_add_pending_sync_of_unknown_member(group: GroupMetadata) -> None:
    with pytest.raises(IllegalStateException):
        group.add_pending_sync_member(MEMBER_ID)


def test_cannot_remove_pending_sync_of_unknown_member(group: GroupMetadata) -> None:
    with pytest.raises(IllegalStateException):
        group.remove_pending_sync_member(MEMBER_ID)


def test_can_add_and_remove_pending_sync_member(group: GroupMetadata) -> None:
    group.add(member_of(RANGE, group_instance_id=GROUP_INSTANCE_ID))
    group.add_pending_sync_member(MEMBER_ID)
    assert group.all_pending_sync_members() == {MEMBER_ID}
    group.remove_pending_sync_member(MEMBER_ID)
    assert group.all_pending_sync_members() == set()


def test_removal_from_pending_sync_when_member_is_removed(group: GroupMetadata) -> None:
    group.add(member_of(RANGE, group_instance_id=GROUP_INSTANCE_ID))
    group.add_pending_sync_member(MEMBER_ID)
    assert group.all_pending_sync_members() == {MEMBER_ID}
    group.remove(MEMBER_ID)
    assert group.all_pending_sync_members() == set()


def test_new_generation_clears_pending_sync_members(group: GroupMetadata) -> None:
    group.add(member_of(RANGE, group_instance_id=GROUP_INSTANCE_ID))
    group.transition_to(PreparingRebalance)
    group.add_pending_sync_member(MEMBER_ID)
    assert group.all_pending_sync_members() == {MEMBER_ID}
    group.init_next_generation()
    assert group.all_pending_sync_members() == set()


# -- not in Kafka's suite ------------------------------------------------------------------------------


def test_another_member_leads_when_the_leader_does_not_join(group: GroupMetadata) -> None:
    assert not group.maybe_elect_new_joined_leader()
    group.add(member_of(RANGE))
    group.add(member_of(RANGE, member_id="other"))
    assert not group.maybe_elect_new_joined_leader()
    group.update_member(group.get("other"), [RANGE], 1, 1, lambda result: None)
    assert group.maybe_elect_new_joined_leader()
    assert group.is_leader("other")
    assert group.maybe_elect_new_joined_leader()
    assert sorted(group.not_yet_rejoined_members()) == [MEMBER_ID]
    assert (group.num_awaiting(), group.num_pending(), group.size()) == (1, 0, 2)


def test_the_next_member_leads_when_the_leader_goes(group: GroupMetadata) -> None:
    group.add(member_of(RANGE))
    group.add(member_of(RANGE, member_id="other"))
    group.remove(MEMBER_ID)
    assert group.leader_or_null() == "other"
    group.remove("other")
    assert group.leader_or_null() is None


def test_what_a_client_is_told_of_a_group(group: GroupMetadata) -> None:
    group.add(member_of(("range", b"m")))
    summary = group.summary()
    assert (summary.state, summary.protocol_type, summary.protocol) == ("Empty", "consumer", "")
    assert summary.members[0].metadata == b""
    group.transition_to(PreparingRebalance)
    with pytest.raises(IllegalStateException):
        group.current_member_metadata()
    group.init_next_generation()
    assert [member.metadata for member in group.current_member_metadata()] == [b"m"]
    group.transition_to(Stable)
    summary = group.summary()
    assert (summary.state, summary.protocol, summary.members[0].metadata) == ("Stable", "range", b"m")
    overview = group.overview()
    assert (overview.group_id, overview.protocol_type, overview.state, overview.group_type) == (
        "groupId", "consumer", "Stable", "classic")
    assert group.is_in_states({"stable"})
    assert not group.is_in_states({"Stable"})
    assert group.is_consumer_group()


def test_an_offset_that_is_removed_is_not_pending_either(group: GroupMetadata, offsets: Offsets) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    group.on_offset_commit_append(FOO_0, at(1, FIRST))
    group.prepare_offset_commit({FOO_0: SECOND})
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: SECOND})
    assert group.remove_all_offsets() == {FOO_0.topic_partition(): FIRST}
    # The transaction is known until its end.
    offsets.check()
    group.on_offset_commit_append(FOO_0, at(2, SECOND))
    assert group.num_offsets() == 0


def test_a_transaction_ends_whose_offsets_are_not_in_the_log(group: GroupMetadata) -> None:
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    with pytest.raises(IllegalStateException, match="hasn't been appended"):
        group.complete_pending_txn_offset_commit(PRODUCER_ID, is_commit=True)


def test_one_generation_that_commits_in_two_ways(group: GroupMetadata) -> None:
    group.prepare_offset_commit({FOO_0: FIRST})
    assert group.has_received_consistent_offset_commits()
    group.prepare_txn_offset_commit(PRODUCER_ID, {FOO_0: FIRST})
    assert not group.has_received_consistent_offset_commits()
    group.transition_to(PreparingRebalance)
    group.init_next_generation()
    assert group.has_received_consistent_offset_commits()


def test_ids_of_members(group: GroupMetadata) -> None:
    assert group.generate_member_id("client", None).startswith("client-")
    assert group.generate_member_id("client", "instance").startswith("instance-")
    assert len(group.generate_member_id("c", None)) == 2 + 36

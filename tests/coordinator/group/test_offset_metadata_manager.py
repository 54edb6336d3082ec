# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.OffsetMetadataManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets of consumer groups, which the coordinator of consumer groups leaves with the classic one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from kreactor.common.errors import ApiException
from kreactor.common.internals.topic import Topic
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue,
)
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.consumer_group_coordinator import ConsumerGroupCoordinator, _Shard
from kreactor.core.coordinator.group.group_metadata_manager import GroupMetadataManager, OffsetKey
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.broker import Broker
from kreactor.testing.mock_time import MockTime
from tests.coordinator.group.group_metadata_manager_test_context import request_context
from tests.core.server.wire import Wire
from tests.stepping import wait_until

TRANSACTIONAL_ID = "transactional-id"
RETENTION_MS = 60_000
INVALID_OFFSET = -1
# An offset, its leader epoch and its metadata, or an error.
Fetched = tuple[int, int, str] | Errors


class Context:
    """A broker's coordinator, called as its handlers call it."""

    def __init__(self, broker: Broker, time: MockTime) -> None:
        self.time = time
        self.broker = broker
        coordinator = broker.server().group_coordinator()
        assert isinstance(coordinator, ConsumerGroupCoordinator)
        self.coordinator = coordinator
        self._buffers = BufferSupplier.create()

    def get_or_maybe_create_persisted_consumer_group(self, group_id: str) -> ConsumerGroup:
        shard = self._shard(group_id)
        with shard.lock:
            return shard.manager.get_or_maybe_create_persisted_consumer_group(group_id, True)

    def is_coordinator(self) -> bool:
        """Return whether the broker has loaded the groups."""
        try:
            self._shard("foo")
        except ApiException:
            return False
        return True

    def _shard(self, group_id: str) -> _Shard:
        return self.coordinator._shard_of(group_id)

    def commit_offset(self, group_id: str = "foo", topic: str = "bar", partition: int = 0, offset: int = 100,
                      leader_epoch: int = -1, *, member_id: str = "", epoch: int = -1, metadata: str = "",
                      version: int = ApiKeys.OFFSET_COMMIT.latest_version()) -> Errors:
        return self.commit_offsets(
            {(topic, partition): (offset, leader_epoch, metadata)}, group_id, member_id=member_id,
            epoch=epoch, version=version)[topic, partition]

    def commit_offsets(self, offsets: Mapping[tuple[str, int], tuple[int, int, str]], group_id: str, *,
                       member_id: str = "", epoch: int = -1,
                       version: int = ApiKeys.OFFSET_COMMIT.latest_version()
                       ) -> dict[tuple[str, int], Errors]:
        request = OffsetCommitRequestData(
            group_id=group_id, member_id=member_id, generation_id_or_member_epoch=epoch, topics=[
                OffsetCommitRequestData.OffsetCommitRequestTopic(name=topic, partitions=[
                    OffsetCommitRequestData.OffsetCommitRequestPartition(
                        partition_index=partition, committed_offset=offset,
                        committed_leader_epoch=leader_epoch, committed_metadata=metadata)])
                for (topic, partition), (offset, leader_epoch, metadata) in offsets.items()])
        response = self.coordinator.commit_offsets(
            request_context(ApiKeys.OFFSET_COMMIT, version), request, self._buffers).get()
        assert response is not None
        return {(topic.name, partition.partition_index): Errors.for_code(partition.error_code)
                for topic in response.topics for partition in topic.partitions}

    def commit_transactional_offset(self, producer_id: int = 10, group_id: str = "foo", topic: str = "bar",
                                    partition: int = 0, offset: int = 100, leader_epoch: int = -1, *,
                                    member_id: str = "", epoch: int = -1, metadata: str = "") -> Errors:
        request = TxnOffsetCommitRequestData(
            transactional_id=TRANSACTIONAL_ID, group_id=group_id, producer_id=producer_id, producer_epoch=0,
            member_id=member_id, generation_id=epoch, topics=[
                TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(name=topic, partitions=[
                    TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                        partition_index=partition, committed_offset=offset,
                        committed_leader_epoch=leader_epoch, committed_metadata=metadata)])])
        response = self.coordinator.commit_transactional_offsets(
            request_context(ApiKeys.TXN_OFFSET_COMMIT, ApiKeys.TXN_OFFSET_COMMIT.latest_version()), request,
            self._buffers).get()
        assert response is not None
        return Errors.for_code(response.topics[0].partitions[0].error_code)

    def end_transaction(self, producer_id: int, group_id: str, result: TransactionResult) -> None:
        """Wait until the coordinator's own thread has ended the transaction."""
        self.coordinator.on_transaction_completed(producer_id, [self._shard(group_id).partition], result)
        group = self.coordinator._coordinator.group_manager.get_group(group_id)
        assert group is not None
        wait_until(lambda: not group.has_pending_offset_commits_from_producer(producer_id))

    def write_marker(self, producer_id: int) -> None:
        """Write the marker of a committed transaction, as its coordinator does; that ends it here."""
        with Wire(self.broker.host, self.broker.port) as wire:
            wire.ask(ApiKeys.WRITE_TXN_MARKERS, 1, WriteTxnMarkersRequestData(markers=[
                WriteTxnMarkersRequestData.WritableTxnMarker(
                    producer_id=producer_id, producer_epoch=0, transaction_result=True, topics=[
                        WriteTxnMarkersRequestData.WritableTxnMarkerTopic(
                            name=Topic.GROUP_METADATA_TOPIC_NAME, partition_indexes=[0])])]))

    def fetch_offsets(self, group_id: str, partitions: Mapping[str, list[int]], *,
                      member_id: str | None = None, epoch: int = -1, require_stable: bool = True
                      ) -> dict[tuple[str, int], Fetched] | Errors:
        response = self.coordinator.fetch_offsets(
            request_context(ApiKeys.OFFSET_FETCH, 9), OffsetFetchRequestData.OffsetFetchRequestGroup(
                group_id=group_id, member_id=member_id, member_epoch=epoch, topics=[
                    OffsetFetchRequestData.OffsetFetchRequestTopics(name=topic, partition_indexes=indexes)
                    for topic, indexes in partitions.items()]), require_stable).get()
        return self._fetched(response)

    def fetch_all_offsets(self, group_id: str, *, member_id: str | None = None, epoch: int = -1,
                          require_stable: bool = True) -> dict[tuple[str, int], Fetched] | Errors:
        response = self.coordinator.fetch_all_offsets(
            request_context(ApiKeys.OFFSET_FETCH, 9), OffsetFetchRequestData.OffsetFetchRequestGroup(
                group_id=group_id, member_id=member_id, member_epoch=epoch, topics=None),
            require_stable).get()
        return self._fetched(response)

    @staticmethod
    def _fetched(response: OffsetFetchResponseData.OffsetFetchResponseGroup | None
                 ) -> dict[tuple[str, int], Fetched] | Errors:
        assert response is not None
        if response.error_code:
            return Errors.for_code(response.error_code)
        fetched: dict[tuple[str, int], Fetched] = {}
        for topic in response.topics:
            for each in topic.partitions:
                value = (each.committed_offset, each.committed_leader_epoch, each.metadata or "")
                if each.error_code:
                    assert value == (INVALID_OFFSET, -1, "")
                fetched[topic.name, each.partition_index] = (
                    Errors.for_code(each.error_code) if each.error_code else value)
        return fetched

    def delete_offset(self, group_id: str, topic: str, partition: int) -> Errors:
        response = self.coordinator.delete_offsets(
            request_context(ApiKeys.OFFSET_DELETE, 0), OffsetDeleteRequestData(
                group_id=group_id, topics=[OffsetDeleteRequestData.OffsetDeleteRequestTopic(
                    name=topic, partitions=[OffsetDeleteRequestData.OffsetDeleteRequestPartition(
                        partition_index=partition)])]), self._buffers).get()
        assert response is not None and response.error_code == 0
        return Errors.for_code(response.topics[0].partitions[0].error_code)

    def delete_group(self, group_id: str) -> Errors:
        results = self.coordinator.delete_groups(
            request_context(ApiKeys.DELETE_GROUPS, 2), [group_id], self._buffers).get()
        assert results is not None
        return Errors.for_code(results[0].error_code)

    def has_offset(self, group_id: str, topic: str, partition: int) -> bool:
        """Return whether the group has an offset there, a pending one included."""
        group = self.coordinator._coordinator.group_manager.get_group(group_id)
        where = TopicPartition(topic, partition)
        return group is not None and (
            group.offset(where) is not None or group.has_pending_offset_commits_for_topic_partition(where))

    def records(self, group_id: str) -> list[tuple[str, int, OffsetAndMetadata | None]]:
        """Return the offsets that the log has of a group, in order; None for a tombstone."""
        found = []
        for record in self.broker.records(Topic.GROUP_METADATA_TOPIC_NAME):
            assert record.key is not None
            if int.from_bytes(record.key[:2], "big") > 1:
                continue
            key = GroupMetadataManager.read_message_key(ByteBuffer.wrap(record.key))
            assert isinstance(key, OffsetKey)
            if key.key.group == group_id:
                value = None if record.value is None else ByteBuffer.wrap(record.value)
                found.append((key.key.topic_partition.topic(), key.key.topic_partition.partition(),
                              GroupMetadataManager.read_offset_message_value(value)))
        return found

    def cleanup_expired_offsets(self) -> None:
        self.coordinator._coordinator.group_manager.cleanup_expired_group_metadata()


@pytest.fixture
def context() -> Iterator[Context]:
    time = MockTime()
    with Broker(time=time, properties={
            "group.coordinator.rebalance.protocols": "classic,consumer", "offsets.topic.num.partitions": 1,
            "offset.metadata.max.bytes": 8, "transaction.partition.verification.enable": False,
            "offsets.retention.minutes": RETENTION_MS // 60_000}) as broker:
        broker.create_topic(Topic.GROUP_METADATA_TOPIC_NAME, 1, {"cleanup.policy": "compact"})
        made = Context(broker, time)
        wait_until(made.is_coordinator)
        # The calls come from the test's thread.
        KafkaRequestHandler.set_bypass_thread_check(True)
        yield made
        KafkaRequestHandler.set_bypass_thread_check(False)


def member(member_id: str = "member", epoch: int = 0, *, is_classic: bool = False,
           topics: tuple[str, ...] = ()) -> ConsumerGroupMember:
    builder = (ConsumerGroupMember.Builder(member_id).set_member_epoch(epoch)
               .set_previous_member_epoch(epoch).set_subscribed_topic_names(topics))
    if is_classic:
        builder.set_classic_member_metadata(ConsumerGroupMemberMetadataValue.ClassicMemberMetadata())
    return builder.build()


@pytest.mark.parametrize("version", range(ApiKeys.OFFSET_COMMIT.latest_version() + 1))
def test_offset_commit_with_unknown_group(context: Context, version: int) -> None:
    expected = Errors.GROUP_ID_NOT_FOUND if version >= 9 else Errors.ILLEGAL_GENERATION
    assert context.commit_offset(member_id="member", epoch=10, version=version) is expected


def test_consumer_group_offset_commit_with_unknown_member_id(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_offset(member_id="member", epoch=10) is Errors.UNKNOWN_MEMBER_ID


def test_consumer_group_offset_commit_with_stale_member_epoch(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo").update_member(member(epoch=10))
    for epoch in (9, 11):
        assert context.commit_offset(member_id="member", epoch=epoch) is Errors.STALE_MEMBER_EPOCH


def test_consumer_group_offset_commit_with_illegal_generation_id(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo").update_member(
        member(epoch=10, is_classic=True))
    for epoch in (9, 11):
        assert context.commit_offset(member_id="member", epoch=epoch) is Errors.ILLEGAL_GENERATION


def test_consumer_group_offset_commit_from_admin_client(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_offset() is Errors.NONE
    assert context.records("foo") == [
        ("bar", 0, OffsetAndMetadata(100, None, "", context.time.milliseconds(), None))]


def test_consumer_group_offset_commit(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo").update_member(member(epoch=10))
    assert context.commit_offset(
        leader_epoch=10, member_id="member", epoch=10, metadata="metadata") is Errors.NONE
    assert context.records("foo") == [
        ("bar", 0, OffsetAndMetadata(100, 10, "metadata", context.time.milliseconds(), None))]


def test_consumer_group_offset_commit_with_offset_metadata_too_large(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo").update_member(member(epoch=10))
    assert context.commit_offsets(
        {("bar", 0): (100, 10, "too large"), ("bar", 1): (100, 10, "small")}, "foo", member_id="member",
        epoch=10) == {("bar", 0): Errors.OFFSET_METADATA_TOO_LARGE, ("bar", 1): Errors.NONE}
    assert context.records("foo") == [
        ("bar", 1, OffsetAndMetadata(100, 10, "small", context.time.milliseconds(), None))]


def test_consumer_group_transactional_offset_commit(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo").update_member(member(epoch=10))
    assert context.commit_transactional_offset(
        leader_epoch=10, member_id="member", epoch=10, metadata="metadata") is Errors.NONE
    assert context.records("foo") == [
        ("bar", 0, OffsetAndMetadata(100, 10, "metadata", context.time.milliseconds(), None))]


def test_consumer_group_transactional_offset_commit_with_unknown_group_id(context: Context) -> None:
    assert context.commit_transactional_offset(
        leader_epoch=10, member_id="member", epoch=10, metadata="metadata") is Errors.ILLEGAL_GENERATION


def test_consumer_group_transactional_offset_commit_with_unknown_member_id(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_transactional_offset(
        leader_epoch=10, member_id="member", epoch=10, metadata="metadata") is Errors.UNKNOWN_MEMBER_ID


def test_consumer_group_transactional_offset_commit_with_stale_member_epoch(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo").update_member(member(epoch=10))
    assert context.commit_transactional_offset(
        leader_epoch=10, member_id="member", epoch=100, metadata="metadata") is Errors.ILLEGAL_GENERATION


def test_fetch_offsets_with_unknown_group(context: Context) -> None:
    assert context.fetch_offsets("group", {"foo": [0, 1], "bar": [0]}) == {
        ("foo", 0): (INVALID_OFFSET, -1, ""), ("foo", 1): (INVALID_OFFSET, -1, ""),
        ("bar", 0): (INVALID_OFFSET, -1, "")}


def commit_some(context: Context) -> None:
    """Commit three offsets, and two newer ones and a fourth one in a transaction."""
    context.get_or_maybe_create_persisted_consumer_group("group")
    for topic, partition, offset in (("foo", 0, 100), ("foo", 1, 110), ("bar", 0, 200)):
        assert context.commit_offset("group", topic, partition, offset, 1, metadata="metadata") is Errors.NONE
    for topic, partition, offset in (("foo", 1, 111), ("bar", 0, 201), ("bar", 1, 211)):
        assert context.commit_transactional_offset(
            10, "group", topic, partition, offset, 1, metadata="metadata") is Errors.NONE


def test_fetch_offsets_with_pending_transactional_offsets(context: Context) -> None:
    commit_some(context)
    request = {"foo": [0, 1], "bar": [0, 1]}
    unstable = Errors.UNSTABLE_OFFSET_COMMIT
    # The error comes for bar-1, too, which has no offset yet.
    assert context.fetch_offsets("group", request) == {
        ("foo", 0): (100, 1, "metadata"), ("foo", 1): unstable, ("bar", 0): unstable, ("bar", 1): unstable}
    assert context.fetch_offsets("group", request, require_stable=False) == {
        ("foo", 0): (100, 1, "metadata"), ("foo", 1): (110, 1, "metadata"),
        ("bar", 0): (200, 1, "metadata"), ("bar", 1): (INVALID_OFFSET, -1, "")}
    context.end_transaction(10, "group", TransactionResult.COMMIT)
    assert context.fetch_offsets("group", request) == {
        ("foo", 0): (100, 1, "metadata"), ("foo", 1): (111, 1, "metadata"),
        ("bar", 0): (201, 1, "metadata"), ("bar", 1): (211, 1, "metadata")}


def test_fetch_all_offsets_with_unknown_group(context: Context) -> None:
    assert context.fetch_all_offsets("group") == {}


def test_fetch_all_offsets_with_pending_transactional_offsets(context: Context) -> None:
    commit_some(context)
    unstable = Errors.UNSTABLE_OFFSET_COMMIT
    # bar-1 has no offset before the transaction is committed.
    assert context.fetch_all_offsets("group") == {
        ("foo", 0): (100, 1, "metadata"), ("foo", 1): unstable, ("bar", 0): unstable}
    assert context.fetch_all_offsets("group", require_stable=False) == {
        ("foo", 0): (100, 1, "metadata"), ("foo", 1): (110, 1, "metadata"), ("bar", 0): (200, 1, "metadata")}
    context.end_transaction(10, "group", TransactionResult.COMMIT)
    assert context.fetch_all_offsets("group") == {
        ("foo", 0): (100, 1, "metadata"), ("foo", 1): (111, 1, "metadata"),
        ("bar", 0): (201, 1, "metadata"), ("bar", 1): (211, 1, "metadata")}


def test_consumer_group_offset_fetch_with_member_id_and_epoch(context: Context) -> None:
    group = context.get_or_maybe_create_persisted_consumer_group("group")
    assert context.commit_offset("group", "foo", 0, 100, 1, metadata="metadata") is Errors.NONE
    group.update_member(member())
    expected = {("foo", 0): (100, 1, "metadata")}
    assert context.fetch_offsets("group", {"foo": [0]}, member_id="member", epoch=0) == expected
    assert context.fetch_all_offsets("group", member_id="member", epoch=0) == expected


def test_consumer_group_offset_fetch_from_admin_client(context: Context) -> None:
    group = context.get_or_maybe_create_persisted_consumer_group("group")
    assert context.commit_offset("group", "foo", 0, 100, 1, metadata="metadata") is Errors.NONE
    group.update_member(member())
    expected = {("foo", 0): (100, 1, "metadata")}
    assert context.fetch_offsets("group", {"foo": [0]}) == expected
    assert context.fetch_all_offsets("group") == expected


@pytest.mark.parametrize("member_id", ["", "member"])
def test_consumer_group_offset_fetch_with_unknown_member_id(context: Context, member_id: str) -> None:
    context.get_or_maybe_create_persisted_consumer_group("group")
    expected = Errors.UNKNOWN_MEMBER_ID
    assert context.fetch_offsets("group", {"foo": [0]}, member_id=member_id, epoch=0) is expected
    assert context.fetch_all_offsets("group", member_id=member_id, epoch=0) is expected


def test_consumer_group_offset_fetch_with_stale_member_epoch(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("group").update_member(member())
    expected = Errors.STALE_MEMBER_EPOCH
    assert context.fetch_offsets("group", {"foo": [0]}, member_id="member", epoch=10) is expected
    assert context.fetch_all_offsets("group", member_id="member", epoch=10) is expected


def test_consumer_group_offset_fetch_with_illegal_generation_id(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("group").update_member(member(is_classic=True))
    expected = Errors.ILLEGAL_GENERATION
    assert context.fetch_offsets("group", {"foo": [0]}, member_id="member", epoch=10) is expected
    assert context.fetch_all_offsets("group", member_id="member", epoch=10) is expected


def test_consumer_group_offset_delete(context: Context) -> None:
    group = context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_offset() is Errors.NONE
    assert not group.is_subscribed_to_topic("bar")
    assert context.delete_offset("foo", "bar", 0) is Errors.NONE
    assert context.records("foo")[-1] == ("bar", 0, None)
    assert not context.has_offset("foo", "bar", 0)


def test_consumer_group_offset_delete_with_errors(context: Context) -> None:
    group = context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_offset() is Errors.NONE
    group.update_member(member("member1", topics=("bar",)))
    assert group.is_subscribed_to_topic("bar")
    assert context.delete_offset("foo", "bar1", 0) is Errors.NONE
    assert context.delete_offset("foo", "bar", 0) is Errors.GROUP_SUBSCRIBED_TO_TOPIC
    assert context.has_offset("foo", "bar", 0)


def test_consumer_group_offset_delete_with_pending_transactional_offsets(context: Context) -> None:
    group = context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_transactional_offset() is Errors.NONE
    assert not group.is_subscribed_to_topic("bar")
    assert context.delete_offset("foo", "bar", 0) is Errors.NONE
    assert context.records("foo")[-1] == ("bar", 0, None)
    assert not context.has_offset("foo", "bar", 0)


def test_delete_group_all_offsets(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo")
    where = [("bar-0", 0), ("bar-0", 1), ("bar-1", 0)]
    for topic, partition in where:
        assert context.commit_offset("foo", topic, partition) is Errors.NONE
    assert context.delete_group("foo") is Errors.NONE
    assert sorted((topic, partition) for topic, partition, value in context.records("foo")
                  if value is None) == where


def test_delete_group_all_offsets_with_pending_transactional_offsets(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo")
    where = [("bar-0", 0), ("bar-0", 1), ("bar-1", 0)]
    for topic, partition in where:
        assert context.commit_offset("foo", topic, partition) is Errors.NONE
    assert context.commit_transactional_offset(10, "foo", "bar-1", 0, 101) is Errors.NONE
    assert context.commit_transactional_offset(10, "foo", "bar-2", 0, 100) is Errors.NONE
    assert context.delete_group("foo") is Errors.NONE
    where.append(("bar-2", 0))
    assert sorted((topic, partition) for topic, partition, value in context.records("foo")
                  if value is None) == where
    for topic, partition in where:
        assert not context.has_offset("foo", topic, partition)


def test_a_transaction_that_ends_later_brings_no_deleted_offset_back(context: Context) -> None:
    """Neither at once nor after a restart."""
    context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_offset() is Errors.NONE
    assert context.commit_transactional_offset(offset=101) is Errors.NONE
    assert context.commit_transactional_offset(partition=1) is Errors.NONE
    assert context.delete_offset("foo", "bar", 0) is Errors.NONE
    context.write_marker(10)
    expected = {("bar", 1): (100, -1, "")}
    wait_until(lambda: context.fetch_all_offsets("foo") == expected)
    context.broker.restart()
    restarted = Context(context.broker, context.time)
    wait_until(restarted.is_coordinator)
    assert restarted.fetch_all_offsets("foo") == expected


def test_cleanup_expired_offsets_group_has_no_offsets(context: Context) -> None:
    context.cleanup_expired_offsets()
    assert context.records("foo") == []


def test_cleanup_expired_offsets(context: Context) -> None:
    group = context.get_or_maybe_create_persisted_consumer_group("foo")

    def tombstones() -> list[tuple[str, int]]:
        return [(topic, partition) for topic, partition, value in context.records("foo") if value is None]

    assert context.commit_offset("foo", "firstTopic", 0) is Errors.NONE
    assert context.commit_offset("foo", "secondTopic", 0) is Errors.NONE
    context.time.sleep(500)
    assert context.commit_offset("foo", "secondTopic", 1) is Errors.NONE
    group.update_member(member(topics=("firstTopic",)))
    context.time.sleep(RETENTION_MS - 500)
    # The group reads the first topic; the offset of the second partition is not old enough.
    context.cleanup_expired_offsets()
    assert tombstones() == [("secondTopic", 0)]
    context.time.sleep(500)
    context.cleanup_expired_offsets()
    assert tombstones() == [("secondTopic", 0), ("secondTopic", 1)]
    group.remove_member("member")
    assert context.commit_offset("foo", "firstTopic", 1) is Errors.NONE
    assert context.commit_offset("foo", "secondTopic", 0, 101) is Errors.NONE
    context.time.sleep(RETENTION_MS)
    context.cleanup_expired_offsets()
    assert sorted(tombstones()[2:]) == [("firstTopic", 0), ("firstTopic", 1), ("secondTopic", 0)]


def test_cleanup_expired_offsets_with_pending_transactional_offsets(context: Context) -> None:
    context.get_or_maybe_create_persisted_consumer_group("foo")
    assert context.commit_offset() is Errors.NONE
    context.time.sleep(500)
    assert context.commit_transactional_offset(offset=101) is Errors.NONE
    context.time.sleep(RETENTION_MS - 500)
    context.cleanup_expired_offsets()
    assert all(value is not None for _, _, value in context.records("foo"))
    assert context.has_offset("foo", "bar", 0)


def test_on_partitions_deleted(context: Context) -> None:
    for group_id, topic in (("grp-0", "foo"), ("grp-1", "bar")):
        context.get_or_maybe_create_persisted_consumer_group(group_id)
        for partition in (1, 2, 3):
            assert context.commit_offset(group_id, topic, partition) is Errors.NONE
    context.get_or_maybe_create_persisted_consumer_group("grp-2")
    for partition in (1, 2, 3):
        assert context.commit_transactional_offset(100, "grp-2", "foo", partition) is Errors.NONE
    context.coordinator.on_partitions_deleted(
        [TopicPartition("foo", 1), TopicPartition("foo", 2), TopicPartition("foo", 3),
         TopicPartition("bar", 1)], BufferSupplier.create())
    for group_id, topic, deleted in (("grp-0", "foo", [1, 2, 3]), ("grp-1", "bar", [1]),
                                     ("grp-2", "foo", [1, 2, 3])):
        for partition in (1, 2, 3):
            assert context.has_offset(group_id, topic, partition) is (partition not in deleted)

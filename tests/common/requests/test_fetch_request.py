# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's FetchRequestTest, and the place of a request in its session."""

from __future__ import annotations

import pytest

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException

VERSIONS = ApiKeys.FETCH.all_versions()
TOPIC_ID, OTHER_ID = Uuid(1, 2), Uuid(3, 4)
PARTITION, OTHER = TopicPartition("topic", 0), TopicPartition("unknownIdTopic", 0)
# The names that a broker knows; the other topic is gone.
TOPIC_NAMES = {TOPIC_ID: "topic"}


def data_at(topic_id: Uuid) -> FetchRequest.PartitionData:
    return FetchRequest.PartitionData(topic_id, 0, 0, 0, None)


def builder(version: int, to_fetch: dict[TopicPartition, FetchRequest.PartitionData],
            removed: list[TopicIdPartition], replaced: list[TopicIdPartition]) -> FetchRequest.Builder:
    return (FetchRequest.Builder.for_replica(version, 0, 1, 1, 1, to_fetch).removed_set(removed)
            .replaced_set(replaced).metadata_set(FetchMetadata.new_incremental(123)))


@pytest.mark.parametrize("version", VERSIONS)
def test_to_replace_with_different_versions(version: int) -> None:
    replaced = TopicIdPartition(TOPIC_ID, PARTITION)
    request = builder(version, {PARTITION: data_at(TOPIC_ID)}, [], [replaced]).build_version(version)
    # Below 13 a topic of the same name would be forgotten with the one it replaces.
    assert bool(request.data().forgotten_topics_data) == (version >= 13)
    for forgotten in request.data().forgotten_topics_data:
        assert (forgotten.topic, forgotten.topic_id) == ("topic", TOPIC_ID)
    (topic,) = request.data().topics
    assert (topic.topic, topic.topic_id) == ("topic", TOPIC_ID)


def expected_on_the_wire(version: int) -> list[TopicIdPartition]:
    return [TopicIdPartition.of(topic_id if version >= 13 else Uuid.ZERO_UUID, 0,
                                "" if version >= 13 else partition.topic())
            for topic_id, partition in ((TOPIC_ID, PARTITION), (OTHER_ID, OTHER))]


def expected_with_names(version: int) -> list[TopicIdPartition]:
    if version < 13:
        return expected_on_the_wire(version)
    return [TopicIdPartition.of(TOPIC_ID, 0, "topic"), TopicIdPartition.of(OTHER_ID, 0, None)]


@pytest.mark.parametrize("version", VERSIONS)
def test_fetch_data(version: int) -> None:
    built = builder(version, {PARTITION: data_at(TOPIC_ID), OTHER: data_at(OTHER_ID)}, [], [])
    request = FetchRequest.parse(built.build_version(version).serialize(), version)
    if version >= 15:
        assert request.data().replica_state.replica_epoch == 1
        assert request.replica_epoch() == 1
    assert request.replica_id() == 0
    assert request.is_from_follower()
    assert [TopicIdPartition.of(topic.topic_id, partition.partition, topic.topic)
            for topic in request.data().topics for partition in topic.partitions
            ] == expected_on_the_wire(version)
    log_start_offset = 0 if version > 4 else -1
    fetch_data = request.fetch_data(TOPIC_NAMES)
    assert fetch_data == {
        partition: FetchRequest.PartitionData(partition.topic_id(), 0, log_start_offset, 0, None)
        for partition in expected_with_names(version)}
    assert list(fetch_data) == expected_with_names(version)
    assert request.fetch_data({}) is fetch_data


@pytest.mark.parametrize("version", [version for version in VERSIONS if version >= 7])
def test_forgotten_topics(version: int) -> None:
    removed = [TopicIdPartition(TOPIC_ID, PARTITION), TopicIdPartition(OTHER_ID, OTHER)]
    built = builder(version, {}, removed, []).build_version(version)
    request = FetchRequest.parse(built.serialize(), version)
    assert [TopicIdPartition.of(topic.topic_id, partition, topic.topic)
            for topic in request.data().forgotten_topics_data for partition in topic.partitions
            ] == expected_on_the_wire(version)
    assert request.forgotten_topics(TOPIC_NAMES) == expected_with_names(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_fetch_request_simple_builder_replica_state_downgrade(version: int) -> None:
    data = FetchRequestData(replica_state=FetchRequestData.ReplicaState(replica_id=1))
    built = FetchRequest.SimpleBuilder(data).build_version(version).data()
    assert FetchRequest.replica_id_of(built) == 1
    if version < 15:
        assert (built.replica_id, built.replica_state.replica_id) == (1, -1)
    else:
        assert (built.replica_id, built.replica_state.replica_id) == (-1, 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_fetch_request_simple_builder_replica_id_not_supported(version: int) -> None:
    with pytest.raises(IllegalStateException):
        FetchRequest.SimpleBuilder(FetchRequestData(replica_id=1)).build_version(version)


def test_partition_data_equals() -> None:
    one = FetchRequest.PartitionData(Uuid.ZERO_UUID, 300, 0, 300, 300)
    assert one == FetchRequest.PartitionData(Uuid.ZERO_UUID, 300, 0, 300, 300)
    assert one != FetchRequest.PartitionData(TOPIC_ID, 300, 0, 300, 300)
    assert str(one) == ("PartitionData(topicId=AAAAAAAAAAAAAAAAAAAAAA, fetchOffset=300, logStartOffset=0, "
                        "maxBytes=300, currentLeaderEpoch=Optional[300], lastFetchedEpoch=Optional.empty)")


@pytest.mark.parametrize("version", VERSIONS)
def test_error_response(version: int) -> None:
    request = builder(version, {PARTITION: data_at(TOPIC_ID)}, [], []).build_version(version)
    exception = Errors.NOT_LEADER_OR_FOLLOWER.exception()
    assert exception is not None
    response = request.get_error_response_throttle(5, exception)
    assert response.error() is Errors.NOT_LEADER_OR_FOLLOWER
    assert response.throttle_time_ms() == 5
    assert response.session_id() == 123
    # From 13 on the error at the top says it all.
    count = 1 if version >= 13 else 2
    assert response.error_counts() == {Errors.NOT_LEADER_OR_FOLLOWER: count}


def test_partitions_share_a_topic_only_where_they_follow_each_other() -> None:
    to_fetch = {TopicPartition(topic, number): data_at(Uuid.ZERO_UUID)
                for topic, number in (("a", 0), ("a", 1), ("b", 0), ("a", 2))}
    request = FetchRequest.Builder.for_consumer(12, 500, 1, to_fetch).build_version(12)
    assert [(topic.topic, [partition.partition for partition in topic.partitions])
            for topic in request.data().topics] == [("a", [0, 1]), ("b", [0]), ("a", [2])]
    assert list(request.fetch_data({})) == [
        TopicIdPartition(Uuid.ZERO_UUID, partition) for partition in to_fetch]


def test_epochs_that_are_none() -> None:
    data = FetchRequest.PartitionData(TOPIC_ID, 1, 2, 3, 4, 5)
    request = FetchRequest.Builder.for_consumer(12, 500, 1, {PARTITION: data}).build_version(12)
    (read,) = FetchRequest.parse(request.serialize(), 12).fetch_data({}).values()
    assert (read.current_leader_epoch, read.last_fetched_epoch) == (4, 5)
    (read,) = FetchRequest.parse(FetchRequest.Builder.for_consumer(
        12, 500, 1, {PARTITION: data_at(TOPIC_ID)}).build_version(12).serialize(), 12).fetch_data({}).values()
    assert (read.current_leader_epoch, read.last_fetched_epoch) == (None, None)


def test_who_reads() -> None:
    assert FetchRequest.describe_replica_id(-1) == "consumer"
    assert FetchRequest.describe_replica_id(-2) == "debug consumer"
    assert FetchRequest.describe_replica_id(-3) == "future local replica"
    assert FetchRequest.describe_replica_id(3) == "replica [3]"
    assert FetchRequest.describe_replica_id(-4) == "invalid replica [-4]"
    assert FetchRequest.is_consumer(-1) and FetchRequest.is_consumer(-2)
    assert not FetchRequest.is_consumer(-3) and not FetchRequest.is_consumer(0)


def test_an_unknown_isolation_level() -> None:
    read_committed = FetchRequest(FetchRequestData(isolation_level=1), 4)
    assert read_committed.isolation_level() is IsolationLevel.READ_COMMITTED
    with pytest.raises(IllegalArgumentException):
        FetchRequest(FetchRequestData(isolation_level=9), 4).isolation_level()


def test_builder_text() -> None:
    text = str(FetchRequest.Builder.for_consumer(12, 500, 1, {PARTITION: data_at(Uuid.ZERO_UUID)}))
    assert text.startswith("(type=FetchRequest, replicaId=-1, maxWait=500, minBytes=1, maxBytes=2147483647, "
                           "fetchData={topic-0=PartitionData(topicId=")
    assert text.endswith("isolationLevel=READ_UNCOMMITTED, removed=, replaced=, "
                         "metadata=(sessionId=INVALID, epoch=FINAL), rackId=)")


def test_fetch_metadata() -> None:
    assert FetchMetadata.INITIAL.is_full()
    assert FetchMetadata.LEGACY.is_full()
    incremental = FetchMetadata.new_incremental(7)
    assert incremental == FetchMetadata(7, 1)
    assert not incremental.is_full()
    assert incremental.next_incremental() == FetchMetadata(7, 2)
    assert incremental.next_close_existing_attempt_new() == FetchMetadata(7, 0)
    assert FetchMetadata.next_epoch(0x7FFFFFFF) == 1
    assert FetchMetadata.next_epoch(-1) == -1
    assert hash(incremental) == hash(FetchMetadata(7, 1))
    assert str(FetchMetadata.INITIAL) == "(sessionId=INVALID, epoch=INITIAL)"
    assert str(FetchMetadata(7, -1)) == "(sessionId=7, epoch=FINAL)"
    assert str(FetchMetadata(7, 5)) == "(sessionId=7, epoch=5)"

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LeaderEpochIntegrationTest. The follower that asks is one on the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.storage.internals.epoch.leader_epoch_file_cache import UNDEFINED_EPOCH_OFFSET
from kreactor.testing import Cluster
from tests.core.log.support import segment_batches
from tests.core.server.wire import Wire

TOPIC_1, TOPIC_2 = "foo", "bar"
T1P0, T1P1 = TopicPartition(TOPIC_1, 0), TopicPartition(TOPIC_1, 1)
T2P0, T2P2 = TopicPartition(TOPIC_2, 0), TopicPartition(TOPIC_2, 2)
# The id of the follower that asks.
FOLLOWER = 1


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(2) as cluster:
        yield cluster


def log_of(cluster: Cluster, topic_partition: TopicPartition) -> UnifiedLog:
    log = cluster.broker_cluster().storage().partition_log(topic_partition)
    assert log is not None
    return log


def leader_offsets_for(
        cluster: Cluster, broker_id: int, partitions: Mapping[TopicPartition, int],
) -> dict[TopicPartition, OffsetForLeaderEpochResponseData.EpochEndOffset]:
    """Ask a broker where epochs end, as a follower's fetcher does."""
    data = OffsetForLeaderEpochRequestData(replica_id=FOLLOWER, topics=[
        OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(topic=topic, partitions=[
            OffsetForLeaderEpochRequestData.OffsetForLeaderPartition(
                partition=topic_partition.partition(), leader_epoch=epoch)
            for topic_partition, epoch in partitions.items() if topic_partition.topic() == topic])
        for topic in sorted({topic_partition.topic() for topic_partition in partitions})])
    broker = cluster[broker_id]
    wire = Wire(broker.host, broker.port)
    try:
        response = wire.ask(ApiKeys.OFFSET_FOR_LEADER_EPOCH, 4, data, "wire")
    finally:
        wire.close()
    return {TopicPartition(topic.topic, partition.partition): partition
            for topic in response.topics for partition in topic.partitions}


def end_of_epoch(cluster: Cluster, epoch: int) -> tuple[int, int]:
    """Return what the leader of foo-0 answers for an epoch: the epoch that it found, and where that ends."""
    answer = leader_offsets_for(cluster, 2, {T1P0: epoch})[T1P0]
    assert answer.error_code == Errors.NONE.code
    return answer.leader_epoch, answer.end_offset


def bounce(cluster: Cluster, broker_id: int) -> None:
    cluster.stop(broker_id)
    cluster.restart(broker_id)


def test_should_add_current_leader_epoch_to_messages_as_they_are_written_to_leader(cluster: Cluster) -> None:
    for topic in (TOPIC_1, TOPIC_2):
        cluster.create_topic(topic, assignments=[[1, 2]])

    def send_four_messages_to_each_topic() -> None:
        for topic in (TOPIC_1, TOPIC_2):
            for number in range(4):
                cluster.produce(topic, b"test%d" % number)

    def check_messages_have_leader_epoch(expected_leader_epoch: int, min_offset: int) -> None:
        for topic in (TOPIC_1, TOPIC_2):
            log = log_of(cluster, TopicPartition(topic, 0))
            assert log.log_end_offset() == min_offset + 4
            assert {batch.partition_leader_epoch() for segment in log.segments()
                    for batch in segment_batches(segment)
                    if batch.last_offset() >= min_offset} == {expected_leader_epoch}

    send_four_messages_to_each_topic()
    check_messages_have_leader_epoch(0, 0)

    bounce(cluster, 1)
    assert cluster.partition(TOPIC_1, 0).leader_epoch == 1
    assert cluster.partition(TOPIC_2, 0).leader_epoch == 1

    send_four_messages_to_each_topic()
    check_messages_have_leader_epoch(1, 4)


def test_should_send_leader_epoch_request_and_get_a_response(cluster: Cluster) -> None:
    cluster.create_topic(TOPIC_1, assignments=[[1], [2]])
    cluster.create_topic(TOPIC_2, assignments=[[1]])
    for topic_partition, count in ((T1P0, 10), (T1P1, 20), (T2P0, 30)):
        cluster.produce(topic_partition.topic(), *[b"value"] * count, partition=topic_partition.partition())
    epochs_requested = {T1P0: 0, T1P1: 0, T2P0: 0, T2P2: 0}

    offsets_for_epochs = leader_offsets_for(cluster, 1, epochs_requested)
    assert offsets_for_epochs[T1P0].end_offset == 10
    assert offsets_for_epochs[T2P0].end_offset == 30
    # The other broker leads this one.
    assert offsets_for_epochs[T1P1].error_code == Errors.NOT_LEADER_OR_FOLLOWER.code
    assert offsets_for_epochs[T1P1].end_offset == UNDEFINED_EPOCH_OFFSET

    assert leader_offsets_for(cluster, 2, epochs_requested)[T1P1].end_offset == 20


def test_should_increase_leader_epoch_between_leader_restarts(cluster: Cluster) -> None:
    cluster.create_topic(TOPIC_1, assignments=[[2]])
    log = log_of(cluster, T1P0)

    cluster.produce(TOPIC_1, b"IHeartLogs")
    assert end_of_epoch(cluster, 0) == (0, 1)
    assert log.log_end_offset() == 1

    bounce(cluster, 2)
    cluster.produce(TOPIC_1, b"IHeartLogs")
    # Epoch 0 ends where the next one begins.
    assert end_of_epoch(cluster, 0) == (0, 1)
    # Nobody led in epoch 1, in which the partition had no leader.
    assert end_of_epoch(cluster, 1) == (0, 1)
    assert end_of_epoch(cluster, 2) == (2, 2)
    assert log.log_end_offset() == 2

    bounce(cluster, 2)
    cluster.produce(TOPIC_1, b"IHeartLogs")
    assert end_of_epoch(cluster, 0)[1] == 1
    assert end_of_epoch(cluster, 2)[1] == 2
    assert end_of_epoch(cluster, 4)[1] == 3 == log.log_end_offset()

    # Epochs that the leader does not have: it answers for the one before, and not for later ones.
    assert end_of_epoch(cluster, 1)[1] == 1
    assert end_of_epoch(cluster, 3)[1] == 2
    assert end_of_epoch(cluster, 5)[1] == UNDEFINED_EPOCH_OFFSET

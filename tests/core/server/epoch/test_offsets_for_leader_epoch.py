# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's OffsetsForLeaderEpochTest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.image.cluster_image import NO_LEADER, PartitionState
from kreactor.storage.internals.epoch.leader_epoch_file_cache import UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET
from tests.core.server.node import Node

TOPIC, PARTITION = "topic", 1
EPOCH_REQUESTED = 5


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def ask(node: Node) -> OffsetForLeaderEpochResponseData.EpochEndOffset:
    """Return the answer for the one partition that the request has."""
    result, = node.replica_manager.last_offset_for_leader_epoch([
        OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(topic=TOPIC, partitions=[
            OffsetForLeaderEpochRequestData.OffsetForLeaderPartition(
                partition=PARTITION, current_leader_epoch=RecordBatch.NO_PARTITION_LEADER_EPOCH,
                leader_epoch=EPOCH_REQUESTED)])])
    assert result.topic == TOPIC
    answer, = result.partitions
    assert answer.partition == PARTITION
    return answer


def check_refused(node: Node, error: Errors) -> None:
    answer = ask(node)
    assert (Errors.for_code(answer.error_code), answer.leader_epoch, answer.end_offset) == (
        error, UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)


def test_should_get_epochs_from_replica(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_offset_for_epoch(_: UnifiedLog, leader_epoch: int) -> tuple[int, int]:
        assert leader_epoch == EPOCH_REQUESTED
        return 5, 42

    node.create_topic(TOPIC, 2)
    monkeypatch.setattr(UnifiedLog, "end_offset_for_epoch", end_offset_for_epoch)
    answer = ask(node)
    assert (answer.error_code, answer.leader_epoch, answer.end_offset) == (Errors.NONE.code, 5, 42)


def test_should_return_no_leader_for_partition_if_thrown(node: Node) -> None:
    """The partition is led by no replica of this broker."""
    node.create_topic(TOPIC, 2)
    partition = node.replica_manager.get_partition(TopicPartition(TOPIC, PARTITION))
    assert partition is not None
    partition.make_follower(PartitionState((2, 1), (2, 1), NO_LEADER, 1), partition.log())
    check_refused(node, Errors.NOT_LEADER_OR_FOLLOWER)


def test_should_return_unknown_topic_or_partition_if_thrown(node: Node) -> None:
    check_refused(node, Errors.UNKNOWN_TOPIC_OR_PARTITION)

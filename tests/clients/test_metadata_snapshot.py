# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MetadataSnapshotTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Snapshots of metadata: how they are made and merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from kreactor.clients.metadata_snapshot import MetadataSnapshot
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException

NODES = {id_: Node(id_, "localhost", 2071 + id_) for id_ in (6, 7, 8)}


def metadata(partition: TopicPartition, epoch: int | None = 10) -> MetadataResponse.PartitionMetadata:
    return MetadataResponse.PartitionMetadata(Errors.NONE, partition, 5, epoch, [5, 6, 7], [5, 6, 7], [])


def snapshot(partitions: Iterable[MetadataResponse.PartitionMetadata] = (),
             topic_ids: Mapping[str, Uuid] = {}, nodes: Mapping[int, Node] = NODES) -> MetadataSnapshot:
    return MetadataSnapshot("clusterId", nodes, partitions, set(), set(), set(), None, topic_ids)


def test_missing_leader_endpoint() -> None:
    topic_partition = TopicPartition("topic", 0)
    cluster = snapshot([metadata(topic_partition)]).cluster()
    assert cluster.leader_for(topic_partition) is None

    partition_info = cluster.partition(topic_partition)
    assert partition_info is not None
    replicas = {node.id(): node for node in partition_info.replicas()}
    assert partition_info.leader() is None
    assert len(replicas) == 3
    assert replicas[5].is_empty()
    assert (replicas[6], replicas[7]) == (NODES[6], NODES[7])


def test_merge_with_that_pre_existing_partition_is_retained_post_merge() -> None:
    topic1_id, topic2_id = Uuid.random_uuid(), Uuid.random_uuid()
    cache = snapshot([metadata(TopicPartition("topic1", 1))], {"topic1": topic1_id})
    cluster = cache.cluster()
    assert set(cluster.topics()) == {"topic1"}
    assert cluster.topic_id("topic1") == topic1_id
    assert cluster.topic_name(topic1_id) == "topic1"

    cache = cache.merge_with(
        "clusterId", NODES, [metadata(TopicPartition("topic2", 2))], set(), set(), set(), None,
        {"topic2": topic2_id}, lambda topic, retain: True)
    cluster = cache.cluster()
    assert set(cluster.topics()) == {"topic1", "topic2"}
    assert (cluster.topic_id("topic1"), cluster.topic_id("topic2")) == (topic1_id, topic2_id)
    assert (cluster.topic_name(topic1_id), cluster.topic_name(topic2_id)) == ("topic1", "topic2")


def test_topic_names_cache_built_from_topic_ids() -> None:
    topic_ids = {"topic1": Uuid.random_uuid(), "topic2": Uuid.random_uuid()}
    cache = snapshot(topic_ids=topic_ids)
    assert cache.topic_names() == {id_: topic for topic, id_ in topic_ids.items()}


def test_empty_topic_names_cache_built_from_topic_ids() -> None:
    assert snapshot().topic_names() == {}


def test_leader_epoch_for() -> None:
    nodes = {id_: Node(id_, "localhost", 2072 + id_) for id_ in (5, 6, 7)}
    cache = snapshot([metadata(TopicPartition("topic", 0)), metadata(TopicPartition("topic", 1), None)],
                     nodes=nodes)
    assert cache.leader_epoch_for(TopicPartition("topic", 0)) == 10
    assert cache.leader_epoch_for(TopicPartition("topic", 1)) is None
    assert cache.leader_epoch_for(TopicPartition("topic_missing", 0)) is None


def test_two_topics_of_one_id() -> None:
    topic_id = Uuid.random_uuid()
    with pytest.raises(IllegalStateException, match="Duplicate key .* values topic1 and topic2"):
        snapshot(topic_ids={"topic1": topic_id, "topic2": topic_id})


def test_merge_fills_up_with_what_is_retained() -> None:
    old = MetadataSnapshot(
        "old", NODES, [metadata(TopicPartition("keep", 0)), metadata(TopicPartition("go", 0))],
        {"keep-u", "go-u"}, {"keep-i", "go-i"}, {"keep-n", "go-n"}, None, {"keep": Uuid.random_uuid()})
    asked = []

    def retain(topic: str, is_internal: bool) -> bool:
        asked.append((topic, is_internal))
        return topic.startswith("keep")

    newer = metadata(TopicPartition("keep", 0), 11)
    new = old.merge_with("new", {6: NODES[6]}, [newer], {"u"}, {"i"}, {"n"}, NODES[6], {}, retain)
    cluster = new.cluster()
    assert cluster.cluster_resource().cluster_id() == "new"
    assert cluster.nodes() == (NODES[6],)
    assert set(cluster.topics()) == {"keep"}
    assert new.partition_metadata(TopicPartition("keep", 0)) is newer
    # The newer metadata have the topic, and no id.
    assert new.topic_ids() == {}
    assert cluster.unauthorized_topics() == {"keep-u", "u"}
    assert cluster.invalid_topics() == {"keep-i", "i"}
    assert cluster.internal_topics() == {"keep-n", "n"}
    assert ("go-n", True) in asked and ("go", False) in asked


def test_text() -> None:
    assert str(MetadataSnapshot.empty()) == (
        "MetadataSnapshot{clusterId='null', nodes={}, partitions=[], controller=null}")

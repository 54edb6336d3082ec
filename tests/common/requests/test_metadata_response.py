# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's MetadataResponseTest, and the rest of what a response makes a Cluster of."""

from __future__ import annotations

from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid

Topic = MetadataResponseData.MetadataResponseTopic
Partition = MetadataResponseData.MetadataResponsePartition
LATEST = ApiKeys.METADATA.latest_version()


def test_build_cluster_test() -> None:
    zero_uuid, random_uuid = Uuid(0, 0), Uuid.random_uuid()
    response = MetadataResponse(MetadataResponseData(topics=[
        Topic(name="topic1"), Topic(name="topic2", topic_id=zero_uuid),
        Topic(name="topic3", topic_id=random_uuid)]), LATEST)
    cluster = response.build_cluster()
    assert cluster.topic_name(Uuid.ZERO_UUID) is None
    assert cluster.topic_name(zero_uuid) is None
    assert cluster.topic_name(random_uuid) == "topic3"


def test_nodes_and_topics_of_the_cluster() -> None:
    nodes = [Node(1, "host1", 9091), Node(2, "host2", 9092, "rack")]
    response = MetadataResponse.prepare_response(LATEST, 0, nodes, "id", 2, [
        Topic(name="topic", partitions=[
            Partition(partition_index=0, leader_id=1, replica_nodes=[1, 2, 3], isr_nodes=[1],
                      offline_replicas=[3]),
            Partition(partition_index=1, leader_id=3, replica_nodes=[3]),
            Partition(partition_index=2, leader_id=-1, error_code=Errors.LEADER_NOT_AVAILABLE.code)]),
        Topic(name="__consumer_offsets", is_internal=True),
        Topic(name="a b", error_code=Errors.INVALID_TOPIC_EXCEPTION.code),
        Topic(name="secret", error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code)], 0)
    cluster = response.build_cluster()
    assert cluster.cluster_resource().cluster_id() == "id"
    assert set(cluster.nodes()) == set(nodes)
    assert cluster.controller() == nodes[1]
    assert (cluster.internal_topics(), cluster.invalid_topics(), cluster.unauthorized_topics()) == (
        {"__consumer_offsets"}, {"a b"}, {"secret"})
    assert set(cluster.topics()) == {"topic"}
    first, second, third = cluster.partitions_for_topic("topic")
    assert first.leader() == nodes[0]
    assert first.replicas() == (*nodes, Node(3, "", -1))
    assert first.in_sync_replicas() == (nodes[0],)
    assert first.offline_replicas() == (Node(3, "", -1),)
    assert second.leader() is None and third.leader() is None
    assert cluster.partitions_for_node(1) == (first,)
    assert cluster.leader_for(TopicPartition("topic", 0)) == nodes[0]

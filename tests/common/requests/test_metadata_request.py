# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's MetadataRequestTest, and the response."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException

Topic = MetadataRequestData.MetadataRequestTopic


def test_empty_means_all_topics_v0() -> None:
    request = MetadataRequest(MetadataRequestData(), 0)
    assert request.is_all_topics()
    assert request.topics() is None


def test_empty_means_empty_for_versions_above_v0() -> None:
    for version in range(1, MetadataRequestData.HIGHEST_SUPPORTED_VERSION + 1):
        request = MetadataRequest(MetadataRequestData(allow_auto_topic_creation=True), version)
        assert not request.is_all_topics()
        assert request.topics() == []


def test_metadata_request_version() -> None:
    for_topics = MetadataRequest.Builder.for_topics
    builder = for_topics(["topic"], False)
    assert builder.oldest_allowed_version() == ApiKeys.METADATA.oldest_version()
    assert builder.latest_allowed_version() == ApiKeys.METADATA.latest_version()
    builder = for_topics(["topic"], False, 5)
    assert (builder.oldest_allowed_version(), builder.latest_allowed_version()) == (5, 5)
    builder = for_topics(["topic"], False, 1, 6)
    assert (builder.oldest_allowed_version(), builder.latest_allowed_version()) == (1, 6)
    assert builder.topics() == ["topic"]


@pytest.mark.parametrize("version", [10, 11])
def test_topic_id_and_null_topic_name_requests(version: int) -> None:
    for topic in (Topic(name=None, topic_id=Uuid.random_uuid()), Topic(name=None),
                  Topic(topic_id=Uuid.random_uuid()), Topic(name="topic", topic_id=Uuid.random_uuid())):
        with pytest.raises(UnsupportedVersionException):
            MetadataRequest.Builder(MetadataRequestData(topics=[topic])).build_version(version)


@pytest.mark.parametrize("version", [10, 11])
def test_topic_id_with_zero_uuid(version: int) -> None:
    for topic in (Topic(name="topic", topic_id=Uuid.ZERO_UUID), Topic(name="topic", topic_id=Uuid(0, 0)),
                  Topic(name="topic")):
        request = MetadataRequest.Builder(MetadataRequestData(topics=[topic])).build_version(version)
        assert request.topics() == ["topic"]


def test_versions_that_cannot_say_it() -> None:
    with pytest.raises(UnsupportedVersionException, match="older than 1 are not supported"):
        MetadataRequest.Builder.all_topics().build_version(0)
    with pytest.raises(UnsupportedVersionException, match="allowAutoTopicCreation"):
        MetadataRequest.Builder.for_topics(["t"], False).build_version(3)


def test_all_topics_and_topics_by_id() -> None:
    builder = MetadataRequest.Builder.all_topics()
    assert builder.is_all_topics()
    request = MetadataRequest.parse(builder.build_version(12).serialize(), 12)
    assert request.is_all_topics()
    assert request.topic_ids() == []
    assert request.allow_auto_topic_creation()
    uuid = Uuid.random_uuid()
    request = MetadataRequest(MetadataRequestData(
        topics=[Topic(name=None, topic_id=uuid)], allow_auto_topic_creation=False), 12)
    assert request.topic_ids() == [uuid]
    assert request.topics() == [None]
    assert not request.allow_auto_topic_creation()
    assert MetadataRequest.Builder.for_topics(None, True).is_all_topics()
    assert MetadataRequest.Builder.for_topics([], True).build().topics() == []


def test_error_response() -> None:
    uuid = Uuid.random_uuid()
    request = MetadataRequest(MetadataRequestData(topics=[Topic(name=None, topic_id=uuid)]), 12)
    exception = Errors.UNKNOWN_TOPIC_ID.exception()
    assert exception is not None
    response = request.get_error_response_throttle(3, exception)
    assert response.throttle_time_ms() == 3
    (topic,) = response.data().topics
    assert (topic.name, topic.topic_id, topic.error_code) == ("", uuid, Errors.UNKNOWN_TOPIC_ID.code)
    for version in (10, 12):
        response.serialize(version)


def test_response() -> None:
    partition = MetadataResponseData.MetadataResponsePartition(
        partition_index=1, leader_id=5, leader_epoch=9, replica_nodes=[5, 6], isr_nodes=[5],
        offline_replicas=[6])
    leaderless = MetadataResponseData.MetadataResponsePartition(
        error_code=Errors.LEADER_NOT_AVAILABLE.code, leader_id=-1, leader_epoch=-1)
    prepared = MetadataResponse.prepare_response(
        9, 7, [Node(5, "host5", 9095, "rack"), Node(6, "host6", 9096)], "cluster", 5,
        [MetadataResponseData.MetadataResponseTopic(name="topic", partitions=[partition, leaderless]),
         MetadataResponseData.MetadataResponseTopic(name="gone", error_code=3)],
        MetadataResponse.AUTHORIZED_OPERATIONS_OMITTED)
    for version in ApiKeys.METADATA.all_versions():
        response = MetadataResponse.parse(prepared.serialize(version), version)
        assert list(response.brokers()) == [
            Node(5, "host5", 9095, "rack" if version >= 1 else None), Node(6, "host6", 9096)]
        assert response.has_reliable_leader_epochs() == (version >= 9)
        assert response.errors() == {"gone": Errors.UNKNOWN_TOPIC_OR_PARTITION}
        assert response.topics_by_error(Errors.UNKNOWN_TOPIC_OR_PARTITION) == {"gone"}
        assert response.error_counts() == {
            Errors.NONE: 2, Errors.LEADER_NOT_AVAILABLE: 1, Errors.UNKNOWN_TOPIC_OR_PARTITION: 1}
        assert response.should_client_throttle(version) == (version >= 6)
        topic, _ = response.topic_metadata()
        first, second = topic.partition_metadata()
        assert first.topic_partition == TopicPartition("topic", 1)
        assert (first.leader_id, first.leader_epoch) == (5, 9 if version >= 7 else None)
        assert first.without_leader_epoch().leader_epoch is None
        assert (first.replica_ids, first.in_sync_replica_ids) == ([5, 6], [5])
        assert second.leader_id is None
        if version >= 1:
            assert response.controller() == Node(5, "host5", 9095, "rack")
        else:
            assert response.controller() is None
    assert prepared.cluster_id() == "cluster"
    prepared.data().cluster_authorized_operations = 17
    prepared.data().topics[0].topic_authorized_operations = 12
    assert prepared.cluster_authorized_operations() == 17
    assert prepared.topic_authorized_operations("topic") == 12
    assert prepared.topic_authorized_operations("other") is None
    assert prepared.brokers_by_id()[6].host() == "host6"
    assert str(first) == ("PartitionMetadata(error=NONE, partition=topic-1, leader=Optional[5], "
                          "leaderEpoch=Optional[9], replicas=5,6, isr=5, offlineReplicas=6)")


def test_errors_by_what_a_topic_has() -> None:
    nameless = MetadataResponse(MetadataResponseData(topics=[
        MetadataResponseData.MetadataResponseTopic(name=None)]), 12)
    with pytest.raises(IllegalStateException):
        nameless.errors()

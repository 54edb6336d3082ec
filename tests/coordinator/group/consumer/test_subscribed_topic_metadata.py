# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.SubscribedTopicMetadataTest of Apache
# Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The topics of a group as an assignor sees them."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from tests.coordinator.group.assignment_test_util import mk_map_of_partition_racks

topic_metadata_map: dict[Uuid, TopicMetadata] = {}
subscribed_topic_metadata = SubscribedTopicDescriberImpl(topic_metadata_map)


@pytest.fixture(autouse=True)
def set_up() -> None:
    topic_metadata_map.clear()
    for i in range(5):
        topic_id = Uuid.random_uuid()
        topic_metadata_map[topic_id] = TopicMetadata(topic_id, f"topic{i}", 5, mk_map_of_partition_racks(5))


def test_attribute() -> None:
    assert subscribed_topic_metadata.topic_metadata() == topic_metadata_map


def test_number_of_partitions() -> None:
    topic_id = Uuid.random_uuid()
    assert subscribed_topic_metadata.num_partitions(topic_id) == -1
    topic_metadata_map[topic_id] = TopicMetadata(topic_id, "topic6", 3, {})
    assert subscribed_topic_metadata.num_partitions(topic_id) == 3


def test_racks_for_partition() -> None:
    topic_id = Uuid.random_uuid()
    assert subscribed_topic_metadata.racks_for_partition(topic_id, 0) == set()
    partition_racks = mk_map_of_partition_racks(3)
    topic_metadata_map[topic_id] = TopicMetadata(topic_id, "topic6", 3, partition_racks)
    assert subscribed_topic_metadata.racks_for_partition(topic_id, 4) == set()
    assert subscribed_topic_metadata.racks_for_partition(topic_id, 2) == partition_racks[2]
    topic_id = Uuid.random_uuid()
    topic_metadata_map[topic_id] = TopicMetadata(topic_id, "topic6", 3, {})
    assert subscribed_topic_metadata.racks_for_partition(topic_id, 1) == set()


def test_equals() -> None:
    assert subscribed_topic_metadata == SubscribedTopicDescriberImpl(topic_metadata_map)
    topic_metadata_map2: dict[Uuid, TopicMetadata] = {}
    topic_id = Uuid.random_uuid()
    topic_metadata_map2[topic_id] = TopicMetadata(topic_id, "newTopic", 5, {})
    assert subscribed_topic_metadata != SubscribedTopicDescriberImpl(topic_metadata_map2)

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TopicMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A subscribed topic."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.coordinator.group.assignment_test_util import mk_list_of_partition_racks, mk_map_of_partition_racks


def test_attributes() -> None:
    topic_id = Uuid.random_uuid()
    partition_racks = mk_map_of_partition_racks(15)
    topic_metadata = TopicMetadata(topic_id, "foo", 15, partition_racks)
    assert topic_metadata.id() == topic_id
    assert topic_metadata.name() == "foo"
    assert topic_metadata.num_partitions() == 15
    assert topic_metadata.partition_racks() == partition_racks


def test_equals() -> None:
    topic_id = Uuid.random_uuid()
    partition_racks = mk_map_of_partition_racks(15)
    topic_metadata = TopicMetadata(topic_id, "foo", 15, partition_racks)
    assert topic_metadata == TopicMetadata(topic_id, "foo", 15, partition_racks)
    assert topic_metadata != TopicMetadata(topic_id, "foo", 5, mk_map_of_partition_racks(5))


def test_from_record() -> None:
    topic_id = Uuid.random_uuid()
    topic_name = "foo"
    record = ConsumerGroupPartitionMetadataValue.TopicMetadata(
        topic_id=topic_id, topic_name=topic_name, num_partitions=15,
        partition_metadata=mk_list_of_partition_racks(15))
    assert TopicMetadata.from_record(record) == TopicMetadata(
        topic_id, topic_name, 15, mk_map_of_partition_racks(15))


@pytest.mark.parametrize(("topic_id", "name", "partitions", "message"), [
    (Uuid.ZERO_UUID, "foo", 1, "Topic id cannot be ZERO_UUID."),
    (Uuid.ONE_UUID, "", 1, "Topic name cannot be empty."),
    (Uuid.ONE_UUID, "foo", -1, "Number of partitions cannot be negative.")])
def test_an_invalid_topic_is_refused(topic_id: Uuid, name: str, partitions: int, message: str) -> None:
    with pytest.raises(IllegalArgumentException, match=message):
        TopicMetadata(topic_id, name, partitions, {})

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TopicIdsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Names of topics as a set of ids."""

from __future__ import annotations

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.topic_ids import TopicIds
from kreactor.coordinator.group.metadata_image import TopicsImage
from tests.coordinator.group.assignment_test_util import MetadataImageBuilder


def image(**topics: Uuid) -> TopicsImage:
    """Return an image of topics by their names, of three partitions each."""
    builder = MetadataImageBuilder()
    for name, topic_id in topics.items():
        builder.add_topic(topic_id, name, 3)
    return builder.build().topics


def test_size() -> None:
    topic_names = {"foo", "bar", "baz"}
    topic_ids = TopicIds(topic_names, TopicsImage.EMPTY)
    assert len(topic_ids) == len(topic_names)


def test_is_empty() -> None:
    topic_names: set[str] = set()
    topic_ids = TopicIds(topic_names, TopicsImage.EMPTY)
    assert len(topic_ids) == len(topic_names)


def test_contains() -> None:
    foo_uuid, bar_uuid, baz_uuid, qux_uuid = (Uuid.random_uuid() for _ in range(4))
    topics_image = image(foo=foo_uuid, bar=bar_uuid, qux=baz_uuid)
    topic_ids = TopicIds({"foo", "bar", "baz"}, topics_image)
    assert foo_uuid in topic_ids
    assert bar_uuid in topic_ids
    assert baz_uuid not in topic_ids
    assert qux_uuid not in topic_ids


def test_contains_all() -> None:
    foo_uuid, bar_uuid, baz_uuid, qux_uuid = (Uuid.random_uuid() for _ in range(4))
    topics_image = image(foo=foo_uuid, bar=bar_uuid, baz=baz_uuid, qux=qux_uuid)
    topic_ids = TopicIds({"foo", "bar", "baz", "qux"}, topics_image)
    assert foo_uuid in topic_ids
    assert bar_uuid in topic_ids
    assert baz_uuid in topic_ids
    assert qux_uuid in topic_ids
    assert topic_ids >= {foo_uuid, bar_uuid, baz_uuid, qux_uuid}


def test_contains_all_one_topic_conversion_fails() -> None:
    foo_uuid, bar_uuid, baz_uuid, qux_uuid = (Uuid.random_uuid() for _ in range(4))
    topics_image = image(foo=foo_uuid, bar=bar_uuid, baz=baz_uuid)
    topic_ids = TopicIds({"foo", "bar", "baz", "qux"}, topics_image)
    assert foo_uuid in topic_ids
    assert bar_uuid in topic_ids
    assert baz_uuid in topic_ids
    assert topic_ids >= {foo_uuid, bar_uuid, baz_uuid}
    assert not topic_ids >= {foo_uuid, bar_uuid, baz_uuid, qux_uuid}


def test_iterator() -> None:
    foo_uuid, bar_uuid, baz_uuid, qux_uuid = (Uuid.random_uuid() for _ in range(4))
    topics_image = image(foo=foo_uuid, bar=bar_uuid, baz=baz_uuid, qux=qux_uuid)
    topic_ids = TopicIds({"foo", "bar", "baz", "qux"}, topics_image)
    expected_ids = {foo_uuid, bar_uuid, baz_uuid, qux_uuid}
    actual_ids = set(topic_ids)
    assert actual_ids == expected_ids


def test_iterator_one_topic_conversion_fails() -> None:
    foo_uuid, bar_uuid, baz_uuid, qux = (Uuid.random_uuid() for _ in range(4))
    topics_image = image(foo=foo_uuid, bar=bar_uuid, baz=baz_uuid, qux=qux)
    topic_ids = TopicIds({"foo", "bar", "baz", "quux"}, topics_image)
    expected_ids = {foo_uuid, bar_uuid, baz_uuid}
    actual_ids = set(topic_ids)
    assert actual_ids == expected_ids


def test_equals() -> None:
    topic_id = Uuid.random_uuid()
    topics_image1, topics_image2 = image(topicId=topic_id), image(topicId=topic_id)
    assert TopicIds({"topic"}, topics_image2) == TopicIds({"topic"}, topics_image1)

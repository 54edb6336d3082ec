# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.MetadataRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Metadata of the cluster and of topics, in the versions that differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.internals.topic import Topic
from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import create_topic
from tests.core.server.brokers import new_broker
from tests.core.server.topic_requests import (
    errors_of,
    metadata,
    metadata_request,
    topic_of,
    wait_for_topic,
)
from tests.core.server.wire import body_bytes

PROPS = {"broker.rack": "rack/1", "num.partitions": "3"}


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, PROPS) as broker:
        yield broker


def test_cluster_id_with_request_version1(broker: BrokerServer) -> None:
    assert metadata(broker, None, 1).cluster_id is None


def test_cluster_id_is_valid(broker: BrokerServer) -> None:
    cluster_id = metadata(broker, None, 2).cluster_id
    assert cluster_id is not None
    # 16 bytes in base 64 for URLs, without what fills it up.
    assert len(cluster_id) == 22
    assert str(Uuid.from_string(cluster_id)) == cluster_id


def test_rack(broker: BrokerServer) -> None:
    assert [(each.node_id, each.rack) for each in metadata(broker, None, 1).brokers] == [(1, "rack/1")]


def test_is_internal(broker: BrokerServer) -> None:
    internal, other = Topic.GROUP_METADATA_TOPIC_NAME, "notInternal"
    create_topic(broker, internal, 3)
    create_topic(broker, other, 3)
    answer = metadata(broker, None, 1)
    assert errors_of(answer) == {}
    assert topic_of(answer, internal).is_internal
    assert not topic_of(answer, other).is_internal
    assert [topic.name for topic in answer.topics if topic.is_internal] == [internal]


def test_no_topics_request(broker: BrokerServer) -> None:
    create_topic(broker, "t1", 3)
    create_topic(broker, "t2", 3)
    answer = metadata(broker, [], 1)
    assert errors_of(answer) == {}
    assert answer.topics == []


def test_auto_topic_creation(broker: BrokerServer) -> None:
    create_topic(broker, "t1")
    answer = metadata(broker, ["t1", "t2"])
    assert errors_of(answer) == {"t2": Errors.UNKNOWN_TOPIC_OR_PARTITION}
    assert len(wait_for_topic(broker, "t2").partitions) == 3
    # Versions before 4 always allow it.
    assert errors_of(metadata(broker, ["t3"], 1)) == {"t3": Errors.UNKNOWN_TOPIC_OR_PARTITION}
    assert len(wait_for_topic(broker, "t3").partitions) == 3
    with pytest.raises(UnsupportedVersionException):
        body_bytes(metadata_request(["t4"], False), 3)
    for _ in range(2):
        assert errors_of(metadata(broker, ["t4", "t5"], 4, False)) == dict.fromkeys(
            ("t4", "t5"), Errors.UNKNOWN_TOPIC_OR_PARTITION)


def test_auto_create_topic_with_invalid_replication_factor(tmp_path: Path) -> None:
    with new_broker(tmp_path, {**PROPS, "default.replication.factor": "2"}) as broker:
        answer = metadata(broker, ["testAutoCreateTopic"])
        topic, = answer.topics
        assert topic.error_code == Errors.UNKNOWN_TOPIC_OR_PARTITION.code
        assert topic.name == "testAutoCreateTopic"
        assert topic.partitions == []


def test_all_topics_request(broker: BrokerServer) -> None:
    create_topic(broker, "t1", 3)
    create_topic(broker, "t2", 3)
    # Of version 0 an empty list means all, from 1 on none does.
    for topics, version in (([], 0), (None, 1)):
        answer = metadata(broker, topics, version)
        assert errors_of(answer) == {}
        assert len(answer.topics) == 2


def test_topic_ids_in_response(broker: BrokerServer) -> None:
    for name in ("topic1", "topic2"):
        create_topic(broker, name, 2)
    for version in (9, 10):
        answer = metadata(broker, ["topic1", "topic2"], version)
        assert len(answer.topics) == 2
        assert errors_of(answer) == {}
        assert all((topic.topic_id == Uuid.ZERO_UUID) == (version == 9) for topic in answer.topics)


def test_preferred_replica(broker: BrokerServer) -> None:
    """There is one replica, the preferred one."""
    create_topic(broker, "t1", 2)
    answer = metadata(broker, ["t1"])
    topic, = answer.topics
    assert (topic.error_code, topic.name) == (0, "t1")
    assert {partition.partition_index for partition in topic.partitions} == {0, 1}
    for partition in topic.partitions:
        assert partition.replica_nodes == partition.isr_nodes == [1]
        assert partition.leader_id == 1


def test_isr_after_broker_shut_down_and_joins_back(tmp_path: Path) -> None:
    """The one broker there is."""
    with new_broker(tmp_path, PROPS) as broker:
        create_topic(broker, "isr-after-broker-shutdown")
    with new_broker(tmp_path, PROPS) as broker:
        partition, = wait_for_topic(broker, "isr-after-broker-shutdown").partitions
        assert partition.isr_nodes == [1]

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.CreateTopicsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Topics are created, or refused. Kafka's test has three brokers; here a partition has one replica."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.internals.topic import Topic
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import create_topic
from tests.core.server.brokers import new_broker
from tests.core.server.topic_requests import (
    create_topics,
    topic_request,
    validate_errors,
    validate_valid,
    wait_for_topic,
)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def test_valid_create_topics_requests(broker: BrokerServer) -> None:
    insync = {"min.insync.replicas": "1"}
    three = {0: [1], 1: [1], 2: [1]}
    validate_valid(broker, topic_request("topic1"))
    validate_valid(broker, topic_request("topic2", replication_factor=1))
    validate_valid(broker, topic_request("topic3", 5, 1, insync))
    validate_valid(broker, topic_request("topic4", assignment={0: [1]}))
    validate_valid(broker, topic_request("topic5", assignment=three, config=insync))
    for validate_only, numbers in ((False, (6, 7, 8)), (True, (9, 10, 11))):
        first, second, third = (f"topic{number}" for number in numbers)
        validate_valid(broker, topic_request(first), topic_request(second, 5, 1),
                       topic_request(third, assignment=three), validate_only=validate_only)
    # Defaults.
    validate_valid(broker, topic_request("topic12", -1, -1))
    validate_valid(broker, topic_request("topic13", -1, 1))
    validate_valid(broker, topic_request("topic14", 2, -1))


def test_error_create_topics_requests(broker: BrokerServer) -> None:
    existing = "existing-topic"
    create_topic(broker, existing)
    message = "Topic 'existing-topic' already exists."
    validate_errors(broker, {existing: (Errors.TOPIC_ALREADY_EXISTS, message)}, topic_request(existing))
    gap = {0: [1], 2: [1]}
    for name, error, topic in (
            ("partitions", Errors.INVALID_PARTITIONS, topic_request("error-partitions", -2)),
            ("replication", Errors.INVALID_REPLICATION_FACTOR,
             topic_request("error-replication", replication_factor=2)),
            ("config", Errors.INVALID_CONFIG,
             topic_request("error-config", config={"not.a.property": "error"})),
            ("config-value", Errors.INVALID_CONFIG,
             topic_request("error-config-value", config={"message.format.version": "invalid-value"})),
            ("assignment", Errors.INVALID_REPLICA_ASSIGNMENT,
             topic_request("error-assignment", assignment={0: [1, 2], 1: [1]}))):
        validate_errors(broker, {f"error-{name}": error}, topic)
    validate_errors(
        broker, {existing: Errors.TOPIC_ALREADY_EXISTS, "partial-partitions": Errors.INVALID_PARTITIONS,
                 "partial-replication": Errors.INVALID_REPLICATION_FACTOR,
                 "partial-assignment": Errors.INVALID_REPLICA_ASSIGNMENT, "partial-none": Errors.NONE},
        topic_request(existing), topic_request("partial-partitions", -2),
        topic_request("partial-replication", replication_factor=2),
        topic_request("partial-assignment", assignment=gap), topic_request("partial-none"))
    wait_for_topic(broker, "partial-none")


def test_invalid_create_topics_requests(broker: BrokerServer) -> None:
    """Partitions and replicas by number, and an assignment besides."""
    for validate_only in (False, True):
        validate_errors(broker, {"bad-args-topic": Errors.INVALID_REQUEST},
                        topic_request("bad-args-topic", 10, 3, assignment={0: [1]}),
                        validate_only=validate_only)


def test_create_topics_request_versions(broker: BrokerServer) -> None:
    """Kafka's own is for ZooKeeper alone; its KRaft brokers return settings, too."""
    for version in range(ApiKeys.CREATE_TOPICS.oldest_version(), ApiKeys.CREATE_TOPICS.latest_version() + 1):
        name = f"topic_{version}"
        result, = create_topics(broker, topic_request(name, 1, 1, {"min.insync.replicas": "1"}),
                                version=version).topics
        assert result.name == name
        assert result.error_code == Errors.NONE.code
        if version >= 5:
            assert (result.num_partitions, result.replication_factor) == (1, 1)
            assert result.configs is not None
            value, = (config.value for config in result.configs if config.name == "min.insync.replicas")
            assert value == "1"
        else:
            assert (result.num_partitions, result.replication_factor) == (-1, -1)
            assert result.configs == []
        assert (result.topic_id == Uuid.ZERO_UUID) == (version < 7)


def test_create_cluster_metadata_topic(broker: BrokerServer) -> None:
    name = Topic.CLUSTER_METADATA_TOPIC_NAME
    validate_errors(broker, {name: (Errors.TOPIC_AUTHORIZATION_FAILED, "Authorization failed.")},
                    topic_request(name))

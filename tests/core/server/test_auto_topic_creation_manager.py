# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AutoTopicCreationManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Topics that are created because somebody asked about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.internals.topic import Topic
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.core.server.controller_mutation_quota import UnboundedControllerMutationQuota
from tests.core.server.node import Node
from tests.stepping import Background, stopped_at


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path, {"num.partitions": "2", "request.timeout.ms": "100"}) as node:
        yield node


def create(node: Node, *names: str,
           context: RequestContext | None = None) -> list[tuple[str | None, Errors, bool]]:
    """Ask for topics; return what is said of each."""
    found = node.auto_topic_creation_manager.create_topics(names, UnboundedControllerMutationQuota, context)
    assert all(topic.partitions == [] for topic in found)
    return [(topic.name, Errors.for_code(topic.error_code), topic.is_internal) for topic in found]


class Asked:
    """Takes the place of ``ControllerApis.create_topics``: notes the request, and passes it on."""

    def __init__(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[CreateTopicsRequestData] = []
        self.contexts: list[ControllerRequestContext] = []
        self._create_topics = node.controller_apis.create_topics
        monkeypatch.setattr(node.controller_apis, "create_topics", self)

    def __call__(self, context: ControllerRequestContext, request: CreateTopicsRequestData,
                 *args: Any) -> CreateTopicsResponseData:
        self.contexts.append(context)
        self.requests.append(request)
        return self._create_topics(context, request, *args)


def test_create_non_internal_topic(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(node, monkeypatch)
    assert create(node, "topic") == [("topic", Errors.UNKNOWN_TOPIC_OR_PARTITION, False)]
    request, = asked.requests
    assert request.timeout_ms == 100
    topic, = request.topics
    assert (topic.name, topic.num_partitions, topic.replication_factor, topic.configs, topic.assignments) == (
        "topic", 2, 1, [], [])
    assert node.metadata_cache.num_partitions("topic") == 2


def test_many_at_once(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """One request for all that can be created; what cannot is said first."""
    asked = Asked(node, monkeypatch)
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert create(node, "a", "b c", Topic.TRANSACTION_STATE_TOPIC_NAME, "d") == [
        ("b c", Errors.INVALID_TOPIC_EXCEPTION, False), ("a", unknown, False),
        (Topic.TRANSACTION_STATE_TOPIC_NAME, unknown, True), ("d", unknown, False)]
    request, = asked.requests
    assert [topic.name for topic in request.topics] == ["a", Topic.TRANSACTION_STATE_TOPIC_NAME, "d"]
    assert create(node, "..") == [("..", Errors.INVALID_TOPIC_EXCEPTION, False)]
    assert len(asked.requests) == 1, "there was nothing to create"


def test_a_topic_that_is_being_created(node: Node) -> None:
    """A second client is answered as the first, without a second request."""
    with stopped_at(node.controller_apis, "create_topics") as stop:
        first = Background(lambda: create(node, "topic"))
        stop.wait()
        assert create(node, "topic") == [("topic", Errors.UNKNOWN_TOPIC_OR_PARTITION, False)]
        assert node.metadata_cache.num_partitions("topic") is None
        stop.go()
        assert first.result() == [("topic", Errors.UNKNOWN_TOPIC_OR_PARTITION, False)]
    assert node.metadata_cache.num_partitions("topic") == 2


def test_topic_creation_with_metadata_context_pass_principal(node: Node,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(node, monkeypatch)
    context = node.request(ApiKeys.METADATA, 9, MetadataRequestData(topics=None)).context
    create(node, "topic", context=context)
    create(node, "other")
    assert [asked_context.principal() for asked_context in asked.contexts] == [
        KafkaPrincipal(KafkaPrincipal.USER_TYPE, "Alice"), KafkaPrincipal.ANONYMOUS]
    # There is no hurry: who asked is answered whatever comes of it.
    assert [asked_context.deadline_ns() for asked_context in asked.contexts] == [None, None]


def test_invalid_replication_factor_for_non_internal_topics(tmp_path: Path) -> None:
    with Node(tmp_path, {"default.replication.factor": "3"}) as node:
        for _ in range(2):
            assert create(node, "topic") == [("topic", Errors.UNKNOWN_TOPIC_OR_PARTITION, False)]
        assert node.metadata_cache.num_partitions("topic") is None


def test_unknown_topic_partition_for_consumer_offset_topic(node: Node) -> None:
    name = Topic.GROUP_METADATA_TOPIC_NAME
    assert create(node, name) == [(name, Errors.UNKNOWN_TOPIC_OR_PARTITION, True)]
    assert node.metadata_cache.num_partitions(name) == 5


def test_create_offset_topic(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(node, monkeypatch)
    create(node, Topic.GROUP_METADATA_TOPIC_NAME)
    topic, = asked.requests[0].topics
    assert (topic.num_partitions, topic.replication_factor) == (5, 1)
    assert {config.name: config.value for config in topic.configs}["segment.bytes"] == str(100 * 1024 * 1024)


def test_invalid_replication_factor_for_consumer_offset_topic(tmp_path: Path) -> None:
    """A replication factor of the settings holds, as in Kafka; only Kafka's default of three does not."""
    with Node(tmp_path, {"offsets.topic.replication.factor": "3"}) as node:
        for _ in range(2):
            create(node, Topic.GROUP_METADATA_TOPIC_NAME)
        assert node.metadata_cache.num_partitions(Topic.GROUP_METADATA_TOPIC_NAME) is None


def test_create_txn_topic(tmp_path: Path) -> None:
    with Node(tmp_path, {"transaction.state.log.num.partitions": "7",
                         "transaction.state.log.segment.bytes": "12345"}) as node:
        name = Topic.TRANSACTION_STATE_TOPIC_NAME
        assert create(node, name) == [(name, Errors.UNKNOWN_TOPIC_OR_PARTITION, True)]
        assert node.metadata_cache.num_partitions(name) == 7
        # transaction.state.log.replication.factor, which is 3, is ignored: there is one node.
        config = node.replica_manager.get_log_config(TopicPartition(name, 6))
        assert config is not None
        assert (config.segment_size, config.compact, config.delete, config.compression) == (
            12345, True, False, Compression.NONE)


def test_a_creation_that_fails_is_tried_again_the_next_time(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                            caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: Any) -> None:
        raise KafkaStorageException("no room")

    with monkeypatch.context() as patch:
        patch.setattr(node.controller_apis, "create_topics", fail)
        assert create(node, "topic") == [("topic", Errors.UNKNOWN_TOPIC_OR_PARTITION, False)]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "auto topic creation failed for ['topic']" in caplog.text
    create(node, "topic")
    assert node.metadata_cache.num_partitions("topic") == 2

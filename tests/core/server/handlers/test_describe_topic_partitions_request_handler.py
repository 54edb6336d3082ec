# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.handlers.DescribeTopicPartitionsRequestHandlerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Descriptions of topics, page by page, for a client that may not see all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.describe_topic_partitions_request_data import DescribeTopicPartitionsRequestData
from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.uuid import Uuid
from kreactor.core.server.handlers.describe_topic_partitions_request_handler import (
    DescribeTopicPartitionsRequestHandler,
)
from tests.core.server.node import Node, Permissions

AUTHORIZED, AUTHORIZED_2 = "authorized-topic", "authorized-topic2"
UNAUTHORIZED = "unauthorized-topic"
Cursor = DescribeTopicPartitionsRequestData.Cursor
ResponseTopic = DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path, None, Permissions(
            (AclOperation.DESCRIBE, ResourceType.TOPIC, UNAUTHORIZED))) as node:
        yield node


def handle(node: Node, *topics: str, cursor: Cursor | None = None,
           limit: int = 2000) -> DescribeTopicPartitionsResponseData:
    """Have a handler of the test's own answer."""
    handler = DescribeTopicPartitionsRequestHandler(node.metadata_cache, node.auth_helper, node.config)
    return handler.handle_describe_topic_partitions_request(node.request(
        ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, DescribeTopicPartitionsRequestData(
            topics=[DescribeTopicPartitionsRequestData.TopicRequest(name=name) for name in topics],
            cursor=cursor, response_partition_limit=limit)))


def id_of(node: Node, topic: str) -> Uuid:
    topic_id = node.metadata_cache.get_topic_id(topic)
    assert topic_id != Uuid.ZERO_UUID
    return topic_id


def assert_topic(node: Node, topic: ResponseTopic, name: str, partitions: int) -> None:
    assert (topic.topic_id, Errors.for_code(topic.error_code), topic.name, len(topic.partitions)) == (
        id_of(node, name), Errors.NONE, name, partitions)


def assert_unauthorized(node: Node, topic: ResponseTopic) -> None:
    assert topic.topic_id != id_of(node, UNAUTHORIZED)
    assert (Errors.for_code(topic.error_code), topic.name) == (
        Errors.TOPIC_AUTHORIZATION_FAILED, UNAUTHORIZED)


def test_describe_topic_partitions_request(node: Node) -> None:
    node.create_topic(AUTHORIZED, 2)
    node.create_topic(UNAUTHORIZED)

    first, second = handle(node, AUTHORIZED, UNAUTHORIZED).topics
    assert_topic(node, first, AUTHORIZED, 2)
    assert_unauthorized(node, second)

    at_1 = Cursor(topic_name=AUTHORIZED, partition_index=1)
    first, second = handle(node, AUTHORIZED, UNAUTHORIZED, cursor=at_1).topics
    assert_topic(node, first, AUTHORIZED, 1)
    assert_unauthorized(node, second)

    # Of all topics, one that the client may not see is not named.
    topic, = handle(node).topics
    assert_topic(node, topic, AUTHORIZED, 2)
    topic, = handle(node, cursor=at_1).topics
    assert_topic(node, topic, AUTHORIZED, 1)

    response = handle(node, limit=1)
    topic, = response.topics
    assert_topic(node, topic, AUTHORIZED, 1)
    assert response.next_cursor is not None
    assert (response.next_cursor.topic_name, response.next_cursor.partition_index) == (AUTHORIZED, 1)


def test_describe_topic_partitions_request_with_edge_cases(node: Node) -> None:
    node.create_topic(AUTHORIZED, 2)
    node.create_topic(AUTHORIZED_2)

    first, second = handle(
        node, AUTHORIZED, AUTHORIZED_2, cursor=Cursor(topic_name=AUTHORIZED, partition_index=1)).topics
    assert_topic(node, first, AUTHORIZED, 1)
    assert_topic(node, second, AUTHORIZED_2, 1)

    topic, = handle(
        node, AUTHORIZED, AUTHORIZED_2, cursor=Cursor(topic_name=AUTHORIZED_2, partition_index=0)).topics
    assert_topic(node, topic, AUTHORIZED_2, 1)

    for cursor in (Cursor(topic_name="Non-existing", partition_index=0),
                   Cursor(topic_name=AUTHORIZED, partition_index=-1)):
        with pytest.raises(InvalidRequestException):
            handle(node, AUTHORIZED, AUTHORIZED_2, cursor=cursor)

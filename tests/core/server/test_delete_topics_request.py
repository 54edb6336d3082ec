# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DeleteTopicsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Topics are deleted by their names or ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.delete_topics_response_data import DeleteTopicsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, create_topic
from tests.core.server.brokers import new_broker
from tests.core.server.topic_requests import errors_of, metadata

LATEST = ApiKeys.DELETE_TOPICS.latest_version()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def delete(broker: BrokerServer, names: Sequence[str] = (), ids: Sequence[Uuid] = (),
           version: int = LATEST) -> list[DeleteTopicsResponseData.DeletableTopicResult]:
    state = DeleteTopicsRequestData.DeleteTopicState
    data = DeleteTopicsRequestData(timeout_ms=30_000, topic_names=list(names)) if version < 6 else (
        DeleteTopicsRequestData(timeout_ms=30_000, topics=[
            *(state(name=name) for name in names), *(state(name=None, topic_id=id) for id in ids)]))
    answer = ask(broker, ApiKeys.DELETE_TOPICS, version, data)
    assert isinstance(answer, DeleteTopicsResponseData)
    return answer.responses


def topic_id(broker: BrokerServer, name: str) -> Uuid:
    topic = broker.storage().topics().topic(name)
    assert topic is not None
    return topic.topic_id


def validate_topic_is_deleted(broker: BrokerServer, name: str | None) -> None:
    assert name is not None
    answer = metadata(broker, [name], allow_auto_topic_creation=False)
    assert errors_of(answer) == {name: Errors.UNKNOWN_TOPIC_OR_PARTITION}


def validate_valid(broker: BrokerServer, names: Sequence[str], ids: Sequence[Uuid] = (),
                   version: int = LATEST) -> None:
    results = delete(broker, names, ids, version)
    assert [result.error_code for result in results] == [0] * (len(names) + len(ids))
    for result in results:
        validate_topic_is_deleted(broker, result.name)


def test_valid_delete_topic_requests(broker: BrokerServer) -> None:
    create_topic(broker, "topic-1")
    validate_valid(broker, ["topic-1"])
    create_topic(broker, "topic-3", 5)
    create_topic(broker, "topic-4", 1)
    validate_valid(broker, ["topic-3", "topic-4"])
    create_topic(broker, "topic-7", 3)
    create_topic(broker, "topic-6", 1)
    validate_valid(broker, [], [topic_id(broker, "topic-7"), topic_id(broker, "topic-6")])


def test_error_delete_topic_requests(broker: BrokerServer) -> None:
    """Kafka's own is for ZooKeeper alone: its last request is late, which no KRaft controller does."""
    result, = delete(broker, ["invalid-topic"])
    assert (result.name, result.error_code) == ("invalid-topic", Errors.UNKNOWN_TOPIC_OR_PARTITION.code)

    create_topic(broker, "partial-topic-1")
    results = delete(broker, ["partial-topic-1", "partial-invalid-topic"])
    assert {result.name: Errors.for_code(result.error_code) for result in results} == {
        "partial-topic-1": Errors.NONE, "partial-invalid-topic": Errors.UNKNOWN_TOPIC_OR_PARTITION}
    validate_topic_is_deleted(broker, "partial-topic-1")

    create_topic(broker, "topic-id-1")
    valid, invalid = topic_id(broker, "topic-id-1"), Uuid.random_uuid()
    results = delete(broker, ids=[invalid, valid])
    assert {result.topic_id: Errors.for_code(result.error_code) for result in results} == {
        invalid: Errors.UNKNOWN_TOPIC_ID, valid: Errors.NONE}
    validate_topic_is_deleted(broker, next(each.name for each in results if each.topic_id == valid))


def test_delete_topics_versions(broker: BrokerServer) -> None:
    versions = range(ApiKeys.DELETE_TOPICS.oldest_version(), LATEST + 1)
    assert list(versions) == list(range(7))
    for version in versions:
        name = f"topic-{version}"
        create_topic(broker, name)
        validate_valid(broker, [name], version=version)

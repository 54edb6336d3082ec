# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AbstractCreateTopicsRequestTest and AbstractMetadataRequestTest of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests that create topics and that ask for them, to a whole broker, and what they should be answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask
from tests.stepping import wait_until

LATEST_METADATA = ApiKeys.METADATA.latest_version()


def metadata_request(topics: Sequence[str] | None,
                     allow_auto_topic_creation: bool = True) -> MetadataRequestData:
    return MetadataRequestData(
        topics=None if topics is None else [
            MetadataRequestData.MetadataRequestTopic(name=name) for name in topics],
        allow_auto_topic_creation=allow_auto_topic_creation)


def metadata(broker: BrokerServer, topics: Sequence[str] | None, version: int = LATEST_METADATA,
             allow_auto_topic_creation: bool = True) -> MetadataResponseData:
    answer = ask(broker, ApiKeys.METADATA, version, metadata_request(topics, allow_auto_topic_creation))
    assert isinstance(answer, MetadataResponseData)
    return answer


def topic_of(answer: MetadataResponseData, name: str) -> MetadataResponseData.MetadataResponseTopic:
    topic, = (each for each in answer.topics if each.name == name)
    return topic


def errors_of(answer: MetadataResponseData) -> dict[str | None, Errors]:
    return {topic.name: Errors.for_code(topic.error_code) for topic in answer.topics if topic.error_code}


def wait_for_topic(broker: BrokerServer, name: str) -> MetadataResponseData.MetadataResponseTopic:
    """Return a topic's metadata once it is there; do not create it."""
    wait_until(lambda: not errors_of(metadata(broker, [name], allow_auto_topic_creation=False)))
    return topic_of(metadata(broker, [name], allow_auto_topic_creation=False), name)


def topic_request(name: str, num_partitions: int | None = None, replication_factor: int | None = None,
                  config: Mapping[str, str] | None = None,
                  assignment: Mapping[int, Sequence[int]] | None = None
                  ) -> CreateTopicsRequestData.CreatableTopic:
    default = 1 if assignment is None else -1
    return CreateTopicsRequestData.CreatableTopic(
        name=name, num_partitions=default if num_partitions is None else num_partitions,
        replication_factor=default if replication_factor is None else replication_factor,
        configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key, value=value)
                 for key, value in (config or {}).items()],
        assignments=[
            CreateTopicsRequestData.CreatableReplicaAssignment(
                partition_index=index, broker_ids=list(brokers))
            for index, brokers in (assignment or {}).items()])


def create_topics(broker: BrokerServer, *topics: CreateTopicsRequestData.CreatableTopic,
                  validate_only: bool = False,
                  version: int = ApiKeys.CREATE_TOPICS.latest_version()) -> CreateTopicsResponseData:
    answer = ask(broker, ApiKeys.CREATE_TOPICS, version, CreateTopicsRequestData(
        timeout_ms=60_000, validate_only=validate_only, topics=list(topics)))
    assert isinstance(answer, CreateTopicsResponseData)
    return answer


def validate_valid(broker: BrokerServer, *topics: CreateTopicsRequestData.CreatableTopic,
                   validate_only: bool = False) -> None:
    """Create topics, or only check that they could be; look at what is there then."""
    answer = create_topics(broker, *topics, validate_only=validate_only)
    assert [result.error_code for result in answer.topics] == [0] * len(topics)
    for topic in topics:
        found = topic_of(metadata(broker, [topic.name], allow_auto_topic_creation=False), topic.name)
        if validate_only:
            assert found.error_code != 0, "the topic should not be created"
            assert found.partitions == []
            continue
        assert found.error_code == 0
        partitions, replication = topic.num_partitions, topic.replication_factor
        if topic.assignments:
            partitions, replication = len(topic.assignments), len(topic.assignments[0].broker_ids)
        config = broker.config()
        assert len(found.partitions) == (config.num_partitions() if partitions == -1 else partitions)
        assert len(found.partitions[0].replica_nodes) == (
            config.default_replication_factor() if replication == -1 else replication)


def validate_errors(broker: BrokerServer, expected: Mapping[str, Errors | tuple[Errors, str]],
                    *topics: CreateTopicsRequestData.CreatableTopic, validate_only: bool = False) -> None:
    """Try to create topics; each gets its error, with its message where that is given."""
    answer = create_topics(broker, *topics, validate_only=validate_only)
    assert len(answer.topics) == len(expected)
    found = {result.name: result for result in answer.topics}
    for name, error in expected.items():
        result = found[name]
        code, message = error if isinstance(error, tuple) else (error, result.error_message)
        assert (Errors.for_code(result.error_code), result.error_message) == (code, message), name
        if code is Errors.NONE and not validate_only:
            wait_for_topic(broker, name)

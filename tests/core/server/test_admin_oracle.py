# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Responses to administrators, as those of Kafka 3.8.0; known differences stand below."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.describe_topic_partitions_request_data import DescribeTopicPartitionsRequestData
from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.admin_conversation import LIVE_SETTLE_S, hold, read_recorded
from tests.core.server.brokers import HOST, connect
from tests.core.server.conversation import Answers, cases, versions
from tests.core.server.node import Node
from tests.core.server.test_oracle import compare
from tests.core.server.wire import Wire

KNOWN_DIFFERENCES = {
    "CreatePartitions, more than 10,000": "refused whole; in Kafka the first 10,000 are made (D152)",
    "AlterConfigs, one thing twice": "answered; in Kafka never (D154)",
    "AlterConfigs, num.io.threads more than doubled": "the text names a class, which is ours (D24)",
    "AlterConfigs, two that cannot be changed": "the text has them in another order",
    "DescribeTopicPartitions of a topic without a name": "an error of that topic; in Kafka of all (D153)",
    "UpdateFeatures, metadata.version to 19, 18 or 17": "refused (D151)",
    "UnregisterBroker of the broker itself": "refused (D150)",
}

APIS = (
    ApiKeys.DELETE_RECORDS, ApiKeys.OFFSET_FOR_LEADER_EPOCH, ApiKeys.DESCRIBE_ACLS, ApiKeys.CREATE_ACLS,
    ApiKeys.DELETE_ACLS, ApiKeys.DESCRIBE_CONFIGS, ApiKeys.ALTER_CONFIGS, ApiKeys.ALTER_REPLICA_LOG_DIRS,
    ApiKeys.DESCRIBE_LOG_DIRS, ApiKeys.SASL_AUTHENTICATE, ApiKeys.CREATE_PARTITIONS,
    ApiKeys.CREATE_DELEGATION_TOKEN, ApiKeys.RENEW_DELEGATION_TOKEN, ApiKeys.EXPIRE_DELEGATION_TOKEN,
    ApiKeys.DESCRIBE_DELEGATION_TOKEN, ApiKeys.ELECT_LEADERS, ApiKeys.INCREMENTAL_ALTER_CONFIGS,
    ApiKeys.ALTER_PARTITION_REASSIGNMENTS, ApiKeys.LIST_PARTITION_REASSIGNMENTS, ApiKeys.DESCRIBE_QUORUM,
    ApiKeys.UPDATE_FEATURES, ApiKeys.UNREGISTER_BROKER, ApiKeys.LIST_CLIENT_METRICS_RESOURCES,
    ApiKeys.DESCRIBE_TOPIC_PARTITIONS, ApiKeys.LIST_OFFSETS)
CASES = cases(read_recorded())


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    config = KafkaConfig.from_props({
        "broker.id": "1",
        "listeners": f"PLAINTEXT://{HOST}:0",
        "log.dirs": str(tmp_path_factory.mktemp("oracle")),
    })
    with BrokerServer(config) as broker:
        return hold(lambda: connect(broker), "ours_")


@pytest.fixture(scope="module")
def live(oracle: Callable[[], Wire]) -> Answers:
    return hold(oracle, f"live_{os.getpid()}_", lambda: time.sleep(LIVE_SETTLE_S))


def test_all_was_asked(ours: Answers) -> None:
    assert ours.keys() == read_recorded().keys()
    assert {label.split()[0] for label in ours} == {api.name for api in APIS}


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_recorded(ours: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, read_recorded(), f"{api.name} v{version}")


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_a_live_broker(ours: Answers, live: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, live, f"{api.name} v{version}")


# Known differences.


def test_partitions_beyond_the_limit_are_refused_whole(tmp_path: Path) -> None:
    with Node(tmp_path) as node:
        node.create_topic("t")
        answer = node.ask(ApiKeys.CREATE_PARTITIONS, 3, CreatePartitionsRequestData(timeout_ms=1000, topics=[
            CreatePartitionsRequestData.CreatePartitionsTopic(name="t", count=10_002, assignments=None)]))
        assert Errors.for_code(answer.results[0].error_code) is Errors.POLICY_VIOLATION
        assert node.metadata_cache.num_partitions("t") == 1


@pytest.mark.parametrize("version", versions(ApiKeys.ALTER_CONFIGS))
def test_a_thing_named_twice_is_answered_twice(tmp_path: Path, version: int) -> None:
    with Node(tmp_path) as node:
        node.create_topic("t")
        resource = AlterConfigsRequestData.AlterConfigsResource(
            resource_type=2, resource_name="t", configs=[])
        answer = node.ask(ApiKeys.ALTER_CONFIGS, version, AlterConfigsRequestData(
            resources=[resource, resource]))
        assert [(Errors.for_code(response.error_code), response.error_message)
                for response in answer.responses] == [
            (Errors.INVALID_REQUEST, "Each resource must appear at most once.")] * 2


def test_a_topic_without_a_name_is_its_own_error(tmp_path: Path) -> None:
    with Node(tmp_path) as node:
        node.create_topic("t")
        answer = node.ask(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, DescribeTopicPartitionsRequestData(topics=[
            DescribeTopicPartitionsRequestData.TopicRequest(name=name) for name in ("", "t")]))
        assert [Errors.for_code(topic.error_code) for topic in answer.topics] == [
            Errors.INVALID_TOPIC_EXCEPTION, Errors.NONE]


@pytest.mark.parametrize("upgrade_type", [2, 3])
def test_the_feature_goes_nowhere(tmp_path: Path, upgrade_type: int) -> None:
    with Node(tmp_path) as node:
        answer = node.ask(ApiKeys.UPDATE_FEATURES, 1, UpdateFeaturesRequestData(
            timeout_ms=1000, feature_updates=[UpdateFeaturesRequestData.FeatureUpdateKey(
                feature="metadata.version", max_version_level=19, upgrade_type=upgrade_type)]))
        assert Errors.for_code(answer.results[0].error_code) is Errors.INVALID_UPDATE_VERSION


def test_the_only_broker_stays(tmp_path: Path) -> None:
    with Node(tmp_path) as node:
        answer = node.ask(ApiKeys.UNREGISTER_BROKER, 0, UnregisterBrokerRequestData(
            broker_id=node.config.broker_id()))
        assert Errors.for_code(answer.error_code) is Errors.INVALID_REQUEST

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of cases of kafka.server.KafkaApisTest, kafka.server.ControllerApisTest and
# org.apache.kafka.controller.ReplicationControlManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Who may change what: settings, partitions, folders. What else is answered stands in the conversation."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import ThrottlingQuotaExceededException
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.list_client_metrics_resources_request_data import (
    ListClientMetricsResourcesRequestData,
)
from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.core.server.controller_request_context import ControllerRequestContext
from tests.core.server.node import Action, Node, Permissions

TOPIC, BROKER, LOGGER, METRICS = 2, 4, 8, 16
CLUSTER = Resource.CLUSTER_NAME
UNAUTHORIZED = Errors.CLUSTER_AUTHORIZATION_FAILED


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def of_cluster(operation: AclOperation) -> Action:
    return operation, ResourceType.CLUSTER, CLUSTER


def outcomes(answer: Any) -> list[tuple[str, Errors]]:
    return [(response.resource_name, Errors.for_code(response.error_code)) for response in answer.responses]


def incremental(node: Node, *resources: tuple[int, str, str, str | None]) -> list[tuple[str, Errors]]:
    """Set something of each thing; return what became of it."""
    return outcomes(node.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(
        resources=[IncrementalAlterConfigsRequestData.AlterConfigsResource(
            resource_type=type_, resource_name=name, configs=[
                IncrementalAlterConfigsRequestData.AlterableConfig(
                    name=key, config_operation=0, value=value)]) for type_, name, key, value in resources])))


def legacy(node: Node, *resources: tuple[int, str, str, str | None]) -> list[tuple[str, Errors]]:
    """Set one thing of each, and nothing else; return what became of it."""
    return outcomes(node.ask(ApiKeys.ALTER_CONFIGS, 2, AlterConfigsRequestData(
        resources=[AlterConfigsRequestData.AlterConfigsResource(
            resource_type=type_, resource_name=name, configs=[
                AlterConfigsRequestData.AlterableConfig(name=key, value=value)])
            for type_, name, key, value in resources])))


# KafkaApisTest.


def test_empty_legacy_alter_configs_request_with_kraft(node: Node) -> None:
    assert legacy(node) == []


def test_invalid_legacy_alter_configs_request_with_kraft(node: Node) -> None:
    assert legacy(node, (BROKER, str(node.config.broker_id()), "foo", None)) == [
        (str(node.config.broker_id()), Errors.INVALID_REQUEST)]


def test_empty_incremental_alter_configs_request_with_kraft(node: Node) -> None:
    assert incremental(node) == []


def test_log4j_incremental_alter_configs_request_with_kraft(node: Node) -> None:
    logger = logging.getLogger("kreactor.tests.of.levels")
    broker = str(node.config.broker_id())
    assert incremental(node, (LOGGER, broker, logger.name, "TRACE")) == [(broker, Errors.NONE)]
    assert logger.level == 5
    logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("set_", [incremental, legacy])
def test_incremental_alter_configs_with_authorizer(tmp_path: Path, set_: Any) -> None:
    """Both testIncrementalAlterConfigsWithAuthorizer and testAlterConfigsWithAuthorizer."""
    denied = (AclOperation.ALTER_CONFIGS, ResourceType.TOPIC, "denied")
    with Node(tmp_path, auth_helper=Permissions(denied)) as node:
        for name in ("allowed", "denied"):
            node.create_topic(name)
        resources = [(TOPIC, name, "retention.ms", "5") for name in ("allowed", "denied")]
        assert set_(node, *resources) == [
            ("allowed", Errors.NONE), ("denied", Errors.TOPIC_AUTHORIZATION_FAILED)]
        assert node.metadata_cache.topic_config("allowed") == {"retention.ms": "5"}
        assert node.metadata_cache.topic_config("denied") == {}


@pytest.mark.parametrize("set_", [incremental, legacy])
def test_incremental_client_metric_alter_configs(tmp_path: Path, set_: Any) -> None:
    """Both testIncrementalClientMetricAlterConfigs and testAlterConfigsClientMetrics."""
    denying = Permissions(of_cluster(AclOperation.ALTER_CONFIGS))
    for folder, permissions, error in (("a", Permissions(), Errors.NONE), ("b", denying, UNAUTHORIZED)):
        with Node(tmp_path / folder, auth_helper=permissions) as node:
            assert set_(node, (METRICS, "m", "interval.ms", "1000")) == [("m", error)]


def test_list_client_metrics_resources(tmp_path: Path) -> None:
    with Node(tmp_path / "a") as node:
        for name in ("b", "a"):
            incremental(node, (METRICS, name, "interval.ms", "1000"))
        answer = node.ask(
            ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0, ListClientMetricsResourcesRequestData())
        assert [resource.name for resource in answer.client_metrics_resources] == ["a", "b"]
    with Node(tmp_path / "b", auth_helper=Permissions(of_cluster(AclOperation.DESCRIBE_CONFIGS))) as node:
        answer = node.ask(
            ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0, ListClientMetricsResourcesRequestData())
        assert Errors.for_code(answer.error_code) is UNAUTHORIZED


def test_list_client_metrics_resources_empty_response(node: Node) -> None:
    answer = node.ask(ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0, ListClientMetricsResourcesRequestData())
    assert (answer.error_code, answer.client_metrics_resources) == (0, [])


def test_alter_replica_log_dirs(tmp_path: Path) -> None:
    data = AlterReplicaLogDirsRequestData(dirs=[
        AlterReplicaLogDirsRequestData.AlterReplicaLogDir(path=str(tmp_path / folder), topics=[
            AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic(name="t", partitions=[partition])])
        for partition, folder in ((0, "a"), (1, "elsewhere"), (7, "a"))])

    def found(node: Node) -> dict[int, Errors]:
        answer = node.ask(ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, data)
        return {partition.partition_index: Errors.for_code(partition.error_code)
                for topic in answer.results for partition in topic.partitions}

    with Node(tmp_path / "a") as node:
        node.create_topic("t", 2)
        assert found(node) == {0: Errors.NONE, 1: Errors.LOG_DIR_NOT_FOUND,
                               7: Errors.UNKNOWN_TOPIC_OR_PARTITION}
    with Node(tmp_path / "b", auth_helper=Permissions(of_cluster(AclOperation.ALTER))) as node:
        assert set(found(node).values()) == {UNAUTHORIZED}


# ControllerApisTest.


def create_partitions(node: Node, *counts: tuple[str, int],
                      alterable: set[str] | None = None) -> dict[str, tuple[Errors, str | None]]:
    data = CreatePartitionsRequestData(timeout_ms=1000, topics=[
        CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=count, assignments=None)
        for name, count in counts])
    context = ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda partitions: None)
    results = node.controller_apis.create_partitions(
        context, data, lambda names: set(names) if alterable is None else set(names) & alterable)
    return {result.name: (Errors.for_code(result.error_code), result.error_message) for result in results}


def test_create_partitions_request(node: Node) -> None:
    for name in ("foo", "bar", "baz"):
        node.create_topic(name)
    assert create_partitions(node, ("foo", 2), ("bar", 3), ("bar", 4), ("quux", 5), ("baz", 6),
                             alterable={"foo", "bar", "quux"}) == {
        "foo": (Errors.NONE, None), "bar": (Errors.INVALID_REQUEST, "Duplicate topic name."),
        "quux": (Errors.UNKNOWN_TOPIC_OR_PARTITION, None), "baz": (Errors.TOPIC_AUTHORIZATION_FAILED, None)}
    assert [node.metadata_cache.num_partitions(name) for name in ("foo", "bar", "baz")] == [2, 1, 1]


def test_create_partitions_authorization(tmp_path: Path) -> None:
    """Of both suites."""
    denied = (AclOperation.ALTER, ResourceType.TOPIC, "bar")
    with Node(tmp_path, auth_helper=Permissions(denied)) as node:
        for name in ("foo", "bar"):
            node.create_topic(name)
        answer = node.ask(ApiKeys.CREATE_PARTITIONS, 3, CreatePartitionsRequestData(timeout_ms=1000, topics=[
            CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=2, assignments=None)
            for name in ("foo", "bar")]))
        assert {result.name: Errors.for_code(result.error_code) for result in answer.results} == {
            "foo": Errors.NONE, "bar": Errors.TOPIC_AUTHORIZATION_FAILED}


def test_invalid_incremental_alter_configs_resources(node: Node) -> None:
    node.create_topic("foo")
    assert incremental(
        node, (LOGGER, "3", "kafka.server.KafkaConfig", "TRACE"), (BROKER, "3", "log.retention.ms", "5"),
        (124, "foo", "foo", None), (TOPIC, "foo", "retention.ms", "5")) == [
        ("3", Errors.INVALID_REQUEST), ("3", Errors.INVALID_REQUEST), ("foo", Errors.INVALID_REQUEST),
        ("foo", Errors.NONE)]


def test_unauthorized_handle_incremental_alter_configs(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.ALTER_CONFIGS))) as node:
        broker = str(node.config.broker_id())
        assert incremental(node, (BROKER, broker, "log.retention.ms", "5"),
                           (LOGGER, broker, "root", "INFO")) == [(broker, UNAUTHORIZED)] * 2
        assert node.config.dynamic_config().current_dynamic_broker_configs() == {}


@pytest.mark.parametrize(("operation", "api", "data"), [
    (AclOperation.ALTER, ApiKeys.UNREGISTER_BROKER, UnregisterBrokerRequestData(broker_id=7)),
    (AclOperation.ALTER, ApiKeys.ELECT_LEADERS, ElectLeadersRequestData(topic_partitions=None)),
    (AclOperation.ALTER, ApiKeys.ALTER_PARTITION_REASSIGNMENTS, AlterPartitionReassignmentsRequestData()),
    (AclOperation.DESCRIBE, ApiKeys.LIST_PARTITION_REASSIGNMENTS, ListPartitionReassignmentsRequestData()),
    (AclOperation.DESCRIBE, ApiKeys.DESCRIBE_QUORUM, DescribeQuorumRequestData()),
], ids=str)
def test_unauthorized(tmp_path: Path, operation: AclOperation, api: ApiKeys, data: Message) -> None:
    """testUnauthorizedHandleUnregisterBroker, testElectLeadersAuthorization and their like."""
    with Node(tmp_path, auth_helper=Permissions(of_cluster(operation))) as node:
        answer = node.ask(api, api.latest_version(), data)
        assert Errors.for_code(answer.error_code) is UNAUTHORIZED


# ReplicationControlManagerTest.


def test_create_partitions(node: Node) -> None:
    for name, partitions in (("foo", 3), ("bar", 4), ("quux", 2)):
        node.create_topic(name, partitions)
    assert create_partitions(node, ("foo", 5), ("bar", 3), ("baz", 3), ("quux", 2)) == {
        "foo": (Errors.NONE, None),
        "bar": (Errors.INVALID_PARTITIONS, "The topic bar currently has 4 partition(s); 3 would not be an "
                "increase."),
        "baz": (Errors.UNKNOWN_TOPIC_OR_PARTITION, None),
        "quux": (Errors.INVALID_PARTITIONS, "Topic already has 2 partition(s).")}
    node.append("foo", b"to a new one", partition=4)


def test_create_partitions_with_mutation_quota_exceeded(node: Node) -> None:
    def refuse(partitions: int) -> None:
        raise ThrottlingQuotaExceededException("Quota exceeded in test", 1000)

    node.create_topic("foo", 3)
    context = ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, refuse)
    result, = node.controller_apis.create_partitions(
        context, CreatePartitionsRequestData(topics=[CreatePartitionsRequestData.CreatePartitionsTopic(
            name="foo", count=5, assignments=None)]), set)
    assert (Errors.for_code(result.error_code), result.error_message) == (
        Errors.THROTTLING_QUOTA_EXCEEDED, "Quota exceeded in test")
    assert node.metadata_cache.num_partitions("foo") == 3

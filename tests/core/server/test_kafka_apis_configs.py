# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaApisTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes of settings, partitions and folders: the part of KafkaApisTest that is about them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.message.list_client_metrics_resources_request_data import (
    ListClientMetricsResourcesRequestData,
)
from kreactor.common.message.list_client_metrics_resources_response_data import (
    ListClientMetricsResourcesResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.topic_partition import TopicPartition
from tests.core.server.node import Action, Node, Permissions
from tests.server.metrics.client_metrics_test_utils import default_properties

PART_OF = "KafkaApisTest"

Type = ConfigResource.Type
IResource = IncrementalAlterConfigsRequestData.AlterConfigsResource
IConfig = IncrementalAlterConfigsRequestData.AlterableConfig
LResource = AlterConfigsRequestData.AlterConfigsResource
LConfig = AlterConfigsRequestData.AlterableConfig
ALTER_TOPIC = (AclOperation.ALTER_CONFIGS, ResourceType.TOPIC)
ALTER_CLUSTER = (AclOperation.ALTER_CONFIGS, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
SUBSCRIPTION = "client_metric_subscription_1"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def incremental(node: Node, resources: Mapping[tuple[ConfigResource.Type, str], Mapping[str, str | None]],
                validate_only: bool = False) -> IncrementalAlterConfigsResponseData:
    answer: IncrementalAlterConfigsResponseData = node.ask(
        ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(
            validate_only=validate_only, resources=[
                IResource(resource_type=type.id(), resource_name=name, configs=[
                    IConfig(name=key, config_operation=OpType.SET.value, value=value)
                    for key, value in configs.items()])
                for (type, name), configs in resources.items()]))
    return answer


def legacy(node: Node, resources: Mapping[tuple[ConfigResource.Type, str], Mapping[str, str | None]],
           version: int = 2, validate_only: bool = False) -> AlterConfigsResponseData:
    answer: AlterConfigsResponseData = node.ask(ApiKeys.ALTER_CONFIGS, version, AlterConfigsRequestData(
        validate_only=validate_only, resources=[
            LResource(resource_type=type.id(), resource_name=name, configs=[
                LConfig(name=key, value=value) for key, value in configs.items()])
            for (type, name), configs in resources.items()]))
    return answer


def errors(answer: Any) -> dict[str, Errors]:
    return {response.resource_name: Errors.for_code(response.error_code) for response in answer.responses}


def permissions(node: Node) -> list[Action]:
    assert isinstance(node.auth_helper, Permissions)
    return node.auth_helper.asked


def alters_the_authorized_topic(folder: Path, alter: Any) -> None:
    with Node(folder, auth_helper=Permissions((*ALTER_TOPIC, "unauthorized-topic"))) as node:
        names = ("authorized-topic", "unauthorized-topic")
        for name in names:
            node.create_topic(name)
        assert errors(alter(node, {(Type.TOPIC, name): {"retention.ms": "5"} for name in names})) == {
            "authorized-topic": Errors.NONE, "unauthorized-topic": Errors.TOPIC_AUTHORIZATION_FAILED}
        assert permissions(node) == [(*ALTER_TOPIC, name) for name in names]
        assert [node.metadata_cache.topic_config(name) for name in names] == [{"retention.ms": "5"}, {}]


def test_alter_configs_with_authorizer(tmp_path: Path) -> None:
    alters_the_authorized_topic(tmp_path, legacy)


def test_incremental_alter_configs_with_authorizer(tmp_path: Path) -> None:
    alters_the_authorized_topic(tmp_path, incremental)


def alters_a_subscription(folder: Path, alter: Any) -> None:
    resources = {(Type.CLIENT_METRICS, SUBSCRIPTION): default_properties()}
    with Node(folder / "a", auth_helper=Permissions()) as node:
        assert errors(alter(node, resources)) == {SUBSCRIPTION: Errors.NONE}
        assert permissions(node) == [ALTER_CLUSTER]
        assert node.configuration_control.get_configs(
            ConfigResource(Type.CLIENT_METRICS, SUBSCRIPTION)) == default_properties()
    with Node(folder / "b", auth_helper=Permissions(ALTER_CLUSTER)) as node:
        assert errors(alter(node, resources)) == {SUBSCRIPTION: Errors.CLUSTER_AUTHORIZATION_FAILED}


def test_alter_configs_client_metrics(tmp_path: Path) -> None:
    alters_a_subscription(tmp_path, legacy)


def test_incremental_client_metric_alter_configs(tmp_path: Path) -> None:
    alters_a_subscription(tmp_path, incremental)


def test_create_partitions_authorization(tmp_path: Path) -> None:
    alter = (AclOperation.ALTER, ResourceType.TOPIC)
    with Node(tmp_path, auth_helper=Permissions((*alter, "bar"))) as node:
        for name in ("foo", "bar"):
            node.create_topic(name)
        answer = node.ask(ApiKeys.CREATE_PARTITIONS, 3, CreatePartitionsRequestData(
            timeout_ms=35_000, validate_only=False, topics=[
                CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=count, assignments=None)
                for name, count in (("foo", 2), ("bar", 10))]))
        assert {result.name: Errors.for_code(result.error_code) for result in answer.results} == {
            "foo": Errors.NONE, "bar": Errors.TOPIC_AUTHORIZATION_FAILED}
        assert sorted(permissions(node), key=str) == [(*alter, "bar"), (*alter, "foo")]
        assert [node.metadata_cache.num_partitions(name) for name in ("foo", "bar")] == [2, 1]


def log_dirs_data(path: str, *partitions: int) -> AlterReplicaLogDirsRequestData:
    return AlterReplicaLogDirsRequestData(dirs=[AlterReplicaLogDirsRequestData.AlterReplicaLogDir(
        path=path, topics=[AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic(
            name="t0", partitions=list(partitions))])])


def errors_of_log_dirs(answer: Any) -> dict[TopicPartition, Errors]:
    return {TopicPartition(topic.topic_name, partition.partition_index): Errors.for_code(partition.error_code)
            for topic in answer.results for partition in topic.partitions}


def test_alter_replica_log_dirs(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    t0p0, t0p1, t0p2 = (TopicPartition("t0", partition) for partition in range(3))
    partition_results = {t0p0: Errors.NONE, t0p1: Errors.LOG_DIR_NOT_FOUND,
                         t0p2: Errors.INVALID_TOPIC_EXCEPTION}

    def alter_replica_log_dirs(partition_dirs: Mapping[TopicPartition, str]) -> dict[TopicPartition, Errors]:
        assert partition_dirs == {t0p0: "/foo", t0p1: "/foo", t0p2: "/foo"}
        return partition_results

    monkeypatch.setattr(node.replica_manager, "alter_replica_log_dirs", alter_replica_log_dirs)
    answer = node.ask(ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, log_dirs_data("/foo", 0, 1, 2))
    assert errors_of_log_dirs(answer) == partition_results
    assert AlterReplicaLogDirsResponse(answer).error_counts() == Counter(partition_results.values())


def test_the_one_folder_there_is(tmp_path: Path) -> None:
    with Node(tmp_path / "a") as node:
        node.create_topic("t0", 2)
        for path, partition, error in (("a", 0, Errors.NONE), ("elsewhere", 1, Errors.LOG_DIR_NOT_FOUND),
                                       ("a", 7, Errors.UNKNOWN_TOPIC_OR_PARTITION)):
            answer = node.ask(
                ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, log_dirs_data(str(tmp_path / path), partition))
            assert errors_of_log_dirs(answer) == {TopicPartition("t0", partition): error}
    with Node(tmp_path / "b", auth_helper=Permissions(
            (AclOperation.ALTER, ResourceType.CLUSTER, Resource.CLUSTER_NAME))) as node:
        answer = node.ask(ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, log_dirs_data("/foo", 0))
        assert set(errors_of_log_dirs(answer).values()) == {Errors.CLUSTER_AUTHORIZATION_FAILED}


def test_empty_legacy_alter_configs_request_with_kraft(node: Node) -> None:
    assert legacy(node, {}, 1) == AlterConfigsResponseData()


def test_invalid_legacy_alter_configs_request_with_kraft(node: Node) -> None:
    broker_id = str(node.config.broker_id())
    assert legacy(node, {(Type.BROKER, broker_id): {"foo": None}}, 1, validate_only=True) == (
        AlterConfigsResponseData(responses=[AlterConfigsResponseData.AlterConfigsResourceResponse(
            error_code=Errors.INVALID_REQUEST.code, error_message="Null value not supported for : foo",
            resource_name=broker_id, resource_type=Type.BROKER.id())]))


def test_empty_incremental_alter_configs_request_with_kraft(node: Node) -> None:
    assert incremental(node, {}) == IncrementalAlterConfigsResponseData()


@pytest.mark.parametrize("validate_only", [True, False])
def test_log4j_incremental_alter_configs_request_with_kraft(node: Node, validate_only: bool) -> None:
    """The origin validates only; a level that is to be set is set."""
    root, broker_id = logging.getLogger(), str(node.config.broker_id())
    before = root.level
    try:
        root.setLevel(logging.WARNING)
        assert incremental(
            node, {(Type.BROKER_LOGGER, broker_id): {"root": "TRACE"}}, validate_only) == (
            IncrementalAlterConfigsResponseData(responses=[
                IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse(
                    error_code=0, error_message=None, resource_name=broker_id,
                    resource_type=Type.BROKER_LOGGER.id())]))
        assert root.level == (logging.WARNING if validate_only else 5)
    finally:
        root.setLevel(before)


def list_client_metrics_resources(node: Node) -> ListClientMetricsResourcesResponseData:
    answer: ListClientMetricsResourcesResponseData = node.ask(
        ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0, ListClientMetricsResourcesRequestData())
    return answer


def test_list_client_metrics_resources(tmp_path: Path) -> None:
    with Node(tmp_path / "a") as node:
        names = ["test2", "test1"]
        incremental(node, {(Type.CLIENT_METRICS, name): {"interval.ms": "1000"} for name in names})
        assert list_client_metrics_resources(node) == ListClientMetricsResourcesResponseData(
            client_metrics_resources=[
                ListClientMetricsResourcesResponseData.ClientMetricsResource(name=name)
                for name in sorted(names)])
    with Node(tmp_path / "b", auth_helper=Permissions(
            (AclOperation.DESCRIBE_CONFIGS, ResourceType.CLUSTER, Resource.CLUSTER_NAME))) as node:
        assert list_client_metrics_resources(node).error_code == Errors.CLUSTER_AUTHORIZATION_FAILED.code


def test_list_client_metrics_resources_empty_response(node: Node) -> None:
    assert list_client_metrics_resources(node) == ListClientMetricsResourcesResponseData()

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaApisTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The response to each request. The storage and everything else is real; a result that one node cannot have
comes from a patched replica manager."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, NoReturn

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import ClusterAuthorizationException, OffsetNotAvailableException
from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.internals.topic import Topic
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.message.get_telemetry_subscriptions_response_data import (
    GetTelemetrySubscriptionsResponseData,
)
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.list_client_metrics_resources_request_data import (
    ListClientMetricsResourcesRequestData,
)
from kreactor.common.message.list_client_metrics_resources_response_data import (
    ListClientMetricsResourcesResponseData,
)
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node as Endpoint
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.common.uuid import Uuid
from kreactor.core.coordinator.transaction.transaction_coordinator import InitProducerIdResult
from kreactor.core.server.kafka_apis import ADMIN_CLIENT_ID, KafkaApis
from kreactor.core.server.request_local import RequestLocal
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.fetch_partition_data import FetchPartitionData
from tests.core.server.node import Action, Exchange, Node, Permissions, records

FOO = TopicPartition("foo", 0)
T0 = 1_700_000_000_000


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def denying(folder: Path, *denied: Action, overrides: dict[str, str] | None = None) -> Node:
    """Return a node whose clients may do all but this."""
    return Node(folder, overrides, Permissions(*denied))


def versions(api: ApiKeys, first: int = 0) -> list[int]:
    return [version for version in api.all_versions() if version >= first]


def error_of(answer: Any) -> Errors:
    return Errors.for_code(answer.error_code)


# -- what the requests are made of -----------------------------------------------------------------


def produce_data(records: MemoryRecords, topic: str = "foo", partition: int = 0, acks: int = 1,
                 transactional_id: str | None = None) -> ProduceRequestData:
    return ProduceRequestData(
        transactional_id=transactional_id, acks=acks, timeout_ms=5000, topic_data=[
            ProduceRequestData.TopicProduceData(name=topic, partition_data=[
                ProduceRequestData.PartitionProduceData(index=partition, records=bytes_of(records))])])


def bytes_of(records: MemoryRecords) -> bytes:
    return records.buffer().to_bytes()


def magic_of(produce_version: int) -> int:
    return 2 if produce_version >= 3 else 1 if produce_version == 2 else 0


def fetch_data(topic: str = "foo", topic_id: Uuid = Uuid.ZERO_UUID, offset: int = 0,
               **fields: Any) -> FetchRequestData:
    fields = {"max_wait_ms": 0, "min_bytes": 1, **fields}
    return FetchRequestData(topics=[FetchRequestData.FetchTopic(topic=topic, topic_id=topic_id, partitions=[
        FetchRequestData.FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)])],
        **fields)


def follower(version: int, id: int = 7) -> dict[str, Any]:
    """Return what in a fetch says that it is a replica's."""
    if version >= 15:
        return {"replica_state": FetchRequestData.ReplicaState(replica_id=id, replica_epoch=1)}
    return {"replica_id": id}


def values_of(fetched: Any) -> list[bytes]:
    """Return the records' values of a partition of a fetch answer."""
    values = [record.value() for record in MemoryRecords.readable_records(fetched.records).records()]
    return [b"" if value is None else value.to_bytes() for value in values]


def size_of(fetched: Any) -> int:
    """Return the bytes of the records of a partition of a fetch answer, 0 if the field is null."""
    return 0 if fetched.records is None else fetched.records.remaining()


def list_offsets_data(timestamp: int, topic: str = "foo", replica_id: int = -1, isolation_level: int = 0,
                      **fields: int) -> ListOffsetsRequestData:
    return ListOffsetsRequestData(
        replica_id=replica_id, isolation_level=isolation_level,
        topics=[ListOffsetsRequestData.ListOffsetsTopic(name=topic, partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(partition_index=0, timestamp=timestamp, **fields)])])


def metadata_data(*names: str, auto: bool = True, **fields: bool) -> MetadataRequestData:
    return MetadataRequestData(
        topics=[MetadataRequestData.MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=auto, **fields)


def produce_answer(node: Node, version: int, data: ProduceRequestData) -> Any:
    """Ask; return what became of the one partition."""
    answer = node.ask(ApiKeys.PRODUCE, version, data)
    response, = answer.responses[0].partition_responses
    return response


def fetched_partition(answer: Any) -> Any:
    topic, = answer.responses
    partition, = topic.partitions
    return partition


# -- how all are handled ---------------------------------------------------------------------------


def raising(e: BaseException) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise e

    return function


def test_all_that_is_advertised_has_a_handler(node: Node) -> None:
    assert set(node.api_version_manager.enabled_apis()) == KafkaApis.ENABLED_APIS
    answer = node.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
        client_software_name="a", client_software_version="1"))
    # Nobody takes the metrics of clients.
    assert {api.api_key for api in answer.api_keys} == {api.id for api in KafkaApis.ENABLED_APIS - {
        ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY}}


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_what_a_handler_raises_is_the_answer(node: Node, monkeypatch: pytest.MonkeyPatch,
                                             caplog: pytest.LogCaptureFixture,
                                             error: type[BaseException]) -> None:
    monkeypatch.setattr(node.metadata_cache, "get_topic_metadata", raising(error("no")))
    answer = node.ask(ApiKeys.METADATA, 9, metadata_data("foo", auto=False))
    assert error_of(answer.topics[0]) is Errors.UNKNOWN_SERVER_ERROR
    record, = caplog.records
    assert "unexpected error handling request" in record.message and "MetadataRequest" in record.message
    assert record.exc_info is not None and isinstance(record.exc_info[1], error)
    monkeypatch.setattr(node.metadata_cache, "get_topic_metadata",
                        raising(ClusterAuthorizationException("no")))
    answer = node.ask(ApiKeys.METADATA, 9, metadata_data("foo", auto=False))
    assert error_of(answer.topics[0]) is Errors.CLUSTER_AUTHORIZATION_FAILED


def test_what_a_handler_raises_closes_where_there_is_no_answer(node: Node,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    node.create_topic("foo")
    monkeypatch.setattr(node.replica_manager, "handle_produce_append", raising(ValueError("no")))
    assert node.send(ApiKeys.PRODUCE, 9, produce_data(records(b"a"), acks=0)).is_closed()
    assert produce_answer(node, 9, produce_data(records(b"a"))).error_code == Errors.UNKNOWN_SERVER_ERROR.code


def test_a_fatal_error_is_not_answered(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node.metadata_cache, "get_all_topics", raising(FatalExitError()))
    request = node.request(ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
    with pytest.raises(FatalExitError):
        node.apis.handle(request, RequestLocal.NoCaching)
    assert request.api_local_complete_time_nanos >= 0


def test_an_api_that_is_not_enabled(node: Node, monkeypatch: pytest.MonkeyPatch,
                                    caplog: pytest.LogCaptureFixture) -> None:
    """The socket server lets none in; should one come all the same, that is an error of ours."""
    monkeypatch.setattr(node.api_version_manager, "is_api_enabled", lambda api, version: False)
    answer = node.ask(ApiKeys.METADATA, 9, metadata_data("foo"))
    assert error_of(answer.topics[0]) is Errors.UNKNOWN_SERVER_ERROR
    record, = caplog.records
    assert record.exc_info is not None and "is not enabled" in str(record.exc_info[1])


@pytest.mark.parametrize("fails", [False, True])
def test_delayed_actions_and_the_local_time(node: Node, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    done: list[bool] = []

    def get_all_topics() -> list[str]:
        node.time.sleep(7)
        node.replica_manager._default_action_queue.add(lambda: done.append(True))
        if fails:
            raise ValueError("no")
        return []

    monkeypatch.setattr(node.metadata_cache, "get_all_topics", get_all_topics)
    request = node.request(ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
    before = node.time.nanoseconds()
    node._exchanges[request] = Exchange(request)
    node.apis.handle(request, RequestLocal.NoCaching)
    assert done == [True]
    assert request.api_local_complete_time_nanos == before + 7_000_000


def test_try_complete_actions(node: Node) -> None:
    done: list[bool] = []
    node.replica_manager._default_action_queue.add(lambda: done.append(True))
    node.apis.try_complete_actions()
    assert done == [True]


# -- ApiVersions, SaslHandshake --------------------------------------------------------------------


def test_api_versions_of_the_future(node: Node) -> None:
    exchange = node.send(ApiKeys.API_VERSIONS, 99, b"what nobody knows")
    response = exchange.response
    assert response is not None
    # In version 0, whose header and body are these.
    data = exchange.sent_bytes()
    assert int.from_bytes(data[8:10], "big") == Errors.UNSUPPORTED_VERSION.code
    count = int.from_bytes(data[10:14], "big")
    keys = [int.from_bytes(data[14 + 6 * i:16 + 6 * i], "big") for i in range(count)]
    assert keys == [ApiKeys.API_VERSIONS.id]


@pytest.mark.parametrize(("name", "version"), [("", "1"), ("a", ""), ("-a", "1"), ("a", "1 2")])
def test_api_versions_of_a_client_without_a_proper_name(node: Node, name: str, version: str) -> None:
    answer = node.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
        client_software_name=name, client_software_version=version))
    assert error_of(answer) is Errors.INVALID_REQUEST
    assert answer.api_keys == []


@pytest.mark.parametrize("version", versions(ApiKeys.SASL_HANDSHAKE))
def test_a_sasl_handshake_comes_too_late(node: Node, version: int) -> None:
    answer = node.ask(ApiKeys.SASL_HANDSHAKE, version, SaslHandshakeRequestData(mechanism="PLAIN"))
    assert (error_of(answer), answer.mechanisms) == (Errors.ILLEGAL_SASL_STATE, [])


# -- DescribeConfigs -------------------------------------------------------------------------------


def describe_configs_data(type_: ConfigResource.Type, name: str) -> DescribeConfigsRequestData:
    return DescribeConfigsRequestData(include_synonyms=True, resources=[
        DescribeConfigsRequestData.DescribeConfigsResource(resource_type=type_.id(), resource_name=name)])


def test_describe_configs_with_authorizer(tmp_path: Path) -> None:
    permissions = Permissions()
    with Node(tmp_path, None, permissions) as node:
        node.create_topic("topic-1", configs={"min.insync.replicas": "3"})
        answer = node.ask(ApiKeys.DESCRIBE_CONFIGS, 4,
                          describe_configs_data(ConfigResource.Type.TOPIC, "topic-1"))
    assert permissions.asked == [(AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, "topic-1")]
    result, = answer.results
    assert (result.resource_type, result.resource_name) == (ConfigResource.Type.TOPIC.id(), "topic-1")
    assert [config.value for config in result.configs if config.name == "min.insync.replicas"] == ["3"]


def test_describe_configs_client_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    permissions = Permissions()
    metrics = {"interval.ms": "1000", "metrics": "a.b", "match": "client_id=c"}
    with Node(tmp_path, None, permissions) as node:
        def config(resource: ConfigResource) -> dict[str, str]:
            assert (resource.type(), resource.name()) == (ConfigResource.Type.CLIENT_METRICS, "sub")
            return metrics

        monkeypatch.setattr(node.metadata_cache, "config", config)
        answer = node.ask(ApiKeys.DESCRIBE_CONFIGS, 4,
                          describe_configs_data(ConfigResource.Type.CLIENT_METRICS, "sub"))
    assert permissions.asked == [
        (AclOperation.DESCRIBE_CONFIGS, ResourceType.CLUSTER, Resource.CLUSTER_NAME)]
    result, = answer.results
    assert (result.resource_type, result.resource_name) == (ConfigResource.Type.CLIENT_METRICS.id(), "sub")
    assert {config.name: config.value for config in result.configs} == metrics


# -- CreateTopics, DeleteTopics --------------------------------------------------------------------


def test_create_topics_with_authorizer(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.CREATE, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
                 (AclOperation.CREATE, ResourceType.TOPIC, "unauthorized"),
                 (AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, "not described")) as node:
        answer = node.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=10, topics=[
            CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
            for name in ("authorized", "unauthorized")]))
        assert {topic.name: error_of(topic) for topic in answer.topics} == {
            "authorized": Errors.NONE, "unauthorized": Errors.TOPIC_AUTHORIZATION_FAILED}
        assert set(node.metadata_cache.get_all_topics()) == {"authorized"}
    assert isinstance(node.auth_helper, Permissions)
    assert node.auth_helper.asked == [
        (AclOperation.CREATE, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
        (AclOperation.CREATE, ResourceType.TOPIC, "authorized"),
        (AclOperation.CREATE, ResourceType.TOPIC, "unauthorized"),
        (AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, "authorized"),
        (AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, "unauthorized")]


def test_delete_topics_by_id_authorization(tmp_path: Path) -> None:
    """One may not be described, one not be deleted, and one is not there."""
    with denying(tmp_path, (AclOperation.DELETE, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
                 (AclOperation.DESCRIBE, ResourceType.TOPIC, "foo"),
                 (AclOperation.DELETE, ResourceType.TOPIC, "foo"),
                 (AclOperation.DELETE, ResourceType.TOPIC, "bar")) as node:
        ids = {name: node.create_topic(name).topic_id() for name in ("foo", "bar")}
        unknown = Uuid.random_uuid()
        answer = node.ask(ApiKeys.DELETE_TOPICS, 6, DeleteTopicsRequestData(timeout_ms=1000, topics=[
            DeleteTopicsRequestData.DeleteTopicState(name=None, topic_id=id_)
            for id_ in (ids["foo"], ids["bar"], unknown) if id_ is not None]))
        assert {topic.topic_id: (topic.name, error_of(topic)) for topic in answer.responses} == {
            ids["foo"]: (None, Errors.TOPIC_AUTHORIZATION_FAILED),
            ids["bar"]: ("bar", Errors.TOPIC_AUTHORIZATION_FAILED),
            unknown: (None, Errors.UNKNOWN_TOPIC_ID)}
        assert set(node.metadata_cache.get_all_topics()) == {"foo", "bar"}


@pytest.mark.parametrize("use_primitive_topic_name_array", [True, False])
def test_delete_topics_by_name_authorization(tmp_path: Path, use_primitive_topic_name_array: bool) -> None:
    with denying(tmp_path, (AclOperation.DELETE, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
                 (AclOperation.DESCRIBE, ResourceType.TOPIC, "foo"),
                 (AclOperation.DELETE, ResourceType.TOPIC, "foo"),
                 (AclOperation.DELETE, ResourceType.TOPIC, "bar")) as node:
        for name in ("foo", "bar"):
            node.create_topic(name)
        names = ["foo", "bar", "baz"]
        if use_primitive_topic_name_array:
            data = DeleteTopicsRequestData(timeout_ms=1000, topic_names=names)
        else:
            data = DeleteTopicsRequestData(timeout_ms=1000, topics=[
                DeleteTopicsRequestData.DeleteTopicState(name=name) for name in names])
        answer = node.ask(ApiKeys.DELETE_TOPICS, 5 if use_primitive_topic_name_array else 6, data)
        assert {topic.name: error_of(topic) for topic in answer.responses} == {
            "foo": Errors.TOPIC_AUTHORIZATION_FAILED, "bar": Errors.TOPIC_AUTHORIZATION_FAILED,
            "baz": Errors.UNKNOWN_TOPIC_OR_PARTITION}
        assert set(node.metadata_cache.get_all_topics()) == {"foo", "bar"}


# -- FindCoordinator -------------------------------------------------------------------------------


def find_coordinator(node: Node, type_: FindCoordinatorRequest.CoordinatorType, version: int = 5) -> None:
    """The first who asks for a coordinator has the topic created that keeps its state."""
    if version >= 4:
        answer = node.ask(ApiKeys.FIND_COORDINATOR, version, FindCoordinatorRequestData(
            key_type=type_.id(), coordinator_keys=["group"]))
        coordinator, = answer.coordinators
        assert coordinator.key == "group"
    else:
        coordinator = node.ask(ApiKeys.FIND_COORDINATOR, version, FindCoordinatorRequestData(
            key_type=type_.id(), key="group"))
    assert error_of(coordinator) is Errors.COORDINATOR_NOT_AVAILABLE
    assert (coordinator.node_id, coordinator.host, coordinator.port) == (-1, "", -1)
    is_group = type_ is FindCoordinatorRequest.CoordinatorType.GROUP
    for topic, partitions in ((Topic.GROUP_METADATA_TOPIC_NAME, 5 if is_group else None),
                              (Topic.TRANSACTION_STATE_TOPIC_NAME, None if is_group else 50)):
        assert node.metadata_cache.num_partitions(topic) == partitions
    answer = node.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
        key="group", key_type=type_.id()))
    assert (error_of(answer), answer.node_id, answer.host, answer.port) == (Errors.NONE, 1, "here", 9092)


def test_find_coordinator_auto_topic_creation_for_offset_topic(node: Node) -> None:
    find_coordinator(node, FindCoordinatorRequest.CoordinatorType.GROUP)


def test_find_coordinator_auto_topic_creation_for_txn_topic(node: Node) -> None:
    find_coordinator(node, FindCoordinatorRequest.CoordinatorType.TRANSACTION)


def test_old_find_coordinator_auto_topic_creation_for_offset_topic(node: Node) -> None:
    find_coordinator(node, FindCoordinatorRequest.CoordinatorType.GROUP, 3)


def test_old_find_coordinator_auto_topic_creation_for_txn_topic(node: Node) -> None:
    find_coordinator(node, FindCoordinatorRequest.CoordinatorType.TRANSACTION, 3)


@pytest.mark.parametrize(("key_type", "resource_type", "error"), [
    (0, ResourceType.GROUP, Errors.GROUP_AUTHORIZATION_FAILED),
    (1, ResourceType.TRANSACTIONAL_ID, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)])
def test_find_coordinator_with_authorizer(tmp_path: Path, key_type: int, resource_type: ResourceType,
                                          error: Errors) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, resource_type, "mine")) as node:
        answer = node.ask(ApiKeys.FIND_COORDINATOR, 4, FindCoordinatorRequestData(
            key_type=key_type, coordinator_keys=["mine", "yours"]))
        assert [(found.key, error_of(found)) for found in answer.coordinators] == [
            ("mine", error), ("yours", Errors.COORDINATOR_NOT_AVAILABLE)]
        answer = node.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
            key_type=key_type, key="mine"))
        assert (error_of(answer), answer.error_message) == (error, error.message())


@pytest.mark.parametrize("version", versions(ApiKeys.FIND_COORDINATOR, 1))
def test_find_coordinator_of_an_unknown_kind(node: Node, version: int) -> None:
    data = FindCoordinatorRequestData(key_type=9)
    if version >= 4:
        data.coordinator_keys = ["a"]
        answer, = node.ask(ApiKeys.FIND_COORDINATOR, version, data).coordinators
    else:
        data.key = "a"
        answer = node.ask(ApiKeys.FIND_COORDINATOR, version, data)
    assert error_of(answer) is Errors.INVALID_REQUEST


# -- Metadata --------------------------------------------------------------------------------------


def metadata_auto_topic_creation(folder: Path, topic: str, enable: bool) -> None:
    is_internal = topic in (Topic.GROUP_METADATA_TOPIC_NAME, Topic.TRANSACTION_STATE_TOPIC_NAME)
    with Node(folder, {"num.partitions": "3"}) as node:
        asked: list[tuple[set[str], Any]] = []
        create_topics = node.auto_topic_creation_manager.create_topics

        def noting(names: Any, quota: Any, context: Any) -> list[MetadataResponseData.MetadataResponseTopic]:
            names = list(names)
            asked.append((set(names), context))
            return create_topics(names, quota, context)

        node.auto_topic_creation_manager.create_topics = noting  # type: ignore
        node.create_topic("some-topic")
        exchange = node.send(ApiKeys.METADATA, 12, metadata_data(topic, auto=enable))
        found, = exchange.answer().topics
        assert (error_of(found), found.name, found.is_internal, found.partitions) == (
            Errors.UNKNOWN_TOPIC_OR_PARTITION, topic, is_internal, [])
        assert asked == ([({topic}, exchange.request.context)] if enable else [])
        # It is there the next time.
        created = {Topic.GROUP_METADATA_TOPIC_NAME: 5, Topic.TRANSACTION_STATE_TOPIC_NAME: 50}
        assert node.metadata_cache.num_partitions(topic) == (created.get(topic, 3) if enable else None)


def test_metadata_auto_topic_creation_for_offset_topic(tmp_path: Path) -> None:
    metadata_auto_topic_creation(tmp_path, Topic.GROUP_METADATA_TOPIC_NAME, True)


def test_metadata_auto_topic_creation_for_txn_topic(tmp_path: Path) -> None:
    metadata_auto_topic_creation(tmp_path, Topic.TRANSACTION_STATE_TOPIC_NAME, True)


def test_metadata_auto_topic_creation_for_non_internal_topic(tmp_path: Path) -> None:
    metadata_auto_topic_creation(tmp_path, "topic", True)


def test_metadata_auto_topic_creation_disabled_for_offset_topic(tmp_path: Path) -> None:
    metadata_auto_topic_creation(tmp_path, Topic.GROUP_METADATA_TOPIC_NAME, False)


def test_metadata_auto_topic_creation_disabled_for_txn_topic(tmp_path: Path) -> None:
    metadata_auto_topic_creation(tmp_path, Topic.TRANSACTION_STATE_TOPIC_NAME, False)


def test_metadata_auto_topic_creation_disabled_for_non_internal_topic(tmp_path: Path) -> None:
    metadata_auto_topic_creation(tmp_path, "topic", False)


def test_metadata_auto_creation_disabled_for_non_internal(tmp_path: Path) -> None:
    """By the broker, whatever the client says."""
    with Node(tmp_path, {"auto.create.topics.enable": "false"}) as node:
        for _ in range(2):
            found, = node.ask(ApiKeys.METADATA, 12, metadata_data("topic")).topics
            assert error_of(found) is Errors.UNKNOWN_TOPIC_OR_PARTITION
        assert not node.metadata_cache.get_all_topics()


@pytest.mark.parametrize("version", [10, 11])
@pytest.mark.parametrize(("name", "has_id"), [(None, True), (None, False), ("", True), ("topic1", True)])
def test_invalid_metadata_request_returns_error(node: Node, version: int, name: str | None,
                                                has_id: bool) -> None:
    answer = node.ask(ApiKeys.METADATA, version, MetadataRequestData(topics=[
        MetadataRequestData.MetadataRequestTopic(
            name=name, topic_id=Uuid.random_uuid() if has_id else Uuid.ZERO_UUID)]))
    topic, = answer.topics
    assert error_of(topic) is Errors.INVALID_REQUEST
    assert topic.name is not None


def inconsistent_listeners(node: Node, listener: str) -> list[int]:
    """Ask on a listener that ours has, or on one that it has not; return the brokers that are told."""
    node.metadata_cache.set_endpoints({"PLAINTEXT": Endpoint(1, "broker1", 9092)})
    answer = node.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=None), listener=listener)
    return [broker.node_id for broker in answer.brokers]


def test_metadata_request_on_shared_listener_with_inconsistent_listeners_across_brokers(node: Node) -> None:
    assert inconsistent_listeners(node, "PLAINTEXT") == [1]


def test_metadata_request_on_distinct_listener_with_inconsistent_listeners_across_brokers(node: Node) -> None:
    assert inconsistent_listeners(node, "LISTENER2") == []


@pytest.mark.parametrize("version", versions(ApiKeys.METADATA))
def test_what_cannot_be_reached_is_an_error_in_some_versions(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    seen: list[tuple[Any, ...]] = []

    def get_topic_metadata(*args: Any) -> list[Any]:
        seen.append(args)
        return []

    monkeypatch.setattr(node.metadata_cache, "get_topic_metadata", get_topic_metadata)
    node.ask(ApiKeys.METADATA, version, metadata_data("foo"))
    (topics, listener_name, unavailable_endpoints, unavailable_listeners), = seen
    assert (list(topics), listener_name) == (["foo"], ListenerName("PLAINTEXT"))
    assert (unavailable_endpoints, unavailable_listeners) == (version == 0, version >= 6)


def test_get_all_topic_metadata_should_not_create_topic_or_return_unknown_topic_partition(
        node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic goes while the request is handled."""
    node.create_topic("remaining-topic")
    monkeypatch.setattr(node.metadata_cache, "get_all_topics",
                        lambda: ["remaining-topic", "later-deleted-topic"])
    answer = node.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=None))
    assert [(topic.name, error_of(topic)) for topic in answer.topics] == [("remaining-topic", Errors.NONE)]
    assert node.metadata_cache.num_partitions("later-deleted-topic") is None


def test_unauthorized_topic_metadata_request(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TOPIC, "unauthorized")) as node:
        ids = {name: node.create_topic(name).topic_id() for name in ("authorized", "unauthorized")}
        answer = node.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[
            MetadataRequestData.MetadataRequestTopic(name=None, topic_id=id_)
            for id_ in ids.values() if id_ is not None]))
        assert {topic.topic_id: (topic.name, error_of(topic)) for topic in answer.topics} == {
            ids["authorized"]: ("authorized", Errors.NONE),
            ids["unauthorized"]: (None, Errors.TOPIC_AUTHORIZATION_FAILED)}

        answer = node.ask(ApiKeys.METADATA, 12, metadata_data("authorized", "unauthorized", auto=False))
        assert {topic.name: (topic.topic_id, error_of(topic)) for topic in answer.topics} == {
            "authorized": (ids["authorized"], Errors.NONE),
            "unauthorized": (Uuid.ZERO_UUID, Errors.TOPIC_AUTHORIZATION_FAILED)}

        # Of all topics, those that may be described.
        for version, topics in ((0, []), (12, None)):
            answer = node.ask(ApiKeys.METADATA, version, MetadataRequestData(topics=topics))
            assert [topic.name for topic in answer.topics] == ["authorized"]


def test_metadata_of_topics_that_may_not_be_created(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.CREATE, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
                 (AclOperation.CREATE, ResourceType.TOPIC, "new"),
                 (AclOperation.CREATE, ResourceType.TOPIC, "__consumer_offsets")) as node:
        node.create_topic("there")
        answer = node.ask(ApiKeys.METADATA, 12, metadata_data("there", "new", "newer", "__consumer_offsets"))
        assert [(topic.name, error_of(topic), topic.is_internal) for topic in answer.topics] == [
            ("there", Errors.NONE, False), ("newer", Errors.UNKNOWN_TOPIC_OR_PARTITION, False),
            ("new", Errors.TOPIC_AUTHORIZATION_FAILED, False),
            ("__consumer_offsets", Errors.TOPIC_AUTHORIZATION_FAILED, True)]
        assert set(node.metadata_cache.get_all_topics()) == {"there", "newer"}
        # A request that creates nothing needs no permission to create.
        assert isinstance(node.auth_helper, Permissions)
        node.auth_helper.asked.clear()
        node.ask(ApiKeys.METADATA, 12, metadata_data("newest", auto=False))
        assert node.auth_helper.asked == [(AclOperation.DESCRIBE, ResourceType.TOPIC, "newest")]


def test_metadata_of_a_bad_name(node: Node) -> None:
    for auto in (True, False):
        topic, = node.ask(ApiKeys.METADATA, 12, metadata_data("a b", auto=auto)).topics
        assert (topic.name, error_of(topic)) == ("a b", Errors.INVALID_TOPIC_EXCEPTION)


def test_metadata_by_id(node: Node) -> None:
    foo_id = node.create_topic("foo").topic_id()
    assert foo_id is not None
    unknown = Uuid.random_uuid()
    answer = node.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[
        MetadataRequestData.MetadataRequestTopic(name=None, topic_id=id_)
        for id_ in (foo_id, unknown, foo_id)]))
    assert {(topic.topic_id, topic.name, error_of(topic)) for topic in answer.topics} == {
        (foo_id, "foo", Errors.NONE), (unknown, None, Errors.UNKNOWN_TOPIC_ID)}
    assert len(answer.topics) == 2


@pytest.mark.parametrize(("version", "denied", "expected"), [
    (8, False, True), (10, False, True), (8, True, 0)])
def test_cluster_operations_in_metadata(tmp_path: Path, version: int, denied: bool, expected: int) -> None:
    actions = [(AclOperation.DESCRIBE, ResourceType.CLUSTER, Resource.CLUSTER_NAME)] if denied else []
    with denying(tmp_path, *actions) as node:
        for include in (False, True):
            answer = node.ask(ApiKeys.METADATA, version, metadata_data(
                include_cluster_authorized_operations=include))
            operations = answer.cluster_authorized_operations
            if not include:
                assert operations == -2**31
            elif denied:
                assert operations == 0
            else:
                assert operations >> AclOperation.CREATE.code() & 1


def test_topic_operations_in_metadata(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.WRITE, ResourceType.TOPIC, "foo")) as node:
        node.create_topic("foo")
        answer = node.ask(ApiKeys.METADATA, 12, metadata_data(
            "foo", "none", auto=False, include_topic_authorized_operations=True))
        foo, none = (topic.topic_authorized_operations for topic in answer.topics)
        assert foo >> AclOperation.READ.code() & 1 and not foo >> AclOperation.WRITE.code() & 1
        assert none >> AclOperation.WRITE.code() & 1
        foo, = node.ask(ApiKeys.METADATA, 12, metadata_data("foo")).topics
        assert foo.topic_authorized_operations == -2**31


# -- InitProducerId --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(ApiKeys.INIT_PRODUCER_ID))
def test_should_replace_producer_fenced_with_invalid_producer_epoch_in_init_producer_id_with_older_client(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    none = (RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH)
    producer_id, epoch = none if version < 3 else (15, 0)
    asked = []

    def handle_init_producer_id(transactional_id: str | None, timeout_ms: int,
                                expected: ProducerIdAndEpoch | None, callback: Callable[..., None],
                                request_local: RequestLocal) -> None:
        asked.append((transactional_id, timeout_ms, expected))
        callback(InitProducerIdResult(producer_id, epoch, Errors.PRODUCER_FENCED))

    monkeypatch.setattr(node.apis.txn_coordinator, "handle_init_producer_id", handle_init_producer_id)
    answer = node.ask(ApiKeys.INIT_PRODUCER_ID, version, InitProducerIdRequestData(
        transactional_id="txnId", transaction_timeout_ms=900_000, producer_id=producer_id,
        producer_epoch=epoch))
    assert error_of(answer) is (Errors.INVALID_PRODUCER_EPOCH if version < 4 else Errors.PRODUCER_FENCED)
    assert (answer.producer_id, answer.producer_epoch) == (producer_id, epoch)
    assert asked == [("txnId", 900_000, None if version < 3 else ProducerIdAndEpoch(15, 0))]


def test_reject_init_producer_id_when_id_but_not_epoch_provided(node: Node) -> None:
    answer = node.ask(ApiKeys.INIT_PRODUCER_ID, 5, InitProducerIdRequestData(
        transactional_id="known", transaction_timeout_ms=900_000, producer_id=10,
        producer_epoch=RecordBatch.NO_PRODUCER_EPOCH))
    assert error_of(answer) is Errors.INVALID_REQUEST


def test_reject_init_producer_id_when_epoch_but_not_id_provided(node: Node) -> None:
    answer = node.ask(ApiKeys.INIT_PRODUCER_ID, 5, InitProducerIdRequestData(
        transactional_id="known", transaction_timeout_ms=900_000,
        producer_id=RecordBatch.NO_PRODUCER_ID, producer_epoch=2))
    assert error_of(answer) is Errors.INVALID_REQUEST


def test_init_producer_id_with_authorizer(tmp_path: Path) -> None:
    """A principal that may write to some topic may be an idempotent producer."""
    cluster = (AclOperation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
    topics = (AclOperation.WRITE, ResourceType.TOPIC, "")
    mine = (AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, "mine")
    for number, (denied, transactional_id, error) in enumerate((
            ((cluster,), None, Errors.NONE), ((topics,), None, Errors.NONE),
            ((cluster, topics), None, Errors.CLUSTER_AUTHORIZATION_FAILED),
            ((cluster, topics), "mine", Errors.NOT_COORDINATOR),
            ((mine,), "mine", Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED), ((mine,), None, Errors.NONE))):
        with denying(tmp_path / str(number), *denied) as node:
            answer = node.ask(ApiKeys.INIT_PRODUCER_ID, 5, InitProducerIdRequestData(
                transactional_id=transactional_id, transaction_timeout_ms=1000))
            assert error_of(answer) is error, denied
            assert (answer.producer_id >= 0) is (error is Errors.NONE)


# -- Produce ---------------------------------------------------------------------------------------


def answering_produce(response: ProduceResponse.PartitionResponse,
                      calls: list[tuple[Any, ...]] | None = None) -> Callable[..., None]:
    """Return a ``handle_produce_append`` that answers this for every partition."""
    def handle_produce_append(timeout: int, required_acks: int, internal_topics_allowed: bool,
                              transactional_id: str | None, entries: dict[TopicPartition, MemoryRecords],
                              callback: Callable[..., None], *args: Any, **kwargs: Any) -> None:
        if calls is not None:
            calls.append((required_acks, internal_topics_allowed, transactional_id, set(entries)))
        callback(dict.fromkeys(entries, response))

    return handle_produce_append


@pytest.mark.parametrize("version", versions(ApiKeys.PRODUCE))
def test_should_replace_producer_fenced_with_invalid_producer_epoch_in_produce_response(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    node.create_topic("foo", 2)
    monkeypatch.setattr(node.replica_manager, "handle_produce_append", answering_produce(
        ProduceResponse.PartitionResponse(Errors.INVALID_PRODUCER_EPOCH)))
    response = produce_answer(node, version, produce_data(records(b"test", magic=magic_of(version))))
    assert error_of(response) is Errors.INVALID_PRODUCER_EPOCH


def not_leader(node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> Any:
    """Produce to what says that the leader is another; return the whole answer."""
    monkeypatch.setattr(node.replica_manager, "handle_produce_append", answering_produce(
        ProduceResponse.PartitionResponse(Errors.NOT_LEADER_OR_FOLLOWER)))
    answer = node.ask(ApiKeys.PRODUCE, version, produce_data(records(b"test")))
    response, = answer.responses[0].partition_responses
    assert error_of(response) is Errors.NOT_LEADER_OR_FOLLOWER
    return answer


def leader_told(answer: Any) -> tuple[int, int, list[tuple[int, str, int]]]:
    topic = answer.responses[0]
    response, = (topic.partition_responses if hasattr(topic, "partition_responses")
                 else topic.partitions)
    return (response.current_leader.leader_id, response.current_leader.leader_epoch,
            [(node.node_id, node.host, node.port) for node in answer.node_endpoints])


@pytest.mark.parametrize("version", versions(ApiKeys.PRODUCE, 10))
def test_produce_response_contains_new_leader_on_not_leader_or_follower(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    partition = node.create_topic("foo", 2)
    monkeypatch.setattr(type(partition), "leader_replica_id_opt", lambda self: 2)
    monkeypatch.setattr(type(partition), "get_leader_epoch", lambda self: 5)
    monkeypatch.setattr(node.metadata_cache, "get_alive_broker_node", lambda id_, listener: (
        Endpoint(2, "broker2", 9092) if (id_, listener.value()) == (2, "PLAINTEXT") else None))
    answer = not_leader(node, monkeypatch, version)
    assert leader_told(answer) == (2, 5, [(2, "broker2", 9092)])


@pytest.mark.parametrize("version", versions(ApiKeys.PRODUCE, 10))
def test_produce_response_replica_manager_lookup_error_on_not_leader_or_follower(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """The metadata know the leader."""
    node.create_topic("foo", 2)
    monkeypatch.setattr(node.replica_manager, "get_partition_or_error",
                        lambda topic_partition: Errors.UNKNOWN_TOPIC_OR_PARTITION)
    answer = not_leader(node, monkeypatch, version)
    assert leader_told(answer) == (1, 0, [(1, "here", 9092)])


@pytest.mark.parametrize("version", versions(ApiKeys.PRODUCE, 10))
def test_produce_response_metadata_lookup_error_on_not_leader_or_follower(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    node.create_topic("foo", 2)
    monkeypatch.setattr(node.replica_manager, "get_partition_or_error",
                        lambda topic_partition: Errors.UNKNOWN_TOPIC_OR_PARTITION)
    monkeypatch.setattr(node.metadata_cache, "get_partition_info", lambda topic, partition: None)
    answer = not_leader(node, monkeypatch, version)
    assert leader_told(answer) == (-1, -1, [])


def test_old_producers_are_not_told_of_the_leader(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.create_topic("foo")
    monkeypatch.setattr(node.apis, "_get_current_leader", raising(AssertionError("was looked up")))
    not_leader(node, monkeypatch, 9)


@pytest.mark.parametrize("version", versions(ApiKeys.PRODUCE, 3))
def test_transactional_parameters_set_correctly(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                version: int) -> None:
    node.create_topic("foo", 2)
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(node.replica_manager, "handle_produce_append", answering_produce(
        ProduceResponse.PartitionResponse(Errors.NONE), calls))
    node.ask(ApiKeys.PRODUCE, version, produce_data(
        MemoryRecords.with_transactional_records(Compression.NONE, 0, 0, 0, SimpleRecord(T0, None, b"test")),
        transactional_id="txn1"))
    assert calls == [(1, False, "txn1", {FOO})]


def test_transactional_records_with_authorizer(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, "mine")) as node:
        node.create_topic("foo")
        for transactional_id in ("mine", None):
            response = produce_answer(node, 9, produce_data(MemoryRecords.with_transactional_records(
                Compression.NONE, 0, 0, 0, SimpleRecord(T0, None, b"a")), transactional_id=transactional_id))
            assert error_of(response) is Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        # A batch that is not transactional needs no such permission.
        assert error_of(produce_answer(node, 9, produce_data(
            records(b"a"), transactional_id="mine"))) is Errors.NONE
        assert node.replica_manager.get_log_end_offset(FOO) == 1


def test_produce_with_all_that_may_be_wrong(tmp_path: Path) -> None:
    """Each partition is answered for itself, and what is right is appended."""
    with denying(tmp_path, (AclOperation.WRITE, ResourceType.TOPIC, "secret")) as node:
        for name in ("foo", "secret"):
            node.create_topic(name)

        def topic(name: str, *partitions: tuple[int, MemoryRecords]) -> ProduceRequestData.TopicProduceData:
            return ProduceRequestData.TopicProduceData(name=name, partition_data=[
                ProduceRequestData.PartitionProduceData(index=index, records=bytes_of(data))
                for index, data in partitions])

        answer = node.ask(ApiKeys.PRODUCE, 9, ProduceRequestData(acks=1, timeout_ms=1000, topic_data=[
            topic("secret", (0, records(b"a"))),
            topic("none", (0, records(b"a"))),
            topic("foo", (0, records(b"a", b"b")), (1, records(b"a")))]))
        found = {(topic.name, partition.index): (error_of(partition), partition.base_offset)
                 for topic in answer.responses for partition in topic.partition_responses}
        assert found == {
            ("secret", 0): (Errors.TOPIC_AUTHORIZATION_FAILED, -1),
            ("none", 0): (Errors.UNKNOWN_TOPIC_OR_PARTITION, -1),
            ("foo", 0): (Errors.NONE, 0),
            ("foo", 1): (Errors.UNKNOWN_TOPIC_OR_PARTITION, -1)}
        assert node.replica_manager.get_log_end_offset(FOO) == 2
        assert node.replica_manager.get_log_end_offset(TopicPartition("secret", 0)) == 0


def test_produce_in_a_format_that_the_version_does_not_have(node: Node) -> None:
    node.create_topic("foo")
    response = produce_answer(node, 9, produce_data(records(b"a", magic=1)))
    assert error_of(response) is Errors.INVALID_RECORD
    zstd = MemoryRecords.with_records(Compression.zstd().build(), SimpleRecord(T0, None, b"a" * 100))
    assert error_of(produce_answer(node, 6, produce_data(zstd))) is Errors.UNSUPPORTED_COMPRESSION_TYPE
    assert error_of(produce_answer(node, 7, produce_data(zstd))) is Errors.NONE


def test_acks_0(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    node.create_topic("foo")
    assert node.send(ApiKeys.PRODUCE, 9, produce_data(records(b"a"), acks=0)).is_nothing()
    assert node.replica_manager.get_log_end_offset(FOO) == 1
    caplog.clear()
    assert node.send(ApiKeys.PRODUCE, 9, produce_data(records(b"a"), "none", acks=0)).is_closed()
    assert "closing connection due to error during produce request" in caplog.text
    assert "'none-0'" in caplog.text and "UnknownTopicOrPartitionException" in caplog.text
    assert node.metric_value("kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,"
                             "error=UNKNOWN_TOPIC_OR_PARTITION") == 1


@pytest.mark.parametrize("acks", [2, -2, 100])
def test_acks_that_there_are_not(node: Node, acks: int) -> None:
    node.create_topic("foo")
    response = produce_answer(node, 9, produce_data(records(b"a"), acks=acks))
    assert error_of(response) is Errors.INVALID_REQUIRED_ACKS
    assert node.replica_manager.get_log_end_offset(FOO) == 0


def test_internal_topics_are_for_the_admin(node: Node) -> None:
    node.create_topic("__consumer_offsets")
    data = produce_data(records(b"a"), "__consumer_offsets")
    assert error_of(produce_answer(node, 9, data)) is Errors.INVALID_TOPIC_EXCEPTION
    answer = node.ask(ApiKeys.PRODUCE, 9, data, client_id=ADMIN_CLIENT_ID)
    assert error_of(answer.responses[0].partition_responses[0]) is Errors.NONE


def test_the_records_of_a_request_are_let_go(node: Node) -> None:
    node.create_topic("foo")
    exchange = node.send(ApiKeys.PRODUCE, 9, produce_data(records(b"a")))
    with pytest.raises(Exception, match="clear"):
        exchange.request.body(ProduceRequest).data()


def test_conversions_of_a_produce_are_counted(node: Node) -> None:
    node.create_topic("foo")
    exchange = node.send(ApiKeys.PRODUCE, 2, produce_data(records(b"a", b"b", magic=1)))
    assert error_of(exchange.answer().responses[0].partition_responses[0]) is Errors.NONE
    for stats in (node.stats.topic_stats("foo"), node.stats.all_topics_stats):
        assert stats.produce_message_conversions_rate().count() == 2
        assert stats.fetch_message_conversions_rate().count() == 0
    assert exchange.request.temporary_memory_bytes > 0
    exchange = node.send(ApiKeys.PRODUCE, 9, produce_data(records(b"a")))
    assert node.stats.all_topics_stats.produce_message_conversions_rate().count() == 2
    assert exchange.request.temporary_memory_bytes == 0


def test_the_time_that_conversions_took(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def handle_produce_append(timeout: int, acks: int, internal: bool, transactional_id: str | None,
                              entries: Any, response_callback: Any, stats_callback: Any, *args: Any,
                              **kwargs: Any) -> None:
        stats_callback({tp: RecordValidationStats(5, 1, 7) for tp in entries})
        response_callback({})

    node.create_topic("foo")
    monkeypatch.setattr(node.replica_manager, "handle_produce_append", handle_produce_append)
    request = node.send(ApiKeys.PRODUCE, 2, produce_data(records(b"a", magic=1))).request
    assert (request.temporary_memory_bytes, request.message_conversions_time_nanos) == (5, 7)


def test_produce_after_the_topic_is_gone(node: Node) -> None:
    node.create_topic("foo")
    node.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(timeout_ms=1000, topic_names=["foo"]))
    response = produce_answer(node, 9, produce_data(records(b"a")))
    assert error_of(response) is Errors.UNKNOWN_TOPIC_OR_PARTITION


# -- Fetch -----------------------------------------------------------------------------------------


def answering_fetch(tp: TopicIdPartition, error: Errors = Errors.NONE,
                    records: MemoryRecords = MemoryRecords.EMPTY, high_watermark: int = -1,
                    log_start_offset: int = -1, is_reassignment: bool = False) -> Callable[..., None]:
    """Return a ``fetch_messages`` with this result."""
    def fetch_messages(params: Any, fetch_infos: Any, callback: Callable[..., None]) -> None:
        callback([(tp, FetchPartitionData(error, high_watermark, log_start_offset, records, None, None, None,
                                          None, is_reassignment))])

    return fetch_messages


def test_fetch_request_v9_with_no_log_config(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """The partition has gone while its records are under way."""
    node.create_topic("foo")
    monkeypatch.setattr(node.replica_manager, "get_log_config", lambda topic_partition: None)
    data = records(b"foo")
    monkeypatch.setattr(node.replica_manager, "fetch_messages", answering_fetch(
        TopicIdPartition(Uuid.ZERO_UUID, FOO), Errors.NONE, data, 3, 0))
    partition = fetched_partition(node.ask(ApiKeys.FETCH, 9, fetch_data()))
    assert (error_of(partition), partition.high_watermark, partition.last_stable_offset,
            partition.log_start_offset, partition.aborted_transactions) == (Errors.NONE, 3, -1, 0, None)
    assert values_of(partition) == [b"foo"]
    # An old client is given it as it is, too: how to convert it is the topic's.
    assert values_of(fetched_partition(node.ask(ApiKeys.FETCH, 3, fetch_data()))) == [b"foo"]


@pytest.mark.parametrize("replica_id", [-1, 0])
def test_fetch_request_erroneous_partitions(node: Node, monkeypatch: pytest.MonkeyPatch,
                                            replica_id: int) -> None:
    monkeypatch.setattr(node.replica_manager, "fetch_messages", raising(AssertionError("was read")))
    unknown = Uuid.random_uuid()
    replica = {} if replica_id < 0 else follower(16, replica_id)
    answer = node.ask(ApiKeys.FETCH, 16, fetch_data(topic_id=unknown, **replica))
    assert answer.responses[0].topic_id == unknown
    partition = fetched_partition(answer)
    assert (error_of(partition), partition.high_watermark, partition.last_stable_offset,
            partition.log_start_offset, size_of(partition)) == (
        Errors.UNKNOWN_TOPIC_ID, -1, -1, -1, 0)


@pytest.mark.parametrize("error", [Errors.NOT_LEADER_OR_FOLLOWER, Errors.FENCED_LEADER_EPOCH])
def test_fetch_response_contains_new_leader_on_not_leader_or_follower(
        node: Node, monkeypatch: pytest.MonkeyPatch, error: Errors) -> None:
    partition = node.create_topic("foo")
    topic_id = partition.topic_id()
    assert topic_id is not None
    monkeypatch.setattr(type(partition), "leader_replica_id_opt", lambda self: 2)
    monkeypatch.setattr(type(partition), "get_leader_epoch", lambda self: 5)
    monkeypatch.setattr(node.metadata_cache, "get_alive_broker_node",
                        lambda id_, listener: Endpoint(id_, f"broker{id_}", 9092, "rack"))
    monkeypatch.setattr(node.replica_manager, "fetch_messages", answering_fetch(
        TopicIdPartition(topic_id, FOO), error))
    answer = node.ask(ApiKeys.FETCH, 16, fetch_data(topic_id=topic_id))
    assert error_of(fetched_partition(answer)) is error
    assert leader_told(answer) == (2, 5, [(2, "broker2", 9092)])
    assert answer.node_endpoints[0].rack == "rack"
    # Before version 16 nobody asks.
    monkeypatch.setattr(node.apis, "_get_current_leader", raising(AssertionError("was looked up")))
    assert error_of(fetched_partition(node.ask(ApiKeys.FETCH, 15, fetch_data(topic_id=topic_id)))) is error


def test_the_errors_of_a_fetch_come_in_the_order_of_the_origin(tmp_path: Path) -> None:
    """Those of topics that nobody knows first, whatever stood before them in the request."""
    with denying(tmp_path, (AclOperation.READ, ResourceType.TOPIC, "secret")) as node:
        ids = [node.create_topic(name).topic_id() or Uuid.ZERO_UUID for name in ("secret", "foo")]
        unknown = Uuid.random_uuid()
        answer = node.ask(ApiKeys.FETCH, 16, FetchRequestData(max_wait_ms=0, topics=[
            FetchRequestData.FetchTopic(topic_id=topic_id, partitions=[
                FetchRequestData.FetchPartition(partition=partition, partition_max_bytes=100)])
            for topic_id, partition in ((ids[0], 0), (ids[1], 9), (unknown, 0), (ids[1], 0))]))
    assert [(topic.topic_id, topic.partitions[0].partition_index, error_of(topic.partitions[0]))
            for topic in answer.responses] == [
        (ids[1], 0, Errors.NONE),
        (unknown, 0, Errors.UNKNOWN_TOPIC_ID),
        (ids[0], 0, Errors.TOPIC_AUTHORIZATION_FAILED),
        (ids[1], 9, Errors.UNKNOWN_TOPIC_OR_PARTITION)]


def test_a_replica_needs_the_permission_of_the_cluster(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.CLUSTER_ACTION, ResourceType.CLUSTER, Resource.CLUSTER_NAME),
                 (AclOperation.READ, ResourceType.TOPIC, "bar")) as node:
        for name in ("foo", "bar"):
            node.create_topic(name)
        partition = fetched_partition(node.ask(ApiKeys.FETCH, 12, fetch_data(**follower(12))))
        assert error_of(partition) is Errors.TOPIC_AUTHORIZATION_FAILED
        assert error_of(fetched_partition(node.ask(ApiKeys.FETCH, 12, fetch_data()))) is Errors.NONE
        partition = fetched_partition(node.ask(ApiKeys.FETCH, 12, fetch_data("bar")))
        assert error_of(partition) is Errors.TOPIC_AUTHORIZATION_FAILED


def bytes_out(node: Node, monkeypatch: pytest.MonkeyPatch, is_reassigning: bool) -> None:
    topic_id = node.create_topic("foo").topic_id()
    assert topic_id is not None
    data = records(b"foo")
    monkeypatch.setattr(node.replica_manager, "fetch_messages", answering_fetch(
        TopicIdPartition(topic_id, FOO), Errors.NONE, data, 3, 0, is_reassigning))
    node.ask(ApiKeys.FETCH, 16, fetch_data(topic_id=topic_id, **follower(16)))
    stats = node.stats.all_topics_stats
    reassignment, replication = stats.reassignment_bytes_out_per_sec(), stats.replication_bytes_out_rate()
    assert reassignment is not None and replication is not None
    assert reassignment.count() == (data.size_in_bytes() if is_reassigning else 0)
    assert replication.count() == data.size_in_bytes()
    assert stats.bytes_out_rate().count() == 0


def test_reassignment_and_replication_bytes_out_rate_when_reassigning(
        node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    bytes_out(node, monkeypatch, True)


def test_reassignment_and_replication_bytes_out_rate_when_not_reassigning(
        node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    bytes_out(node, monkeypatch, False)


def test_bytes_out_of_a_consumer(node: Node) -> None:
    topic_id = node.create_topic("foo").topic_id() or Uuid.ZERO_UUID
    node.append("foo", b"abc")
    partition = fetched_partition(node.ask(ApiKeys.FETCH, 16, fetch_data(topic_id=topic_id)))
    for stats in (node.stats.topic_stats("foo"), node.stats.all_topics_stats):
        assert stats.bytes_out_rate().count() == size_of(partition) > 0
    replication = node.stats.all_topics_stats.replication_bytes_out_rate()
    assert replication is not None and replication.count() == 0
    # A topic that nobody knows has no rates.
    node.ask(ApiKeys.FETCH, 16, fetch_data(topic_id=Uuid.random_uuid()))
    assert not any("topic=," in name or name.endswith("topic=") for name in node.metric_names())


@pytest.mark.parametrize("version", versions(ApiKeys.FETCH))
def test_a_storage_error_is_another_for_old_consumers(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                      version: int) -> None:
    topic_id = node.create_topic("foo").topic_id() or Uuid.ZERO_UUID
    monkeypatch.setattr(node.replica_manager, "fetch_messages", answering_fetch(
        TopicIdPartition(topic_id if version >= 13 else Uuid.ZERO_UUID, FOO), Errors.KAFKA_STORAGE_ERROR))
    partition = fetched_partition(node.ask(ApiKeys.FETCH, version, fetch_data(topic_id=topic_id)))
    assert error_of(partition) is (
        Errors.NOT_LEADER_OR_FOLLOWER if version <= 5 else Errors.KAFKA_STORAGE_ERROR)


@pytest.mark.parametrize("version", versions(ApiKeys.FETCH))
def test_records_come_in_the_format_of_the_version(node: Node, version: int) -> None:
    topic_id = node.create_topic("foo").topic_id() or Uuid.ZERO_UUID
    node.append("foo", b"a", b"b")
    exchange = node.send(ApiKeys.FETCH, version, fetch_data(topic_id=topic_id))
    partition = fetched_partition(exchange.answer())
    assert values_of(partition) == [b"a", b"b"]
    magic = 0 if version <= 1 else 1 if version <= 3 else 2
    batches = list(MemoryRecords.readable_records(partition.records).batches())
    assert {batch.magic() for batch in batches} == {magic}
    converted = 2 if magic < 2 else 0
    for stats in (node.stats.topic_stats("foo"), node.stats.all_topics_stats):
        assert stats.fetch_message_conversions_rate().count() == converted
        assert stats.produce_message_conversions_rate().count() == 0
    assert (exchange.request.temporary_memory_bytes > 0) is (magic < 2)


@pytest.mark.parametrize("version", versions(ApiKeys.FETCH))
def test_topics_that_are_not_converted(node: Node, version: int) -> None:
    topic_id = node.create_topic("foo", configs={
        TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG: "false"}).topic_id() or Uuid.ZERO_UUID
    node.append("foo", b"a")
    partition = fetched_partition(node.ask(ApiKeys.FETCH, version, fetch_data(topic_id=topic_id)))
    assert error_of(partition) is (Errors.UNSUPPORTED_VERSION if version <= 3 else Errors.NONE)
    assert (size_of(partition) == 0) is (version <= 3)
    if version <= 3:
        # A replica gets them converted all the same, if it is one.
        data = fetch_data(topic_id=topic_id, **follower(version))
        partition = fetched_partition(node.ask(ApiKeys.FETCH, version, data))
        assert error_of(partition) is Errors.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("version", versions(ApiKeys.FETCH))
def test_zstd_is_not_for_old_consumers(node: Node, version: int) -> None:
    topic_id = node.create_topic("foo", configs={
        TopicConfig.COMPRESSION_TYPE_CONFIG: "zstd"}).topic_id() or Uuid.ZERO_UUID
    node.append("foo", b"a" * 100)
    partition = fetched_partition(node.ask(ApiKeys.FETCH, version, fetch_data(topic_id=topic_id)))
    assert error_of(partition) is (
        Errors.UNSUPPORTED_COMPRESSION_TYPE if version < 10 else Errors.NONE)


def test_zstd_that_the_topic_does_not_tell_of(node: Node) -> None:
    """It is met when the records are converted, as late as when they are sent."""
    node.create_topic("foo")
    compressed = MemoryRecords.with_records(
        Compression.zstd().build(), SimpleRecord(T0, None, b"a" * 100))
    node.replica_manager.append_records(
        1000, 1, False, AppendOrigin.CLIENT, {FOO: compressed}, lambda status: None)
    assert error_of(fetched_partition(node.ask(ApiKeys.FETCH, 4, fetch_data()))) is Errors.NONE
    exchange = node.send(ApiKeys.FETCH, 3, fetch_data())
    assert exchange.response is not None


def params_of(node: Node, monkeypatch: pytest.MonkeyPatch, version: int, data: FetchRequestData) -> Any:
    """Ask; return the parameters with which the logs are read."""
    seen: list[Any] = []
    fetch_messages = node.replica_manager.fetch_messages

    def noting(params: Any, fetch_infos: Any, callback: Callable[..., None]) -> None:
        seen.append(params)
        fetch_messages(params, fetch_infos, callback)

    monkeypatch.setattr(node.replica_manager, "fetch_messages", noting)
    node.ask(ApiKeys.FETCH, version, data)
    return seen[0]


def test_what_a_fetch_is_read_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Node(tmp_path, {"fetch.max.bytes": "2000"}) as node:
        node.create_topic("foo")
        params = params_of(node, monkeypatch, 12, fetch_data(
            max_wait_ms=0, min_bytes=3000, max_bytes=5000, isolation_level=1))
        assert (params.max_bytes, params.min_bytes, params.max_wait_ms) == (2000, 2000, 0)
        assert params.isolation is FetchIsolation.TXN_COMMITTED
        assert (params.replica_id, params.request_version) == (-1, 12)
        params = params_of(node, monkeypatch, 12, fetch_data(min_bytes=3, max_bytes=50))
        assert (params.max_bytes, params.min_bytes) == (50, 3)
        assert params.isolation is FetchIsolation.HIGH_WATERMARK
        params = params_of(node, monkeypatch, 12, fetch_data(isolation_level=1, **follower(12)))
        assert (params.replica_id, params.isolation) == (7, FetchIsolation.LOG_END)
        # Before version 3 there is no limit but ours.
        assert params_of(node, monkeypatch, 2, fetch_data()).max_bytes == 2000


def test_an_unknown_isolation_level(node: Node) -> None:
    node.create_topic("foo")
    answer = node.ask(ApiKeys.FETCH, 12, fetch_data(isolation_level=7))
    assert error_of(answer) is Errors.UNKNOWN_SERVER_ERROR


def test_a_fetch_waits_for_records(node: Node) -> None:
    node.create_topic("foo")
    exchange = node.send(ApiKeys.FETCH, 12, fetch_data(max_wait_ms=500))
    assert exchange.waits()
    node.ask(ApiKeys.PRODUCE, 9, produce_data(records(b"a")))
    assert values_of(fetched_partition(exchange.answer())) == [b"a"]
    exchange = node.send(ApiKeys.FETCH, 12, fetch_data(offset=1, max_wait_ms=500))
    node.timer.advance_clock(500)
    assert exchange.waits()
    node.timer.advance_clock(1)
    assert values_of(fetched_partition(exchange.answer())) == []


def test_a_fetch_that_asks_for_nothing(node: Node) -> None:
    answer = node.ask(ApiKeys.FETCH, 12, FetchRequestData(max_wait_ms=500, min_bytes=1))
    assert (error_of(answer), answer.responses) == (Errors.NONE, [])


def test_a_fetch_that_asks_for_a_session_gets_one(node: Node) -> None:
    node.create_topic("foo", 2)
    node.append("foo", b"a")
    answer = node.ask(ApiKeys.FETCH, 12, fetch_data(session_id=0, session_epoch=0))
    session_id = answer.session_id
    assert error_of(answer) is Errors.NONE and session_id > 0
    assert values_of(fetched_partition(answer)) == [b"a"]

    # It reads on, and has the other partition too.
    more = fetch_data(session_id=session_id, session_epoch=1)
    more.topics[0].partitions[0].fetch_offset = 1
    more.topics[0].partitions.append(FetchRequestData.FetchPartition(partition=1, partition_max_bytes=1000))
    answer = node.ask(ApiKeys.FETCH, 12, more)
    assert [partition.partition_index for partition in answer.responses[0].partitions] == [1]
    again = FetchRequestData(max_wait_ms=1000, min_bytes=1, session_id=session_id, session_epoch=2)
    waiting = node.send(ApiKeys.FETCH, 12, again)
    assert waiting.waits()
    node.append("foo", b"b", partition=1)
    answer = waiting.answer()
    assert answer.session_id == session_id
    assert values_of(answer.responses[0].partitions[0]) == [b"b"]

    # The same is asked once more before the answer is there.
    again.session_epoch = 3
    again.topics = more.topics
    again.topics[0].partitions[1].fetch_offset = 1
    waiting = node.send(ApiKeys.FETCH, 12, again)
    assert waiting.waits()
    again.session_epoch = 4
    node.send(ApiKeys.FETCH, 12, again)
    node.append("foo", b"c")
    answer = waiting.answer()
    assert (error_of(answer), answer.responses) == (Errors.INVALID_FETCH_SESSION_EPOCH, [])

    answer = node.ask(ApiKeys.FETCH, 12, fetch_data(session_id=session_id ^ 1, session_epoch=1))
    assert (error_of(answer), answer.responses) == (Errors.FETCH_SESSION_ID_NOT_FOUND, [])
    answer = node.ask(ApiKeys.FETCH, 12, fetch_data(session_id=session_id, session_epoch=-1))
    assert (error_of(answer), answer.session_id) == (Errors.NONE, 0)
    assert node.metric_value("kafka.server:type=FetchSessionCache,name=NumIncrementalFetchSessions") == 0


# -- ListOffsets -----------------------------------------------------------------------------------


def listed(node: Node, version: int, data: ListOffsetsRequestData) -> Any:
    topic, = node.ask(ApiKeys.LIST_OFFSETS, version, data).topics
    assert topic.name == "foo"
    partition, = topic.partitions
    assert partition.partition_index == 0
    return partition


def list_offset_failed_get_leader_replica(node: Node, monkeypatch: pytest.MonkeyPatch, error: Errors) -> None:
    def fetch_offset_for_timestamp(*args: Any) -> None:
        assert args == (FOO, ListOffsetsRequest.EARLIEST_TIMESTAMP, IsolationLevel.READ_UNCOMMITTED, 15)
        exception = error.exception()
        assert exception is not None
        raise exception

    monkeypatch.setattr(node.replica_manager, "fetch_offset_for_timestamp", fetch_offset_for_timestamp)
    partition = listed(node, 8, list_offsets_data(
        ListOffsetsRequest.EARLIEST_TIMESTAMP, current_leader_epoch=15))
    assert (error_of(partition), partition.offset, partition.timestamp) == (error, -1, -1)


def test_leader_replica_if_local_raises_fenced_leader_epoch(node: Node,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    list_offset_failed_get_leader_replica(node, monkeypatch, Errors.FENCED_LEADER_EPOCH)


def test_leader_replica_if_local_raises_unknown_leader_epoch(node: Node,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    list_offset_failed_get_leader_replica(node, monkeypatch, Errors.UNKNOWN_LEADER_EPOCH)


def test_leader_replica_if_local_raises_not_leader_or_follower(node: Node,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    list_offset_failed_get_leader_replica(node, monkeypatch, Errors.NOT_LEADER_OR_FOLLOWER)


def test_leader_replica_if_local_raises_unknown_topic_or_partition(node: Node,
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    list_offset_failed_get_leader_replica(node, monkeypatch, Errors.UNKNOWN_TOPIC_OR_PARTITION)


def consumer_list_offset_latest(node: Node, monkeypatch: pytest.MonkeyPatch, level: IsolationLevel) -> None:
    def fetch_offset_for_timestamp(*args: Any) -> FileRecords.TimestampAndOffset:
        assert args == (FOO, ListOffsetsRequest.LATEST_TIMESTAMP, level, None)
        return FileRecords.TimestampAndOffset(-1, 15, None)

    monkeypatch.setattr(node.replica_manager, "fetch_offset_for_timestamp", fetch_offset_for_timestamp)
    partition = listed(node, 8, list_offsets_data(
        ListOffsetsRequest.LATEST_TIMESTAMP, isolation_level=level.id()))
    assert (error_of(partition), partition.offset, partition.timestamp, partition.leader_epoch) == (
        Errors.NONE, 15, -1, -1)


def test_read_uncommitted_consumer_list_offset_latest(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    consumer_list_offset_latest(node, monkeypatch, IsolationLevel.READ_UNCOMMITTED)


def test_read_committed_consumer_list_offset_latest(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    consumer_list_offset_latest(node, monkeypatch, IsolationLevel.READ_COMMITTED)


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_OFFSETS, 1))
def test_the_epoch_of_an_offset_is_told_since_version_4(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                        version: int) -> None:
    monkeypatch.setattr(node.replica_manager, "fetch_offset_for_timestamp",
                        lambda *args: FileRecords.TimestampAndOffset(T0, 15, 3))
    partition = listed(node, version, list_offsets_data(T0))
    assert (partition.offset, partition.timestamp, partition.leader_epoch) == (
        15, T0, 3 if version >= 4 else -1)


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_OFFSETS, 1))
def test_an_offset_that_is_not_available_yet(node: Node, monkeypatch: pytest.MonkeyPatch,
                                             version: int) -> None:
    monkeypatch.setattr(node.replica_manager, "fetch_offset_for_timestamp",
                        raising(OffsetNotAvailableException("not yet")))
    partition = listed(node, version, list_offsets_data(-1))
    assert error_of(partition) is (
        Errors.OFFSET_NOT_AVAILABLE if version >= 5 else Errors.LEADER_NOT_AVAILABLE)


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_OFFSETS))
def test_list_offsets_fails_in_an_unexpected_way(node: Node, monkeypatch: pytest.MonkeyPatch, version: int,
                                                 caplog: pytest.LogCaptureFixture) -> None:
    for name in ("fetch_offset_for_timestamp", "legacy_fetch_offsets_for_timestamp"):
        monkeypatch.setattr(node.replica_manager, name, raising(ValueError("no")))
    assert error_of(listed(node, version, list_offsets_data(-1))) is Errors.UNKNOWN_SERVER_ERROR
    assert [record.message for record in caplog.records] == [
        "[KafkaApi-1] error while responding to offset request"]


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_OFFSETS))
def test_list_offsets_of_what_is_not_there_is_nothing_to_look_into(
        node: Node, version: int, caplog: pytest.LogCaptureFixture) -> None:
    assert error_of(listed(node, version, list_offsets_data(-1))) is Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert not caplog.records


@pytest.mark.parametrize("version", versions(ApiKeys.LIST_OFFSETS))
def test_list_offsets_with_authorizer(tmp_path: Path, version: int) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TOPIC, "secret")) as node:
        for name in ("foo", "secret"):
            node.create_topic(name)
        data = list_offsets_data(-1, "secret")
        data.topics += list_offsets_data(-1).topics
        answer = node.ask(ApiKeys.LIST_OFFSETS, version, data)
        assert [(topic.name, error_of(topic.partitions[0])) for topic in answer.topics] == [
            ("foo", Errors.NONE), ("secret", Errors.TOPIC_AUTHORIZATION_FAILED)]


def test_a_partition_twice_in_list_offsets(node: Node) -> None:
    node.create_topic("foo", 2)
    data = list_offsets_data(-1)
    data.topics[0].partitions += [
        ListOffsetsRequestData.ListOffsetsPartition(partition_index=index, timestamp=-1) for index in (0, 1)]
    topic, = node.ask(ApiKeys.LIST_OFFSETS, 5, data).topics
    assert [(partition.partition_index, error_of(partition), partition.offset)
            for partition in topic.partitions] == [
        (0, Errors.INVALID_REQUEST, -1), (0, Errors.INVALID_REQUEST, -1), (1, Errors.NONE, 0)]


def test_a_replica_lists_offsets_whatever_is_committed(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = []

    def fetch_offset_for_timestamp(tp: TopicPartition, timestamp: int, level: IsolationLevel | None,
                                   epoch: int | None) -> FileRecords.TimestampAndOffset:
        levels.append(level)
        return FileRecords.TimestampAndOffset(-1, 0, None)

    monkeypatch.setattr(node.replica_manager, "fetch_offset_for_timestamp", fetch_offset_for_timestamp)
    for replica_id in (-1, -2, 3):
        listed(node, 8, list_offsets_data(-1, replica_id=replica_id, isolation_level=1))
    assert levels == [IsolationLevel.READ_COMMITTED, None, None]


def test_old_list_offsets(node: Node) -> None:
    node.create_topic("foo")
    node.append("foo", b"a")
    partition = listed(node, 0, list_offsets_data(-1, max_num_offsets=10))
    assert (error_of(partition), partition.old_style_offsets) == (Errors.NONE, [1, 0])
    assert listed(node, 0, list_offsets_data(-1, max_num_offsets=1)).old_style_offsets == [1]
    assert listed(node, 0, list_offsets_data(-2, max_num_offsets=10)).old_style_offsets == [0]


# -- DescribeCluster -------------------------------------------------------------------------------


def test_describe_cluster_request(node: Node) -> None:
    answer = node.ask(ApiKeys.DESCRIBE_CLUSTER, 1, DescribeClusterRequestData(
        include_cluster_authorized_operations=True))
    assert (error_of(answer), answer.controller_id, answer.cluster_id) == (Errors.NONE, 1, "cluster")
    assert answer.cluster_authorized_operations == 8096
    assert [(broker.broker_id, broker.host, broker.port) for broker in answer.brokers] == [(1, "here", 9092)]


def test_describe_cluster_on_a_listener_that_is_not_told(node: Node) -> None:
    answer = node.ask(ApiKeys.DESCRIBE_CLUSTER, 1, DescribeClusterRequestData(), listener="OTHER")
    assert (answer.brokers, answer.controller_id) == ([], -1)


# -- quotas ----------------------------------------------------------------------------------------


def user_quotas(user: str, **ops: float) -> AlterClientQuotasRequestData:
    return AlterClientQuotasRequestData(entries=[AlterClientQuotasRequestData.EntryData(
        entity=[AlterClientQuotasRequestData.EntityData(entity_type="user", entity_name=user)],
        ops=[AlterClientQuotasRequestData.OpData(key=key, value=value) for key, value in ops.items()])])


def test_alter_client_quotas_with_authorizer(tmp_path: Path) -> None:
    """And to be told of them takes a permission of its own."""
    denied = [(operation, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
              for operation in (AclOperation.ALTER_CONFIGS, AclOperation.DESCRIBE_CONFIGS)]
    with Node(tmp_path, auth_helper=Permissions(*denied)) as node:
        answer = node.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, user_quotas("user", producer_byte_rate=1.0))
        entry, = answer.entries
        assert (error_of(entry), [(part.entity_type, part.entity_name) for part in entry.entity]) == (
            Errors.CLUSTER_AUTHORIZATION_FAILED, [("user", "user")])
        assert not node.storage.client_quotas().quotas()
        described = node.ask(ApiKeys.DESCRIBE_CLIENT_QUOTAS, 1, DescribeClientQuotasRequestData())
        assert (error_of(described), described.entries) == (Errors.CLUSTER_AUTHORIZATION_FAILED, None)


class Throttling:
    """A quota that has all wait for the same time; it notes who waits, and what it is asked."""

    def __init__(self, throttle_time_ms: int) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.throttled: list[int] = []
        self.recorded: list[float] = []
        self.exempt = 0

    def quotas_enabled(self) -> bool:
        return True

    def maybe_record_and_get_throttle_time_ms(self, request: Any, *value_and_time_ms: float) -> int:
        self.recorded += value_and_time_ms[:-1]
        return self.throttle_time_ms

    def maybe_record_exempt(self, request: Any) -> None:
        self.exempt += 1

    def unrecord_quota_sensor(self, request: Any, value: float, time_ms: int) -> None:
        self.recorded.remove(value)

    def get_max_value_in_quota_window(self, session: Any, client_id: str) -> float:
        return 1e300

    def throttle(self, request: Any, throttle_callback: Any, throttle_time_ms: int) -> None:
        self.throttled.append(throttle_time_ms)

    def new_quota_for(self, request: Any, strict_since_version: int) -> Any:
        return self

    def record(self, permits: float) -> None:
        pass

    def throttle_time(self) -> int:
        return self.throttle_time_ms


QUOTA_TIMES = [(0, 1500), (1500, 0), (3000, 1000)]


@pytest.mark.parametrize(("controller_ms", "request_ms"), QUOTA_TIMES)
def test_kraft_controller_throttle_time_enforced(node: Node, controller_ms: int, request_ms: int) -> None:
    of_controller, of_request = Throttling(controller_ms), Throttling(request_ms)
    node.quotas.controller_mutation, node.quotas.request = of_controller, of_request  # type: ignore
    answer = node.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=1000, topics=[
        CreateTopicsRequestData.CreatableTopic(name="topic", num_partitions=1, replication_factor=1)]))
    assert answer.throttle_time_ms == max(controller_ms, request_ms)
    assert (of_controller.throttled, of_request.throttled) == (
        ([controller_ms], []) if controller_ms > request_ms else ([], [request_ms]))


@pytest.mark.parametrize(("bandwidth_ms", "request_ms"), [*QUOTA_TIMES, (0, 0), (70, 70)])
def test_the_longer_throttle_time_of_a_produce_counts(node: Node, bandwidth_ms: int,
                                                      request_ms: int) -> None:
    node.create_topic("foo")
    of_produce, of_request = Throttling(bandwidth_ms), Throttling(request_ms)
    node.quotas.produce, node.quotas.request = of_produce, of_request  # type: ignore[assignment]
    exchange = node.send(ApiKeys.PRODUCE, 9, quota_produce(1))
    assert exchange.answer().throttle_time_ms == max(bandwidth_ms, request_ms)
    assert exchange.request.api_throttle_time_ms == max(bandwidth_ms, request_ms)
    assert of_produce.recorded == [exchange.request.size_in_bytes()]
    waits = [max(bandwidth_ms, request_ms)] if bandwidth_ms or request_ms else []
    assert (of_produce.throttled, of_request.throttled) == (
        (waits, []) if bandwidth_ms > request_ms else ([], waits))


def quota_produce(acks: int) -> ProduceRequestData:
    return ProduceRequestData(acks=acks, timeout_ms=1000, topic_data=[ProduceRequestData.TopicProduceData(
        name="foo", partition_data=[ProduceRequestData.PartitionProduceData(
            index=0, records=records(b"a").buffer().to_bytes())])])


def test_who_gets_no_answer_waits_for_bytes_alone(node: Node) -> None:
    node.create_topic("foo")
    of_produce, of_request = Throttling(50), Throttling(100)
    node.quotas.produce, node.quotas.request = of_produce, of_request  # type: ignore[assignment]
    assert node.send(ApiKeys.PRODUCE, 9, quota_produce(0)).is_nothing()
    assert (of_produce.throttled, of_request.throttled, of_request.exempt) == ([50], [], 1)


@pytest.mark.parametrize(("bandwidth_ms", "request_ms"), [*QUOTA_TIMES, (0, 0), (70, 70)])
def test_the_longer_throttle_time_of_a_fetch_counts(node: Node, bandwidth_ms: int, request_ms: int) -> None:
    """A throttled fetch gets no records, by either quota, and counts for nothing."""
    node.create_topic("foo")
    node.append("foo", b"a")
    of_fetch, of_request = Throttling(bandwidth_ms), Throttling(request_ms)
    node.quotas.fetch, node.quotas.request = of_fetch, of_request  # type: ignore[assignment]
    exchange = node.send(ApiKeys.FETCH, 12, FetchRequestData(
        max_wait_ms=0, min_bytes=1, max_bytes=1000, topics=[FetchRequestData.FetchTopic(
            topic="foo", partitions=[FetchRequestData.FetchPartition(
                partition=0, fetch_offset=0, partition_max_bytes=1000)])]))
    answer = exchange.answer()
    assert answer.throttle_time_ms == max(bandwidth_ms, request_ms) == exchange.request.api_throttle_time_ms
    is_throttled = bool(bandwidth_ms or request_ms)
    assert bool(answer.responses) is not is_throttled
    assert len(of_fetch.recorded) == (0 if is_throttled else 1)
    waits = [max(bandwidth_ms, request_ms)] if is_throttled else []
    assert (of_fetch.throttled, of_request.throttled) == (
        (waits, []) if bandwidth_ms > request_ms else ([], waits))


# -- the metrics of clients ------------------------------------------------------------------------

def failing(*args: object) -> NoReturn:
    raise RuntimeError("test")


def test_get_telemetry_subscriptions(node: Node) -> None:
    answer = node.ask(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0, GetTelemetrySubscriptionsRequestData())
    assert (answer.error_code, answer.requested_metrics) == (0, [])
    assert answer.client_instance_id not in Uuid.RESERVED


def test_get_telemetry_subscriptions_with_exception(
    node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(node.client_metrics_manager, "process_get_telemetry_subscription_request", failing)
    answer = node.ask(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0, GetTelemetrySubscriptionsRequestData())
    assert answer == GetTelemetrySubscriptionsResponseData(error_code=Errors.INVALID_REQUEST.code)
    assert "failed to get the telemetry subscriptions of a client" in caplog.text
    assert "RuntimeError: test" in caplog.text


def test_push_telemetry(node: Node) -> None:
    subscription = node.ask(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0, GetTelemetrySubscriptionsRequestData())
    answer = node.ask(ApiKeys.PUSH_TELEMETRY, 0, PushTelemetryRequestData(
        client_instance_id=subscription.client_instance_id, subscription_id=subscription.subscription_id,
        metrics=b"metrics"))
    assert answer == PushTelemetryResponseData()


def test_push_telemetry_with_exception(node: Node, monkeypatch: pytest.MonkeyPatch,
                                       caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(node.client_metrics_manager, "process_push_telemetry_request", failing)
    answer = node.ask(ApiKeys.PUSH_TELEMETRY, 0, PushTelemetryRequestData())
    assert answer == PushTelemetryResponseData(error_code=Errors.INVALID_REQUEST.code)
    assert "failed to process telemetry that a client pushed" in caplog.text
    assert "RuntimeError: test" in caplog.text


def test_list_client_metrics_resources_with_exception(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node.client_metrics_manager, "list_client_metrics_resources", failing)
    answer = node.ask(ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0, ListClientMetricsResourcesRequestData())
    assert answer == ListClientMetricsResourcesResponseData(error_code=Errors.UNKNOWN_SERVER_ERROR.code)

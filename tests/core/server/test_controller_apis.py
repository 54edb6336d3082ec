# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerApisTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which topics a request may create and delete, what is said of the others, and who may ask for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import (
    InvalidRequestException,
    KafkaStorageException,
    ClusterAuthorizationException,
    PolicyViolationException,
    ThrottlingQuotaExceededException,
    TimeoutException,
    TopicDeletionDisabledException,
)
from kreactor.common.internals.topic import Topic
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.elect_leaders_response_data import ElectLeadersResponseData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.uuid import Uuid
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.controller_mutation_quota import ControllerMutationQuota
from kreactor.jdk.random_numbers import RANDOM
from tests.core.server.node import Node, Permissions

CreatableTopic = CreateTopicsRequestData.CreatableTopic
DeleteTopicState = DeleteTopicsRequestData.DeleteTopicState
ZERO = Uuid.ZERO_UUID
INVALID, UNAUTHORIZED = Errors.INVALID_REQUEST, Errors.TOPIC_AUTHORIZATION_FAILED


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def context(deadline_ns: int | None = None) -> ControllerRequestContext:
    return ControllerRequestContext(KafkaPrincipal.ANONYMOUS, deadline_ns, lambda partitions: None)


def create(node: Node, *names: str, creatable: Iterable[str] | None = None,
           describable: Iterable[str] | None = None) -> dict[str, Any]:
    """Create topics as one who may only create ``creatable``, if given; return what is said of each."""
    request = CreateTopicsRequestData(timeout_ms=1000, topics=[
        CreatableTopic(name=name, num_partitions=2, replication_factor=1) for name in names])
    response = node.controller_apis.create_topics(
        context(), request, creatable is None, lambda topics: set(topics) & set(creatable or ()),
        lambda topics: set(topics) if describable is None else set(topics) & set(describable))
    assert len(request.topics) == len(names), "the request itself stays as it is"
    assert len({topic.name for topic in response.topics}) == len(response.topics)
    return {topic.name: topic for topic in response.topics}


def delete(node: Node, *topics: tuple[str | None, Uuid] | str, version: int = 6,
           has_cluster_auth: bool = True,
           describable: Iterable[str] | None = (), deletable: Iterable[str] | None = (),
           ) -> set[tuple[str | None, Uuid, Errors, str | None]]:
    """Delete topics by name, or by name and id; None as permission is permission for all."""
    request = DeleteTopicsRequestData(
        timeout_ms=1000, topic_names=[topic for topic in topics if isinstance(topic, str)],
        topics=[DeleteTopicState(name=topic[0], topic_id=topic[1]) for topic in topics
                if not isinstance(topic, str)])
    results = node.controller_apis.delete_topics(
        context(), request, version, has_cluster_auth,
        lambda names: set(names) if describable is None else set(describable),
        lambda names: set(names) if deletable is None else set(deletable))
    found = {(result.name, result.topic_id, Errors.for_code(result.error_code), result.error_message)
             for result in results}
    assert len(found) == len(results)
    return found


def new_topic(node: Node, name: str) -> Uuid:
    topic_id = node.create_topic(name).topic_id()
    assert topic_id is not None
    return topic_id


def topics(node: Node) -> set[str]:
    return set(node.metadata_cache.get_all_topics())


# -- create ----------------------------------------------------------------------------------------


def test_create_topics(node: Node) -> None:
    found = create(node, "foo", "foo", "bar", "bar", "bar", "baz", "indescribable", "quux",
                   creatable=["baz", "indescribable"], describable=["baz"])
    assert {name: (Errors.for_code(topic.error_code), topic.error_message)
            for name, topic in found.items()} == {
        "foo": (INVALID, "Duplicate topic name."), "bar": (INVALID, "Duplicate topic name."),
        "baz": (Errors.NONE, None), "indescribable": (Errors.NONE, None),
        "quux": (UNAUTHORIZED, "Authorization failed.")}
    baz, indescribable = found["baz"], found["indescribable"]
    assert (baz.num_partitions, baz.replication_factor, baz.topic_config_error_code, bool(baz.configs)) == (
        2, 1, 0, True)
    assert (indescribable.num_partitions, indescribable.replication_factor, indescribable.configs,
            Errors.for_code(indescribable.topic_config_error_code)) == (-1, -1, [], UNAUTHORIZED)
    assert topics(node) == {"baz", "indescribable"}
    assert indescribable.topic_id == node.metadata_cache.get_topic_id("indescribable")


def test_nobody_creates_the_topic_of_the_cluster(node: Node) -> None:
    name = Topic.CLUSTER_METADATA_TOPIC_NAME
    found = create(node, name, "foo")
    assert (found[name].error_code, found[name].error_message) == (UNAUTHORIZED.code, "Authorization failed.")
    assert topics(node) == {"foo"}


class AlwaysExceeded(ControllerMutationQuota):
    """A quota that is used up."""

    def is_exceeded(self) -> bool:
        return True

    def record(self, permits: float) -> None:
        raise ThrottlingQuotaExceededException("too many")

    def throttle_time(self) -> int:
        return 1000


class Counting(ControllerMutationQuota):
    """A quota that is not; it counts."""

    def __init__(self) -> None:
        self.permits: list[float] = []

    def is_exceeded(self) -> bool:
        return False

    def record(self, permits: float) -> None:
        self.permits.append(permits)

    def throttle_time(self) -> int:
        return 0


class QuotaManager:
    """Gives one quota to all."""

    def __init__(self, quota: ControllerMutationQuota) -> None:
        self.quota = quota
        self.strict_since: list[int] = []
        self.throttled: list[int] = []

    def new_quota_for(self, request: Any, strict_since_version: int) -> ControllerMutationQuota:
        self.strict_since.append(strict_since_version)
        return self.quota

    def throttle(self, request: Any, throttle_callback: Any, throttle_time_ms: int) -> None:
        self.throttled.append(throttle_time_ms)


@pytest.mark.parametrize("throttle", [True, False])
def test_create_topics_mutation_quota(node: Node, throttle: bool) -> None:
    quota = AlwaysExceeded() if throttle else Counting()
    node.quotas.controller_mutation = manager = QuotaManager(quota)  # type: ignore[assignment]
    answer = node.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(
        timeout_ms=1000, topics=[CreatableTopic(name="foo", num_partitions=3, replication_factor=1)]))
    topic, = answer.topics
    error = Errors.THROTTLING_QUOTA_EXCEEDED if throttle else Errors.NONE
    assert (Errors.for_code(topic.error_code), topic.error_message) == (
        error, "too many" if throttle else None)
    assert answer.throttle_time_ms == (1000 if throttle else 0)
    assert topics(node) == (set() if throttle else {"foo"})
    assert manager.strict_since == [6]
    assert manager.throttled == ([1000] if throttle else [])
    assert throttle or quota.permits == [3]  # type: ignore[union-attr]


@pytest.mark.parametrize("throttle", [True, False])
def test_create_partitions_mutation_quota(node: Node, throttle: bool) -> None:
    quota = AlwaysExceeded() if throttle else Counting()
    node.create_topic("foo")
    node.quotas.controller_mutation = manager = QuotaManager(quota)  # type: ignore[assignment]
    answer = node.ask(ApiKeys.CREATE_PARTITIONS, 3, CreatePartitionsRequestData(timeout_ms=1000, topics=[
        CreatePartitionsRequestData.CreatePartitionsTopic(name="foo", count=3, assignments=None)]))
    result, = answer.results
    assert Errors.for_code(result.error_code) is (
        Errors.THROTTLING_QUOTA_EXCEEDED if throttle else Errors.NONE)
    assert answer.throttle_time_ms == (1000 if throttle else 0)
    assert node.metadata_cache.num_partitions("foo") == (1 if throttle else 3)
    assert manager.strict_since == [3]
    assert manager.throttled == ([1000] if throttle else [])
    assert throttle or quota.permits == [2]  # type: ignore[union-attr]


def test_unauthorized_handle_alter_client_quotas(tmp_path: Path) -> None:
    denied = (AclOperation.ALTER_CONFIGS, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
    with Node(tmp_path, auth_helper=Permissions(denied)) as node:
        request = node.request(ApiKeys.ALTER_CLIENT_QUOTAS, 0, AlterClientQuotasRequestData())
        with pytest.raises(ClusterAuthorizationException):
            node.controller_apis.handle_alter_client_quotas(request)


# -- delete ----------------------------------------------------------------------------------------


def test_delete_topics_by_name(node: Node) -> None:
    foo_id = new_topic(node, "foo")
    assert delete(node, "foo", "bar", "quux", "quux") == {
        ("quux", ZERO, INVALID, "Duplicate topic name."),
        ("bar", ZERO, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.UNKNOWN_TOPIC_OR_PARTITION.message()),
        ("foo", foo_id, Errors.NONE, None)}
    assert topics(node) == set()


def test_delete_topics_by_id(node: Node) -> None:
    foo_id, bar_id, quux_id = new_topic(node, "foo"), Uuid.random_uuid(), Uuid.random_uuid()
    assert delete(node, (None, foo_id), (None, bar_id), (None, quux_id), (None, quux_id)) == {
        (None, quux_id, INVALID, "Duplicate topic id."),
        (None, bar_id, Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_ID.message()),
        ("foo", foo_id, Errors.NONE, None)}
    assert topics(node) == set()


def test_invalid_delete_topics_request(node: Node) -> None:
    foo_id, bar_id, baz_id = new_topic(node, "foo"), new_topic(node, "bar"), Uuid.random_uuid()
    assert delete(
        node, (None, ZERO), ("foo", foo_id), ("bar", ZERO), (None, bar_id), ("quux", ZERO), ("quux", ZERO),
        ("quux", ZERO), (None, baz_id), (None, baz_id), (None, baz_id), has_cluster_auth=False,
        describable=None, deletable=None) == {
        (None, ZERO, INVALID, "Neither topic name nor id were specified."),
        ("foo", foo_id, INVALID, "You may not specify both topic name and topic id."),
        ("bar", bar_id, INVALID, "The provided topic name maps to an ID that was already supplied."),
        ("quux", ZERO, INVALID, "Duplicate topic name."),
        (None, baz_id, INVALID, "Duplicate topic id.")}
    assert topics(node) == {"foo", "bar"}


def test_an_id_twice_and_its_name(node: Node) -> None:
    foo_id = new_topic(node, "foo")
    assert delete(node, (None, foo_id), (None, foo_id), ("foo", ZERO)) == {
        (None, foo_id, INVALID, "Duplicate topic id."),
        ("foo", foo_id, INVALID, "The provided topic name maps to an ID that was already supplied.")}
    # A principal that may not delete the topic does not learn its id.
    assert delete(node, (None, foo_id), (None, foo_id), ("foo", ZERO), has_cluster_auth=False,
                  describable=["foo"]) == {
        (None, foo_id, INVALID, "Duplicate topic id."),
        ("foo", ZERO, UNAUTHORIZED, UNAUTHORIZED.message())}
    assert topics(node) == {"foo"}


def test_not_authorized_to_delete_with_topic_existing(node: Node) -> None:
    ids = {name: new_topic(node, name) for name in ("foo", "bar", "baz", "quux")}
    message = UNAUTHORIZED.message()
    assert delete(node, (None, ids["foo"]), (None, ids["bar"]), ("baz", ZERO), ("quux", ZERO),
                  has_cluster_auth=False, describable=["foo", "baz"]) == {
        (None, ids["bar"], UNAUTHORIZED, message), ("quux", ZERO, UNAUTHORIZED, message),
        ("baz", ZERO, UNAUTHORIZED, message), ("foo", ids["foo"], UNAUTHORIZED, message)}
    assert topics(node) == {"foo", "bar", "baz", "quux"}


def test_not_authorized_to_delete_with_topic_not_existing(node: Node) -> None:
    bar_id = Uuid.random_uuid()
    assert delete(node, ("foo", ZERO), ("bar", ZERO), (None, bar_id), has_cluster_auth=False,
                  describable=["foo"]) == {
        ("foo", ZERO, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.UNKNOWN_TOPIC_OR_PARTITION.message()),
        ("bar", ZERO, UNAUTHORIZED, UNAUTHORIZED.message()),
        (None, bar_id, Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_ID.message())}


def test_delete_topics_disabled(tmp_path: Path) -> None:
    with Node(tmp_path, {"delete.topic.enable": "false"}) as node:
        new_topic(node, "foo")
        with pytest.raises(TopicDeletionDisabledException):
            delete(node, "foo")
        with pytest.raises(InvalidRequestException, match="Topic deletion is disabled."):
            delete(node, "foo", version=1)
        for version, error in ((1, INVALID), (2, INVALID), (3, Errors.TOPIC_DELETION_DISABLED),
                               (6, Errors.TOPIC_DELETION_DISABLED)):
            data = DeleteTopicsRequestData(timeout_ms=1000)
            if version >= 6:
                data.topics = [DeleteTopicState(name="foo")]
            else:
                data.topic_names = ["foo"]
            result, = node.ask(ApiKeys.DELETE_TOPICS, version, data).responses
            assert (result.name, Errors.for_code(result.error_code)) == ("foo", error)
        assert topics(node) == {"foo"}


@pytest.mark.parametrize("throttle", [True, False])
def test_delete_topics_mutation_quota(node: Node, throttle: bool) -> None:
    quota = AlwaysExceeded() if throttle else Counting()
    foo_id = node.create_topic("foo", 2).topic_id()
    node.quotas.controller_mutation = manager = QuotaManager(quota)  # type: ignore[assignment]
    answer = node.ask(ApiKeys.DELETE_TOPICS, 6, DeleteTopicsRequestData(
        timeout_ms=1000, topics=[DeleteTopicState(name=None, topic_id=foo_id or ZERO)]))
    result, = answer.responses
    error = Errors.THROTTLING_QUOTA_EXCEEDED if throttle else Errors.NONE
    assert (result.name, result.topic_id, Errors.for_code(result.error_code), result.error_message) == (
        "foo", foo_id, error, "too many" if throttle else None)
    assert answer.throttle_time_ms == (1000 if throttle else 0)
    assert topics(node) == ({"foo"} if throttle else set())
    assert manager.strict_since == [5]
    assert manager.throttled == ([1000] if throttle else [])
    assert throttle or quota.permits == [2]  # type: ignore[union-attr]


def test_the_place_in_the_answer_tells_nothing(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shuffled, so that what is not there cannot be told from what is hidden."""
    shuffled: list[list[Any]] = []

    def shuffle(results: list[Any]) -> None:
        shuffled.append([*results])
        results.reverse()

    monkeypatch.setattr(RANDOM, "shuffle", shuffle)
    results = node.controller_apis.delete_topics(
        context(), DeleteTopicsRequestData(topic_names=["a", "b", "c"]), 5, True, set, set)
    assert len(results) == 3 and results == shuffled[0][::-1]


# -- what goes wrong -------------------------------------------------------------------------------


def test_the_time_is_up(node: Node) -> None:
    """Nothing is done then; where there is nothing to be done there is no hurry either."""
    new_topic(node, "foo")
    now = node.time.nanoseconds()
    late = context(now)
    apis = node.controller_apis

    def create(*names: str) -> Any:
        return apis.create_topics(late, CreateTopicsRequestData(topics=[
            CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in names]),
            True, set, set)

    def delete(*topics: tuple[str | None, Uuid]) -> Any:
        return apis.delete_topics(late, DeleteTopicsRequestData(topics=[
            DeleteTopicState(name=name, topic_id=id_) for name, id_ in topics]), 6, True, set, set)

    calls: list[Callable[[], Any]] = [
        lambda: create("bar"), lambda: create("bar", "baz", "baz"), lambda: delete(("foo", ZERO)),
        lambda: delete((None, Uuid.random_uuid()))]
    for call in calls:
        with pytest.raises(TimeoutException):
            call()
    assert [topic.error_message for topic in create("bar", "bar").topics] == ["Duplicate topic name."]
    assert create().topics == []
    assert [topic.error_message for topic in delete(("foo", ZERO), ("foo", ZERO), (None, ZERO))
            ].count("Duplicate topic name.") == 1
    assert topics(node) == {"foo"}
    late = context(now + 1)
    assert create("bar").topics[0].error_code == 0


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_no_time_at_all(node: Node, timeout_ms: int) -> None:
    new_topic(node, "foo")
    answer = node.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=timeout_ms, topics=[
        CreatableTopic(name="bar", num_partitions=1, replication_factor=1)]))
    assert [(topic.name, Errors.for_code(topic.error_code)) for topic in answer.topics] == [
        ("bar", Errors.REQUEST_TIMED_OUT)]
    answer = node.ask(ApiKeys.DELETE_TOPICS, 6, DeleteTopicsRequestData(
        timeout_ms=timeout_ms, topics=[DeleteTopicState(name="foo")]))
    assert [(topic.name, Errors.for_code(topic.error_code)) for topic in answer.responses] == [
        ("foo", Errors.REQUEST_TIMED_OUT)]
    assert topics(node) == {"foo"}


@pytest.mark.parametrize(("after_ms", "error"), [(999, Errors.NONE), (1000, Errors.REQUEST_TIMED_OUT)])
def test_the_time_runs_from_when_the_request_is_handled(
        node: Node, monkeypatch: pytest.MonkeyPatch, after_ms: int, error: Errors) -> None:
    filter_by_authorized = AuthHelper.filter_by_authorized

    def slow(*args: Any, **kwargs: Any) -> Any:
        node.time.sleep(after_ms)
        return filter_by_authorized(*args, **kwargs)

    monkeypatch.setattr(AuthHelper, "filter_by_authorized", slow)
    answer = node.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=1000, topics=[
        CreatableTopic(name="bar", num_partitions=1, replication_factor=1)]))
    assert Errors.for_code(answer.topics[0].error_code) is error


@pytest.mark.parametrize(("exception", "error"), [
    (KafkaStorageException("full"), Errors.KAFKA_STORAGE_ERROR),
    (PolicyViolationException("too much"), Errors.POLICY_VIOLATION),
    (ValueError("no"), Errors.UNKNOWN_SERVER_ERROR)])
def test_what_the_controller_raises_is_the_answer(
        node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, exception: Exception,
        error: Errors) -> None:
    def fail(*args: Any) -> Any:
        raise exception

    controller = node.controller_apis._controller
    monkeypatch.setattr(controller, "create_topics", fail)
    monkeypatch.setattr(controller, "delete_topics", fail)
    answer = node.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=1000, topics=[
        CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in ("a", "b")]))
    assert [(topic.name, Errors.for_code(topic.error_code)) for topic in answer.topics] == [
        ("a", error), ("b", error)]
    answer = node.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(timeout_ms=1000, topic_names=["a"]))
    assert [(topic.name, Errors.for_code(topic.error_code)) for topic in answer.responses] == [("a", error)]
    # An error that no client caused is logged as unexpected.
    unexpected = ["unexpected error handling request" in record.message for record in caplog.records]
    assert unexpected == (2 * [True] if error is Errors.UNKNOWN_SERVER_ERROR else [])


# -- who may ask for the rest ----------------------------------------------------------------------------


@pytest.fixture
def denied(tmp_path: Path) -> Iterator[Node]:
    """A node whose clients may do nothing to the cluster, nor change the settings of the topic foo."""
    cluster = [(operation, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
               for operation in (AclOperation.DESCRIBE, AclOperation.ALTER, AclOperation.ALTER_CONFIGS)]
    with Node(tmp_path, auth_helper=Permissions(
            *cluster, (AclOperation.ALTER_CONFIGS, ResourceType.TOPIC, "foo"))) as node:
        yield node


def is_refused(handle: Callable[[RequestChannel.Request], None], request: RequestChannel.Request) -> None:
    with pytest.raises(ClusterAuthorizationException):
        handle(request)


def test_unauthorized_describe_quorum(denied: Node) -> None:
    is_refused(denied.controller_apis.handle_describe_quorum,
               denied.request(ApiKeys.DESCRIBE_QUORUM, 0, DescribeQuorumRequestData()))


def test_unauthorized_handle_unregister_broker(denied: Node) -> None:
    is_refused(denied.controller_apis.handle_unregister_broker,
               denied.request(ApiKeys.UNREGISTER_BROKER, 0, UnregisterBrokerRequestData()))


def test_unauthorized_handle_alter_partition_reassignments(denied: Node) -> None:
    is_refused(denied.controller_apis.handle_alter_partition_reassignments,
               denied.request(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, 0,
                              AlterPartitionReassignmentsRequestData()))


def test_unauthorized_handle_list_partition_reassignments(denied: Node) -> None:
    is_refused(denied.controller_apis.handle_list_partition_reassignments,
               denied.request(ApiKeys.LIST_PARTITION_REASSIGNMENTS, 0,
                              ListPartitionReassignmentsRequestData()))


def test_elect_leaders_authorization(denied: Node) -> None:
    answer = denied.ask(ApiKeys.ELECT_LEADERS, 2, ElectLeadersRequestData(
        election_type=0, topic_partitions=None, timeout_ms=30_000))
    assert Errors.for_code(answer.error_code) is Errors.CLUSTER_AUTHORIZATION_FAILED


def test_elect_leaders_handled_by_controller(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    request = ElectLeadersRequestData(election_type=0, topic_partitions=None, timeout_ms=30_000)

    def elect_leaders(data: ElectLeadersRequestData) -> ElectLeadersResponseData:
        assert data == request
        return ElectLeadersResponseData(error_code=Errors.NOT_CONTROLLER.code)

    monkeypatch.setattr(node.controller_apis._controller, "elect_leaders", elect_leaders)
    answer = node.ask(ApiKeys.ELECT_LEADERS, 2, request)
    assert Errors.for_code(answer.error_code) is Errors.NOT_CONTROLLER


def test_unauthorized_handle_incremental_alter_configs(denied: Node) -> None:
    Response = IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse
    of_cluster, of_topic = Errors.CLUSTER_AUTHORIZATION_FAILED, UNAUTHORIZED
    things = ((ConfigResource.Type.BROKER, "1", "log.cleaner.backoff.ms", "100000", of_cluster),
              (ConfigResource.Type.TOPIC, "foo", "flush.ms", "1000", of_topic),
              (ConfigResource.Type.CLIENT_METRICS, "sub", "interval.ms", "100000", of_cluster))
    answer = denied.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 0, IncrementalAlterConfigsRequestData(
        resources=[
            IncrementalAlterConfigsRequestData.AlterConfigsResource(
                resource_name=name, resource_type=type.id(), configs=[
                    IncrementalAlterConfigsRequestData.AlterableConfig(
                        name=key, value=value, config_operation=OpType.SET.value)])
            for type, name, key, value, _ in things]))
    assert answer.responses == [
        Response(error_code=error.code, error_message=error.message(), resource_name=name,
                 resource_type=type.id()) for type, name, _, _, error in things]


def create_partitions(node: Node, *counts: tuple[str, int], alterable: set[str] | None = None,
                      validate_only: bool = False) -> dict[str, tuple[Errors, str | None]]:
    results = node.controller_apis.create_partitions(
        context(), CreatePartitionsRequestData(timeout_ms=1000, validate_only=validate_only, topics=[
            CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=count, assignments=None)
            for name, count in counts]),
        lambda names: set(names) if alterable is None else set(names) & alterable)
    found = {result.name: (Errors.for_code(result.error_code), result.error_message) for result in results}
    assert len(found) == len(results)
    return found


@pytest.mark.parametrize("validate_only", [True, False])
def test_create_partitions_request(node: Node, validate_only: bool) -> None:
    names = ("foo", "bar", "baz")
    for name in names:
        node.create_topic(name)
    assert create_partitions(node, ("foo", 5), ("bar", 5), ("bar", 5), ("bar", 5), ("baz", 5), ("quux", 5),
                             alterable={"foo", "bar", "quux"}, validate_only=validate_only) == {
        "foo": (Errors.NONE, None), "bar": (INVALID, "Duplicate topic name."), "baz": (UNAUTHORIZED, None),
        "quux": (Errors.UNKNOWN_TOPIC_OR_PARTITION, None)}
    assert [node.metadata_cache.num_partitions(name) for name in names] == [1 if validate_only else 5, 1, 1]


def test_create_partitions_authorization(tmp_path: Path) -> None:
    alter = (AclOperation.ALTER, ResourceType.TOPIC)
    with Node(tmp_path, auth_helper=Permissions((*alter, "bar"))) as node:
        new_topic(node, "foo")
        answer = node.ask(ApiKeys.CREATE_PARTITIONS, 3, CreatePartitionsRequestData(timeout_ms=1000, topics=[
            CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=count, assignments=None)
            for name, count in (("foo", 2), ("bar", 10))]))
        assert {result.name: Errors.for_code(result.error_code) for result in answer.results} == {
            "foo": Errors.NONE, "bar": UNAUTHORIZED}

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AuthHelperTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Permissions with and without an authorizer, and the response to DescribeCluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import ClusterAuthorizationException
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_cluster_request import DescribeClusterRequest
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.endpoint_type import EndpointType
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from tests.core.server.node import Node, Permissions
from tests.metadata.authorizer.acls import request_context

DescribeClusterBroker = DescribeClusterResponseData.DescribeClusterBroker
CLUSTER_ID = "ltCWoi9wRhmHSQCIgAznEg"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


class Allows(StandardAuthorizer):
    """Allows some names, and notes what it is asked."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.names = names
        self.asked: list[Action] = []

    def authorize(self, request_context: AuthorizableRequestContext,
                  actions: Sequence[Action]) -> list[AuthorizationResult]:
        self.asked += actions
        return [AuthorizationResult.ALLOWED if action.resource_pattern().name() in self.names
                else AuthorizationResult.DENIED for action in actions]


def write_topic(name: str, count: int, log_if_allowed: bool = True, log_if_denied: bool = True) -> Action:
    return Action(AclOperation.WRITE, ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL), count,
                  log_if_allowed, log_if_denied)


def test_authorize() -> None:
    authorizer = Allows("topic-1")
    assert AuthHelper(authorizer).authorize(
        request_context("alice"), AclOperation.WRITE, ResourceType.TOPIC, "topic-1")
    assert authorizer.asked == [write_topic("topic-1", 1)]


def test_filter_by_authorized() -> None:
    authorizer = Allows("topic-1", "topic-3")
    assert AuthHelper(authorizer).filter_by_authorized(
        request_context("alice"), AclOperation.WRITE, ResourceType.TOPIC,
        ["topic-1", "topic-2", "topic-1", "topic-3"], str) == {"topic-1", "topic-3"}
    assert set(authorizer.asked) == {
        write_topic("topic-1", 2), write_topic("topic-2", 1), write_topic("topic-3", 1)}


def test_partition_seq_by_authorized() -> None:
    authorizer = Allows("b")
    found = AuthHelper(authorizer).partition_seq_by_authorized(
        request_context("alice"), AclOperation.WRITE, ResourceType.TOPIC, ["a", "b", "a"], str, False, False)
    assert found == (["b"], ["a", "a"])
    assert authorizer.asked == [write_topic("a", 2, False, False), write_topic("b", 1, False, False)]


def describe(node: Node, version: int, endpoint_type: int, expected: EndpointType,
             nodes: list[DescribeClusterBroker] | None = None, auth_helper: AuthHelper | None = None,
             include_operations: bool = False) -> DescribeClusterResponseData:
    data = DescribeClusterRequestData(include_cluster_authorized_operations=include_operations)
    request = node.request(ApiKeys.DESCRIBE_CLUSTER, version, data)
    # Of version 0 it is not on the wire.
    request.body(DescribeClusterRequest).data().endpoint_type = endpoint_type
    return (auth_helper or AuthHelper()).compute_describe_cluster_response(
        request, expected, CLUSTER_ID, lambda: nodes or [], lambda: 1)


def test_compute_describe_cluster_response_v1_with_unknown_endpoint_type(node: Node) -> None:
    assert describe(node, 1, 123, EndpointType.BROKER) == DescribeClusterResponseData(
        error_code=Errors.UNSUPPORTED_ENDPOINT_TYPE.code, error_message="Unsupported endpoint type 123")


def test_compute_describe_cluster_response_v0_with_unknown_endpoint_type(node: Node) -> None:
    assert describe(node, 0, 123, EndpointType.BROKER) == DescribeClusterResponseData(
        error_code=Errors.INVALID_REQUEST.code, error_message="Unsupported endpoint type 123")


def test_compute_describe_cluster_response_v1_with_unexpected_endpoint_type(node: Node) -> None:
    answer = describe(node, 1, EndpointType.BROKER.id(), EndpointType.CONTROLLER)
    assert answer == DescribeClusterResponseData(
        error_code=Errors.MISMATCHED_ENDPOINT_TYPE.code,
        error_message="The request was sent to an endpoint of type CONTROLLER, but we wanted an endpoint of "
                      "type BROKER")


def test_compute_describe_cluster_response_v0_with_unexpected_endpoint_type(node: Node) -> None:
    answer = describe(node, 0, EndpointType.BROKER.id(), EndpointType.CONTROLLER)
    assert answer == DescribeClusterResponseData(
        error_code=Errors.INVALID_REQUEST.code,
        error_message="The request was sent to an endpoint of type CONTROLLER, but we wanted an endpoint of "
                      "type BROKER")


def test_compute_describe_cluster_response_where_controller_is_not_found(node: Node) -> None:
    for nodes in ([], [DescribeClusterBroker(broker_id=2)]):
        assert describe(node, 1, 2, EndpointType.CONTROLLER, nodes) == DescribeClusterResponseData(
            cluster_id=CLUSTER_ID, controller_id=-1, cluster_authorized_operations=-2**31, endpoint_type=2,
            brokers=nodes)


def test_compute_describe_cluster_response_success(node: Node) -> None:
    nodes = [DescribeClusterBroker(broker_id=1)]
    assert describe(node, 1, 2, EndpointType.CONTROLLER, nodes) == DescribeClusterResponseData(
        cluster_id=CLUSTER_ID, controller_id=1, cluster_authorized_operations=-2**31, brokers=nodes,
        endpoint_type=2)


def test_the_operations_of_the_cluster(node: Node) -> None:
    def operations(auth_helper: AuthHelper, include: bool) -> int:
        found: int = describe(node, 1, 1, EndpointType.BROKER, auth_helper=auth_helper,
                              include_operations=include).cluster_authorized_operations
        return found

    permissions = Permissions((AclOperation.DESCRIBE, ResourceType.CLUSTER, Resource.CLUSTER_NAME))
    assert operations(permissions, False) == -2**31 and permissions.asked == []
    assert operations(permissions, True) == 0
    assert operations(AuthHelper(), True) == 8096


def test_everything_is_allowed(node: Node) -> None:
    helper = AuthHelper()
    request = node.request(ApiKeys.DESCRIBE_CLUSTER, 1, DescribeClusterRequestData())
    write, topic = AclOperation.WRITE, ResourceType.TOPIC
    assert helper.authorize(request.context, write, topic, "a")
    assert helper.authorize_by_resource_type(request.context, write, topic)
    helper.authorize_cluster_operation(request, AclOperation.CLUSTER_ACTION)
    assert helper.filter_by_authorized(
        request.context, write, topic, ["a", "b", "a"], str.upper) == {"A", "B"}
    allowed, denied = helper.partition_seq_by_authorized(request.context, write, topic, ["b", "a", "b"], str)
    assert (list(allowed), list(denied)) == (["b", "a", "b"], [])
    operations = helper.authorized_operations(request, Resource(topic, "a"))
    assert {operation for operation in AclOperation if operations >> operation.code() & 1} == {
        AclOperation.READ, AclOperation.WRITE, AclOperation.CREATE, AclOperation.DELETE, AclOperation.ALTER,
        AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS, AclOperation.ALTER_CONFIGS}


def test_an_operation_on_the_cluster_that_is_not_allowed(node: Node) -> None:
    action = (AclOperation.CLUSTER_ACTION, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
    request = node.request(ApiKeys.DESCRIBE_CLUSTER, 1, DescribeClusterRequestData())
    with pytest.raises(ClusterAuthorizationException, match="is not authorized"):
        Permissions(action).authorize_cluster_operation(request, AclOperation.CLUSTER_ACTION)

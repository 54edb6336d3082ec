# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AuthHelper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The questions that request handlers ask the authorizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Callable, TypeVar

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import ClusterAuthorizationException
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_cluster_request import DescribeClusterRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.utils import Utils
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.endpoint_type import EndpointType
from kreactor.security.authorizer.acl_entry import AclEntry
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from kreactor.server.authorizer.authorizer import Authorizer

T = TypeVar("T")

_AUTHORIZED_OPERATIONS_OMITTED = -2**31


class AuthHelper:
    """For use by any thread. Without an authorizer every operation is allowed.

    :origin: kafka.server.AuthHelper
    """

    __slots__ = ("_authorizer",)

    def __init__(self, authorizer: Authorizer | None = None) -> None:
        """:origin: kafka.server.AuthHelper#AuthHelper"""
        self._authorizer = authorizer

    def authorizer(self) -> Authorizer | None:
        """Return the authorizer, or None."""
        return self._authorizer

    def authorize(self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
                  resource_name: str, log_if_allowed: bool = True, log_if_denied: bool = True,
                  ref_count: int = 1) -> bool:
        """Return whether the principal of a request may perform the operation on the resource.

        :origin: kafka.server.AuthHelper#authorize
        """
        authorizer = self._authorizer
        if authorizer is None:
            return True
        resource = ResourcePattern(resource_type, resource_name, PatternType.LITERAL)
        actions = [Action(operation, resource, ref_count, log_if_allowed, log_if_denied)]
        return authorizer.authorize(request_context, actions)[0] is AuthorizationResult.ALLOWED

    def authorize_cluster_operation(self, request: RequestChannel.Request, operation: AclOperation) -> None:
        """Raise ClusterAuthorizationException if the request may not perform the operation on the cluster.

        :origin: kafka.server.AuthHelper#authorizeClusterOperation
        """
        if not self.authorize(request.context, operation, ResourceType.CLUSTER, Resource.CLUSTER_NAME):
            raise ClusterAuthorizationException(f"Request {request} is not authorized.")

    def authorized_operations(self, request: RequestChannel.Request, resource: Resource) -> int:
        """Return the allowed operations as a bit field.

        :origin: kafka.server.AuthHelper#authorizedOperations
        """
        supported_ops = AclEntry.supported_operations(resource.resource_type())
        authorized_ops: Iterable[AclOperation] = supported_ops
        if self._authorizer is not None:
            resource_pattern = ResourcePattern(resource.resource_type(), resource.name(), PatternType.LITERAL)
            actions = [Action(op, resource_pattern, 1, False, False) for op in supported_ops]
            results = self._authorizer.authorize(request.context, actions)
            authorized_ops = [
                op for result, op in zip(results, supported_ops) if result is AuthorizationResult.ALLOWED]
        return Utils.to32_bit_field({operation.code() for operation in authorized_ops})

    def authorize_by_resource_type(self, request_context: RequestContext, operation: AclOperation,
                                   resource_type: ResourceType) -> bool:
        """Return whether the operation is allowed on at least one resource of the type.

        :origin: kafka.server.AuthHelper#authorizeByResourceType
        """
        return (self._authorizer is None or self._authorizer.authorize_by_resource_type(
            request_context, operation, resource_type) is AuthorizationResult.ALLOWED)

    def partition_seq_by_authorized(
            self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
            resources: Sequence[T], resource_name: Callable[[T], str], log_if_allowed: bool = True,
            log_if_denied: bool = True) -> tuple[Sequence[T], Sequence[T]]:
        """Return the elements for which the operation is allowed, then the others.

        :origin: kafka.server.AuthHelper#partitionSeqByAuthorized
        """
        if self._authorizer is None:
            return resources, ()
        authorized_resource_names = self.filter_by_authorized(
            request_context, operation, resource_type, resources, resource_name, log_if_allowed,
            log_if_denied)
        return ([resource for resource in resources if resource_name(resource) in authorized_resource_names],
                [resource for resource in resources
                 if resource_name(resource) not in authorized_resource_names])

    def filter_by_authorized(
            self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
            resources: Iterable[T], resource_name: Callable[[T], str], log_if_allowed: bool = True,
            log_if_denied: bool = True) -> set[str]:
        """Return the resource names for which the operation is allowed.

        :origin: kafka.server.AuthHelper#filterByAuthorized
        """
        if self._authorizer is None:
            return set(map(resource_name, resources))
        resource_name_to_count: dict[str, int] = {}
        for resource in resources:
            name = resource_name(resource)
            resource_name_to_count[name] = resource_name_to_count.get(name, 0) + 1
        actions = [
            Action(operation, ResourcePattern(resource_type, name, PatternType.LITERAL), count,
                   log_if_allowed, log_if_denied)
            for name, count in resource_name_to_count.items()]
        results = self._authorizer.authorize(request_context, actions)
        return {name for result, name in zip(results, resource_name_to_count)
                if result is AuthorizationResult.ALLOWED}

    def compute_describe_cluster_response(
            self, request: RequestChannel.Request, expected_endpoint_type: EndpointType, cluster_id: str,
            get_nodes: Callable[[], list[DescribeClusterResponseData.DescribeClusterBroker]],
            get_controller_id: Callable[[], int]) -> DescribeClusterResponseData:
        """Return the response to a DescribeCluster request at an endpoint of ``expected_endpoint_type``.

        :origin: kafka.server.AuthHelper#computeDescribeClusterResponse
        """
        data = request.body(DescribeClusterRequest).data()
        request_endpoint_type = EndpointType.from_id(data.endpoint_type)
        is_old = request.header().api_version() == 0
        if request_endpoint_type is EndpointType.UNKNOWN:
            return DescribeClusterResponseData(
                error_code=(Errors.INVALID_REQUEST if is_old else Errors.UNSUPPORTED_ENDPOINT_TYPE).code,
                error_message=f"Unsupported endpoint type {data.endpoint_type}")
        elif expected_endpoint_type is not request_endpoint_type:
            return DescribeClusterResponseData(
                error_code=(Errors.INVALID_REQUEST if is_old else Errors.MISMATCHED_ENDPOINT_TYPE).code,
                error_message="The request was sent to an endpoint of type "
                              f"{expected_endpoint_type.name}, but "
                              f"we wanted an endpoint of type {request_endpoint_type.name}")
        cluster_authorized_operations = _AUTHORIZED_OPERATIONS_OMITTED
        if data.include_cluster_authorized_operations:
            if self.authorize(request.context, AclOperation.DESCRIBE, ResourceType.CLUSTER,
                              Resource.CLUSTER_NAME):
                cluster_authorized_operations = self.authorized_operations(request, Resource.CLUSTER)
            else:
                cluster_authorized_operations = 0
        nodes = get_nodes()
        controller_id = get_controller_id()
        # A controller id that is not among the listed nodes would confuse the client.
        if not any(node.broker_id == controller_id for node in nodes):
            controller_id = -1
        return DescribeClusterResponseData(
            cluster_id=cluster_id,
            controller_id=controller_id,
            cluster_authorized_operations=cluster_authorized_operations,
            brokers=nodes,
            endpoint_type=expected_endpoint_type.id())

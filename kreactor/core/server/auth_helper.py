# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AuthHelper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What handlers ask before they do something: there is no authorizer yet, and everything is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Callable, TypeVar

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import ClusterAuthorizationException
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_cluster_request import DescribeClusterRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.utils import Utils
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.endpoint_type import EndpointType
from kreactor.security.authorizer.acl_entry import AclEntry

T = TypeVar("T")

_AUTHORIZED_OPERATIONS_OMITTED = -2**31


class AuthHelper:
    """For use by any thread. What an authorizer would be asked is allowed.

    :origin: kafka.server.AuthHelper
    """

    __slots__ = ()

    def authorize(self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
                  resource_name: str, log_if_allowed: bool = True, log_if_denied: bool = True,
                  ref_count: int = 1) -> bool:
        """Return whether who sent the request may do that.

        :origin: kafka.server.AuthHelper#authorize
        """
        return True

    def authorize_cluster_operation(self, request: RequestChannel.Request, operation: AclOperation) -> None:
        """Raise ClusterAuthorizationException if it is not allowed.

        :origin: kafka.server.AuthHelper#authorizeClusterOperation
        """
        if not self.authorize(request.context, operation, ResourceType.CLUSTER, Resource.CLUSTER_NAME):
            raise ClusterAuthorizationException(f"Request {request} is not authorized.")

    def authorized_operations(self, request: RequestChannel.Request, resource: Resource) -> int:
        """Return what is allowed, a bit for each.

        :origin: kafka.server.AuthHelper#authorizedOperations
        """
        supported_ops = AclEntry.supported_operations(resource.resource_type())
        return Utils.to32_bit_field({operation.code() for operation in supported_ops})

    def authorize_by_resource_type(self, request_context: RequestContext, operation: AclOperation,
                                   resource_type: ResourceType) -> bool:
        """Return whether it is allowed for any resource of the type.

        :origin: kafka.server.AuthHelper#authorizeByResourceType
        """
        return True

    def partition_seq_by_authorized(
            self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
            resources: Sequence[T], resource_name: Callable[[T], str], log_if_allowed: bool = True,
            log_if_denied: bool = True) -> tuple[Sequence[T], Sequence[T]]:
        """Return those for which it is allowed, and the others.

        :origin: kafka.server.AuthHelper#partitionSeqByAuthorized
        """
        return resources, ()

    def filter_by_authorized(
            self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
            resources: Iterable[T], resource_name: Callable[[T], str], log_if_allowed: bool = True,
            log_if_denied: bool = True) -> set[str]:
        """Return the names of those for which it is allowed.

        :origin: kafka.server.AuthHelper#filterByAuthorized
        """
        return {resource_name(resource) for resource in resources}

    def compute_describe_cluster_response(
            self, request: RequestChannel.Request, expected_endpoint_type: EndpointType, cluster_id: str,
            get_nodes: Callable[[], list[DescribeClusterResponseData.DescribeClusterBroker]],
            get_controller_id: Callable[[], int]) -> DescribeClusterResponseData:
        """Return the answer to a DescribeCluster request at an endpoint of ``expected_endpoint_type``.

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
        # A controller that is not among the nodes would confuse the client.
        if not any(node.broker_id == controller_id for node in nodes):
            controller_id = -1
        return DescribeClusterResponseData(
            cluster_id=cluster_id,
            controller_id=controller_id,
            cluster_authorized_operations=cluster_authorized_operations,
            brokers=nodes,
            endpoint_type=expected_endpoint_type.id())

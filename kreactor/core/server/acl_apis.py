# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AclApis of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Answers the ACL requests from the authorizer, or with SECURITY_DISABLED when no authorizer is set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, TypeVar

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import ApiException, InvalidRequestException, SecurityDisabledException
from kreactor.common.message.create_acls_response_data import CreateAclsResponseData
from kreactor.common.message.delete_acls_response_data import DeleteAclsResponseData
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.create_acls_request import CreateAclsRequest
from kreactor.common.requests.create_acls_response import CreateAclsResponse
from kreactor.common.requests.delete_acls_request import DeleteAclsRequest
from kreactor.common.requests.delete_acls_response import DeleteAclsResponse
from kreactor.common.requests.describe_acls_request import DescribeAclsRequest
from kreactor.common.requests.describe_acls_response import DescribeAclsResponse
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.request_handler_helper import RequestHandlerHelper
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.security.authorizer.authorizer_utils import AuthorizerUtils
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult

AclCreationResult = CreateAclsResponseData.AclCreationResult
DeleteAclsFilterResult = DeleteAclsResponseData.DeleteAclsFilterResult
R = TypeVar("R")


class AclApis(Logging):
    """For use by any thread. ``name`` is the owner's name in log lines.

    :origin: kafka.server.AclApis
    """

    def __init__(self, auth_helper: AuthHelper, request_helper: RequestHandlerHelper, name: str,
                 node_id: int) -> None:
        """:origin: kafka.server.AclApis#AclApis"""
        self._log_ident = f"[AclApis-{name}-{node_id}] "
        self._auth_helper = auth_helper
        self._authorizer = auth_helper.authorizer()
        self._request_helper = request_helper

    def handle_describe_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.AclApis#handleDescribeAcls"""
        self._auth_helper.authorize_cluster_operation(request, AclOperation.DESCRIBE)
        describe_acls_request = request.body(DescribeAclsRequest)
        if self._authorizer is None:
            self._request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: DescribeAclsResponse(DescribeAclsResponseData(
                    error_code=Errors.SECURITY_DISABLED.code,
                    error_message="No Authorizer is configured on the broker",
                    throttle_time_ms=request_throttle_ms), describe_acls_request.version()))
        else:
            # Removes duplicates, whatever the authorizer does with them.
            returned_acls = dict.fromkeys(self._authorizer.acls(describe_acls_request.filter()))
            self._request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: DescribeAclsResponse(DescribeAclsResponseData(
                    throttle_time_ms=request_throttle_ms,
                    resources=DescribeAclsResponse.acls_resources(returned_acls)),
                    describe_acls_request.version()))

    def handle_create_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.AclApis#handleCreateAcls"""
        self._auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        create_acls_request = request.body(CreateAclsRequest)
        if self._authorizer is None:
            self._request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: create_acls_request.get_error_response_throttle(
                    request_throttle_ms, SecurityDisabledException("No Authorizer is configured.")))
            return

        all_bindings = [CreateAclsRequest.acl_binding(acl) for acl in create_acls_request.acl_creations()]
        error_results: dict[AclBinding, AclCreateResult] = {}
        valid_bindings: list[AclBinding] = []
        for acl in all_bindings:
            resource = acl.pattern()
            throwable: ApiException | None = None
            if (resource.resource_type() is ResourceType.CLUSTER
                    and not AuthorizerUtils.is_cluster_resource(resource.name())):
                throwable = InvalidRequestException(
                    f"The only valid name for the CLUSTER resource is {Resource.CLUSTER_NAME}")
            elif not resource.name():
                throwable = InvalidRequestException("Invalid empty resource name")
            if throwable is not None:
                self.debug("ACL %s cannot be created", acl, exc=throwable)
                error_results[acl] = AclCreateResult(throwable)
            else:
                valid_bindings.append(acl)

        create_results = self._authorizer.create_acls(request.context, valid_bindings)

        def create_response(results: Sequence[AclCreateResult],
                            request_throttle_ms: int) -> AbstractResponse:
            # A binding that is requested twice gets its first result.
            results_of = dict(zip(reversed(valid_bindings), reversed(results)))
            return CreateAclsResponse(CreateAclsResponseData(
                throttle_time_ms=request_throttle_ms,
                results=[_creation_result(error_results[acl] if acl in error_results else results_of[acl])
                         for acl in all_bindings]))

        self._respond_when_complete(request, create_results, create_response)

    def handle_delete_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.AclApis#handleDeleteAcls"""
        self._auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        delete_acls_request = request.body(DeleteAclsRequest)
        if self._authorizer is None:
            self._request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: delete_acls_request.get_error_response_throttle(
                    request_throttle_ms, SecurityDisabledException("No Authorizer is configured.")))
            return

        delete_results = self._authorizer.delete_acls(request.context, delete_acls_request.filters())

        def create_response(results: Sequence[AclDeleteResult],
                            request_throttle_ms: int) -> AbstractResponse:
            return DeleteAclsResponse(
                DeleteAclsResponseData(
                    throttle_time_ms=request_throttle_ms,
                    filter_results=[_filter_result(result) for result in results]),
                delete_acls_request.version())

        self._respond_when_complete(request, delete_results, create_response)

    # DEVIATION D203: the response waits as long as the authorizer takes. The origin has a purgatory and a
    # timeout.
    def _respond_when_complete(self, request: RequestChannel.Request,
                               futures: Sequence[CompletableFuture[R]],
                               create_response: Callable[[Sequence[R], int], AbstractResponse]) -> None:
        """Send the response when all futures are complete."""
        def respond(_: None, exception: BaseException | None) -> None:
            try:
                if exception is not None:
                    raise exception
                results = [_result(future) for future in futures]
                self._request_helper.send_response_maybe_throttle(
                    request, lambda request_throttle_ms: create_response(results, request_throttle_ms))
            except Exception as e:
                self._request_helper.handle_error(request, e)

        CompletableFuture.all_of(futures).when_complete(respond)


def _result(future: CompletableFuture[R]) -> R:
    result = future.get()
    assert result is not None, "an authorizer answers"
    return result


def _creation_result(result: AclCreateResult) -> AclCreationResult:
    exception = result.exception()
    if exception is None:
        return AclCreationResult()
    api_error = ApiError.from_throwable(exception)
    return AclCreationResult(error_code=api_error.error().code, error_message=api_error.message())


def _filter_result(result: AclDeleteResult) -> DeleteAclsFilterResult:
    """:origin: common.requests.DeleteAclsResponse#filterResult(AclDeleteResult)
    :origin: common.requests.DeleteAclsResponse#matchingAcl(AclBindingDeleteResult)
    """
    error = _error(result.exception())
    return DeleteAclsFilterResult(
        error_code=error.error().code,
        error_message=error.message(),
        matching_acls=[DeleteAclsResponse.matching_acl(deleted.acl_binding(), _error(deleted.exception()))
                       for deleted in result.acl_binding_delete_results()])


def _error(exception: ApiException | None) -> ApiError:
    return ApiError.NONE if exception is None else ApiError.from_throwable(exception)

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AclApis of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What is answered about permissions where nobody checks any: that security is off."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import SecurityDisabledException
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.create_acls_request import CreateAclsRequest
from kreactor.common.requests.delete_acls_request import DeleteAclsRequest
from kreactor.common.requests.describe_acls_request import DescribeAclsRequest
from kreactor.common.requests.describe_acls_response import DescribeAclsResponse
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.request_handler_helper import RequestHandlerHelper
from kreactor.core.utils.logging import Logging

OMITTED = {
    "kafka.server.AclApis#isClosed": "nothing waits for an authorizer",
    "kafka.server.AclApis#close": "nothing waits for an authorizer",
}


class AclApis(Logging):
    """For use by any thread.

    :origin: kafka.server.AclApis
    """

    def __init__(self, auth_helper: AuthHelper, request_helper: RequestHandlerHelper) -> None:
        """:origin: kafka.server.AclApis#AclApis"""
        self._auth_helper = auth_helper
        self._request_helper = request_helper

    def handle_describe_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.AclApis#handleDescribeAcls"""
        self._auth_helper.authorize_cluster_operation(request, AclOperation.DESCRIBE)
        describe_acls_request = request.body(DescribeAclsRequest)
        self._request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: DescribeAclsResponse(DescribeAclsResponseData(
                error_code=Errors.SECURITY_DISABLED.code,
                error_message="No Authorizer is configured on the broker",
                throttle_time_ms=request_throttle_ms), describe_acls_request.version()))

    def handle_create_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.AclApis#handleCreateAcls"""
        self._auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        create_acls_request = request.body(CreateAclsRequest)
        self._request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: create_acls_request.get_error_response_throttle(
                request_throttle_ms, SecurityDisabledException("No Authorizer is configured.")))

    def handle_delete_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.AclApis#handleDeleteAcls"""
        self._auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        delete_acls_request = request.body(DeleteAclsRequest)
        self._request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: delete_acls_request.get_error_response_throttle(
                request_throttle_ms, SecurityDisabledException("No Authorizer is configured.")))

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DescribeUserScramCredentialsRequestNotAuthorizedTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client that may not describe the cluster learns of no user of SCRAM."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.protocol.errors import Errors
from tests.core.server.node import Node, Permissions
from tests.core.server.scram_conversation import description
from tests.core.server.scram_requests import DESCRIBE, USER1, of_cluster


def test_describe_not_authorized(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.DESCRIBE))) as node:
        for request, count in ((description(), 0), (description(USER1), 1),
                               (DescribeUserScramCredentialsRequestData(users=None), 0)):
            answer = node.ask(DESCRIBE, 0, request)
            assert answer.error_code == Errors.CLUSTER_AUTHORIZATION_FAILED.code
            assert [result.error_code for result in answer.results] == [answer.error_code] * count

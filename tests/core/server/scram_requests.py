# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of SCRAM's users to a node, for tests."""

from __future__ import annotations

from typing import Any

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from tests.core.server.node import Node
from tests.core.server.scram_conversation import Deletion, Upsertion, alteration, description

ALTER, DESCRIBE = ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS
USER1, USER2, USER3 = "user1", "user2", "user3@user3.com"


def alter(node: Node, *alterations: Deletion | Upsertion) -> dict[str, tuple[Errors, str | None]]:
    results = node.ask(ALTER, 0, alteration(*alterations)).results
    assert len({result.user for result in results}) == len(results)
    return {result.user: (Errors.for_code(result.error_code), result.error_message) for result in results}


def describe(node: Node, *users: str) -> dict[str, Any]:
    answer = node.ask(DESCRIBE, 0, description(*users))
    assert answer.error_code == 0
    assert not any(result.credential_infos for result in answer.results if result.error_code)
    return {result.user: {info.mechanism: info.iterations for info in result.credential_infos}
            if result.error_code == 0 else Errors.for_code(result.error_code) for result in answer.results}


def errors(results: dict[str, tuple[Errors, str | None]]) -> dict[str, Errors]:
    return {user: error for user, (error, _) in results.items()}


def of_cluster(operation: AclOperation) -> tuple[AclOperation, ResourceType, str]:
    return operation, ResourceType.CLUSTER, Resource.CLUSTER_NAME

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AlterUserScramCredentialsRequestNotAuthorizedTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client that may not alter the cluster changes no user of SCRAM."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.protocol.errors import Errors
from tests.core.server.node import Node, Permissions
from tests.core.server.scram_conversation import SHA_512, deletion, upsertion
from tests.core.server.scram_requests import USER1, USER2, alter, describe, errors, of_cluster


def test_alter_nothing_not_authorized(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.ALTER))) as node:
        assert alter(node) == {}


def test_alter_something_not_authorized(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.ALTER))) as node:
        assert errors(alter(node, deletion(USER1), upsertion(USER2, SHA_512))) == dict.fromkeys(
            (USER1, USER2), Errors.CLUSTER_AUTHORIZATION_FAILED)
        assert describe(node) == {}

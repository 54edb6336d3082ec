# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DescribeUserScramCredentialsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Users of SCRAM are described where there are none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.protocol.errors import Errors
from tests.core.server.node import Node
from tests.core.server.scram_conversation import description
from tests.core.server.scram_requests import DESCRIBE, USER1, describe


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def test_describe_nothing(node: Node) -> None:
    assert describe(node) == {}


def test_describe_with_null(node: Node) -> None:
    answer = node.ask(DESCRIBE, 0, DescribeUserScramCredentialsRequestData(users=None))
    assert (answer.error_code, answer.results) == (0, [])


def test_describe_same_user_twice(node: Node) -> None:
    answer = node.ask(DESCRIBE, 0, description(USER1, USER1))
    result, = answer.results
    assert answer.error_code == 0
    assert (result.error_code, result.error_message) == (
        Errors.DUPLICATE_RESOURCE.code,
        f"Cannot describe SCRAM credentials for the same user twice in a single request: {USER1}")


def test_unknown_user(node: Node) -> None:
    answer = node.ask(DESCRIBE, 0, description("unknown"))
    result, = answer.results
    assert answer.error_code == 0
    assert (result.error_code, result.error_message) == (
        Errors.RESOURCE_NOT_FOUND.code, "Attempt to describe a user credential that does not exist: unknown")

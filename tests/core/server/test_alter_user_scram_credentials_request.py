# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AlterUserScramCredentialsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Users of SCRAM are changed, described and deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.protocol.errors import Errors
from tests.core.server.node import Node
from tests.core.server.scram_conversation import SHA_256, SHA_512, UNKNOWN, deletion, upsertion
from tests.core.server.scram_requests import USER1, USER2, USER3, alter, describe, errors


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def test_alter_nothing(node: Node) -> None:
    assert alter(node) == {}
    assert node.storage.scram_credentials().changes() == 0


def test_alter_same_thing_twice(node: Node) -> None:
    assert set(alter(node, upsertion(USER1), upsertion(USER2)).values()) == {(Errors.NONE, None)}
    for alterations in ((deletion(USER1), deletion(USER1), upsertion(USER2), upsertion(USER2)),
                        (deletion(USER1), deletion(USER2), upsertion(USER1), upsertion(USER2))):
        assert errors(alter(node, *alterations)) == dict.fromkeys((USER1, USER2), Errors.DUPLICATE_RESOURCE)


def test_alter_empty_user(node: Node) -> None:
    for alterations in ((deletion(""),), (upsertion(""),), (deletion(""), deletion(""), upsertion(""))):
        assert alter(node, *alterations) == {
            "": (Errors.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")}


def test_alter_unknown_mechanism(node: Node) -> None:
    results = alter(node, deletion(USER1, UNKNOWN), deletion(USER1), deletion(USER2, 10),
                    upsertion("user4", UNKNOWN, 8192), upsertion("user4", SHA_256, 8192),
                    upsertion("user5", 10, 8192), upsertion("user6", UNKNOWN, 8192))
    assert len(results) == 5
    assert set(results.values()) == {(Errors.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")}


def test_alter_too_few_iterations(node: Node) -> None:
    assert alter(node, upsertion(USER1, iterations=1)) == {
        USER1: (Errors.UNACCEPTABLE_CREDENTIAL, "Too few iterations")}


def test_alter_too_many_iterations(node: Node) -> None:
    assert alter(node, upsertion(USER1, iterations=2**31 - 1)) == {
        USER1: (Errors.UNACCEPTABLE_CREDENTIAL, "Too many iterations")}


def test_delete_something_that_does_not_exist(node: Node) -> None:
    assert errors(alter(node, deletion(USER1))) == {USER1: Errors.RESOURCE_NOT_FOUND}


def test_alter_and_describe(node: Node) -> None:
    assert errors(alter(node, upsertion(USER1))) == {USER1: Errors.NONE}
    assert errors(alter(node, *(upsertion(user, SHA_512, 8192) for user in (USER1, USER2, USER3)))) == (
        dict.fromkeys((USER1, USER2, USER3), Errors.NONE))

    two, one = {SHA_256: 4096, SHA_512: 8192}, {SHA_512: 8192}
    assert describe(node) == {USER1: two, USER2: one, USER3: one}
    assert describe(node, USER1) == {USER1: two}
    assert describe(node, USER1, "unknown") == {USER1: two, "unknown": Errors.RESOURCE_NOT_FOUND}
    assert describe(node, USER1, USER2, USER2) == {USER1: two, USER2: Errors.DUPLICATE_RESOURCE}

    assert errors(alter(node, deletion(USER1), deletion(USER2, SHA_512))) == {
        USER1: Errors.NONE, USER2: Errors.NONE}
    assert describe(node) == {USER1: one, USER3: one}
    assert errors(alter(node, deletion(USER1, SHA_512), deletion(USER3, SHA_512))) == {
        USER1: Errors.NONE, USER3: Errors.NONE}
    assert describe(node) == {}

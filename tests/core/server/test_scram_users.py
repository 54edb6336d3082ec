# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AlterUserScramCredentialsRequestTest, of its NotAuthorizedTest and of
# DescribeUserScramCredentialsRequestTest with its own, of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The users of SCRAM: kept, described, forgotten, and answered about as Kafka 3.8.0 answers."""

from __future__ import annotations

import json
import logging
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest
from kreactor.common.requests.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from kreactor.common.requests.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.embedded import scram_credentials
from kreactor.embedded.scram_credentials import ScramCredentialStore
from tests.core.server.brokers import connect, new_broker
from tests.core.server.conversation import Answers
from tests.core.server.node import Node, Permissions
from tests.core.server.scram_conversation import (
    LIVE_SETTLE_S,
    SHA_256,
    SHA_512,
    UNKNOWN,
    Deletion,
    Upsertion,
    alteration,
    deletion,
    description,
    hold,
    read_recorded,
    upsertion,
)
from tests.core.server.test_oracle import differences
from tests.core.server.wire import Wire

NOT_APPLICABLE = {
    "testAlterNotController": "there is one broker, which is the controller",
    "testDescribeNotController": "there is one broker, which is the controller",
    "testMetadataVersionTooLow": "there is one metadata version",
}

ALTER, DESCRIBE = ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS
USER1, USER2, USER3 = "user1", "user2", "user3@user3.com"


@pytest.fixture
def node(tmp_path: Path) -> Any:
    with Node(tmp_path) as node:
        yield node


def alter(node: Node, *alterations: Deletion | Upsertion) -> dict[str, tuple[Errors, str | None]]:
    results = node.ask(ALTER, 0, alteration(*alterations)).results
    assert len({result.user for result in results}) == len(results)
    return {result.user: (Errors.for_code(result.error_code), result.error_message) for result in results}


def describe(node: Node, *users: str) -> dict[str, Any]:
    answer = node.ask(DESCRIBE, 0, description(*users))
    assert answer.error_code == 0
    return {result.user: {info.mechanism: info.iterations for info in result.credential_infos}
            if result.error_code == 0 else Errors.for_code(result.error_code) for result in answer.results}


def errors(results: dict[str, tuple[Errors, str | None]]) -> dict[str, Errors]:
    return {user: error for user, (error, _) in results.items()}


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
    assert describe(node, USER1, "unknown", "unknown") == {USER1: two, "unknown": Errors.DUPLICATE_RESOURCE}

    assert errors(alter(node, deletion(USER1), deletion(USER2, SHA_512))) == {
        USER1: Errors.NONE, USER2: Errors.NONE}
    assert describe(node) == {USER1: one, USER3: one}
    assert errors(alter(node, deletion(USER1, SHA_512), deletion(USER3, SHA_512))) == {
        USER1: Errors.NONE, USER3: Errors.NONE}
    assert describe(node) == {}


def test_describe_nothing(node: Node) -> None:
    assert describe(node) == {}


def test_describe_with_null(node: Node) -> None:
    answer = node.ask(DESCRIBE, 0, DescribeUserScramCredentialsRequestData(users=None))
    assert (answer.error_code, answer.results) == (0, [])


def test_describe_same_user_twice(node: Node) -> None:
    result, = node.ask(DESCRIBE, 0, description(USER1, USER1)).results
    assert (result.error_code, result.error_message) == (
        Errors.DUPLICATE_RESOURCE.code,
        f"Cannot describe SCRAM credentials for the same user twice in a single request: {USER1}")


def test_unknown_user(node: Node) -> None:
    result, = node.ask(DESCRIBE, 0, description("unknown")).results
    assert (result.error_code, result.error_message) == (
        Errors.RESOURCE_NOT_FOUND.code, "Attempt to describe a user credential that does not exist: unknown")


def of_cluster(operation: AclOperation) -> tuple[AclOperation, ResourceType, str]:
    return operation, ResourceType.CLUSTER, Resource.CLUSTER_NAME


def test_alter_nothing_not_authorized(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.ALTER))) as node:
        assert alter(node) == {}


def test_alter_something_not_authorized(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.ALTER))) as node:
        assert errors(alter(node, deletion(USER1), upsertion(USER2, SHA_512))) == dict.fromkeys(
            (USER1, USER2), Errors.CLUSTER_AUTHORIZATION_FAILED)
        assert describe(node) == {}


def test_describe_not_authorized(tmp_path: Path) -> None:
    with Node(tmp_path, auth_helper=Permissions(of_cluster(AclOperation.DESCRIBE))) as node:
        for request, count in ((description(), 0), (description(USER1), 1),
                               (DescribeUserScramCredentialsRequestData(users=None), 0)):
            answer = node.ask(DESCRIBE, 0, request)
            assert answer.error_code == Errors.CLUSTER_AUTHORIZATION_FAILED.code
            assert [result.error_code for result in answer.results] == [answer.error_code] * count


# -- what is kept ------------------------------------------------------------------------------------


def test_users_are_kept_and_known_to_listeners_at_once(tmp_path: Path) -> None:
    formatter = ScramFormatter(ScramMechanism.SCRAM_SHA_256)
    salted = formatter.salted_password("secret", b"salt", 4096)
    with Node(tmp_path) as node:
        alter(node, upsertion(USER1, salted_password=salted), upsertion("ü", SHA_512))
        cache = node.credential_provider.credential_cache.cache("SCRAM-SHA-256", ScramCredential)
        assert cache is not None
        kept = cache.get(USER1)
        assert kept is not None and kept.stored_key() == formatter.stored_key(formatter.client_key(salted))
        changes = node.storage.changes()
    path = tmp_path / scram_credentials.FILE_NAME
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert salted.hex() not in path.read_text() and "secret" not in path.read_text()
    with Node(tmp_path) as node:
        assert node.storage.changes() == changes
        assert describe(node) == {USER1: {SHA_256: 4096}, "ü": {SHA_512: 4096}}
        cache = node.credential_provider.credential_cache.cache("SCRAM-SHA-256", ScramCredential)
        assert cache is not None
        again = cache.get(USER1)
        assert again is not None and again.server_key() == kept.server_key()
        alter(node, deletion(USER1))
        assert cache.get(USER1) is None


def test_a_change_that_cannot_be_written_is_none(node: Node, tmp_path: Path) -> None:
    alter(node, upsertion(USER1))
    os.mkdir(tmp_path / f"{scram_credentials.FILE_NAME}.tmp")
    results = alter(node, upsertion(USER2), deletion(USER1), upsertion("", SHA_256))
    assert set(errors(results).values()) == {Errors.KAFKA_STORAGE_ERROR}
    assert describe(node) == {USER1: {SHA_256: 4096}}


@pytest.mark.parametrize("content", [
    "", "{", "[]", '{"version": 2}', '{"version": 1}', '{"version": 1, "changes": "x", "credentials": []}',
    '{"version": 1, "changes": 1, "credentials": ['
    '{"user": "u", "mechanism": "PLAIN", "credential": "sEcret"}]}',
    '{"version": 1, "changes": 1, "credentials": ['
    '{"user": "u", "mechanism": "SCRAM-SHA-256", "credential": "sEcret"}]}', '{"sEcret": }'])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    path = tmp_path / "scram.json"
    path.write_text(content)
    with pytest.raises(KafkaException) as e:
        ScramCredentialStore(str(path))
    assert str(path) in str(e.value) and not isinstance(e.value, KafkaStorageException)
    assert "sEcret" not in str(e.value)


# -- what is said of it ------------------------------------------------------------------------------


def test_neither_log_nor_text_has_a_salted_password(
        tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    body = alteration(upsertion(USER1, salt=b"sAlt", salted_password=b"sEcret"), deletion(USER2))
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        assert len(wire.ask(ALTER, 0, body).results) == 2
        # Answered after the other is logged.
        wire.ask(DESCRIBE, 0, description())
    logged = [record.getMessage() for record in caplog.records if record.name == "kafka.request.logger"]
    line = next(json.loads(text[text.index("{"):]) for text in logged if '"requestApiKey":51' in text)
    upserted, = line["request"]["upsertions"]
    assert (upserted["name"], upserted["iterations"], upserted["salt"], upserted["saltedPassword"]) == (
        USER1, 4096, "", "")
    request = AlterUserScramCredentialsRequest.Builder(body).build()
    shown = caplog.text + str(request) + request.to_string(True) + str(
        AlterUserScramCredentialsRequest.Builder(body))
    for secret in ("sEcret", "c0VjcmV0", "sAlt", "c0FsdA"):
        assert secret not in shown
    assert USER1 in str(request) and request.data() is body


def test_requests_and_responses_by_themselves() -> None:
    request = DescribeUserScramCredentialsRequest.Builder(description(USER1))
    assert USER1 in str(request)
    response = request.build().get_error_response(KafkaException("no"))
    assert isinstance(response, DescribeUserScramCredentialsResponse)
    assert response.error_counts() == {Errors.UNKNOWN_SERVER_ERROR: 1}
    response.maybe_set_throttle_time_ms(7)
    assert response.throttle_time_ms() == 7 and response.should_client_throttle(0)
    altered = AlterUserScramCredentialsRequest.Builder(AlterUserScramCredentialsRequestData(
        deletions=[deletion("b"), deletion("a")])).build().get_error_response(KafkaException("no"))
    assert altered is not None and [result.user for result in altered.data().results] == ["a", "b"]
    assert altered.error_counts() == {Errors.UNKNOWN_SERVER_ERROR: 2}


# -- beside Kafka's ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    with new_broker(tmp_path_factory.mktemp("users")) as broker:
        return hold(lambda: connect(broker), "ours_")


@pytest.fixture(scope="module")
def live(oracle: Callable[[], Wire]) -> Answers:
    return hold(oracle, f"live_{os.getpid()}_", lambda: time.sleep(LIVE_SETTLE_S))


def test_answers_as_recorded(ours: Answers) -> None:
    assert not list(differences(ours, read_recorded()))
    assert len(ours) > 40


def test_answers_as_a_live_broker(ours: Answers, live: Answers) -> None:
    assert not list(differences(ours, live))

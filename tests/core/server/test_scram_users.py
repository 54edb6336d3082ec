# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The users of SCRAM are kept, known to listeners at once, and answered about as Kafka 3.8.0 answers."""

from __future__ import annotations

import json
import logging
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest
from kreactor.common.requests.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from kreactor.common.requests.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.embedded import scram_credentials
from kreactor.embedded.scram_credentials import ScramCredentialStore
from tests.core.server.brokers import connect, new_broker
from tests.core.server.conversation import Answers
from tests.core.server.node import Node
from tests.core.server.scram_conversation import (
    LIVE_SETTLE_S,
    SHA_256,
    SHA_512,
    alteration,
    deletion,
    description,
    hold,
    read_recorded,
    upsertion,
)
from tests.core.server.scram_requests import ALTER, DESCRIBE, USER1, USER2, alter, describe, errors
from tests.core.server.test_oracle import differences
from tests.core.server.wire import Wire


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def test_an_unexpected_error_is_answered_and_its_cause_is_logged(
        node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("of a credential")

    monkeypatch.setattr(ScramFormatter, "generate_credential_salted", fail)
    assert errors(alter(node, upsertion(USER1, SHA_256))) == {USER1: Errors.UNKNOWN_SERVER_ERROR}
    record, = (record for record in caplog.records if record.levelname == "ERROR")
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError


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


@pytest.mark.deviation("D189")
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
    for secret in ("sEcret", "c0VjcmV0", "115, 69, 99", "sAlt", "c0FsdA", "115, 65, 108"):
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

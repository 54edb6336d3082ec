# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from tests import packages
from tests.tools.scripts import load

peer_suites = load("peers/suites")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no alarms")

CONFTEST = """
import os
import pytest
from test.service import ExternalService

@pytest.fixture
def broker():
    return os.environ["KAFKA_URI"].removeprefix("kafka://").rsplit(":", 1)

@pytest.fixture
def ssl_kafka():
    raise AssertionError("would start a broker")
"""
TESTS = """
import socket
import ssl
import pytest

def test_plaintext(broker):
    socket.create_connection(broker).close()

def test_tls(ssl_kafka):
    context = ssl.create_default_context(cafile=ssl_kafka.ssl_dir + "/ca-cert")
    with socket.create_connection(("127.0.0.1", ssl_kafka.port)) as connection:
        context.wrap_socket(connection, server_hostname="localhost").close()

def test_wrong(broker):
    assert broker == "wrong"

def test_old():
    pytest.skip("only of old brokers")

def test_absent():
    raise AssertionError("is not run")
"""
PREFIX = "test/integration/test_it.py::"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout" / "test" / "integration"
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TESTS)
    return tmp_path / "checkout"


@packages.needs("confluent_kafka")
def test_outcomes_and_reasons(checkout, monkeypatch, capfd):
    suite = dataclasses.replace(
        peer_suites.SUITES["kafka-python"], not_applicable={PREFIX + "test_absent": "there is no such thing"},
        failing={PREFIX + "test_wrong": "is wrong"})
    monkeypatch.setitem(peer_suites.SUITES, "kafka-python", suite)
    assert peer_suites.main(["kafka-python", "--checkout", str(checkout)]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "2 passed, 1 failed, 2 not applicable",
        "",
        f"failed          {PREFIX}test_wrong: is wrong",
        f"not applicable  {PREFIX}test_absent: there is no such thing",
        f"not applicable  {PREFIX}test_old: only of old brokers",
    ]


def test_what_is_expected():
    suite = dataclasses.replace(peer_suites.SUITES["aiokafka"], failing={"known": "is known"})
    known, new = (peer_suites.Result(name, "failed", "why") for name in ("known", "new"))
    assert peer_suites.is_as_expected(suite, [known], True)
    assert not peer_suites.is_as_expected(suite, [known, new], True)
    # A reason that is out of date; but not all were run.
    assert not peer_suites.is_as_expected(suite, [], True)
    assert peer_suites.is_as_expected(suite, [], False)


def test_a_distribution_without_tests(tmp_path, capsys):
    assert peer_suites.main(["aiokafka", "--checkout", str(tmp_path)]) == 2
    assert "has no tests in tests/: give a checkout by --checkout" in capsys.readouterr().err

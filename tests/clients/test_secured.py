# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients over every protocol and mechanism, right and wrong, against kreactor and against Kafka.

Against a live Kafka 3.8.0 if there can be one, see ``live_kafka``; with Kafka's own client, too, if
KREACTOR_KAFKA_JARS names a folder with the jars of Kafka 3.8.0, which needs a JDK of version 17 or later.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.testing.tls import Tls
from tests.clients.kcat_client import needs_kcat
from tests.clients.secured import (
    CLIENTS,
    HOST,
    LISTENERS,
    PASSWORD,
    TOPIC,
    USER,
    Client,
    JavaClient,
    Place,
    client_files,
    properties,
    wrong_outcomes,
    wrong_outcomes_in_a_process,
)
from tests.core.network.live_kafka import live_kafka
from tests.core.server.brokers import new_broker
from tests.core.server.scram_conversation import alteration, upsertion
from tests.core.server.wire import Wire

Port = Callable[[str], int]


def prepare(port: Port) -> None:
    """Have the topic there, and the user be one of SCRAM."""
    with Wire(HOST, port("PLAINTEXT"), 60) as wire:
        topic = CreateTopicsRequestData.CreatableTopic(name=TOPIC, num_partitions=1, replication_factor=1)
        [created] = wire.ask(
            ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[topic])).topics
        assert created.error_code == 0
        for mechanism in ScramMechanism:
            salted = ScramFormatter(mechanism).salted_password(PASSWORD, b"salt", 4096)
            [result] = wire.ask(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, alteration(upsertion(
                USER, mechanism.type(), salt=b"salt", salted_password=salted))).results
            assert result.error_code == 0


@pytest.fixture(scope="module", params=["kreactor", "Kafka"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A broker with all listeners, and the files for clients of all kinds."""
    tls, folder, is_kafka = Tls(), tmp_path_factory.mktemp("broker"), request.param == "Kafka"
    try:
        with (live_kafka(folder, list(LISTENERS), lambda ports: properties(tls, ports))
              if is_kafka else our_own(folder, properties(tls, {}))) as port:
            prepare(port)
            yield Place({name: port(name) for name in LISTENERS}, client_files(tls), is_kafka)
    finally:
        tls.close()


@contextmanager
def our_own(folder: Path, props: dict[str, str]) -> Iterator[Port]:
    with new_broker(folder, props) as broker:
        yield broker.bound_port


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=needs_kcat if name == "kcat" else ()) for name in CLIENTS])
def test_what_comes_of_it(place: Place, name: str) -> None:
    assert wrong_outcomes_in_a_process(name, place) == {}


def test_what_comes_of_it_with_the_client_of_kafka(place: Place, tmp_path: Path) -> None:
    jars = os.environ.get("KREACTOR_KAFKA_JARS")
    if jars is None or shutil.which("java") is None:
        pytest.skip("needs Java, and Kafka's jars in a folder that KREACTOR_KAFKA_JARS names")
    java = JavaClient(Path(jars), tmp_path)
    try:
        client = Client(java, makes_tokens=True, holds_certificates_back=True)
        assert wrong_outcomes(client, place, at_once=1) == {}
    finally:
        java.close()

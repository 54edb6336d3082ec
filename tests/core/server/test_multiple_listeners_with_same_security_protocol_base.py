# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.MultipleListenersWithSameSecurityProtocolBaseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Several listeners of one protocol, each with mechanisms and a key store of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.embedded.broker_server import BrokerServer
from kreactor.testing.tls import Tls
from tests.core.server.broker_requests import ask, create_topic, fetch_data, produce_data, values_of
from tests.core.server.brokers import HOST, connect, new_broker
from tests.core.server.scram_conversation import SHA_256, SHA_512, alteration, upsertion
from tests.core.server.scram_wire import ScramWire, ask_plain
from tests.core.server.wire import Wire

PACKAGE = "org.apache.kafka.common.security"
USER, PASSWORD = "alice", "secret"
# As in Kafka, but for GSSAPI, which is not ported.
CLIENTS = (("INTERNAL", ""), ("EXTERNAL", ""), ("SECURE_INTERNAL", "PLAIN"),
           ("SECURE_INTERNAL", "SCRAM-SHA-512"), ("SECURE_EXTERNAL", "SCRAM-SHA-256"))


@contextmanager
def client(broker: BrokerServer, tls: Tls, listener: str, mechanism: str) -> Iterator[Wire]:
    """Connect to a listener and authenticate as it asks for."""
    if not mechanism:
        with connect(broker, listener) as wire:
            yield wire
        return
    raw = socket.create_connection((HOST, broker.bound_port(listener)), timeout=120)
    with closing(raw), Wire.over(tls.client().ssl_context().wrap_socket(raw, server_hostname=HOST)) as wire:
        if mechanism == "PLAIN":
            assert ask_plain(wire, USER, PASSWORD).error_code == 0
        else:
            scram_mechanism = ScramMechanism.for_mechanism_name(mechanism)
            assert scram_mechanism is not None
            scram = ScramWire(wire, scram_mechanism, USER, PASSWORD)
            assert scram.refusal is None
            assert scram.authenticate(scram.final()).error_code == 0
        yield wire


def test_produce_consume(tmp_path: Path) -> None:
    """There is one broker, which replicates nothing."""
    with closing(Tls()) as tls:
        props = {
            "listeners": ",".join(f"{name}://{HOST}:0" for name in (
                "SECURE_INTERNAL", "INTERNAL", "SECURE_EXTERNAL", "EXTERNAL")),
            "listener.security.protocol.map":
                "INTERNAL:PLAINTEXT,SECURE_INTERNAL:SASL_SSL,EXTERNAL:PLAINTEXT,SECURE_EXTERNAL:SASL_SSL",
            "inter.broker.listener.name": "INTERNAL",
            "listener.name.secure_internal.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
            "listener.name.secure_external.sasl.enabled.mechanisms": "SCRAM-SHA-256",
            "listener.name.secure_internal.plain.sasl.jaas.config":
                f'{PACKAGE}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";',
            "listener.name.secure_internal.scram-sha-512.sasl.jaas.config":
                f"{PACKAGE}.scram.ScramLoginModule required;",
            "listener.name.secure_external.scram-sha-256.sasl.jaas.config":
                f"{PACKAGE}.scram.ScramLoginModule required;",
            "ssl.keystore.type": "PEM", "ssl.keystore.location": "invalid/file/path",
            "listener.name.secure_internal.ssl.keystore.location": tls.keystore,
            "listener.name.secure_external.ssl.keystore.location": tls.keystore}
        with new_broker(tmp_path, props) as broker:
            assert len(broker.config().listeners()) == 4
            assert broker.config().inter_broker_listener_name().value() == "INTERNAL"
            with connect(broker, "INTERNAL") as wire:
                for code, mechanism in ((SHA_256, ScramMechanism.SCRAM_SHA_256),
                                        (SHA_512, ScramMechanism.SCRAM_SHA_512)):
                    salted = ScramFormatter(mechanism).salted_password(PASSWORD, b"salt", 4096)
                    answer: Any = wire.ask(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, alteration(
                        upsertion(USER, code, 4096, salted_password=salted)))
                    assert [result.error_code for result in answer.results] == [0]
                for number in range(len(CLIENTS)):
                    create_topic(wire, f"topic{number}", 2)
            for number, (listener, name) in enumerate(CLIENTS):
                with client(broker, tls, listener, name) as wire:
                    values = [b"value%d" % index for index in range(1, 11)]
                    for value in values:
                        answer = ask(wire, ApiKeys.PRODUCE, 9, produce_data(value, topic=f"topic{number}"))
                        assert answer.responses[0].partition_responses[0].error_code == 0
                    found: list[bytes] = []
                    while len(found) < len(values):
                        found += values_of(ask(wire, ApiKeys.FETCH, 11, fetch_data(
                            len(found), f"topic{number}")))
                    assert found == values

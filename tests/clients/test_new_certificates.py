# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker gets new certificates while it runs, as its administrators give them: by changing its settings."""

from __future__ import annotations

import os
import socket
import ssl
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

from kreactor.testing import Broker
from kreactor.testing.certificates import new_certificate
from kreactor.testing.tls import Tls

WAIT_S = 120
KEYSTORE, TRUSTSTORE = "listener.name.ssl.ssl.keystore.location", "listener.name.ssl.ssl.truststore.location"
API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 7, -1)


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(tls="mutual") as broker:
        # As in a file of settings, which names what is a listener's own.
        for name, value in ((KEYSTORE, broker.tls.keystore), (TRUSTSTORE, broker.tls.ca)):
            alter(broker, name, value)
        yield broker


def config(tls: Tls, address: str) -> dict[str, str]:
    return {"bootstrap.servers": address, "security.protocol": "ssl", "ssl.ca.location": tls.ca,
            "ssl.certificate.location": str(tls.certificate), "ssl.key.location": str(tls.key)}


def alter(broker: Broker, name: str, value: str) -> None:
    """Change a setting over TLS, as kafka-configs.sh does. Raises KafkaException."""
    # With the store of the type: settings of one listener do not go with those of all.
    entries = [ConfigEntry(f"{name.rpartition('.')[0]}.type", "PEM",
                           incremental_operation=AlterConfigOpType.SET),
               ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)]
    admin = AdminClient(config(broker.tls, broker.bootstrap_servers))
    resource = ConfigResource(ConfigResource.Type.BROKER, "1", incremental_configs=entries)
    admin.incremental_alter_configs([resource], request_timeout=WAIT_S)[resource].result(WAIT_S)


class Connection:
    """One that stays, with what the broker has shown."""

    def __init__(self, broker: Broker, context: ssl.SSLContext | None = None) -> None:
        context = broker.tls.ssl_context() if context is None else context
        plain = socket.create_connection((broker.host, broker.port), WAIT_S)
        self._peer = context.wrap_socket(plain, server_hostname="localhost")
        self.certificate = self._peer.getpeercert(binary_form=True)

    def is_served(self) -> bool:
        self._peer.sendall(API_VERSIONS)
        size = self._read(4)
        return len(size) == 4 and bool(self._read(int.from_bytes(size, "big")))

    def _read(self, size: int) -> bytes:
        read = b""
        while len(read) < size and (part := self._peer.recv(size - len(read))):
            read += part
        return read

    def close(self) -> None:
        self._peer.close()


def test_a_new_keystore(broker: Broker) -> None:
    old = Connection(broker)
    errors: list[object] = []
    producer = Producer(config(broker.tls, broker.bootstrap_servers))
    producer.produce("topic", b"before", on_delivery=lambda error, _: errors.append(error))
    producer.flush(WAIT_S)
    connections = broker.connections().keys()

    alter(broker, KEYSTORE, broker.tls.server_keystore("second.pem"))
    new = Connection(broker)
    assert new.certificate != old.certificate
    # The first clients are still there, over the same connections.
    assert old.is_served() and new.is_served()
    producer.produce("topic", b"after", on_delivery=lambda error, _: errors.append(error))
    producer.flush(WAIT_S)
    assert errors == [None, None]
    assert connections <= broker.connections().keys() | {None}
    assert [record.value for record in broker.records("topic")] == [b"before", b"after"]

    # One that is not for the same names is refused, and nothing changes.
    for file in (broker.tls.server_keystore("other.pem", ("other.example",)), "no-such-file.pem"):
        with pytest.raises(KafkaException) as raised:
            alter(broker, KEYSTORE, file)
        assert raised.value.args[0].name() == "INVALID_REQUEST"
    again = Connection(broker)
    assert again.certificate == new.certificate
    for connection in (old, new, again):
        connection.close()


def test_a_file_that_was_replaced(broker: Broker) -> None:
    old = Connection(broker)
    modified = os.stat(broker.tls.keystore).st_mtime
    broker.tls.server_keystore(Path(broker.tls.keystore).name)
    os.utime(broker.tls.keystore, (modified + 10,) * 2)
    # Nobody looks at files of their own accord.
    same = Connection(broker)
    assert same.certificate == old.certificate
    alter(broker, KEYSTORE, broker.tls.keystore)
    new = Connection(broker)
    assert new.certificate != old.certificate
    assert old.is_served() and same.is_served() and new.is_served()
    for connection in (old, same, new):
        connection.close()


def test_a_new_truststore(broker: Broker) -> None:
    stranger = broker.tls.client("stranger", authority := new_certificate("other authority"))
    old = Connection(broker)
    with pytest.raises(ssl.SSLError, match="UNKNOWN_CA"):
        refused = Connection(broker, stranger.ssl_context())
        try:
            refused.is_served()
        finally:
            refused.close()
    both = Path(broker.tls.ca).parent / "both.pem"
    both.write_text(Path(broker.tls.ca).read_text() + authority.certificate_pem())
    alter(broker, TRUSTSTORE, str(both))
    new = Connection(broker, stranger.ssl_context())
    assert new.is_served() and old.is_served()
    for connection in (old, new):
        connection.close()

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Real clients write to every edition and read back, in plain text and over TLS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from kreactor.testing.certificates import new_certificate
from tests.clients import clients, test_tls
from tests.clients.checks import check, write
from tests.clients.client import PARTITIONS, Client, Record
from tests.clients.test_tls import Files
from tests.editions.editions import OLDER, serving

RECORDS = [Record(number % 4, b"key %d" % number, b"value %d" % number) for number in range(200)]


@pytest.fixture(params=OLDER)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SimpleNamespace]:
    folder = tmp_path
    authority = new_certificate("authority")
    server = new_certificate("server", ["localhost"], ["127.0.0.1"], signed_by=authority)
    trusted, keystore = folder / "trusted.pem", folder / "keystore.pem"
    trusted.write_text(authority.certificate_pem())
    keystore.write_text(server.private_key_pem() + server.chain_pem())
    with serving(request.param, folder / "log", {
        "listeners": "PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0",
        "ssl.keystore.type": "PEM", "ssl.keystore.location": str(keystore),
        "ssl.truststore.type": "PEM", "ssl.truststore.location": str(trusted),
    }) as broker:
        yield SimpleNamespace(plain=f"127.0.0.1:{broker.bound_port('PLAINTEXT')}",
                              tls=f"127.0.0.1:{broker.bound_port('SSL')}", files=Files(trusted))


@pytest.mark.parametrize("client_class", clients.CLIENTS)
def test_clients_produce_and_consume(world: SimpleNamespace, client_class: type[Client]) -> None:
    client = client_class(world.plain)
    topic = f"plain-{client.name}"
    clients.FIRST(world.plain).create_topic(topic, len(PARTITIONS))
    expected = write(client, topic, RECORDS)
    check(client.read(topic, PARTITIONS), expected)


@pytest.mark.parametrize("round_trip", test_tls.CLIENTS)
def test_clients_over_tls(world: SimpleNamespace, round_trip: Callable[[str, Files, str], bytes]) -> None:
    topic = f"tls-{round_trip.__name__.replace('_', '-')}"
    assert round_trip(world.tls, world.files, topic) == b"value"

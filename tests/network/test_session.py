# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The sender of a request."""

from __future__ import annotations

from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.net import InetAddress
from kreactor.network.session import Session


def test_the_user_is_sanitized() -> None:
    principal = KafkaPrincipal("User", "CN=alice, O=x")
    address = InetAddress.get_by_name("127.0.0.1")
    session = Session(principal, address)
    assert session.principal is principal
    assert session.client_address is address
    assert session.sanitized_user == "CN%3Dalice%2C%20O%3Dx"

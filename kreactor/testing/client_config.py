# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The settings of the usual Kafka clients for a broker, under each client's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.testing.tls import Tls

CLIENTS = ("confluent", "aiokafka", "kafka-python", "java")
_LOGIN_MODULES = {"PLAIN": "plain.PlainLoginModule", "SCRAM-SHA-256": "scram.ScramLoginModule",
                  "SCRAM-SHA-512": "scram.ScramLoginModule"}


def client_config(client: str, bootstrap_servers: str, security_protocol: str, tls: Tls | None, mutual: bool,
                  mechanism: str | None, user: str | None, password: str | None) -> dict[str, object]:
    """Return the settings of one of ``CLIENTS``. Raises ValueError.

    A plaintext broker needs no security settings. With ``mutual`` the client gets a certificate.
    """
    if client not in CLIENTS:
        raise ValueError(f"client={client!r}: must be one of {', '.join(CLIENTS)}")
    if mechanism is not None:
        if mechanism not in _LOGIN_MODULES:
            raise ValueError(f"{mechanism}: the client needs your own token provider")
        if user is None or password is None:
            raise ValueError(f"{mechanism}: the broker has no users; give it users={{'name': 'password'}}")
    dotted = client in ("confluent", "java")
    settings: dict[str, object] = {"bootstrap.servers" if dotted else "bootstrap_servers": bootstrap_servers}
    if security_protocol == "PLAINTEXT":
        return settings
    settings["security.protocol" if dotted else "security_protocol"] = security_protocol
    if tls is not None:
        settings |= _tls(client, tls, mutual)
    if mechanism is not None:
        assert user is not None and password is not None
        settings |= _sasl(client, mechanism, user, password)
    return settings


def _tls(client: str, tls: Tls, mutual: bool) -> dict[str, object]:
    if client == "aiokafka":
        return {"ssl_context": tls.ssl_context(client_certificate=mutual)}
    if client == "kafka-python":
        return {"ssl_cafile": tls.ca,
                **({"ssl_certfile": tls.certificate, "ssl_keyfile": tls.key} if mutual else {})}
    if client == "confluent":
        return {"ssl.ca.location": tls.ca, **({"ssl.certificate.location": tls.certificate,
                                               "ssl.key.location": tls.key} if mutual else {})}
    settings: dict[str, object] = {"ssl.truststore.type": "PEM", "ssl.truststore.location": tls.ca}
    if mutual:
        settings |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": tls.client_keystore()}
    return settings


def _sasl(client: str, mechanism: str, user: str, password: str) -> dict[str, object]:
    if client == "confluent":
        return {"sasl.mechanism": mechanism, "sasl.username": user, "sasl.password": password}
    if client == "java":
        from kreactor.testing.users import quoted

        return {"sasl.mechanism": mechanism, "sasl.jaas.config": (
            f"org.apache.kafka.common.security.{_LOGIN_MODULES[mechanism]} required "
            f"username={quoted(user)} password={quoted(password)};")}
    return {"sasl_mechanism": mechanism, "sasl_plain_username": user, "sasl_plain_password": password}

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SaslChannelBuilderTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.types.password import Password
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.mode import Mode
from kreactor.common.network.sasl_channel_builder import SaslChannelBuilder
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.login_manager import LoginManager
from kreactor.common.security.authenticator.sasl_server_callback_handler import SaslServerCallbackHandler
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.security.ssl.ssl_factory import CertificateEntries
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.testing.certificates import Certificate, new_certificate
from tests.common.security.authenticator.sasl_ends import jaas


def new_builder(protocol: SecurityProtocol, mode: Mode = Mode.CLIENT) -> SaslChannelBuilder:
    config = Password(jaas("PLAIN", username="u", password="p"))
    return SaslChannelBuilder(
        mode, {"PLAIN": JaasContext.load_client_context({"sasl.jaas.config": config})}, protocol, None, False,
        "PLAIN", True, None, None, Time.SYSTEM, LogContext(), None)


def test_close_before_configure_is_idempotent() -> None:
    builder = new_builder(SecurityProtocol.SASL_PLAINTEXT)
    builder.close()
    assert not builder.login_managers()
    builder.close()


def test_close_after_config_is_idempotent() -> None:
    builder = new_builder(SecurityProtocol.SASL_PLAINTEXT)
    builder.configure({})
    assert builder.login_managers()["PLAIN"] is not None
    subject = builder.subject("PLAIN")
    assert subject is not None and subject.get_public_credentials() == ["u"]
    builder.close()
    assert not builder.login_managers()
    builder.close()
    assert not LoginManager._DYNAMIC_INSTANCES


def test_login_manager_released_if_configure_throws_exception() -> None:
    builder = new_builder(SecurityProtocol.SASL_SSL)
    configs: dict[str, Any] = {"ssl.protocol": "INVALID"}
    with pytest.raises(KafkaException):
        builder.configure(configs)
    assert not builder.login_managers()
    builder.close()
    assert not LoginManager._DYNAMIC_INSTANCES


def test_a_server_needs_to_know_versions() -> None:
    with pytest.raises(IllegalArgumentException, match="must provide an ApiVersionResponse supplier"):
        new_builder(SecurityProtocol.SASL_PLAINTEXT, Mode.SERVER)


@pytest.mark.parametrize("module", ["no.such.LoginModule", "org.apache.kafka.common.network.Selector"])
def test_a_server_needs_the_login_module_of_its_jaas_configuration(module: str) -> None:
    listener = ListenerName("SASL_PLAINTEXT")
    context = JaasContext.load_server_context(
        listener, "PLAIN", {"plain.sasl.jaas.config": Password(f"{module} required;")})
    builder = SaslChannelBuilder(
        Mode.SERVER, {"PLAIN": context}, SecurityProtocol.SASL_PLAINTEXT, listener, False, "PLAIN", True,
        None, None, Time.SYSTEM, LogContext(), lambda: pytest.fail("no client has connected"))
    with pytest.raises(KafkaException, match=f"No LoginModule found for {module}"):
        builder.configure({"connections.max.reauth.ms": 0})


def server_builder(protocol: SecurityProtocol, mechanism: str = "PLAIN",
                   **configs: Any) -> SaslChannelBuilder:
    """Return the builder of a server; its login module brings the server of PLAIN along."""
    listener = ListenerName(protocol.name)
    context = JaasContext.load_server_context(listener, mechanism, {
        f"{mechanism.lower()}.sasl.jaas.config": Password(jaas("PLAIN", user_u="p"))})
    builder = SaslChannelBuilder(
        Mode.SERVER, {mechanism: context}, protocol, listener, False, mechanism, True, None, None,
        Time.SYSTEM, LogContext(), lambda: pytest.fail("no client has connected"))
    builder.configure({"ssl.enabled.protocols": ["TLSv1.2", "TLSv1.3"], **configs})
    return builder


def key_store(certificate: Certificate) -> dict[str, Any]:
    return {"ssl.keystore.type": "PEM", "ssl.keystore.key": Password(certificate.private_key_pem()),
            "ssl.keystore.certificate.chain": Password(certificate.chain_pem())}


def test_a_listener_without_tls_has_nothing_to_reconfigure() -> None:
    builder = server_builder(SecurityProtocol.SASL_PLAINTEXT)
    assert builder.reconfigurable_configs() == set()
    # Settings of TLS are not even looked at.
    builder.validate_reconfiguration({"ssl.keystore.type": "NONE"})
    builder.reconfigure({"ssl.keystore.type": "NONE"})
    builder.close()


def test_a_listener_with_tls_takes_a_new_certificate_and_refuses_a_wrong_one() -> None:
    authority = new_certificate("authority")
    first, second, other = (new_certificate(name, ["localhost"], signed_by=authority)
                            for name in ("server", "server", "other"))
    builder = server_builder(SecurityProtocol.SASL_SSL, **key_store(first))
    assert "ssl.keystore.key" in builder.reconfigurable_configs()
    assert builder._ssl_factory is not None

    def current() -> str:
        assert builder._ssl_factory is not None
        keystore = builder._ssl_factory.ssl_engine_factory().keystore()
        assert keystore is not None
        [entries] = CertificateEntries.create(keystore)
        return str(entries)

    before = builder._ssl_factory.ssl_engine_factory()
    builder.validate_reconfiguration(key_store(second))
    assert builder._ssl_factory.ssl_engine_factory() is before
    no_chain = {**key_store(second), "ssl.keystore.certificate.chain": Password("none")}
    for wrong in (key_store(other), no_chain):
        with pytest.raises(ConfigException):
            builder.validate_reconfiguration(wrong)
        with pytest.raises(ConfigException):
            builder.reconfigure(wrong)
        assert builder._ssl_factory.ssl_engine_factory() is before
    assert "CN=server" in current()
    builder.reconfigure(key_store(second))
    assert builder._ssl_factory.ssl_engine_factory() is not before and "CN=server" in current()
    builder.close()


def test_only_a_server_has_a_listener() -> None:
    server = server_builder(SecurityProtocol.SASL_PLAINTEXT)
    assert server.listener_name() == ListenerName("SASL_PLAINTEXT")
    server.close()
    with pytest.raises(IllegalStateException, match="a client has no listener"):
        new_builder(SecurityProtocol.SASL_PLAINTEXT).listener_name()


def test_a_builder_that_is_not_configured_builds_nothing() -> None:
    with pytest.raises(KafkaException) as found:
        new_builder(SecurityProtocol.SASL_SSL).build_channel(
            "0", Mock(), 1024, None, Mock(spec=ChannelMetadataRegistry))
    assert "has not been configured" in str(found.value.__cause__)


def test_a_mechanism_of_the_users_own_gets_the_general_callback_handler() -> None:
    builder = server_builder(SecurityProtocol.SASL_PLAINTEXT, "OWN")
    assert type(builder._sasl_callback_handlers["OWN"]) is SaslServerCallbackHandler
    builder.close()


@pytest.mark.parametrize("configs, found", [
    ({}, {}), ({"connections.max.reauth.ms": 5}, {"PLAIN": 5}),
    ({"connections.max.reauth.ms": 5, "plain.connections.max.reauth.ms": 6}, {"PLAIN": 6})])
def test_sessions_expire_by_the_mechanisms_setting_or_the_listeners(
    configs: dict[str, int], found: dict[str, int],
) -> None:
    builder = server_builder(SecurityProtocol.SASL_PLAINTEXT, **configs)
    assert builder._connections_max_reauth_ms_by_mechanism == found
    builder.close()

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SaslChannelBuilderTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.config.types.password import Password
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.mode import Mode
from kreactor.common.network.sasl_channel_builder import SaslChannelBuilder
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.login_manager import LoginManager
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.common.security.authenticator.sasl_ends import jaas

NOT_APPLICABLE = {
    "testNativeGssapiCredentials": "kreactor has no Kerberos",
    "testClientChannelBuilderWithBrokerConfigs": "the case is about a broker's Kerberos settings",
}


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

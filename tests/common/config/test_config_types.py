# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Names of configurations, and the small types around them."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.config_value import ConfigValue
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.security_config import SecurityConfig
from kreactor.common.config.ssl_client_auth import SslClientAuth
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.config.types.password import Password
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)

REFRESH = {
    "factor": SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR,
    "jitter": SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER,
    "period": SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS,
    "buffer": SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS,
}


def refresh_values(props: dict[str, str]) -> list[object]:
    values = ConfigDef().with_client_sasl_support().parse(props)
    return [values[name] for name in REFRESH.values()]


def test_sasl_login_refresh_defaults() -> None:
    assert refresh_values({}) == [0.8, 0.05, 60, 300]


def test_sasl_login_refresh_min_values_are_valid() -> None:
    assert refresh_values(dict(zip(REFRESH.values(), ("0.5", "0.0", "0", "0")))) == [0.5, 0.0, 0, 0]


def test_sasl_login_refresh_max_values_are_valid() -> None:
    assert refresh_values(dict(zip(REFRESH.values(), ("1.0", "0.25", "900", "3600")))) == [1.0, 0.25, 900,
                                                                                           3600]


@pytest.mark.parametrize(("name", "value"), [
    pytest.param("factor", "0.499999",
                 id="test_sasl_login_refresh_window_factor_min_value_is_really_minimum"),
    pytest.param("factor", "1.0001", id="test_sasl_login_refresh_window_factor_max_value_is_really_maximum"),
    pytest.param("jitter", "-0.000001",
                 id="test_sasl_login_refresh_window_jitter_min_value_is_really_minimum"),
    pytest.param("jitter", "0.251", id="test_sasl_login_refresh_window_jitter_max_value_is_really_maximum"),
    pytest.param("period", "-1", id="test_sasl_login_refresh_min_period_seconds_min_value_is_really_minimum"),
    pytest.param("period", "901",
                 id="test_sasl_login_refresh_min_period_seconds_max_value_is_really_maximum"),
    pytest.param("buffer", "-1", id="test_sasl_login_refresh_buffer_seconds_min_value_is_really_minimum"),
    pytest.param("buffer", "3601", id="test_sasl_login_refresh_buffer_seconds_max_value_is_really_maximum"),
])
def test_sasl_login_refresh_bounds(name: str, value: str) -> None:
    with pytest.raises(ConfigException) as caught:
        refresh_values({REFRESH[name]: value})
    value = value.replace("-0.000001", "-1.0E-6")
    assert str(caught.value).startswith(
        f"Invalid value {value} for configuration {REFRESH[name]}: Value must be ")


def test_should_get_type_from_id() -> None:
    assert ConfigResource.Type.for_id(2) is ConfigResource.Type.TOPIC
    assert ConfigResource.Type.for_id(4) is ConfigResource.Type.BROKER
    assert ConfigResource.Type.for_id(16) is ConfigResource.Type.CLIENT_METRICS


def test_should_return_unknown_for_unknown_code() -> None:
    for id_ in (-1, 0, 1):
        assert ConfigResource.Type.for_id(id_) is ConfigResource.Type.UNKNOWN


def test_should_round_trip_every_type() -> None:
    for type_ in ConfigResource.Type:
        assert ConfigResource.Type.for_id(type_.id()) is type_


def test_config_resource() -> None:
    resource = ConfigResource(ConfigResource.Type.TOPIC, "t")
    assert (resource.type(), resource.name(), resource.is_default()) == (ConfigResource.Type.TOPIC, "t",
                                                                         False)
    assert ConfigResource(ConfigResource.Type.BROKER, "").is_default()
    assert resource == ConfigResource(ConfigResource.Type.TOPIC, "t")
    assert hash(resource) == hash(ConfigResource(ConfigResource.Type.TOPIC, "t"))
    assert resource != ConfigResource(ConfigResource.Type.BROKER, "t")
    assert str(resource) == "ConfigResource(type=TOPIC, name='t')"


def test_config_value() -> None:
    value = ConfigValue("n", 1, [1, 2], ["wrong"])
    assert str(value) == "[n,1,[1, 2],[wrong],true]"
    assert value == ConfigValue("n", 1, [1, 2], ["wrong"])
    assert hash(value) == hash(ConfigValue("n", 1, [1, 2], ["wrong"]))
    assert value != ConfigValue("n", 1, [1, 2])
    assert ConfigValue("n") == ConfigValue("n", None, [], [])
    assert ConfigValue("n").visible()


def test_password() -> None:
    password = Password("secret")
    assert str(password) == repr(password) == f"{password}" == "[hidden]"
    assert password.value() == "secret"
    assert password == Password("secret")
    assert hash(password) == hash(Password("secret"))
    assert password not in (Password("other"), "secret", "[hidden]")


def test_ssl_client_auth() -> None:
    assert SslClientAuth.for_config(None) is SslClientAuth.NONE
    assert SslClientAuth.for_config("rEquired") is SslClientAuth.REQUIRED
    assert SslClientAuth.for_config("must") is None
    assert [str(auth) for auth in SslClientAuth.VALUES] == ["required", "requested", "none"]


def test_config_exception() -> None:
    assert str(ConfigException("message")) == "message"
    assert str(ConfigException("n", None)) == "Invalid value null for configuration n"
    assert str(ConfigException("n", [True], "why")) == "Invalid value [true] for configuration n: why"
    assert str(ConfigException("n", "v", None)) == "Invalid value v for configuration n"


def test_some_names_and_defaults() -> None:
    assert TopicConfig.CLEANUP_POLICY_CONFIG == "cleanup.policy"
    assert TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG == "message.downconversion.enable"
    assert SecurityConfig.SECURITY_PROVIDERS_CONFIG == "security.providers"
    assert BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_DEFAULT is DefaultKafkaPrincipalBuilder
    assert BrokerSecurityConfigs.SSL_CLIENT_AUTH_DEFAULT == "none"
    assert BrokerSecurityConfigs.DEFAULT_SASL_ENABLED_MECHANISMS == [SaslConfigs.GSSAPI_MECHANISM]
    assert BrokerSecurityConfigs.DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE == 524288
    assert SslConfigs.RECONFIGURABLE_CONFIGS.isdisjoint(SslConfigs.NON_RECONFIGURABLE_CONFIGS)
    assert ConfigDef().with_client_ssl_support().names() == (
        SslConfigs.RECONFIGURABLE_CONFIGS | SslConfigs.NON_RECONFIGURABLE_CONFIGS) - {"ssl.client.auth"}

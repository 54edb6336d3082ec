# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.CommonClientConfigsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings that follow from others, and the reporters of metrics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.group_rebalance_config import GroupRebalanceConfig
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.security.auth.security_protocol import SecurityProtocol

LONG, LOW = ConfigDef.Type.LONG, ConfigDef.Importance.LOW


class Config(AbstractConfig):
    """A port of TestConfig."""

    CONFIG = (
        ConfigDef()
        .define(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, LONG, 50, ConfigDef.Range.at_least(0), LOW,
                "")
        .define(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, LONG, 1000, ConfigDef.Range.at_least(0),
                LOW, "")
        .define(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, ConfigDef.Type.STRING,
                CommonClientConfigs.DEFAULT_SECURITY_PROTOCOL, ConfigDef.Importance.MEDIUM, "")
        .define(SaslConfigs.SASL_MECHANISM, ConfigDef.Type.STRING, SaslConfigs.DEFAULT_SASL_MECHANISM,
                ConfigDef.Importance.MEDIUM, "")
        .define(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, ConfigDef.Type.LIST, [],
                ConfigDef.NonNullValidator(), LOW, "")
        .define(CommonClientConfigs.AUTO_INCLUDE_JMX_REPORTER_CONFIG, ConfigDef.Type.BOOLEAN, True, LOW, "")
    )

    def _post_process_parsed_config(self, parsed_values: Mapping[str, Any]) -> Mapping[str, Any]:
        CommonClientConfigs.post_validate_sasl_mechanism_config(self)
        return CommonClientConfigs.post_process_reconnect_backoff_configs(self, parsed_values)

    def __init__(self, props: Mapping[str, Any]) -> None:
        super().__init__(self.CONFIG, props)


class MyReporter(MetricsReporter):
    """Keeps what it is configured with."""

    def __init__(self) -> None:
        self.configs: Mapping[str, object] = {}

    def configure(self, configs: Mapping[str, object]) -> None:
        self.configs = configs

    def init(self, metrics) -> None:
        pass

    def metric_change(self, metric) -> None:
        pass

    def metric_removal(self, metric) -> None:
        pass

    def close(self) -> None:
        pass


class MyOtherReporter(MyReporter):
    pass


def test_exponential_backoff_defaults(caplog):
    def backoffs(props):
        config = Config(props)
        return (config.get_long(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG),
                config.get_long(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG))

    assert backoffs({}) == (50, 1000)
    assert backoffs({CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG: "123",
                     CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG: "12345"}) == (123, 12345)
    assert not [record for record in caplog.records if record.levelno == logging.WARNING]
    assert backoffs({CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG: "123"}) == (123, 123)
    assert [record for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.parametrize("mechanism", [None, ""])
def test_invalid_sasl_mechanism(mechanism):
    configs = {CommonClientConfigs.SECURITY_PROTOCOL_CONFIG: SecurityProtocol.SASL_PLAINTEXT.name,
               SaslConfigs.SASL_MECHANISM: mechanism}
    with pytest.raises(ConfigException) as raised:
        Config(configs)
    assert str(raised.value) == (
        "Invalid value null for configuration sasl.mechanism: When the security.protocol configuration "
        "enables SASL, mechanism must be non-null and non-empty string.")


def test_metrics_reporters():
    # There is no JMX here, and no reporter of its own accord.
    assert CommonClientConfigs.metrics_reporters_client_id("clientId", Config({})) == []

    config = Config({CommonClientConfigs.AUTO_INCLUDE_JMX_REPORTER_CONFIG: "false"})
    assert CommonClientConfigs.metrics_reporters(config) == []

    name = f"{__name__}.MyReporter"
    config = Config({CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG: name})
    [reporter] = CommonClientConfigs.metrics_reporters_client_id("clientId", config)
    assert type(reporter) is MyReporter
    assert reporter.configs["client.id"] == "clientId"
    [reporter] = CommonClientConfigs.metrics_reporters(config)
    assert "client.id" not in reporter.configs

    names = f"{name},{__name__}.MyOtherReporter"
    config = Config({CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG: names})
    reporters = CommonClientConfigs.metrics_reporters_client_id("clientId", config)
    assert [type(reporter) for reporter in reporters] == [MyReporter, MyOtherReporter]


def waits(**settings: int) -> AbstractConfig:
    names = ("retry.backoff.ms", "retry.backoff.max.ms", "socket.connection.setup.timeout.ms",
             "socket.connection.setup.timeout.max.ms")
    definition = ConfigDef()
    for name in names:
        definition.define(name, LONG, 10, LOW, "")
    return AbstractConfig(definition, {name.replace("_", "."): value for name, value in settings.items()})


@pytest.mark.parametrize(("settings", "warnings"), [
    ({}, 0),
    ({"retry_backoff_ms": 11}, 1),
    ({"socket_connection_setup_timeout_ms": 11}, 1),
    ({"retry_backoff_max_ms": 9, "socket_connection_setup_timeout_max_ms": 9}, 2),
])
def test_a_wait_that_cannot_grow_is_logged(caplog, settings, warnings):
    CommonClientConfigs.warn_disabling_exponential_backoff(waits(**settings))
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == warnings


def group_config(**settings: object) -> AbstractConfig:
    definition = ConfigDef()
    for name in ("session.timeout.ms", "max.poll.interval.ms", "rebalance.timeout.ms",
                 "heartbeat.interval.ms"):
        definition.define(name, ConfigDef.Type.INT, len(name), LOW, "")
    for name in ("retry.backoff.ms", "retry.backoff.max.ms"):
        definition.define(name, LONG, len(name), LOW, "")
    for name in ("group.id", "group.instance.id"):
        definition.define(name, ConfigDef.Type.STRING, None, LOW, "")
    definition.define("internal.leave.group.on.close", ConfigDef.Type.BOOLEAN, True, LOW, "")
    return AbstractConfig(definition, {name.replace("_", "."): value for name, value in settings.items()})


def test_a_consumer_has_settings_of_its_own():
    config = group_config(group_id="g", group_instance_id="i", internal_leave_group_on_close=False)
    protocol_type = GroupRebalanceConfig.ProtocolType
    consumer = GroupRebalanceConfig.of(config, protocol_type.CONSUMER)
    assert consumer.rebalance_timeout_ms == len("max.poll.interval.ms")
    assert (consumer.group_id, consumer.group_instance_id, consumer.leave_group_on_close) == ("g", "i", False)
    connect = GroupRebalanceConfig.of(config, protocol_type.CONNECT)
    assert connect.rebalance_timeout_ms == len("rebalance.timeout.ms")
    assert (connect.group_id, connect.group_instance_id, connect.leave_group_on_close) == ("g", None, True)
    for group in (consumer, connect):
        assert group.session_timeout_ms == len("session.timeout.ms")
        assert group.heartbeat_interval_ms == len("heartbeat.interval.ms")
        assert group.retry_backoff_ms == len("retry.backoff.ms")
        assert group.retry_backoff_max_ms == len("retry.backoff.max.ms")
    assert str(protocol_type.CONSUMER) == "consumer"
    with pytest.raises(InvalidConfigurationException):
        GroupRebalanceConfig.of(group_config(group_instance_id="a/b"), protocol_type.CONSUMER)


def test_constants_are_kafkas() -> None:
    configs = CommonClientConfigs
    assert (configs.RETRY_BACKOFF_EXP_BASE, configs.RETRY_BACKOFF_JITTER) == (2, 0.2)
    assert (configs.DEFAULT_RETRY_BACKOFF_MS, configs.DEFAULT_RETRY_BACKOFF_MAX_MS) == (100, 1000)
    assert (configs.SEND_BUFFER_LOWER_BOUND, configs.RECEIVE_BUFFER_LOWER_BOUND) == (-1, -1)
    assert (configs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS,
            configs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS) == (10_000, 30_000)

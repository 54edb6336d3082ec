# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.CommonClientConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings that several clients have: names, defaults and checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.serialization.list_serde import ListSerdeConfigs
from kreactor.common.utils.log_context import LogContext

if TYPE_CHECKING:
    from kreactor.common.config.abstract_config import AbstractConfig

log = LogContext().logger(f"{__name__}.CommonClientConfigs")


class CommonClientConfigs:
    """Names and defaults. Called by any thread.

    :origin: clients.CommonClientConfigs
    """

    BOOTSTRAP_SERVERS_CONFIG = "bootstrap.servers"
    CLIENT_DNS_LOOKUP_CONFIG = "client.dns.lookup"
    METADATA_MAX_AGE_CONFIG = "metadata.max.age.ms"
    SEND_BUFFER_CONFIG = "send.buffer.bytes"
    SEND_BUFFER_LOWER_BOUND = -1
    RECEIVE_BUFFER_CONFIG = "receive.buffer.bytes"
    RECEIVE_BUFFER_LOWER_BOUND = -1
    CLIENT_ID_CONFIG = "client.id"
    CLIENT_RACK_CONFIG = "client.rack"
    DEFAULT_CLIENT_RACK = ""
    RECONNECT_BACKOFF_MS_CONFIG = "reconnect.backoff.ms"
    RECONNECT_BACKOFF_MAX_MS_CONFIG = "reconnect.backoff.max.ms"
    RETRIES_CONFIG = "retries"
    RETRY_BACKOFF_MS_CONFIG = "retry.backoff.ms"
    DEFAULT_RETRY_BACKOFF_MS = 100
    RETRY_BACKOFF_MAX_MS_CONFIG = "retry.backoff.max.ms"
    DEFAULT_RETRY_BACKOFF_MAX_MS = 1000
    RETRY_BACKOFF_EXP_BASE = 2
    RETRY_BACKOFF_JITTER = 0.2
    ENABLE_METRICS_PUSH_CONFIG = "enable.metrics.push"
    METRICS_SAMPLE_WINDOW_MS_CONFIG = "metrics.sample.window.ms"
    METRICS_NUM_SAMPLES_CONFIG = "metrics.num.samples"
    METRICS_RECORDING_LEVEL_CONFIG = "metrics.recording.level"
    METRIC_REPORTER_CLASSES_CONFIG = "metric.reporters"
    METRICS_CONTEXT_PREFIX = "metrics.context."
    AUTO_INCLUDE_JMX_REPORTER_CONFIG = "auto.include.jmx.reporter"
    SECURITY_PROTOCOL_CONFIG = "security.protocol"
    DEFAULT_SECURITY_PROTOCOL = "PLAINTEXT"
    SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG = "socket.connection.setup.timeout.ms"
    DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS = 10 * 1000
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG = "socket.connection.setup.timeout.max.ms"
    DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS = 30 * 1000
    CONNECTIONS_MAX_IDLE_MS_CONFIG = "connections.max.idle.ms"
    REQUEST_TIMEOUT_MS_CONFIG = "request.timeout.ms"
    DEFAULT_LIST_KEY_SERDE_INNER_CLASS = ListSerdeConfigs.DEFAULT_LIST_KEY_SERDE_INNER_CLASS
    DEFAULT_LIST_VALUE_SERDE_INNER_CLASS = ListSerdeConfigs.DEFAULT_LIST_VALUE_SERDE_INNER_CLASS
    DEFAULT_LIST_KEY_SERDE_TYPE_CLASS = ListSerdeConfigs.DEFAULT_LIST_KEY_SERDE_TYPE_CLASS
    DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS = ListSerdeConfigs.DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS
    GROUP_ID_CONFIG = "group.id"
    GROUP_INSTANCE_ID_CONFIG = "group.instance.id"
    MAX_POLL_INTERVAL_MS_CONFIG = "max.poll.interval.ms"
    REBALANCE_TIMEOUT_MS_CONFIG = "rebalance.timeout.ms"
    SESSION_TIMEOUT_MS_CONFIG = "session.timeout.ms"
    HEARTBEAT_INTERVAL_MS_CONFIG = "heartbeat.interval.ms"
    DEFAULT_API_TIMEOUT_MS_CONFIG = "default.api.timeout.ms"
    METADATA_RECOVERY_STRATEGY_CONFIG = "metadata.recovery.strategy"
    DEFAULT_METADATA_RECOVERY_STRATEGY = MetadataRecoveryStrategy.NONE.value

    @staticmethod
    def post_process_reconnect_backoff_configs(
            config: AbstractConfig, parsed_values: Mapping[str, object]) -> dict[str, object]:
        """Return the settings to change: a backoff without a maximum in the configuration does not grow.

        :origin: clients.CommonClientConfigs#postProcessReconnectBackoffConfigs(
            AbstractConfig, Map<String,Object>)
        """
        rval: dict[str, object] = {}
        original_config = config.originals()
        if (CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG not in original_config
                and CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG in original_config):
            log.warn("%s is given without %s: the backoff stays the same after each failure",
                     CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG,
                     CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG)
            rval[CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG] = parsed_values.get(
                CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG)
        return rval

    @staticmethod
    def warn_disabling_exponential_backoff(config: AbstractConfig) -> None:
        """Log each wait whose initial value is above its maximum; every wait is then the maximum.

        :origin: clients.CommonClientConfigs#warnDisablingExponentialBackoff(AbstractConfig)
        """
        retry_backoff_ms = config.get_long(CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG)
        retry_backoff_max_ms = config.get_long(CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG)
        if retry_backoff_ms > retry_backoff_max_ms:
            log.warn("%s is %d and above %s, which is %d: each backoff is %d ms",
                     CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG, retry_backoff_ms,
                     CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG, retry_backoff_max_ms,
                     retry_backoff_max_ms)

        connection_setup_timeout_ms = config.get_long(
            CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG)
        connection_setup_timeout_max_ms = config.get_long(
            CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG)
        if connection_setup_timeout_ms > connection_setup_timeout_max_ms:
            log.warn("%s is %d and above %s, which is %d: each timeout is %d ms",
                     CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG,
                     connection_setup_timeout_ms,
                     CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG,
                     connection_setup_timeout_max_ms, connection_setup_timeout_max_ms)

    @staticmethod
    def post_validate_sasl_mechanism_config(config: AbstractConfig) -> None:
        """Raises ConfigException if the security protocol needs a SASL mechanism and none is set.

        :origin: clients.CommonClientConfigs#postValidateSaslMechanismConfig(AbstractConfig)
        """
        security_protocol = SecurityProtocol.for_name(
            config.get_string(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG) or "")
        client_sasl_mechanism = config.get_string(SaslConfigs.SASL_MECHANISM)
        if security_protocol in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL):
            if not client_sasl_mechanism:
                raise ConfigException(
                    SaslConfigs.SASL_MECHANISM, None,
                    f"When the {CommonClientConfigs.SECURITY_PROTOCOL_CONFIG} configuration enables SASL, "
                    "mechanism must be non-null and non-empty string.")

    @staticmethod
    def metrics_reporters(config: AbstractConfig) -> list[MetricsReporter]:
        """Return the configured reporters.

        :origin: clients.CommonClientConfigs#metricsReporters(AbstractConfig)
        """
        return CommonClientConfigs.metrics_reporters_overrides({}, config)

    @staticmethod
    def metrics_reporters_client_id(client_id: str, config: AbstractConfig) -> list[MetricsReporter]:
        """Return the configured reporters, configured with ``client_id``.

        :origin: clients.CommonClientConfigs#metricsReporters(String, AbstractConfig)
        """
        return CommonClientConfigs.metrics_reporters_overrides(
            {CommonClientConfigs.CLIENT_ID_CONFIG: client_id}, config)

    @staticmethod
    def metrics_reporters_overrides(client_id_override: Mapping[str, object],
                                    config: AbstractConfig) -> list[MetricsReporter]:
        """Return the configured reporters, configured with ``client_id_override`` in addition to the user's
        settings.

        Raises KafkaException if a reporter cannot be made.

        :origin: clients.CommonClientConfigs#metricsReporters(Map<String,Object>, AbstractConfig)
        """
        # DEVIATION D310: auto.include.jmx.reporter adds no reporter.
        return config.get_configured_instances(
            CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
            MetricsReporter,  # type: ignore[type-abstract]
            client_id_override)

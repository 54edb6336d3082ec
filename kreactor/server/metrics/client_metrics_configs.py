# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a client metrics subscription (KIP-714)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.errors import InvalidConfigurationException, InvalidRequestException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.regex import Pattern, PatternSyntaxException


class ClientMetricsConfigs(AbstractConfig):
    """Names, definitions and checks, and the settings of one subscription.

    :origin: server.metrics.ClientMetricsConfigs
    """

    SUBSCRIPTION_METRICS = "metrics"
    PUSH_INTERVAL_MS = "interval.ms"
    CLIENT_MATCH_PATTERN = "match"

    CLIENT_INSTANCE_ID = "client_instance_id"
    CLIENT_ID = "client_id"
    CLIENT_SOFTWARE_NAME = "client_software_name"
    CLIENT_SOFTWARE_VERSION = "client_software_version"
    CLIENT_SOURCE_ADDRESS = "client_source_address"
    CLIENT_SOURCE_PORT = "client_source_port"

    # The name that means all metrics.
    ALL_SUBSCRIBED_METRICS_CONFIG = "*"

    DEFAULT_INTERVAL_MS = 5 * 60 * 1000
    _MIN_INTERVAL_MS = 100
    _MAX_INTERVAL_MS = 60 * 60 * 1000

    _ALLOWED_MATCH_PARAMS = frozenset((
        CLIENT_INSTANCE_ID, CLIENT_ID, CLIENT_SOFTWARE_NAME, CLIENT_SOFTWARE_VERSION, CLIENT_SOURCE_ADDRESS,
        CLIENT_SOURCE_PORT))

    def __init__(self, props: Mapping[str, str]) -> None:
        """Raises ConfigException.

        :origin: server.metrics.ClientMetricsConfigs#ClientMetricsConfigs(Properties)
        """
        super().__init__(_CONFIG, props)

    @staticmethod
    def config_def() -> ConfigDef:
        """Return the definitions.

        :origin: server.metrics.ClientMetricsConfigs#configDef()
        """
        return _CONFIG

    @staticmethod
    def validate(subscription_name: str, properties: Mapping[str, str]) -> None:
        """Raise an exception if a subscription's name or settings are invalid.

        The exception is InvalidRequestException, InvalidConfigurationException or IllegalArgumentException.

        :origin: server.metrics.ClientMetricsConfigs#validate(String, Properties)
        """
        c = ClientMetricsConfigs
        if not subscription_name:
            raise InvalidRequestException("Subscription name can't be empty")
        for key in properties:
            if key not in _CONFIG.names():
                raise InvalidRequestException(f"Unknown client metrics configuration: {key}")
        if c.PUSH_INTERVAL_MS in properties:
            interval = properties[c.PUSH_INTERVAL_MS]
            if re.fullmatch(r"[+-]?[0-9]{1,10}", interval) is None or not -2**31 <= int(interval) < 2**31:
                raise IllegalArgumentException(f'For input string: "{interval}"')
            if not c._MIN_INTERVAL_MS <= int(interval) <= c._MAX_INTERVAL_MS:
                raise InvalidRequestException(
                    f"Invalid value {int(interval)} for {c.PUSH_INTERVAL_MS}, interval must be between 100 "
                    "and 3600000 (1 hour)")
        if c.CLIENT_MATCH_PATTERN in properties:
            c.parse_matching_patterns(properties[c.CLIENT_MATCH_PATTERN].split(","))

    @staticmethod
    def parse_matching_patterns(patterns: Sequence[str]) -> dict[str, Pattern]:
        """Return the pattern of each client property.

        DEVIATION D461: a pattern has RE2's syntax, because it is a client's, and matches in linear time.

        Raises InvalidConfigurationException.

        :origin: server.metrics.ClientMetricsConfigs#parseMatchingPatterns(List<String>)
        """
        patterns_map: dict[str, Pattern] = {}
        for pattern in patterns:
            param, equals, value = pattern.partition("=")
            param = param.strip()
            illegal = InvalidConfigurationException(f"Illegal client matching pattern: {pattern}")
            if not equals or not value or "=" in value.rstrip("="):
                raise illegal
            if param not in ClientMetricsConfigs._ALLOWED_MATCH_PARAMS:
                raise illegal
            try:
                patterns_map[param] = Pattern(value.rstrip("=").strip())
            except PatternSyntaxException:
                raise illegal from None
        return patterns_map


_CONFIG = (
    ConfigDef()
    .define(ClientMetricsConfigs.SUBSCRIPTION_METRICS, ConfigDef.Type.LIST, [], ConfigDef.Importance.MEDIUM,
            "Clients of the subscription push metrics whose names begin with one of these; an empty list "
            "means none, and * all.")
    .define(ClientMetricsConfigs.PUSH_INTERVAL_MS, ConfigDef.Type.INT,
            ClientMetricsConfigs.DEFAULT_INTERVAL_MS, ConfigDef.Importance.MEDIUM,
            "Clients of the subscription push their metrics every so many milliseconds.")
    .define(ClientMetricsConfigs.CLIENT_MATCH_PATTERN, ConfigDef.Type.LIST, [], ConfigDef.Importance.MEDIUM,
            "The subscription is for clients that match all these patterns, each as selector=expression."))

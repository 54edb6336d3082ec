# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerConfigurationValidator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Checks the new settings of a topic, a broker or a subscription.

ConfigAdminManager of the broker has already checked the broker's own settings; this is the second check.
Levels of loggers are not stored, and are not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import InvalidConfigurationException, InvalidRequestException
from kreactor.common.internals.topic import Topic
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from kreactor.storage.internals.log.log_config import LogConfig

_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")


def to_int(text: str, message: str) -> int:
    """Return the number. Raises InvalidRequestException with ``message`` if ``text`` is not a 32-bit
    integer."""
    if _INTEGER.fullmatch(text) is not None and -2**31 <= int(text) < 2**31:
        return int(text)
    raise InvalidRequestException(message)


class ControllerConfigurationValidator:
    """For use by any thread.

    :origin: kafka.server.ControllerConfigurationValidator
    """

    def __init__(self, kafka_config: KafkaConfig) -> None:
        self._kafka_config = kafka_config

    def _validate_topic_name(self, name: str) -> None:
        """Raise InvalidRequestException or InvalidTopicException.

        :origin: kafka.server.ControllerConfigurationValidator#validateTopicName
        """
        if not name:
            raise InvalidRequestException("Default topic resources are not allowed.")
        Topic.validate(name)

    def _validate_broker_name(self, name: str) -> None:
        """Raise InvalidRequestException if the name is not a broker's id; an empty name means all brokers.

        :origin: kafka.server.ControllerConfigurationValidator#validateBrokerName
        """
        if name:
            if to_int(name, "Unable to parse broker name as a base 10 number.") < 0:
                raise InvalidRequestException("Invalid negative broker ID.")

    def _throw_exception_for_unknown_resource_type(self, resource: ConfigResource) -> None:
        """Raise InvalidRequestException for an unknown resource type.

        :origin: kafka.server.ControllerConfigurationValidator#throwExceptionForUnknownResourceType
        """
        raise InvalidRequestException(f"Unknown resource type {resource.type().name}")

    def validate(self, resource: ConfigResource, config: Mapping[str, str | None]) -> None:
        """Raise an exception if the name of a resource or its settings are invalid.

        The exception is InvalidRequestException, InvalidTopicException, InvalidConfigurationException or
        IllegalArgumentException.

        :origin: kafka.server.ControllerConfigurationValidator#validate(ConfigResource, Map<String,String>)
        """
        properties = {key: value for key, value in config.items() if value is not None}
        if resource.type() is ConfigResource.Type.TOPIC:
            self._validate_topic_name(resource.name())
            null_topic_configs = [key for key, value in config.items() if value is None]
            if null_topic_configs:
                raise InvalidConfigurationException(
                    f"Null value not supported for topic configs: {','.join(null_topic_configs)}")
            # The node's own settings were validated when they were applied.
            if properties:
                # In Kafka each getter of the config reads the current config.
                current = self._kafka_config.dynamic_config().current_kafka_config()
                LogConfig.from_props(current.extract_log_config_map(), properties)
        elif resource.type() is ConfigResource.Type.BROKER:
            self._validate_broker_name(resource.name())
        elif resource.type() is ConfigResource.Type.CLIENT_METRICS:
            ClientMetricsConfigs.validate(resource.name(), properties)
        else:
            self._throw_exception_for_unknown_resource_type(resource)

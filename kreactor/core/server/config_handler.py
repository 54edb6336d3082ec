# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.BrokerConfigHandler and ClientMetricsConfigHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Applies the stored settings of brokers and of client metrics.

ConfigurationControlManager calls a handler, under its lock, after it has stored a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.config.zoo_keeper_internals import ZooKeeperInternals


class ConfigHandler(Protocol):
    """:origin: kafka.server.ConfigHandler"""

    def process_config_changes(self, entity_name: str, value: Mapping[str, str]) -> None:
        """Apply all stored settings of an entity.

        :origin: kafka.server.ConfigHandler#processConfigChanges
        """


class BrokerConfigHandler(ConfigHandler):
    """:origin: kafka.server.BrokerConfigHandler"""

    def __init__(self, broker_config: KafkaConfig) -> None:
        """:origin: kafka.server.BrokerConfigHandler#BrokerConfigHandler"""
        self._broker_config = broker_config

    def process_config_changes(self, entity_name: str, value: Mapping[str, str]) -> None:
        """Apply the settings of all brokers, or of this broker. Ignores the id of another broker.

        :origin: kafka.server.BrokerConfigHandler#processConfigChanges
        """
        dynamic_config, broker_id = self._broker_config.dynamic_config(), self._broker_config.broker_id()
        with dynamic_config.only_allowed_classes():
            if entity_name == ZooKeeperInternals.DEFAULT_STRING:
                dynamic_config.update_default_config(value)
            elif entity_name == str(broker_id):
                dynamic_config.update_broker_config(broker_id, value)
                # In Kafka DynamicConfigPublisher reloads the files, after it has called the handler.
                dynamic_config.reload_updated_files_without_config_change(value)


class ClientMetricsConfigHandler(ConfigHandler):
    """:origin: kafka.server.ClientMetricsConfigHandler"""

    def __init__(self, client_metrics_manager: ClientMetricsManager) -> None:
        """:origin: kafka.server.ClientMetricsConfigHandler#ClientMetricsConfigHandler"""
        self._client_metrics_manager = client_metrics_manager

    def process_config_changes(self, entity_name: str, value: Mapping[str, str]) -> None:
        """Apply the settings of a subscription.

        :origin: kafka.server.ClientMetricsConfigHandler#processConfigChanges
        """
        self._client_metrics_manager.update_subscription(entity_name, value)

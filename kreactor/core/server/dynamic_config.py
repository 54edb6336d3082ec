# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DynamicConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings that can change while a broker runs, and the checks of such changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.config.config_def import ConfigDef
from kreactor.core.server import kafka_config_def
from kreactor.core.server.dynamic_broker_config import DynamicBrokerConfig
from kreactor.server.config.quota_configs import QuotaConfigs


def _only_dynamic() -> ConfigDef:
    config_def = ConfigDef()
    for name, documentation in (
            (QuotaConfigs.LEADER_REPLICATION_THROTTLED_RATE_CONFIG,
             QuotaConfigs.LEADER_REPLICATION_THROTTLED_RATE_DOC),
            (QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_RATE_CONFIG,
             QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_RATE_DOC),
            (QuotaConfigs.REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND_CONFIG,
             QuotaConfigs.REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND_DOC)):
        config_def.define(name, ConfigDef.Type.LONG, QuotaConfigs.QUOTA_BYTES_PER_SECOND_DEFAULT,
                          ConfigDef.Range.at_least(0), ConfigDef.Importance.MEDIUM, documentation)
    return config_def


def _broker_config_def() -> ConfigDef:
    config_def = _only_dynamic()
    DynamicBrokerConfig.add_dynamic_configs(config_def)
    return config_def


class DynamicConfig:
    """The definitions of dynamic settings, by the type of resource.

    :origin: kafka.server.DynamicConfig
    """

    class Broker:
        """The dynamic settings of brokers.

        :origin: kafka.server.DynamicConfig.Broker
        """

        # Ours: the settings that no file of a broker has.
        ONLY_DYNAMIC = _only_dynamic()
        brokerConfigDef = _broker_config_def()
        nonDynamicProps = frozenset(kafka_config_def.config_names()) - frozenset(brokerConfigDef.names())

        @staticmethod
        def validate(props: Mapping[str, Any]) -> dict[str, Any]:
            """Return the parsed values of ``props``, which may contain settings of plug-ins. Raises
            ConfigException.

            :origin: kafka.server.DynamicConfig.Broker#validate
            """
            return DynamicConfig._validate(DynamicConfig.Broker.brokerConfigDef, props)

    @staticmethod
    def _validate(config_def: ConfigDef, props: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parsed values of ``props``. Raises ConfigException.

        :origin: kafka.server.DynamicConfig#validate
        """
        return config_def.parse(DynamicBrokerConfig.resolve_variable_configs(props))

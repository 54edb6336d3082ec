# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.KafkaConfigSchema of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of settings, the effective settings of a topic, and the source of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.types.password import Password
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.core.server import kafka_config_def
from kreactor.server.config.config_synonym import ConfigSynonym
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.storage.internals.log.log_config import LogConfig

ConfigSource = DescribeConfigsResponse.ConfigSource


class ConfigEntry(NamedTuple):
    """An effective setting; in Kafka this class is the admin client's.

    :origin: clients.admin.ConfigEntry
    """

    name: str
    value: str | None
    source: DescribeConfigsResponse.ConfigSource
    is_sensitive: bool
    is_read_only: bool


class KafkaConfigSchema:
    """For use by any thread.

    :origin: metadata.KafkaConfigSchema
    """

    def __init__(self, config_defs: Mapping[ConfigResource.Type, ConfigDef],
                 log_config_synonyms: Mapping[str, Sequence[ConfigSynonym]]) -> None:
        """``log_config_synonyms`` has the broker settings that are the defaults of a topic setting.

        :origin: metadata.KafkaConfigSchema#KafkaConfigSchema(
            Map<Type,ConfigDef>, Map<String,List<ConfigSynonym>>)
        """
        self._config_defs = config_defs
        self._log_config_synonyms = log_config_synonyms

    def _config_key(self, type_: ConfigResource.Type, key: str) -> ConfigDef.ConfigKey | None:
        config_def = self._config_defs.get(type_)
        return None if config_def is None else config_def.config_keys().get(key)

    def is_splittable(self, type_: ConfigResource.Type, key: str) -> bool:
        """Return whether a setting is a list, so that elements can be appended.

        :origin: metadata.KafkaConfigSchema#isSplittable(Type, String)
        """
        config_key = self._config_key(type_, key)
        return config_key is not None and config_key.type() is ConfigDef.Type.LIST

    def is_sensitive(self, type_: ConfigResource.Type, key: str) -> bool:
        """Return whether a setting must be hidden; an unknown setting is not hidden.

        :origin: metadata.KafkaConfigSchema#isSensitive(Type, String)
        """
        config_key = self._config_key(type_, key)
        return config_key is None or config_key.type().is_sensitive()

    def get_default(self, type_: ConfigResource.Type, key: str) -> str | None:
        """Return the default of a setting as text, None if it has none.

        :origin: metadata.KafkaConfigSchema#getDefault(Type, String)
        """
        config_key = self._config_key(type_, key)
        if config_key is None or not config_key.has_default():
            return None
        return ConfigDef.convert_to_string(config_key._default_value, config_key.type())

    def resolve_effective_topic_configs(
        self, static_node_config: Mapping[str, Any], dynamic_cluster_configs: Mapping[str, str],
        dynamic_node_configs: Mapping[str, str], dynamic_topic_configs: Mapping[str, str],
    ) -> dict[str, ConfigEntry]:
        """Return all settings of a topic whose own settings are ``dynamic_topic_configs``.

        The other values come from the settings of all brokers or of this broker, under the brokers' names for
        them.

        :origin: metadata.KafkaConfigSchema#resolveEffectiveTopicConfigs(Map<String,?>, Map<String,?>, Map<String,?>, Map<String,?>)
        """  # noqa: E501
        return {
            key._name: self._resolve_effective_topic_config(
                key, static_node_config, dynamic_cluster_configs, dynamic_node_configs,
                dynamic_topic_configs)
            for key in self._config_defs[ConfigResource.Type.TOPIC].config_keys().values()}

    def _resolve_effective_topic_config(
        self, config_key: ConfigDef.ConfigKey, static_node_config: Mapping[str, Any],
        dynamic_cluster_configs: Mapping[str, str], dynamic_node_configs: Mapping[str, str],
        dynamic_topic_configs: Mapping[str, str],
    ) -> ConfigEntry:
        """
        :origin: metadata.KafkaConfigSchema#resolveEffectiveTopicConfig(ConfigKey, Map<String,?>, Map<String,?>, Map<String,?>, Map<String,?>)
        """  # noqa: E501
        name = config_key._name
        if name in dynamic_topic_configs:
            return self._to_config_entry(
                config_key, dynamic_topic_configs[name], ConfigSource.TOPIC_CONFIG)
        synonyms = self._log_config_synonyms.get(name, ())
        for configs, source in ((dynamic_node_configs, ConfigSource.DYNAMIC_BROKER_CONFIG),
                                (dynamic_cluster_configs, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
                                (static_node_config, ConfigSource.STATIC_BROKER_CONFIG)):
            for synonym in synonyms:
                if synonym.name() in configs:
                    return self._to_config_entry(
                        config_key, configs[synonym.name()], source, synonym.converter())
        return self._to_config_entry(
            config_key, config_key._default_value if config_key.has_default() else None,
            ConfigSource.DEFAULT_CONFIG)

    @staticmethod
    def _to_config_entry(config_key: ConfigDef.ConfigKey, value: Any,
                         source: DescribeConfigsResponse.ConfigSource,
                         converter: Callable[[str], str] = str) -> ConfigEntry:
        """
        :origin: metadata.KafkaConfigSchema#toConfigEntry(ConfigKey, Object, ConfigSource, Function<String,String>)
        """  # noqa: E501
        string_value: str | None = None
        if isinstance(value, str):
            string_value = value
        elif isinstance(value, Password):
            string_value = value.value()
        elif value is not None:
            string_value = ConfigDef.convert_to_string(value, config_key.type())
        if string_value is not None:
            string_value = converter(string_value)
        return ConfigEntry(config_key._name, string_value, source, config_key.type().is_sensitive(), False)


CONFIG_SCHEMA = KafkaConfigSchema(
    {ConfigResource.Type.BROKER: kafka_config_def.CONFIG_DEF,
     ConfigResource.Type.TOPIC: LogConfig.config_def_copy()},
    ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS)

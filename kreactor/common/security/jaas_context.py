# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.JaasContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The login module of a SASL mechanism on a listener, with its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.jaas_config import JaasConfig
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.login import AppConfigurationEntry, Configuration

log = LogContext().logger(f"{__name__}.JaasContext")


class JaasContext:
    """A context name and its login modules. Immutable.

    :origin: common.security.JaasContext
    """

    GLOBAL_CONTEXT_NAME_SERVER = "KafkaServer"
    GLOBAL_CONTEXT_NAME_CLIENT = "KafkaClient"

    @staticmethod
    def load_server_context(listener_name: ListenerName, mechanism: str,
                            configs: Mapping[str, Any]) -> JaasContext:
        """Return the context of ``mechanism``. ``configs`` are those of the listener.

        Raises IllegalArgumentException if the setting is missing or malformed.

        :origin: common.security.JaasContext#loadServerContext(ListenerName, String, Map<String,?>)
        """
        name = ListenerName.sasl_mechanism_prefix(mechanism) + SaslConfigs.SASL_JAAS_CONFIG
        dynamic_jaas_config: Password | None = configs.get(name)
        if dynamic_jaas_config is None and configs.get(SaslConfigs.SASL_JAAS_CONFIG) is not None:
            log.warn("Server config %s should be prefixed with SASL mechanism name, ignoring config",
                     SaslConfigs.SASL_JAAS_CONFIG)
        return JaasContext.load(JaasContext.Type.SERVER, listener_name.config_prefix() + name,
                                JaasContext.GLOBAL_CONTEXT_NAME_SERVER, dynamic_jaas_config)

    @staticmethod
    def load_client_context(configs: Mapping[str, Any]) -> JaasContext:
        """Return the context that ``configs`` describe. Raises IllegalArgumentException.

        :origin: common.security.JaasContext#loadClientContext(Map<String,?>)
        """
        return JaasContext.load(JaasContext.Type.CLIENT, SaslConfigs.SASL_JAAS_CONFIG,
                                JaasContext.GLOBAL_CONTEXT_NAME_CLIENT,
                                configs.get(SaslConfigs.SASL_JAAS_CONFIG))

    @staticmethod
    def load(context_type: Type, config_name: str, global_context_name: str,
             dynamic_jaas_config: Password | None) -> JaasContext:
        """Return the context in the property ``config_name``. Raises IllegalArgumentException.

        :origin: common.security.JaasContext#load(JaasContext.Type, String, String, Password)
        """
        if dynamic_jaas_config is None:
            # DEVIATION D175: without the property, the origin reads a JAAS file that a JVM property names.
            raise IllegalArgumentException(
                f"{config_name} is not set, and the JAAS file that java.security.auth.login.config names in "
                "Java has no counterpart")
        jaas_config = JaasConfig(global_context_name, dynamic_jaas_config.value())
        context_modules = jaas_config.get_app_configuration_entry(global_context_name)
        if not context_modules:
            raise IllegalArgumentException("JAAS config property does not contain any login modules")
        if len(context_modules) != 1:
            raise IllegalArgumentException(
                f"JAAS config property contains {len(context_modules)} login modules, should be 1 module")
        return JaasContext(global_context_name, context_type, jaas_config, dynamic_jaas_config)

    class Type(Enum):
        """:origin: common.security.JaasContext.Type"""

        CLIENT = "CLIENT"
        SERVER = "SERVER"

    def __init__(self, name: str, type: Type, configuration: Configuration,
                 dynamic_jaas_config: Password | None) -> None:
        """Raises IllegalArgumentException if ``configuration`` has no entry named ``name``.

        :origin: common.security.JaasContext#JaasContext(String, JaasContext.Type, Configuration, Password)
        """
        self._name = name
        self._type = type
        self._configuration = configuration
        entries = configuration.get_app_configuration_entry(name)
        if entries is None:
            raise IllegalArgumentException(f"Could not find a '{name}' entry in this JAAS configuration.")
        self._configuration_entries = tuple(entries)
        self._dynamic_jaas_config = dynamic_jaas_config

    def name(self) -> str:
        """:origin: common.security.JaasContext#name()"""
        return self._name

    def type(self) -> Type:
        """:origin: common.security.JaasContext#type()"""
        return self._type

    def configuration(self) -> Configuration:
        """:origin: common.security.JaasContext#configuration()"""
        return self._configuration

    def configuration_entries(self) -> Sequence[AppConfigurationEntry]:
        """:origin: common.security.JaasContext#configurationEntries()"""
        return self._configuration_entries

    def dynamic_jaas_config(self) -> Password | None:
        """:origin: common.security.JaasContext#dynamicJaasConfig()"""
        return self._dynamic_jaas_config

    @staticmethod
    def config_entry_option(configuration_entries: Sequence[AppConfigurationEntry], key: str,
                            login_module_name: str | None) -> str | None:
        """Return an option's value, only from ``login_module_name`` if it is given.

        :origin: common.security.JaasContext#configEntryOption(List<AppConfigurationEntry>, String, String)
        """
        for entry in configuration_entries:
            if login_module_name is not None and login_module_name != entry.get_login_module_name():
                continue
            value = entry.get_options().get(key)
            if value is not None:
                return value
        return None

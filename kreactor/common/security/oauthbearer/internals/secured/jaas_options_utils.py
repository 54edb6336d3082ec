# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of JaasOptionsUtils, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The options of a login module that gets tokens over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.network.mode import Mode
from kreactor.common.security.ssl.default_ssl_engine_factory import DefaultSslEngineFactory
from kreactor.common.security.ssl.ssl_factory import SslFactory
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.text import trim

log = LogContext().logger(f"{__name__}.JaasOptionsUtils")


class JaasOptionsUtils:
    """Reads the options of one login module.

    :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        """:origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#JaasOptionsUtils(
            Map<String,Object>)
        """
        self._options = options

    @staticmethod
    def get_options(sasl_mechanism: str,
                    jaas_config_entries: Sequence[AppConfigurationEntry]) -> Mapping[str, str]:
        """Return the options of the one entry. Raises IllegalArgumentException.

        :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#getOptions(
            String, List<AppConfigurationEntry>)
        """
        if sasl_mechanism != "OAUTHBEARER":
            raise IllegalArgumentException(f"Unexpected SASL mechanism: {sasl_mechanism}")

        if len(jaas_config_entries) != 1 or jaas_config_entries[0] is None:
            raise IllegalArgumentException("Must supply exactly 1 non-null JAAS mechanism configuration "
                                           f"(size was {len(jaas_config_entries)})")

        return jaas_config_entries[0].get_options()

    def should_create_ssl_socket_factory(self, url: SplitResult) -> bool:
        """Return whether the URL's scheme is https.

        :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#shouldCreateSSLSocketFactory(
            URL)
        """
        return url.scheme == "https"

    def get_ssl_client_config(self) -> Mapping[str, Any]:
        """Return the TLS settings of the options, and defaults for missing ones.

        :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#getSslClientConfig()
        """
        ssl_config_def = ConfigDef()
        ssl_config_def.with_client_ssl_support()
        ssl_client_config = AbstractConfig(ssl_config_def, self._options)
        return ssl_client_config.values()

    def create_ssl_socket_factory(self) -> Floor.ssl.SSLContext:
        """Return the factory of TLS connections. Connections check the server's host name, as in Java.

        :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#createSSLSocketFactory()
        """
        ssl_client_config = self.get_ssl_client_config()
        ssl_factory = SslFactory(Mode.CLIENT)
        ssl_factory.configure(ssl_client_config)
        ssl_engine_factory = ssl_factory.ssl_engine_factory()
        assert isinstance(ssl_engine_factory, DefaultSslEngineFactory)
        socket_factory = ssl_engine_factory.ssl_context(Mode.CLIENT)
        assert socket_factory is not None
        socket_factory.check_hostname = True
        log.debug("a TLS context was created from %s settings", len(ssl_client_config))
        return socket_factory

    def validate_string(self, name: str, is_required: bool = True) -> str | None:
        """Return the stripped option, or None for a blank one. Raises ConfigException.

        :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#validateString(String)
        :origin: common.security.oauthbearer.internals.secured.JaasOptionsUtils#validateString(
            String, boolean)
        """
        value: str | None = self._options.get(name)

        if value is None:
            if is_required:
                raise ConfigException(f"The OAuth configuration option {name} value must be non-null")
            return None

        value = trim(value)

        if not value:
            if is_required:
                raise ConfigException(
                    f"The OAuth configuration option {name} value must not contain only whitespace")
            return None

        return value

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How a client's connections are secured: TLS, SASL, both or neither, in Kafka's words.

Ours, where Kafka has CommonClientConfigs and ClientUtils for it. Never changed; for any thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time

_PROTOCOL = "security.protocol"


class ClientSecurity(AbstractConfig):
    """``security.protocol``, ``sasl.*`` and ``ssl.*`` of a client; plain text if nothing is said."""

    DEFINITION = ConfigDef().define(
        _PROTOCOL, ConfigDef.Type.STRING, SecurityProtocol.PLAINTEXT.name,
        ConfigDef.CaseInsensitiveValidString.in_(*SecurityProtocol.names()), ConfigDef.Importance.MEDIUM,
        None).with_client_ssl_support().with_client_sasl_support()

    def __init__(self, settings: Mapping[str, Any]) -> None:
        """Raises ConfigException."""
        super().__init__(self.DEFINITION, settings, do_log=False)

    def channel_builder(self, time: Time, log_context: LogContext) -> ChannelBuilder:
        """Return a builder for the channels of one selector, which closes it.

        Raises KafkaException, ConfigException among them, for settings that cannot be.
        """
        name = self.get_string(_PROTOCOL)
        assert name is not None, "or it would not be valid"
        protocol = SecurityProtocol.for_name(name)
        return ChannelBuilders.client_channel_builder(protocol, self, None, time, log_context)

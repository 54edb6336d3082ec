# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslServerCallbackHandler
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler of mechanisms that have no handler in Kafka."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException


class SaslServerCallbackHandler(AuthenticateCallbackHandler):
    """Refuses every callback.

    :origin: common.security.authenticator.SaslServerCallbackHandler
    """

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """:origin: common.security.authenticator.SaslServerCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        # DEVIATION D285: the mechanism is not kept; only GSSAPI and delegation tokens would read it.

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.authenticator.SaslServerCallbackHandler#handle(Callback[])"""
        for callback in callbacks:
            raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.authenticator.SaslServerCallbackHandler#close()"""

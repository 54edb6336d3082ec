# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.AuthenticateCallbackHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Answers the questions of one SASL mechanism, on one listener."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback


class AuthenticateCallbackHandler(ABC):
    """Made by each network thread for itself, and called on that thread only.

    :origin: common.security.auth.AuthenticateCallbackHandler
    """

    @abstractmethod
    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """Take the settings, before anything is asked.

        :origin: common.security.auth.AuthenticateCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """

    @abstractmethod
    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Write answers into ``callbacks``. Raises UnsupportedCallbackException, OSError."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what the handler holds.

        :origin: common.security.auth.AuthenticateCallbackHandler#close()
        """
